import { type Static, Type } from '@sinclair/typebox'
import { chips, list } from '../elements.ts'
import { html } from '../html.ts'
import type { Page } from '../layout.ts'
import { classList, nameOf, type Occasion, occasionsOf, startsAt } from '../occasions.ts'
import { type Asked, spoilers } from '../respond.ts'
import { name } from '../site.ts'

// The start of 1970 is in 1969 west of Greenwich.
const year = Type.Optional(Type.Integer({ minimum: 1969, maximum: 9999 }))
export const eventListQuery = Type.Object({ spoilers, year })

const pathOf = (year: string): string => `/e?year=${year}`

/**
 * The events of a year with their classes, newest first, with links to the other years. `year` is the year of the start
 * in the time zone of the events; default is the newest.
 */
export const eventList = ({
  archive: {
    dataset: { tournaments },
  },
  viewing,
  query,
}: Asked<unknown, Static<typeof eventListQuery>>): Page => {
  const chosen = query.year
  const item = (occasion: Occasion) =>
    html`<h2>${name(nameOf(occasion) || 'Event')}</h2><p class="soft">${viewing.times.day(startsAt(occasion))}</p>${classList(viewing, occasion)}`
  const byYear = Map.groupBy(occasionsOf(tournaments), (each) =>
    viewing.times.dayKey(startsAt(each)).slice(0, 4),
  )
  const years = [...byYear.keys()].sort().reverse()
  const year = chosen === undefined ? years[0] : String(chosen)
  const shown = byYear.get(year ?? '') ?? []
  return {
    title: chosen === undefined ? 'Events' : `Events of ${chosen}`,
    description: `Events of ${year ?? 'the league'}, newest first.`,
    path: chosen === undefined ? '/e' : pathOf(String(chosen)),
    // Not cached for a year without events: there are thousands of such years.
    isCached: chosen === undefined || shown.length > 0,
    body: html`
<section>
  <h1>Events</h1>${chips(
    'Year',
    years.map((each) => [viewing.href(pathOf(each)), each, each === year]),
  )}${shown.length > 0 ? list('cards', shown.map(item)) : html`<p>No events ${year ? html`in ${year}` : 'yet'}.</p>`}
</section>`,
  }
}
