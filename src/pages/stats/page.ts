import { type Metric, metricRules, type Place } from '../../careers/leaderboard.ts'
import {
  isOfClass,
  type WeightClass,
  weightClassKey,
  weightClassLabel,
} from '../../league/weightClass.ts'
import { toRating } from '../../ratings/points.ts'
import { stackedBar } from '../charts.ts'
import { botLink, eventLink } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { namedFights } from '../outcomes.ts'
import { chips, section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { table } from '../tables.ts'
import { duration } from '../times.ts'
import { percent } from '../words.ts'
import type { StatsView } from './lookup.ts'

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
    <p class="soft">${metricRules[metric].minFights > 1 ? `of bots with ${metricRules[metric].minFights} fights or more` : 'of all bots'}</p>${table(
      [
        ['Place', 'number'],
        ['Bot', 'name'],
        ['Value', 'number'],
        ['Record', 'number'],
      ],
      places.map(({ rank, bot, totals, value }) => [
        rank,
        botLink(viewing, bot),
        valueText(metric, value),
        `${totals.wins}–${totals.losses}`,
      ]),
      metric,
    )}
  </div>`

/** The lower end of the band is what it is ordered by. */
const ranking = (viewing: Viewing, { weightClass, bots }: StatsView['rankings'][number]): Html => {
  const id = `ranking-${weightClassKey(weightClass)}`
  return html`
  <div class="block">
    <h3 id="${id}">${name(weightClassLabel(weightClass))}</h3>${table(
      [
        ['Place', 'number'],
        ['Bot', 'name'],
        ['Rating', 'number'],
        ['At least', 'number'],
      ],
      bots.map(({ bot, strength }, index) => {
        const { rating, low } = toRating(strength)
        return [index + 1, botLink(viewing, bot), Math.round(rating), Math.round(low)]
      }),
      id,
    )}
  </div>`
}

const rankings = (viewing: Viewing, all: StatsView['rankings']): Html | undefined =>
  all.length === 0
    ? undefined
    : html`
  <p class="soft">Ordered by “At least”: what the rating is with 97.5 % certainty, so that two lucky wins are no first place. Bots that fought in the last two years; ratings compare within a class.</p>
  <div class="columns">${all.map((each) => ranking(viewing, each))}
  </div>`

/** How fights end, with the class of the colour. */
const methodHeads = [
  ['a', 'KO, TKO'],
  ['b', 'Tapout'],
  ['c', 'Decision'],
  ['d', 'Other'],
] as const

const events = (viewing: Viewing, { events, hasEarlier }: StatsView): Html | undefined => {
  const counts = events.map(({ tournament }) => namedFights(viewing, tournament).length)
  const max = Math.max(0, ...counts)
  const heads = viewing.showsOutcomes ? methodHeads : []
  const rows = events.map(({ tournament, knockouts, tapouts, decisions, others }, index) => {
    const shown = counts[index] ?? 0
    const methods = viewing.showsOutcomes ? [knockouts, tapouts, decisions, others] : []
    const parts = viewing.showsOutcomes ? methods : [0, 0, 0, shown]
    const bar = parts.map((value, part) => ({ kind: methodHeads[part]?.[0] ?? '', value }))
    return [eventLink(viewing, tournament.info), shown, ...methods, stackedBar(bar, max)]
  })
  const content = html`${
    hasEarlier
      ? html`
  <p class="soft">The last ${events.length}; <a href="${viewing.href('/e')}">all events by year</a></p>`
      : undefined
  }${table(
    [
      ['Event', 'name'],
      ['Fights', 'number'],
      ...heads.map(
        ([kind, text]) => [html`<span class="key ${kind}">${text}</span>`, 'number'] as const,
      ),
      [html`<span class="quiet">Share</span>`, 'bar'],
    ],
    rows,
  )}`
  return section(
    'events',
    `Fights per event${viewing.showsOutcomes ? ', and how they ended' : ''}`,
    content,
  )
}

const pathOf = (weightClass: WeightClass | undefined): string =>
  weightClass === undefined
    ? '/stats'
    : `/stats?weightClass=${encodeURIComponent(weightClassKey(weightClass))}`

const classes = (viewing: Viewing, { wanted, weightClasses }: StatsView): Html | undefined =>
  weightClasses.length === 0
    ? undefined
    : chips(
        'Weight class',
        [undefined, ...weightClasses].map((each) => [
          viewing.href(pathOf(each)),
          each ? name(weightClassLabel(each)) : 'All classes',
          each && wanted ? isOfClass(each, wanted.key) : each === wanted,
        ]),
      )

const nothing = html`
<section class="empty"><p>No fight is over yet.</p></section>`

const content = (viewing: Viewing, view: StatsView): Html => {
  // Some metrics need more fights than any bot has yet.
  const boards = view.boards.filter(({ places }) => places.length > 0)
  return html`${section('ranking', 'Ranking', rankings(viewing, view.rankings))}${
    viewing.showsOutcomes
      ? section(
          'leaderboards',
          'Leaderboards',
          html`
  <div class="columns">${boards.map(({ metric, places }) => leaderboard(viewing, metric, places))}
  </div>`,
        )
      : undefined
  }${events(viewing, view)}`
}

/** Leaderboards, and fights and methods of the last events. */
export const statsPage = (viewing: Viewing, view: StatsView): Page => ({
  title: view.wanted ? `Stats, ${weightClassLabel(view.wanted)}` : 'Stats',
  description: 'Leaderboards of all bots, and how the fights of each event ended.',
  path: pathOf(view.wanted),
  isCached: view.events.length > 0,
  body: html`
<section class="lead">
  <h1>Stats</h1>${classes(viewing, view)}
</section>${view.events.length === 0 ? nothing : content(viewing, view)}`,
})
