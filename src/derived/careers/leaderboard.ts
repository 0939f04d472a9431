import { positionAfter } from '../../data/league/sortedList.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import { type Bot, type Bots, type Totals, totalsIn } from './bots.ts'
import { hundredths, share, winRateOf } from './durations.ts'

export const metrics = ['wins', 'winRate', 'koRate', 'avgMatchDuration'] as const
export type Metric = (typeof metrics)[number]

interface MetricRule {
  readonly order: 'desc' | 'asc'
  readonly minFights: number
  /** Value of the metric; null if the bot lacks it. */
  readonly value: (totals: Totals) => number | null
}

export const metricRules: Readonly<Record<Metric, MetricRule>> = {
  wins: { order: 'desc', minFights: 1, value: ({ wins }) => wins },
  winRate: { order: 'desc', minFights: 5, value: winRateOf },
  koRate: { order: 'desc', minFights: 5, value: ({ koWins, fights }) => share(koWins, fights) },
  avgMatchDuration: {
    order: 'asc',
    minFights: 5,
    value: ({ seconds, measured }) => (measured === 0 ? null : hundredths(seconds / measured)),
  },
}

export interface Place {
  /** Equal values share a rank: 1, 2, 2, 4. */
  readonly rank: number
  readonly bot: Bot
  readonly totals: Totals
  readonly value: number
}

/**
 * The best `limit` bots by a metric: by value, then more fights, then clean name. With a weight
 * class, in pounds or by the key of its name, only its fights count. One pass over the bots.
 */
export const buildLeaderboard = (
  bots: Bots,
  metric: Metric,
  weightClass: string | number | undefined,
  limit: number,
): readonly Place[] => {
  const { order, minFights, value } = metricRules[metric]
  const sign = order === 'desc' ? -1 : 1
  type Candidate = Omit<Place, 'rank'>
  const compare = (a: Candidate, b: Candidate): number =>
    sign * (a.value - b.value) ||
    b.totals.fights - a.totals.fights ||
    compareTexts(a.bot.cleanName, b.bot.cleanName)
  const best: Candidate[] = []
  for (const bot of bots) {
    const totals = weightClass === undefined ? bot.totals : totalsIn(bot, weightClass)
    if (!totals || totals.fights < minFights) continue
    const own = value(totals)
    if (own === null) continue
    // Most bots rank below all entries of a full list.
    const last = best.length === limit ? best.at(-1) : undefined
    if (last && sign * (own - last.value) > 0) continue
    const candidate = { bot, totals, value: own }
    best.splice(
      positionAfter(best, (other) => compare(other, candidate) < 0),
      0,
      candidate,
    )
    if (best.length > limit) best.pop()
  }
  let rank = 0
  return best.map((place, index) => {
    if (index === 0 || best[index - 1]?.value !== place.value) rank = index + 1
    return { rank, ...place }
  })
}
