interface Waiting {
  readonly untilMs: number
  readonly start: () => void
  readonly refuse: () => void
}

/** Work begins in a turn until this has passed: a turn costs 5 µs, as much as a 404. */
const sliceMs = 0.2
/** Max waiting requests, about 200 ms of work; further ones are refused. */
const maxWaiting = 200
/** Max wait; then the request is refused. */
const maxWaitMs = 2000
/** Delay of a refusal: an immediate one would make clients retry as fast as they can. */
const refusalDelayMs = 250
/** Max delayed refusals, about 2 KiB each; further ones are immediate. */
const maxDelayedRefusals = 10_000

/**
 * Runs work in order of arrival, in slices of a turn of the event loop each; a long piece has a turn of its
 * own. Between turns requests are read and cheap ones answered. Work that awaits I/O takes no turn, unlike with `p-limit`: the
 * limited resource is the main thread.
 */
export const createGate = () => {
  const [first, others]: [Waiting[], Waiting[]] = [[], []]
  let delayed = 0
  /** Whether this turn has run work, and the next one is scheduled. */
  let isTurnTaken = false

  const turn = (): void => {
    const startedMs = performance.now()
    isTurnTaken = false
    for (const queue of [first, others]) {
      for (let next = queue[0]; next; next = queue[0]) {
        const isLate = next.untilMs <= startedMs
        if (!isLate && isTurnTaken && performance.now() - startedMs >= sliceMs) break
        queue.shift()
        if (isLate) next.refuse()
        else next.start()
        isTurnTaken ||= !isLate
      }
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
    /**
     * Runs the work now or in its turn, before all others with `isFirst`; results in `refuse()` if
     * too many wait.
     */
    run: <Result>(
      work: () => Result | Promise<Result>,
      refuse: () => Result | Promise<Result>,
      { isFirst }: { readonly isFirst: boolean } = { isFirst: false },
    ): Result | Promise<Result> => {
      if (!isTurnTaken) {
        isTurnTaken = true
        setImmediate(turn)
        return work()
      }
      const queue = isFirst ? first : others
      if (queue.length >= maxWaiting) return delayRefusal(refuse)
      return new Promise((resolve, reject) => {
        queue.push({
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

/** Whether a route has this detail. */
export const isUngated = ({ hooks }: { readonly hooks: { readonly detail?: object } }): boolean =>
  hooks.detail !== undefined && 'x-ungated' in hooks.detail
