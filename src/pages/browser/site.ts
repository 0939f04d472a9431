/** What every page does beyond its markup: the viewer's times, fight clocks, live parts. */
import { runClocks, showClocks } from './clocks.ts'
import { createRefresh } from './refresh.ts'
import { update } from './update.ts'

const format = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})

/** Adds the time of the viewer beside that of the event, where the two differ. */
const addLocalTimes = (within: ParentNode): void => {
  for (const time of within.querySelectorAll<HTMLTimeElement>('time.full:not([title])')) {
    const text = format.format(new Date(time.dateTime))
    time.title = text
    const [clock = ''] = /\d\d:\d\d/.exec(text) ?? []
    if (time.textContent?.includes(clock)) continue
    const small = document.createElement('small')
    small.textContent = ` (${text} for you)`
    time.append(small)
  }
}

const refreshMs = 10_000

/** Updates the parts that `data-live` marks, or hides those that the server no longer sends. */
const showParts = (page: DocumentFragment): void => {
  for (const part of document.querySelectorAll('[data-live]')) {
    const current = page.getElementById(part.id)
    if (current) {
      addLocalTimes(current)
      update(part, current)
    } else part.toggleAttribute('hidden', true)
  }
  showClocks()
}

addLocalTimes(document)
runClocks()
if (document.querySelector('[data-live]')) {
  const refresh = createRefresh(showParts)
  // Stream software may take an overlay for hidden.
  const isAlways = document.querySelector('[data-always]') !== null
  let newest: string | undefined
  const refreshIfSeen = (): void => {
    if (isAlways || !document.hidden) refresh(newest)
  }
  setInterval(refreshIfSeen, refreshMs)
  document.addEventListener('visibilitychange', refreshIfSeen)
  // After a change that `live.ts` hears of.
  addEventListener('cageside-change', (event) => {
    // Null before the first change.
    if (event instanceof CustomEvent) newest = event.detail ?? undefined
    refreshIfSeen()
  })
}
