import { appendFileSync, readFileSync } from 'node:fs'

/**
 * Preloaded into a service: appends `endUnixMs heldMs` to the file `TURNS` for each turn of the event loop that took
 * over 5 ms, without the time that the main thread waited for a core: on an overloaded machine that was 181 of 183 ms.
 * A timer of 1 ms costs 2 % of a core.
 */
const { TURNS = '' } = process.env
const schedule = `/proc/${process.pid}/task/${process.pid}/schedstat`
const queuedMs = (): number => Number(readFileSync(schedule, 'utf8').split(' ')[1]) / 1e6
/** State at the start of the turn; undefined during the first one, which loads the program: nothing listens yet. */
let before: { readonly at: number; readonly queued: number } | undefined
setInterval(() => {
  const [at, queued] = [performance.now(), queuedMs()]
  const heldMs = before ? at - before.at - (queued - before.queued) : 0
  if (heldMs > 5) appendFileSync(TURNS, `${performance.timeOrigin + at} ${heldMs}\n`)
  before = { at: performance.now(), queued }
}, 1).unref()
