import { describe, expect, spyOn, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createGate } from '../../../src/http/gate.ts'

describe('a gate', () => {
  /** Queues requests of one kind that do the same work; tells which were admitted. */
  const run = (gate: ReturnType<typeof createGate>, count: number, work: () => void, kind = 'a') =>
    Array.from({ length: count }, async () => {
      const isIn = await gate.enter(kind)
      if (isIn) {
        work()
        gate.leave()
      }
      return isIn
    })

  /** Turns of the event loop until all are done. */
  const turnsOf = async (done: readonly Promise<unknown>[]): Promise<number> => {
    let turns = 0
    let isOver = false
    const counting = (async () => {
      for (; !isOver; turns += 1) await setImmediate()
    })()
    await Promise.all(done)
    isOver = true
    await counting
    return turns
  }

  test('a gate admits requests of a kind by order of arrival', async () => {
    const done: number[] = []
    let next = 0
    const numbered = createGate()
    await Promise.all(
      Array.from({ length: 50 }, async (_, number) => {
        await numbered.enter('a')
        done.push(number)
        next += 1
        numbered.leave()
      }),
    )
    expect(next).toBe(50)
    expect(done).toEqual(Array.from({ length: 50 }, (_, number) => number))
  })

  test('the event loop turns between long requests', async () => {
    const gate = createGate()
    const turns = await turnsOf(run(gate, 20, () => Bun.sleepSync(3)))
    expect(turns).toBeGreaterThanOrEqual(19)
  })

  test('several short requests share a turn', async () => {
    const gate = createGate()
    expect(await turnsOf(run(gate, 150, () => undefined))).toBeLessThan(75)
  })

  /** A gate on a clock that only work moves. */
  const gateWithClock = () => {
    let nowMs = 0
    const clock = spyOn(performance, 'now').mockImplementation(() => nowMs)
    const gate = createGate()
    return {
      run: (kind: string, ms: number, count: number) =>
        run(
          gate,
          count,
          () => {
            nowMs += ms
          },
          kind,
        ),
      [Symbol.dispose]: () => clock.mockRestore(),
    }
  }
  const countIn = async (entries: readonly Promise<boolean>[]): Promise<number> =>
    (await Promise.all(entries)).filter((isIn) => isIn).length

  test('a gate lets thousands wait for short work, and refuses a request with over 2 s of work ahead', async () => {
    using gate = gateWithClock()
    expect(await countIn(gate.run('page', 0.4, 5000))).toBe(5000)
    expect(await countIn(gate.run('page', 10, 500))).toBe(300)
    expect(await countIn(gate.run('page', 10, 1))).toBe(1)
  })

  test('a request beyond the maximum queue length is refused after a delay', async () => {
    using gate = gateWithClock()
    const beganMs = Date.now()
    const entries = gate.run('page', 0, 10_002)
    expect(await entries.at(-1)).toBe(false)
    expect(Date.now() - beganMs).toBeGreaterThanOrEqual(240)
    expect(await countIn(entries)).toBe(10_001)
  })

  test('queues of different kinds take turns, so that none delays another', async () => {
    using gate = gateWithClock()
    const many = gate.run('dear', 10, 500)
    const others = [...gate.run('a', 1, 2), ...gate.run('b', 1, 1)]
    let done = 0
    for (const each of many) void each.then(() => (done += 1))
    expect(await countIn(others)).toBe(3)
    expect(done).toBeLessThan(6)
    expect(await countIn(many)).toBeLessThan(500)
  })

  test('a request that waits for something else holds no turn', async () => {
    const gate = createGate()
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = Array.from({ length: 100 }, async () => {
      await gate.enter('a')
      await promise
    })
    expect(await gate.enter('a')).toBe(true)
    resolve()
    await Promise.all(waiting)
  })
})
