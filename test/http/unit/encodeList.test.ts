import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { Type } from '@sinclair/typebox'
import { createListResponse } from '../../../src/http/encodeList.ts'
import { compiled } from '../../../src/runtime/once.ts'
import { archiveOf } from '../../fixtures.ts'

const check = compiled(Type.Object({ value: Type.Integer() }))
/** Each item takes long enough for many slices. */
const slowly = (value: number): number => {
  const until = performance.now() + 0.2
  while (performance.now() < until);
  return value
}
const numbers = Array.from({ length: 40 }, (_, index) => index)
const [archive, other] = [archiveOf(), archiveOf()]

describe('a long list', () => {
  test('a long list is complete, with pauses for other requests', async () => {
    const respond = createListResponse(() => ({
      head: '{"list":[',
      items: numbers,
      view: (value) => ({ value: slowly(value) }),
      check,
    }))
    let turns = 0
    let isDone = false
    const counting = (async () => {
      for (; !isDone; turns += 1) await setImmediate()
    })()
    const response = await respond(archive)
    isDone = true
    await counting
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toEqual({ list: numbers.map((value) => ({ value })) })
    expect(turns).toBeGreaterThan(3)
  })

  test('a list may be empty', async () => {
    const respond = createListResponse(() => ({
      head: '{"list":[',
      items: [],
      view: (value) => value,
      check,
    }))
    expect(await (await respond(archive)).text()).toBe('{"list":[]}')
  })

  test('a list is encoded once for simultaneous requests, and again for another archive', async () => {
    let made = 0
    const respond = createListResponse((of) => {
      made += 1
      const value = of === archive ? 1 : 2
      return { head: '{"list":[', items: numbers, view: () => ({ value: slowly(value) }), check }
    })
    const bodies = await Promise.all([respond(archive), respond(archive), respond(other)])
    const texts = await Promise.all(bodies.map((response) => response.text()))
    expect(made).toBe(2)
    expect(texts[0]).toBe(texts[1] ?? '')
    expect(texts[2]).toBe(texts[0]?.replaceAll(':1', ':2') ?? '')
    await respond(archive)
    expect(made).toBe(3)
  })

  test('a list with an entry that breaks its schema is an error until it is repaired', async () => {
    let value = 1.5
    const respond = createListResponse(() => ({
      head: '{"list":[',
      items: [1, value],
      view: (item) => ({ value: item }),
      check,
    }))
    expect(respond(archive)).rejects.toThrow('breaks its schema at /value')
    await setImmediate()
    value = 2
    expect(await (await respond(archive)).json()).toEqual({ list: [{ value: 1 }, { value: 2 }] })
  })
})
