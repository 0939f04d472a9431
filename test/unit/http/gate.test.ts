import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createGate } from '../../../src/http/gate.ts'

const block = (ms: number): void => {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

describe('a gate', () => {
  test('does the first work at once, and the rest in order', async () => {
    const gate = createGate()
    const done: number[] = []
    const results = Array.from({ length: 50 }, (_, number) =>
      gate.run(
        () => done.push(number),
        () => -1,
      ),
    )
    expect(results[0]).toBe(1)
    expect(done).toEqual([0])
    await Promise.all(results)
    expect(done).toEqual(Array.from({ length: 50 }, (_, number) => number))
  })

  test('lets the event loop turn between pieces of work', async () => {
    const gate = createGate()
    let turns = 0
    let isOver = false
    const counting = (async () => {
      for (; !isOver; turns += 1) await setImmediate()
    })()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        gate.run(
          () => block(3),
          () => undefined,
        ),
      ),
    )
    isOver = true
    await counting
    expect(turns).toBeGreaterThanOrEqual(19)
  })

  test('refuses what would wait too long, and what are too many', async () => {
    const gate = createGate()
    const run = (work: () => string) => gate.run(work, () => 'refused')
    const results = Array.from({ length: 1200 }, () =>
      run(() => {
        block(5)
        return 'done'
      }),
    )
    const atOnce = results.filter((result) => result === 'refused')
    expect(atOnce.length).toBe(199)
    const all = await Promise.all(results)
    const done = all.filter((result) => result === 'done')
    expect(done.length).toBeGreaterThan(5)
    expect(done.length).toBeLessThan(100)
    expect(await run(() => 'done')).toBe('done')
  })

  test('bounds the work that waits for something else', async () => {
    const gate = createGate()
    let active = 0
    let most = 0
    const { promise, resolve } = Promise.withResolvers<void>()
    const results = Array.from({ length: 40 }, () =>
      gate.run(
        async () => {
          active += 1
          most = Math.max(most, active)
          await promise
          active -= 1
          return 'done'
        },
        () => 'refused',
      ),
    )
    await Bun.sleep(20)
    expect(most).toBe(16)
    resolve()
    expect(await Promise.all(results)).toEqual(new Array(40).fill('done'))
    expect(most).toBe(16)
  })

  test('goes on after work that fails', async () => {
    const gate = createGate()
    const run = (work: () => string) => gate.run(work, () => 'refused')
    run(() => 'first')
    const failing = run(() => {
      throw new Error('broken')
    })
    const next = run(() => 'done')
    expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })
})
