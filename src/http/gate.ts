/** Turns for work that takes long, so that what takes little goes before it, see {@link createGate}. */
export interface Gate {
  /** Does the work at once or in its turn; `refuse` makes the result where that would be too late. */
  readonly run: <Result>(
    work: () => Result | Promise<Result>,
    refuse: () => Result,
  ) => Result | Promise<Result>
}

interface Waiting {
  readonly untilMs: number
  readonly start: () => Promise<unknown>
  readonly refuse: () => void
}

/** Waiting longer than this is refused: a client does better to ask again later. */
const maxWaitMs = 250
/** Requests that may wait; each takes some 2 KiB. */
const maxWaiting = 1000
/** Work that may be under way, as some of it waits for other threads. */
const maxActive = 16
/** Work of one turn of the event loop; between turns, requests are read and cheap ones answered. */
const turnMs = 1
const maxStarts = 4

/**
 * Does a bounded amount of work in each turn of the event loop, first come, first served. Not `p-limit`:
 * this work is done on the main thread, so that the number of promises under way bounds nothing.
 */
export const createGate = (): Gate => {
  const waiting: Waiting[] = []
  let active = 0
  /** Whether this turn has done work, and the next one is asked for. */
  let isTurnTaken = false

  const track = async <Result>(promise: Promise<Result>): Promise<Result> => {
    active += 1
    try {
      return await promise
    } finally {
      active -= 1
    }
  }

  const turn = (): void => {
    const startedMs = performance.now()
    let starts = 0
    let next = waiting[0]
    while (next) {
      if (next.untilMs <= startedMs) {
        waiting.shift()
        next.refuse()
      } else {
        if (active >= maxActive || starts >= maxStarts) break
        if (performance.now() - startedMs >= turnMs) break
        waiting.shift()
        starts += 1
        void next.start()
      }
      next = waiting[0]
    }
    isTurnTaken = starts > 0 || waiting.length > 0
    if (isTurnTaken) nextTurn()
  }
  /** Where all wait for other threads, a turn for nothing would keep the processor busy. */
  const nextTurn = (): void => {
    if (active >= maxActive) setTimeout(turn, 1)
    else setImmediate(turn)
  }

  return {
    run: (work, refuse) => {
      if (!isTurnTaken && active < maxActive) {
        isTurnTaken = true
        setImmediate(turn)
        const result = work()
        return result instanceof Promise ? track(result) : result
      }
      if (waiting.length >= maxWaiting) return refuse()
      if (!isTurnTaken) {
        isTurnTaken = true
        nextTurn()
      }
      return new Promise((resolve, reject) => {
        waiting.push({
          untilMs: performance.now() + maxWaitMs,
          start: () => track(Promise.try(work)).then(resolve, reject),
          refuse: () => resolve(refuse()),
        })
      })
    },
  }
}
