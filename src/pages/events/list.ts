import type { Tournament } from '../../league/types.ts'
import { botLink, eventLink } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { namedFights } from '../outcomes.ts'
import type { Viewing } from '../site.ts'

const startOf = ({ info }: Tournament): number =>
  info.startUnix ?? info.scheduledStartUnix ?? info.createUnix

const winner = (viewing: Viewing, { players }: Tournament): Html | undefined => {
  const first = players.find(({ placement }) => placement === 1)
  return viewing.showsOutcomes && first ? botLink(viewing, first.player) : undefined
}

const row = (viewing: Viewing, tournament: Tournament): Html => {
  const { info, completedFights } = tournament
  const state = info.active ? 'under way' : completedFights === 0 ? 'to come' : undefined
  return html`
      <tr><td class="short">${viewing.times.day(startOf(tournament))}</td><th scope="row">${eventLink(viewing, info)}</th><td class="number">${info.weightClassPounds} lb</td><td class="number">${info.numPlayers}</td><td class="number">${namedFights(viewing, tournament).length}</td><td>${
        state === undefined ? winner(viewing, tournament) : html`<i>${state}</i>`
      }</td></tr>`
}

const table = (viewing: Viewing, tournaments: readonly Tournament[]): Html => html`
  <div class="scroll">
    <table>
      <thead><tr><th scope="col">Date</th><th scope="col">Event</th><th scope="col" class="number">Class</th><th scope="col" class="number">Bots</th><th scope="col" class="number">Fights</th><th scope="col">${
        viewing.showsOutcomes ? 'Winner' : 'State'
      }</th></tr></thead>
      <tbody>${tournaments.map((tournament) => row(viewing, tournament))}
      </tbody>
    </table>
  </div>`

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
  const byYear = Map.groupBy(tournaments, (each) => viewing.times.dayKey(startOf(each)).slice(0, 4))
  const years = [...byYear.keys()].sort().reverse()
  const year = chosenYear === undefined ? years[0] : String(chosenYear)
  const shown = year === undefined ? [] : (byYear.get(year) ?? [])
  return {
    title: chosenYear === undefined ? 'Events' : `Events of ${chosenYear}`,
    description: `Events of ${year ?? 'the league'}, newest first.`,
    path: chosenYear === undefined ? '/e' : pathOf(String(chosenYear)),
    body: html`
<section>
  <h1>Events</h1>
  <nav class="chips" aria-label="Year">${years.map(
    (each) =>
      html`<a href="${viewing.href(pathOf(each))}"${each === year ? html` aria-current="true"` : undefined}>${each}</a>`,
  )}</nav>
  ${shown.length === 0 ? html`<p>No events${year === undefined ? undefined : html` in ${year}`}.</p>` : table(viewing, shown)}
</section>`,
  }
}
