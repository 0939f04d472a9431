import type { WantedClass } from '../../api/weightClass.ts'
import type { Bots } from '../../careers/bots.ts'
import { countMethods } from '../../careers/durations.ts'
import { buildLeaderboard, type Metric, metrics, type Place } from '../../careers/leaderboard.ts'
import type { Data } from '../../http/trackedArchive.ts'
import type { Fight, Tournament } from '../../league/types.ts'
import {
  distinctClasses,
  isOfClass,
  lightestFirst,
  type WeightClass,
  weightClassKey,
} from '../../league/weightClass.ts'
import { type RankedBot, rankBots } from '../../ratings/ranking.ts'
import type { Ratings } from '../../ratings/ratings.ts'

const placesShown = 10
const eventsShown = 24
/** Bots of the ranking of one class alone, and classes of the rankings of all. */
const rankedShown = 25
const classesShown = 6
/** Days before the newest fight within which a ranked bot has fought. */
const activeDays = 730

/** Fights of one tournament by how they ended. */
export interface EventMethods {
  readonly tournament: Tournament
  readonly knockouts: number
  readonly tapouts: number
  readonly decisions: number
  readonly others: number
}

export interface StatsView {
  readonly wanted: WantedClass | undefined
  /** Weight classes of all tournaments, lightest first. */
  readonly weightClasses: readonly WeightClass[]
  /** Bots of each class by the lower end of their rating, best first; none where ratings are not shown. */
  readonly rankings: readonly {
    readonly weightClass: WeightClass
    readonly bots: readonly RankedBot[]
  }[]
  readonly boards: readonly { readonly metric: Metric; readonly places: readonly Place[] }[]
  /** Newest first; of a long history the last ones. */
  readonly events: readonly EventMethods[]
  /** Whether there were events before these. */
  readonly hasEarlier: boolean
}

const isDone = ({ isCompleted }: Fight): boolean => isCompleted

const methodsOf = (tournament: Tournament): EventMethods => {
  const done = tournament.fights.filter(isDone)
  const { KO = 0, TKO = 0, TO = 0, JD = 0 } = countMethods(done)
  return {
    tournament,
    knockouts: KO + TKO,
    tapouts: TO,
    decisions: JD,
    others: done.length - KO - TKO - TO - JD,
  }
}

/** The classes with most rated bots; of several classes fewer bots each. */
const rankingsOf = async (
  bots: Bots,
  ratings: Ratings,
  wanted: WantedClass | undefined,
): Promise<StatsView['rankings']> => {
  const byClass = Map.groupBy(
    await rankBots(bots, ratings, wanted?.key, activeDays),
    ({ weightClass }) => weightClassKey(weightClass),
  )
  const shown = byClass.size === 1 ? rankedShown : placesShown
  return [...byClass.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, classesShown)
    .flatMap((ranked) => {
      const [first] = ranked
      return first ? [{ weightClass: first.weightClass, bots: ranked.slice(0, shown) }] : []
    })
    .sort((a, b) => lightestFirst(a.weightClass, b.weightClass))
}

export const findStats = async (
  { dataset: { tournaments }, bots }: Pick<Data, 'dataset' | 'bots'>,
  ratings: Ratings | undefined,
  wanted: WantedClass | undefined,
): Promise<StatsView> => {
  const fought = tournaments.filter(
    ({ info, completedFights }) => completedFights > 0 && (!wanted || isOfClass(info, wanted.key)),
  )
  return {
    wanted,
    weightClasses: distinctClasses(tournaments.map(({ info }) => info)),
    rankings: ratings ? await rankingsOf(bots, ratings, wanted) : [],
    boards: metrics.map((metric) => ({
      metric,
      places: buildLeaderboard(bots, metric, wanted?.key, placesShown),
    })),
    events: fought.slice(0, eventsShown).map(methodsOf),
    hasEarlier: fought.length > eventsShown,
  }
}
