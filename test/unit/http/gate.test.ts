import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createGate } from '../../../src/http/gate.ts'

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
          () => Bun.sleepSync(3),
          () => undefined,
        ),
      ),
    )
    isOver = true
    await counting
    expect(turns).toBeGreaterThanOrEqual(19)
  })

  test('runs several short pieces of work in a turn', async () => {
    const gate = createGate()
    let turns = 0
    let isOver = false
    const counting = (async () => {
      for (; !isOver; turns += 1) await setImmediate()
    })()
    const refuse = () => undefined
    await Promise.all(Array.from({ length: 150 }, () => gate.run(refuse, refuse)))
    isOver = true
    await counting
    expect(turns).toBeLessThan(75)
  })

  test('refuses what are too many, after a while, and then goes on', async () => {
    const gate = createGate()
    const run = (work: () => string) => gate.run(work, () => 'refused')
    const done = { count: 0 }
    const results = Array.from({ length: 300 }, async () =>
      run(() => {
        done.count += 1
        return 'done'
      }),
    )
    await Promise.all(results.slice(0, 201))
    expect(done.count).toBe(201)
    const started = performance.now()
    expect((await Promise.all(results)).slice(201)).toEqual(new Array(99).fill('refused'))
    expect(performance.now() - started).toBeGreaterThan(50)
    expect(await run(() => 'again')).toBe('again')
  })

  test('delays refusals again, however many there were before', async () => {
    const gate = createGate()
    const settled: string[] = []
    const fill = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const refuse = () => settled.push('refused')
          await gate.run(() => settled.push('done'), refuse)
        }),
      )
    await fill(201 + 10_000)
    settled.length = 0
    // The turn of the last work is over.
    await setImmediate()
    const again = fill(202)
    for (let turn = 0; turn < 9; turn += 1) await Promise.resolve()
    expect(settled).toEqual(['done'])
    await again
    expect(settled).toEqual([...new Array(201).fill('done'), 'refused'])
  })

  test('refuses what has waited too long', async () => {
    const gate = createGate()
    const slow = () =>
      gate.run(
        () => {
          Bun.sleepSync(300)
          return 'done'
        },
        () => 'refused',
      )
    const all = await Promise.all(Array.from({ length: 12 }, slow))
    expect(all[1]).toBe('done')
    expect(all.at(-1)).toBe('refused')
  })

  test('refuses in time what gets no turn beside what is first', async () => {
    const gate = createGate()
    let left = 12
    const keepOn = () => {
      left -= 1
      Bun.sleepSync(300)
      if (left > 0) void gate.run(keepOn, keepOn, { isFirst: true })
    }
    void gate.run(keepOn, keepOn)
    const refuse = () => left
    expect(await gate.run(() => 0, refuse)).toBeWithin(1, 12)
  })

  test('prefers what is first to what came before it', async () => {
    const gate = createGate()
    const done: string[] = []
    const run = (name: string, isFirst: boolean) =>
      gate.run(
        () => done.push(name),
        () => 0,
        { isFirst },
      )
    await Promise.all([run('a', false), run('b', false), run('c', true)])
    expect(done).toEqual(['a', 'c', 'b'])
  })

  test('does not wait for work that waits for something else', async () => {
    const gate = createGate()
    const { promise, resolve } = Promise.withResolvers<string>()
    const run = (work: () => Promise<string>) => gate.run(work, () => 'refused')
    const waiting = Array.from({ length: 100 }, () => run(() => promise))
    expect(await run(async () => 'done')).toBe('done')
    resolve('late')
    expect(await Promise.all(waiting)).toEqual(new Array(100).fill('late'))
  })

  test('goes on after work that fails', async () => {
    const gate = createGate()
    const run = (work: () => string) => gate.run(work, () => 'refused')
    const first = run(() => 'first')
    const failing = run(() => {
      throw new Error('broken')
    })
    const next = run(() => 'done')
    expect(await first).toBe('first')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })
})
