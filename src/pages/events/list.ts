import type { Tournament } from '../../league/types.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { classList, commonName, type Occasion, occasionsOf, startOf } from '../occasions.ts'
import { chips } from '../sections.ts'
import { name, type Viewing } from '../site.ts'

/** One event with its classes. */
const item = (viewing: Viewing, occasion: Occasion): Html => html`
    <li class="card"><h2>${name(commonName(occasion.map(({ info }) => info)) || 'Event')}</h2><p class="soft">${viewing.times.day(Math.min(...occasion.map(startOf)))}</p>${classList(viewing, occasion)}</li>`

const pathOf = (year: string): string => `/e?year=${year}`

/**
 * The tournaments of a year, newest first, with links to the other years. `year` is that of the start in the
 * time zone of the events; the newest one by default.
 */
export const eventList = (
  viewing: Viewing,
  tournaments: readonly Tournament[],
  chosenYear?: number,
): Page => {
  const byYear = Map.groupBy(occasionsOf(tournaments), (each) =>
    viewing.times.dayKey(Math.min(...each.map(startOf))).slice(0, 4),
  )
  const years = [...byYear.keys()].sort().reverse()
  const year = chosenYear === undefined ? years[0] : String(chosenYear)
  const shown = year === undefined ? [] : (byYear.get(year) ?? [])
  return {
    title: chosenYear === undefined ? 'Events' : `Events of ${chosenYear}`,
    description: `Events of ${year ?? 'the league'}, newest first.`,
    path: chosenYear === undefined ? '/e' : pathOf(String(chosenYear)),
    body: html`
<section>
  <h1>Events</h1>${chips(
    'Year',
    years.map((each) => [viewing.href(pathOf(each)), each, each === year]),
  )}
  ${
    shown.length === 0
      ? html`<p>No events${year === undefined ? undefined : html` in ${year}`}.</p>`
      : html`<ul class="cards">${shown.map((each) => item(viewing, each))}
  </ul>`
  }
</section>`,
  }
}
