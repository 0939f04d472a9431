/** `/live` and the overlays: shows each change of the cages, and lets the fight clocks run. */
import { follow } from './follow.ts'
import { createRefresh } from './liveParts.ts'
import { showStreams } from './streams.ts'

const tickMs = 250
/** Changes come together, and many browsers hear of them at once. */
const maxDelayMs = 200
/** Time alone changes a schedule. */
const refreshMs = 15_000

/** When each clock was shown, in milliseconds. */
const shownAt = new WeakMap<Element, number>()

const clockText = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`

const tick = (): void => {
  const now = performance.now()
  for (const clock of document.querySelectorAll<HTMLElement>('.fight-clock[data-seconds]')) {
    const since = shownAt.get(clock) ?? now
    shownAt.set(clock, since)
    const limit = Number(clock.dataset.limit || Number.POSITIVE_INFINITY)
    const seconds = Number(clock.dataset.seconds) + (now - since) / 1000
    const text = clockText(Math.min(seconds, limit))
    if (clock.textContent !== text) clock.textContent = text
  }
}

const root = document.querySelector<HTMLElement>('[data-follow]')
if (root) {
  const { follow: stream = '', worker = '', always } = root.dataset
  const refresh = createRefresh((clock) => shownAt.delete(clock))
  let isDue = false
  const soon = (): void => {
    if (document.hidden && always === undefined) return
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      refresh()
    }, Math.random() * maxDelayMs)
  }
  const absolute = (path: string): string => new URL(path, location.href).href
  follow(absolute(stream), absolute(worker), soon)
  document.addEventListener('visibilitychange', soon)
  setInterval(soon, refreshMs)
  setInterval(tick, tickMs)
  tick()
  soon()
  const status = document.querySelector('#follows')
  if (status) status.textContent = 'Follows the event by itself.'
}
const streams = document.querySelector<HTMLElement>('[data-streams]')
if (streams) showStreams(streams)
