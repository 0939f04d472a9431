/** `/live` and the overlays: shows each change of the cages. */
import { follow } from './follow.ts'
import { keepCages, showCages } from './liveParts.ts'
import { createRefresh } from './refresh.ts'
import { showStreams } from './streams.ts'

/** Changes come together, and many browsers hear of them at once. */
const maxDelayMs = 200
/** Time alone changes a schedule. */
const refreshMs = 15_000

const root = document.querySelector<HTMLElement>('[data-follow]')
if (root) {
  const { follow: stream = '', worker = '', always } = root.dataset
  keepCages()
  const refresh = createRefresh(showCages)
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
  soon()
  const status = document.querySelector('#follows')
  if (status) status.textContent = 'Follows the event by itself.'
}
const streams = document.querySelector<HTMLElement>('[data-streams]')
if (streams) showStreams(streams)
