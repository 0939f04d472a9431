interface Waiting {
  readonly untilMs: number
  readonly start: () => void
  readonly refuse: () => void
}

/** Work begins in a turn until this has passed: a turn costs 5 µs, as much as a 404. */
const sliceMs = 0.2
/** Max wait of queued work before it is refused: more than 2 s of its kind come before it. */
const maxWaitMs = 3000
/** Max waiting requests, at 4 KiB of memory each; further ones are refused. */
const maxWaiting = 10_000
/** Delay of a refusal for lack of room: an immediate one would make clients retry as fast as they can. */
const refusalDelayMs = 250
/** Max delayed refusals, about 2 KiB each; further ones are immediate. */
const maxDelayedRefusals = 10_000

/**
 * Runs work in time slices, one in each turn of the event loop; a long piece gets a turn of its own. Between turns requests
 * are read and cheap ones answered. Each kind of work has a queue, and the queues take turns: thousands of requests of one kind
 * delay one of another by a single piece. Work that awaits I/O takes no turn, unlike with `p-limit`: the
 * limited resource is the main thread.
 */
export const createGate = () => {
  /** Waiting work by kind, in order of arrival; the first kind is the next to run. */
  const queues = new Map<string, Waiting[]>()
  let waiting = 0
  let delayed = 0
  /** Whether this turn has run work, and the next one is scheduled. */
  let isTurnTaken = false

  const turn = (): void => {
    const startedMs = performance.now()
    isTurnTaken = false
    // Deleting and setting a queue again moves it to the end, also in this loop.
    for (const [kind, queue] of queues) {
      if (isTurnTaken && performance.now() - startedMs >= sliceMs) break
      queues.delete(kind)
      const next = queue.shift()
      if (queue.length > 0) queues.set(kind, queue)
      if (!next) continue
      waiting -= 1
      const isLate = next.untilMs <= startedMs
      isTurnTaken ||= !isLate
      if (isLate) next.refuse()
      else next.start()
    }
    if (isTurnTaken) setImmediate(turn)
  }

  const delayRefusal = async <Result>(refuse: () => Result | Promise<Result>): Promise<Result> => {
    if (delayed < maxDelayedRefusals) {
      delayed += 1
      await Bun.sleep(refusalDelayMs)
      delayed -= 1
    }
    return refuse()
  }

  return {
    /** Runs the work now or when its turn comes; results in `refuse()` if too much work is ahead of it. */
    run: <Result>(
      kind: string,
      work: () => Result | Promise<Result>,
      refuse: () => Result | Promise<Result>,
    ): Result | Promise<Result> => {
      if (!isTurnTaken) {
        isTurnTaken = true
        setImmediate(turn)
        return work()
      }
      if (waiting >= maxWaiting) return delayRefusal(refuse)
      waiting += 1
      return new Promise((resolve, reject) => {
        queues
          .getOrInsertComputed(kind, () => [])
          .push({
            untilMs: performance.now() + maxWaitMs,
            start: () => void Promise.try(work).then(resolve, reject),
            refuse: () => void Promise.try(refuse).then(resolve, reject),
          })
      })
    },
  }
}

/**
 * Route detail of a route that bypasses the gate, as it does no work or waits for another server:
 * it answers under any load. Its path has no parameters.
 */
export const ungated = { 'x-ungated': true } as const

/** Route detail of an ungated route that charges its client for work and refuses a client that owes units. */
export const charged = { 'x-charged': true } as const

export const isCharged = ({ hooks }: { readonly hooks: { readonly detail?: object } }): boolean =>
  hooks.detail !== undefined && 'x-charged' in hooks.detail

/** Whether a route has this detail. */
export const isUngated = ({ hooks }: { readonly hooks: { readonly detail?: object } }): boolean =>
  hooks.detail !== undefined && 'x-ungated' in hooks.detail
