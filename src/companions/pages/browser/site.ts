/** Script of every page: the viewer's times, live parts, copying, keys of the search. */
import { showClocks } from './clocks.ts'
import { ageOf, ageText, type Connection, isOld, stateOf } from './connection.ts'
import { make, setText } from './dom.ts'
import { createRefresh } from './refresh.ts'
import { addStars, startStars } from './stars.ts'
import { update } from './update.ts'

const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat('en-GB', options)
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const day = { day: 'numeric', month: 'short' } as const
const withDay = format({ ...clock, weekday: 'short' })
/** Formats by the text of the server: a clock, a clock with its zone, a day with its year, a day. */
const formats = [
  [/^\d\d:\d\d$/, format(clock)],
  [/^\d\d:/, format({ ...clock, timeZoneName: 'short' })],
  [/\d{4}$/, format({ ...day, year: 'numeric' })],
  [/./, format(day)],
] as const
const zone = document.querySelector('#zone')
const zoneText = `${withDay.resolvedOptions().timeZone} (yours; ${zone?.textContent} at the events)`

/**
 * Shows the viewer's time if it differs: next to a whole time, in place of any other. Days of events, and times meant
 * for all viewers, stay.
 */
const showOwnTimes = (within: ParentNode): void => {
  for (const time of within.querySelectorAll<HTMLTimeElement>(
    'time:not(.overlay *, .board-page *)',
  )) {
    const text = time.textContent ?? ''
    const date = new Date(time.dateTime)
    const [, own = withDay] = time.className
      ? []
      : (formats.find(([shape]) => shape.test(text)) ?? [])
    const shown = own.format(date)
    const [least] = /\d\d:\d\d/.exec(shown) ?? [shown]
    if (text.includes(least) || !(text.includes(':') || time.closest('.when'))) continue
    if (own === withDay) time.append(make('small', {}, ` (${shown} for you)`))
    else {
      time.textContent = shown
      time.title = `${text} at the event`
      if (zone) zone.textContent = zoneText
    }
  }
}

/** Random, so that pages opened at the same moment do not all refresh at the same moment. */
const refreshMs = (): number => 8000 + Math.random() * 4000
const tickMs = 250

/** Markup of each part as sent: replacing all fights of an event takes 0.1 s on a phone, and they seldom change. */
const sent = new WeakMap<Element, string>()

/** Updates the parts that `data-live` marks, or hides parts that the server no longer sends. */
const showParts = (page: DocumentFragment): void => {
  // A nested part is updated with the part around it.
  for (const part of document.querySelectorAll('[data-live]:not([data-live] *)')) {
    const current = page.getElementById(part.id)
    const markup = current?.outerHTML ?? ''
    if (sent.get(part) === markup) continue
    sent.set(part, markup)
    if (current) {
      showOwnTimes(current)
      addStars(current)
      update(part, current)
    } else part.toggleAttribute('hidden', true)
  }
}

/** The state of the connection at the edge of the window. The age is not announced, because it changes all the time. */
const createStatus = () => {
  const state = make('span')
  state.setAttribute('role', 'status')
  const age = make('span')
  const box = make('p', {}, state, age)
  document.querySelector('main')?.append(box)
  return (connection: Connection, nowMs: number): void => {
    const kind = stateOf(connection, nowMs)
    const seconds = ageOf(connection, nowMs)
    const clock = new Date(Date.now() - seconds * 1000).toLocaleTimeString('en-GB')
    const text = {
      live: 'Live',
      old: `Data of ${clock}`,
      reconnecting: `Reconnecting since ${clock}`,
      lost: `No connection since ${clock}`,
    }[kind]
    box.className = `connection ${kind}`
    setText(state, text)
    age.textContent = `, ${ageText(seconds)} old`
  }
}

showOwnTimes(document)
startStars()
if (document.querySelector('[data-live]')) {
  // Stream software may treat an overlay as hidden; it shows no state over a film.
  const isAlways = document.querySelector('[data-always]') !== null
  const showStatus = isAlways ? undefined : createStatus()
  let connection: Connection = { answeredMs: performance.now(), ageSeconds: 0 }
  let newest: string | undefined
  const tick = (): void => {
    const nowMs = performance.now()
    if (document.hidden && !isAlways) return
    if (!isOld(connection, nowMs)) showClocks()
    showStatus?.(connection, nowMs)
  }
  const isFixed = document.documentElement.hasAttribute('data-fixed')
  const refresh = createRefresh((answer) => {
    if (answer) {
      connection = { answeredMs: performance.now(), ageSeconds: isFixed ? 0 : answer.ageSeconds }
      showParts(answer.page)
    }
    dispatchEvent(new Event('cageside-shown'))
    tick()
  })
  const refreshIfSeen = (): void => {
    if (isAlways || !document.hidden) refresh(newest)
  }
  const refreshLater = (): void => {
    refreshIfSeen()
    setTimeout(refreshLater, refreshMs())
  }
  setInterval(tick, tickMs)
  setTimeout(refreshLater, refreshMs())
  document.addEventListener('visibilitychange', refreshIfSeen)
  // Called after a change that `live.ts` receives.
  addEventListener('cageside-change', (event) => {
    // The version is null before the first change.
    if (event instanceof CustomEvent) newest = event.detail ?? undefined
    refreshIfSeen()
  })
  tick()
}

/** Copies a text, or offers it for copying if the page is not secure. */
const copy = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    prompt('Copy this', text)
  }
}

const frameOf = (address: string): string =>
  `<iframe src="${address}" title="Cageside" width="100%" height="600" loading="lazy"></iframe>`

for (const button of document.querySelectorAll<HTMLElement>('[data-copy], [data-copy-frame]')) {
  const { copy: path } = button.dataset
  button.hidden = false
  button.addEventListener('click', () => {
    const address = new URL(path ?? '', location.href).href
    const text = button.textContent
    void copy(path === undefined ? frameOf(address.replaceAll('&', '&amp;')) : address).then(() => {
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = text
      }, 2000)
    })
  })
}

// A calendar program subscribes to these URLs.
for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-webcal]'))
  link.href = link.href.replace(/^https?/, 'webcal')

// `/` and Ctrl-K lead to the search box.
addEventListener('keydown', (event) => {
  const isTyping =
    event.target instanceof Element &&
    event.target.closest('input, textarea, select, cageside-search')
  const { key, ctrlKey, metaKey, altKey } = event
  const isAsked = ctrlKey || metaKey ? key === 'k' : key === '/' && !altKey && !isTyping
  const box = document.querySelector<HTMLElement>('cageside-search')
  if (!isAsked || !box) return
  event.preventDefault()
  box.focus()
})
