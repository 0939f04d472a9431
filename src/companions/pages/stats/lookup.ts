import { setImmediate } from 'node:timers/promises'
import type { WantedClass } from '../../../api/weightClass.ts'
import type { Tournament } from '../../../data/league/types.ts'
import {
  distinctClasses,
  isOfClass,
  lightestFirst,
  weightClassKey,
} from '../../../data/league/weightClass.ts'
import type { Bots } from '../../../derived/careers/bots.ts'
import { countMethods } from '../../../derived/careers/durations.ts'
import {
  buildLeaderboard,
  type Metric,
  metrics,
  type Place,
} from '../../../derived/careers/leaderboard.ts'
import { rankBots } from '../../../derived/ratings/ranking.ts'
import type { Ratings } from '../../../derived/ratings/ratings.ts'
import type { Data } from '../../../http/trackedArchive.ts'

const placesShown = 10
const eventsShown = 24
/** Numbers of bots in the ranking of a single class, and of classes among the rankings of all. */
const rankedShown = 25
const classesShown = 6
/** Days before the newest fight within which a ranked bot has fought. */
const activeDays = 730

/** Fights of one tournament by method: knockout, tapout, decision, other. */
const methodsOf = (tournament: Tournament) => {
  const done = tournament.fights.filter(({ isCompleted }) => isCompleted)
  const { KO = 0, TKO = 0, TO = 0, JD = 0 } = countMethods(done)
  return { tournament, methods: [KO + TKO, TO, JD, done.length - KO - TKO - TO - JD] }
}

/**
 * Classes with most rated bots, best bots first by the lower end of the rating; several classes have fewer bots each.
 */
const rankingsOf = (bots: Bots, ratings: Ratings, wanted: WantedClass | undefined) => {
  const byClass = Map.groupBy(rankBots(bots, ratings, wanted?.key, activeDays), ({ weightClass }) =>
    weightClassKey(weightClass),
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

/** Content of the page for a class or for all, lightest class first; with rankings unless ratings are turned off. */
export const findStats = async (
  { dataset: { tournaments }, bots }: Pick<Data, 'dataset' | 'bots'>,
  ratings: Ratings | undefined,
  wanted: WantedClass | undefined,
) => {
  const fought = tournaments.filter(
    ({ info, completedFights }) => completedFights > 0 && (!wanted || isOfClass(info, wanted.key)),
  )
  const boards: { readonly metric: Metric; readonly places: readonly Place[] }[] = []
  for (const metric of metrics) {
    // Each leaderboard is a pass over all bots, 4 ms for 18,000.
    await setImmediate()
    boards.push({ metric, places: buildLeaderboard(bots, metric, wanted?.key, placesShown) })
  }
  return {
    wanted,
    weightClasses: distinctClasses(tournaments.map(({ info }) => info)),
    rankings: ratings ? rankingsOf(bots, ratings, wanted) : [],
    boards,
    /** Events, newest first; only the last ones of a long history. */
    events: fought.slice(0, eventsShown).map(methodsOf),
    hasEarlier: fought.length > eventsShown,
  }
}
export type Stats = Awaited<ReturnType<typeof findStats>>
