import type { WantedClass } from '../../api/weightClass.ts'
import { countMethods } from '../../careers/durations.ts'
import { buildLeaderboard, type Metric, metrics, type Place } from '../../careers/leaderboard.ts'
import type { Data } from '../../http/trackedArchive.ts'
import type { Fight, Tournament } from '../../league/types.ts'
import { distinctClasses, isOfClass, type WeightClass } from '../../league/weightClass.ts'

const placesShown = 10
const eventsShown = 24

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

export const findStats = (
  { dataset: { tournaments }, bots }: Pick<Data, 'dataset' | 'bots'>,
  wanted: WantedClass | undefined,
): StatsView => {
  const fought = tournaments.filter(
    ({ info, completedFights }) => completedFights > 0 && (!wanted || isOfClass(info, wanted.key)),
  )
  return {
    wanted,
    weightClasses: distinctClasses(tournaments.map(({ info }) => info)),
    boards: metrics.map((metric) => ({
      metric,
      places: buildLeaderboard(bots, metric, wanted?.key, placesShown),
    })),
    events: fought.slice(0, eventsShown).map(methodsOf),
    hasEarlier: fought.length > eventsShown,
  }
}
