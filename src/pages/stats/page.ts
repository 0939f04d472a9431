import { type Metric, metricRules, type Place } from '../../careers/leaderboard.ts'
import { stackedBar } from '../charts.ts'
import { percent } from '../facts.ts'
import { botLink, eventLink } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { namedFights } from '../outcomes.ts'
import type { Viewing } from '../site.ts'
import { duration } from '../times.ts'
import type { EventMethods, StatsView } from './lookup.ts'

const titles: Readonly<Record<Metric, string>> = {
  wins: 'Most wins',
  winRate: 'Best win rate',
  koRate: 'Most knockouts per fight',
  avgMatchDuration: 'Shortest fights',
}

const valueText = (metric: Metric, value: number): string =>
  metric === 'wins'
    ? String(value)
    : metric === 'avgMatchDuration'
      ? duration(value)
      : percent(value)

const leaderboard = (viewing: Viewing, metric: Metric, places: readonly Place[]): Html => html`
  <div class="block">
    <h3 id="${metric}">${titles[metric]}</h3>
    <p class="soft">${metricRules[metric].minFights > 1 ? `of bots with ${metricRules[metric].minFights} fights or more` : 'of all bots'}</p>
    <div class="scroll">
      <table aria-labelledby="${metric}">
        <thead><tr><th scope="col" class="number">Place</th><th scope="col">Bot</th><th scope="col" class="number">Value</th><th scope="col" class="number">Record</th></tr></thead>
        <tbody>${places.map(
          ({ rank, bot, totals, value }) => html`
          <tr><td class="number">${rank}</td><th scope="row">${botLink(viewing, bot)}</th><td class="number">${valueText(metric, value)}</td><td class="number">${totals.wins}–${totals.losses}</td></tr>`,
        )}
        </tbody>
      </table>
    </div>
  </div>`

const leaderboards = (viewing: Viewing, boards: StatsView['boards']): Html => html`
<section aria-labelledby="leaderboards">
  <h2 id="leaderboards">Leaderboards</h2>
  <div class="columns">${boards.map(({ metric, places }) => leaderboard(viewing, metric, places))}
  </div>
</section>`

const eventRow = (
  viewing: Viewing,
  { tournament, knockouts, tapouts, decisions, others }: EventMethods,
  max: number,
): Html => {
  const shown = namedFights(viewing, tournament).length
  const parts = viewing.showsOutcomes
    ? [
        { kind: 'a', value: knockouts },
        { kind: 'b', value: tapouts },
        { kind: 'c', value: decisions },
        { kind: 'd', value: others },
      ]
    : [{ kind: 'd', value: shown }]
  const numbers = viewing.showsOutcomes ? parts : []
  return html`
        <tr><th scope="row">${eventLink(viewing, tournament.info)}</th><td class="number">${shown}</td>${numbers.map(
          ({ value }) => html`<td class="number">${value}</td>`,
        )}<td class="bar">${stackedBar(parts, max)}</td></tr>`
}

const methodHeads = html`<th scope="col" class="number key"><span class="a">KO, TKO</span></th><th scope="col" class="number key"><span class="b">Tapout</span></th><th scope="col" class="number key"><span class="c">Decision</span></th><th scope="col" class="number key"><span class="d">Other</span></th>`

const events = (viewing: Viewing, { events, hasEarlier }: StatsView): Html => {
  const max = Math.max(
    0,
    ...events.map(({ tournament }) => namedFights(viewing, tournament).length),
  )
  return html`
<section aria-labelledby="events">
  <h2 id="events">Fights per event${viewing.showsOutcomes ? ', and how they ended' : ''}</h2>${
    hasEarlier
      ? html`
  <p class="soft">The last ${events.length}; <a href="${viewing.href('/e')}">all events by year</a></p>`
      : undefined
  }
  <div class="scroll">
    <table>
      <thead><tr><th scope="col">Event</th><th scope="col" class="number">Fights</th>${
        viewing.showsOutcomes ? methodHeads : undefined
      }<td></td></tr></thead>
      <tbody>${events.map((each) => eventRow(viewing, each, max))}
      </tbody>
    </table>
  </div>
</section>`
}

const pathOf = (weightClass: number | undefined): string =>
  weightClass === undefined ? '/stats' : `/stats?weightClass=${weightClass}`

const classes = (viewing: Viewing, { weightClass, weightClasses }: StatsView): Html => html`
  <nav class="chips" aria-label="Weight class">${[undefined, ...weightClasses].map(
    (pounds) =>
      html`<a href="${viewing.href(pathOf(pounds))}"${pounds === weightClass ? html` aria-current="true"` : undefined}>${
        pounds === undefined ? 'All classes' : `${pounds} lb`
      }</a>`,
  )}</nav>`

const nothing = html`
<section class="empty"><p>No fight is over yet.</p></section>`

const content = (viewing: Viewing, view: StatsView): Html => {
  // Some metrics need more fights than any bot has yet.
  const boards = view.boards.filter(({ places }) => places.length > 0)
  return html`${viewing.showsOutcomes ? leaderboards(viewing, boards) : undefined}${events(viewing, view)}`
}

/** Leaderboards, and fights and methods of the last events. */
export const statsPage = (viewing: Viewing, view: StatsView): Page => ({
  title: view.weightClass === undefined ? 'Stats' : `Stats, ${view.weightClass} lb`,
  description: 'Leaderboards of all bots, and how the fights of each event ended.',
  path: pathOf(view.weightClass),
  body: html`
<section class="lead">
  <h1>Stats</h1>${classes(viewing, view)}
</section>${view.events.length === 0 ? nothing : content(viewing, view)}`,
})
