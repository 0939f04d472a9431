/** `/live` and the overlays: asks for a refresh after each change of the cages. */
import { type Change, follow } from './follow.ts'
import { showStreams } from './streams.ts'

/**
 * Maximum random delay of a reload: all readers get the changes of a commit at the same time. 2,000 different pages
 * cost the service up to 0.4 ms each, and are read within 0.8 s.
 */
const maxDelayMs = (readers: number): number => Math.max(30, Math.min(1000, readers * 0.4))
/** Minimum time between two reloads while changes go on. */
const minIntervalMs = 200

const root = document.querySelector<HTMLElement>('[data-follow]')
if (root) {
  const { follow: stream = '', worker = '' } = root.dataset
  let isDue = false
  let newest: string | undefined
  let reloadedMs = Number.NEGATIVE_INFINITY
  const soon = ({ version, readers }: Change): void => {
    newest = version ?? newest
    if (isDue) return
    isDue = true
    const intervalMs = reloadedMs + minIntervalMs - performance.now()
    const delayMs = Math.max(intervalMs, Math.random() * maxDelayMs(readers))
    setTimeout(() => {
      isDue = false
      reloadedMs = performance.now()
      dispatchEvent(new CustomEvent('cageside-change', { detail: newest }))
    }, delayMs)
  }
  const absolute = (path: string): string => new URL(path, location.href).href
  follow(absolute(stream), absolute(worker), soon)
  soon({ version: undefined, readers: 1 })
}
/** A projector stays on; a page that was hidden must ask for this again. */
const keepAwake = (): void => {
  if (!document.hidden) void navigator.wakeLock?.request('screen').catch(() => undefined)
}
if (document.querySelector('[data-awake]')) {
  keepAwake()
  document.addEventListener('visibilitychange', keepAwake)
}
const streams = document.querySelector<HTMLElement>('[data-streams]')
if (streams) showStreams(streams)
