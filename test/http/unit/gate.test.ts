import { describe, expect, spyOn, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createGate } from '../../../src/http/gate.ts'

describe('a gate', () => {
  test('does the first work at once, and the rest in order', async () => {
    const gate = createGate()
    const done: number[] = []
    const results = Array.from({ length: 50 }, (_, number) =>
      gate.run(
        'a',
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
          'a',
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
    await Promise.all(Array.from({ length: 150 }, () => gate.run('a', refuse, refuse)))
    isOver = true
    await counting
    expect(turns).toBeLessThan(75)
  })

  /** Queues work of one kind whose pieces each take a fixed time on a fake clock. */
  const gateWithClock = () => {
    let nowMs = 0
    const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
    const gate = createGate()
    const run = (kind: string, ms: number, count: number): Promise<string>[] =>
      Array.from({ length: count }, async () =>
        gate.run(
          kind,
          () => {
            nowMs += ms
            return 'done'
          },
          () => 'refused',
        ),
      )
    return { run, [Symbol.dispose]: () => clock.mockRestore() }
  }
  const doneOf = async (results: readonly Promise<string>[]): Promise<number> =>
    (await Promise.all(results)).filter((result) => result === 'done').length

  test('thousands wait for short work, and a request with over 2 s of work ahead of it is refused', async () => {
    using gate = gateWithClock()
    expect(await doneOf(gate.run('page', 0.4, 5000))).toBe(5000)
    expect(await doneOf(gate.run('page', 10, 500))).toBe(300)
    expect(await doneOf(gate.run('page', 10, 1))).toBe(1)
  })

  test('requests beyond the max queue length are refused after a delay', async () => {
    using gate = gateWithClock()
    const results = gate.run('page', 0, 10_002)
    let isRefused = false
    void results.at(-1)?.then(() => {
      isRefused = true
    })
    await Promise.all(results.slice(0, 10_001))
    expect(isRefused).toBe(false)
    expect(await results.at(-1)).toBe('refused')
  })

  test('queues of different kinds take turns, so that none delays another', async () => {
    using gate = gateWithClock()
    const many = gate.run('dear', 10, 500)
    const others = [...gate.run('a', 1, 2), ...gate.run('b', 1, 1)]
    let done = 0
    for (const each of many) void each.then(() => (done += 1))
    expect(await doneOf(others)).toBe(3)
    expect(done).toBeLessThan(5)
    expect(await doneOf(many)).toBeLessThan(500)
  })

  test('does not wait for work that waits for something else', async () => {
    const gate = createGate()
    const { promise, resolve } = Promise.withResolvers<string>()
    const run = (work: () => Promise<string>) => gate.run('a', work, () => 'refused')
    const waiting = Array.from({ length: 100 }, () => run(() => promise))
    expect(await run(async () => 'done')).toBe('done')
    resolve('late')
    expect(await Promise.all(waiting)).toEqual(new Array(100).fill('late'))
  })

  test('goes on after work that fails', async () => {
    const gate = createGate()
    const run = (work: () => string) => gate.run('a', work, () => 'refused')
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
