import { type Static, Type } from '@sinclair/typebox'
import { duration } from '../../../api/counted.ts'
import { namedFights } from '../../../api/fights/outcomes.ts'
import { findClass, weightClassParameter } from '../../../api/weightClass.ts'
import {
  isOfClass,
  type WeightClass,
  weightClassKey,
  weightClassTitle,
} from '../../../data/league/weightClass.ts'
import { type Metric, metricRules, type Place } from '../../../derived/careers/leaderboard.ts'
import { toRating } from '../../../derived/ratings/points.ts'
import { type Column, chips, section, table } from '../elements.ts'
import { botLink, eventLink } from '../fights.ts'
import { type Html, html, type Part } from '../html.ts'
import { hiddenNote, type Page } from '../layout.ts'
import { type Asked, spoilers } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { classWords, percent, recordText } from '../words.ts'
import { findStats, type Stats } from './lookup.ts'

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

/** Bots in order, each with two figures. */
const ranked = (
  id: string,
  title: Part,
  figures: readonly [string, string],
  rows: readonly (readonly Part[])[],
): Html => html`
  <div class="block">
    <h3 id="${id}">${title}</h3>${table(
      [['Place', 'number'], ['Bot', 'name'], ...figures.map((head): Column => [head, 'number'])],
      rows,
      { labelledBy: id },
    )}
  </div>`

const leaderboard = (viewing: Viewing, metric: Metric, places: readonly Place[]): Html => {
  const { minFights } = metricRules[metric]
  const rule = minFights > 1 && html` <small>of bots with ${minFights} fights or more</small>`
  const rows = places.map(({ rank, bot, totals, value }) => {
    return [rank, botLink(viewing, bot), valueText(metric, value), recordText(totals)]
  })
  return ranked(metric, html`${titles[metric]}${rule}`, ['Value', 'Record'], rows)
}

/** Ordered by the lower end of the band. */
const ranking = (viewing: Viewing, { weightClass, bots }: Stats['rankings'][number]): Html => {
  const rows = bots.map(({ bot, strength }, index) => {
    const { rating, low, high } = toRating(strength)
    const range = `${Math.round(low)}–${Math.round(high)}`
    return [index + 1, botLink(viewing, bot), Math.round(rating), range]
  })
  const title = name(classWords(weightClass) || weightClassTitle(weightClass))
  return ranked(`ranking-${weightClassKey(weightClass)}`, title, ['Rating', 'Range'], rows)
}

const rankings = (viewing: Viewing, all: Stats['rankings']): Part =>
  all.length > 0 &&
  html`
  <p class="soft">By the lower end of the range that holds the strength of a bot with 95 % certainty. Where ranges overlap, either may be the stronger. Bots of the last two years.</p>
  <div class="columns">${all.map((each) => ranking(viewing, each))}
  </div>`

const methodHeads = ['KO, TKO', 'Tapout', 'Decision', 'Other'] as const

const events = (viewing: Viewing, { events, hasEarlier }: Stats): Part => {
  const heads = viewing.showsOutcomes ? methodHeads : []
  return section(
    'events',
    `Fights per event${viewing.showsOutcomes ? ', and how they ended' : ''}`,
    html`${
      hasEarlier &&
      html`
  <p class="soft">The last ${events.length}; <a href="${viewing.href('/e')}">all events by year</a></p>`
    }${table(
      [['Event', 'name'], ...['Fights', ...heads].map((head): Column => [head, 'number'])],
      events.map(({ tournament, methods }) => [
        eventLink(viewing, tournament.info),
        namedFights(viewing, tournament).length,
        ...heads.map((_, index) => methods[index]),
      ]),
    )}`,
  )
}

const pathOf = (weightClass: WeightClass | undefined): string =>
  weightClass === undefined
    ? '/stats'
    : `/stats?weightClass=${encodeURIComponent(weightClassKey(weightClass))}`

const classes = (viewing: Viewing, { wanted, weightClasses }: Stats): Part =>
  weightClasses.length > 0 &&
  chips(
    'Weight class',
    [undefined, ...weightClasses].map((each) => [
      viewing.href(pathOf(each)),
      each ? name(classWords(each) || weightClassTitle(each)) : 'All classes',
      each && wanted ? isOfClass(each, wanted.key) : each === wanted,
    ]),
  )

export const statsQuery = Type.Object({
  spoilers,
  weightClass: weightClassParameter('only this class'),
})

/** Page with leaderboards, and fights and methods of the last events. */
export const statsPage = async ({
  archive,
  viewing,
  query: { weightClass },
}: Asked<unknown, Static<typeof statsQuery>>): Promise<Page> => {
  const wanted = findClass(archive, weightClass)
  const stats = await findStats(
    archive,
    viewing.showsOutcomes ? archive.ratings : undefined,
    wanted,
  )
  // Some metrics need more fights than any bot has yet.
  const boards = stats.boards.filter(({ places }) => viewing.showsOutcomes && places.length > 0)
  const isEmpty = stats.events.length === 0
  return {
    title: wanted ? `Stats, ${weightClassTitle(wanted)}` : 'Stats',
    description: 'Leaderboards of all bots, and how the fights of each event ended.',
    path: pathOf(wanted),
    // Not cached: the number of unknown weight classes is large.
    isCached: !isEmpty && (weightClass === undefined || wanted !== undefined),
    body: html`
<section class="lead">
  <h1>Stats</h1>${classes(viewing, stats)}${hiddenNote(viewing, pathOf(wanted))}
</section>${
      isEmpty
        ? html`
<section class="empty"><p>No fight is over yet.</p></section>`
        : [
            section('ranking', 'Ranking', rankings(viewing, stats.rankings)),
            section(
              'leaderboards',
              'Leaderboards',
              boards.length > 0 &&
                html`
  <div class="columns">${boards.map(({ metric, places }) => leaderboard(viewing, metric, places))}
  </div>`,
            ),
            events(viewing, stats),
          ]
    }`,
  }
}
