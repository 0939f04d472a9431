/** Turns for work that takes long, so that what takes little goes before it, see {@link createGate}. */
export interface Gate {
  /**
   * Does the work at once or in its turn, before all others with `isFirst`; `refuse` makes the result
   * where too many wait already.
   */
  readonly run: <Result>(
    work: () => Result | Promise<Result>,
    refuse: () => Result,
    options?: { readonly isFirst: boolean },
  ) => Result | Promise<Result>
}

interface Waiting {
  readonly untilMs: number
  readonly start: () => void
  readonly refuse: () => void
}

/** Requests that may wait, a fifth of a second of work; more of them are refused. */
const maxWaiting = 200
/** Waiting longer is refused, too. */
const maxWaitMs = 2000
/** A refusal is held back: at once, it would make clients ask again as fast as they can. */
const refusalDelayMs = 250
/** Refusals that are held back; each takes some 2 KiB. */
const maxDelayedRefusals = 10_000

/**
 * Does one piece of work in each turn of the event loop, first come, first served: requests are read and
 * cheap ones answered in between. Work that waits for something else takes no turn meanwhile, which is
 * why this is not `p-limit`: what is bounded is the use of the main thread.
 */
export const createGate = (): Gate => {
  const [first, others]: [Waiting[], Waiting[]] = [[], []]
  let held = 0
  /** Whether this turn has done work, and the next one is asked for. */
  let isTurnTaken = false

  const turn = (): void => {
    const nowMs = performance.now()
    isTurnTaken = false
    for (const queue of [first, others]) {
      for (let next = queue[0]; next; next = queue[0]) {
        const isLate = next.untilMs <= nowMs
        if (!isLate && isTurnTaken) break
        queue.shift()
        if (isLate) next.refuse()
        else next.start()
        isTurnTaken ||= !isLate
      }
    }
    if (isTurnTaken) setImmediate(turn)
  }

  const hold = async <Result>(refuse: () => Result): Promise<Result> => {
    if (held < maxDelayedRefusals) {
      held += 1
      await Bun.sleep(refusalDelayMs)
      held -= 1
    }
    return refuse()
  }

  return {
    run: (work, refuse, { isFirst } = { isFirst: false }) => {
      if (!isTurnTaken) {
        isTurnTaken = true
        setImmediate(turn)
        return work()
      }
      const queue = isFirst ? first : others
      if (queue.length >= maxWaiting) return hold(refuse)
      return new Promise((resolve, reject) => {
        queue.push({
          untilMs: performance.now() + maxWaitMs,
          start: () => void Promise.try(work).then(resolve, reject),
          refuse: () => resolve(refuse()),
        })
      })
    },
  }
}

/**
 * Route detail of a route that waits for no turn, as it waits for nothing or for another server: it is
 * answered under any load. The path has no parameters.
 */
export const ungated = { 'x-ungated': true } as const

/** Whether a route of the app has that detail. */
export const isUngated = ({ hooks }: { readonly hooks: { readonly detail?: object } }): boolean =>
  hooks.detail !== undefined && 'x-ungated' in hooks.detail
