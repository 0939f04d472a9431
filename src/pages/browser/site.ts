/** What every page does beyond its markup: the viewer's times, fight clocks, live sections. */
import { runClocks } from './clocks.ts'
import { replace } from './liveParts.ts'
import { createRefresh } from './refresh.ts'

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

/** Markup of the live sections as the server sent them last, by id. */
const sent = new Map<string, string>()

/** Replaces the sections that `data-live` marks where the server sends something else now, or hides them. */
const showSections = (page: Document): void => {
  for (const section of document.querySelectorAll('[data-live]')) {
    const current = page.getElementById(section.id)
    const markup = current?.outerHTML ?? ''
    if (sent.get(section.id) === markup) continue
    sent.set(section.id, markup)
    if (current) {
      addLocalTimes(current)
      replace(section, current)
    } else section.toggleAttribute('hidden', true)
  }
}

const live = document.querySelectorAll('[data-live]')
for (const { id, outerHTML } of live) sent.set(id, outerHTML)
addLocalTimes(document)
runClocks()
if (live.length > 0) {
  const refresh = createRefresh(showSections)
  const refreshIfSeen = (): void => {
    if (!document.hidden) refresh()
  }
  setInterval(refreshIfSeen, refreshMs)
  document.addEventListener('visibilitychange', refreshIfSeen)
}
