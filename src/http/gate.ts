interface Waiting {
  readonly untilMs: number
  readonly letIn: (isIn: boolean) => void
}

/** Target length of a turn: a turn by itself costs 5 µs, as much as a 404. */
const turnMs = 0.5
/** Maximum number of requests in one turn: their hooks run side by side, which halves the time of small answers. */
const maxPerTurn = 12
/** Maximum wait of a request before it is refused: more than 2 s of its kind come before it. */
const maxWaitMs = 3000
/** Maximum number of waiting requests, at 4 KiB of memory each; further ones are refused. */
const maxWaiting = 10_000
/** Delay of a refusal for lack of room: an immediate one would make clients retry as fast as they can. */
const refusalDelayMs = 250
/** Maximum number of delayed refusals, about 2 KiB each; further ones are immediate. */
const maxDelayedRefusals = 10_000

/**
 * Lets requests in during turns of the event loop, as many in each as fit into {@link turnMs} by the last turn; long
 * ones get a turn of their own. Between turns requests are read and cheap ones answered. Each kind of request has a
 * queue, and the queues take turns: thousands of one kind delay one of another by a single turn. A request that awaits
 * I/O holds no turn, unlike with `p-limit`, because the limited resource is the main thread.
 */
export const createGate = () => {
  /** Waiting requests by kind, in order of arrival; the first kind is the next one. */
  const queues = new Map<string, Waiting[]>()
  let waiting = 0
  let delayed = 0
  /** True if this turn has let a request in, and the next turn is scheduled. */
  let isTurnTaken = false
  let turnStartedMs = 0
  /** Number of requests that were let in and are done since the turn began, and the time of the last one. */
  let done = 0
  let lastDoneMs = 0
  let perTurn = 1

  /** Lets the next request in; refuses requests before it that have waited too long. */
  const letNextIn = (): boolean => {
    const nowMs = performance.now()
    // Deleting and setting a queue again moves it to the end, also in this loop.
    for (const [kind, queue] of queues) {
      queues.delete(kind)
      const next = queue.shift()
      if (queue.length > 0) queues.set(kind, queue)
      if (!next) continue
      waiting -= 1
      const isInTime = next.untilMs > nowMs
      next.letIn(isInTime)
      if (isInTime) return true
    }
    return false
  }

  const beginTurn = (): void => {
    if (done > 0) {
      const fitting = Math.floor((turnMs * done) / Math.max(lastDoneMs - turnStartedMs, 0.001))
      perTurn = Math.max(1, Math.min(fitting, 2 * perTurn, maxPerTurn))
    }
    turnStartedMs = performance.now()
    done = 0
    setImmediate(turn)
  }

  const turn = (): void => {
    isTurnTaken = waiting > 0
    if (!isTurnTaken) return
    beginTurn()
    for (let count = 0; count < perTurn && letNextIn(); count += 1);
  }

  return {
    /** Resolves to true when the request is let in, now or in its turn; false if too many are ahead of it. */
    enter: (kind: string): boolean | Promise<boolean> => {
      if (!isTurnTaken) {
        isTurnTaken = true
        beginTurn()
        return true
      }
      if (waiting < maxWaiting) {
        waiting += 1
        const { promise, resolve } = Promise.withResolvers<boolean>()
        const queue = queues.getOrInsertComputed(kind, () => [])
        queue.push({ untilMs: performance.now() + maxWaitMs, letIn: resolve })
        return promise
      }
      if (delayed >= maxDelayedRefusals) return false
      delayed += 1
      return Bun.sleep(refusalDelayMs).then(() => {
        delayed -= 1
        return false
      })
    },
    /** Called when a request that was let in is done. */
    leave: (): void => {
      done += 1
      lastDoneMs = performance.now()
    },
  }
}

export type Gate = ReturnType<typeof createGate>

/**
 * Route detail of a route that bypasses the gate, because it does no work or waits for another server: it answers under
 * any load. Its path has no parameters.
 */
export const ungated = { 'x-ungated': true } as const

/** Route detail of an ungated route that charges its client for work and refuses a client that owes units. */
export const charged = { 'x-charged': true } as const

interface Declared {
  readonly hooks: { readonly detail?: object }
}
export const isUngated = ({ hooks: { detail = {} } }: Declared): boolean => 'x-ungated' in detail
export const isCharged = ({ hooks: { detail = {} } }: Declared): boolean => 'x-charged' in detail
