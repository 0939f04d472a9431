import type { Dataset, Fight } from '../../data/league/types.ts'
import { nothingExpected } from '../../derived/live/expected.ts'
import { fightsOfLastDay } from '../../derived/live/lastDay.ts'
import type { Derive, Lookup, TrackedArchive } from '../../http/trackedArchive.ts'
import { findExpected } from '../live/lookup.ts'
import { findChances } from '../ratings/lookup.ts'
import { findFight } from '../tournaments/lookup.ts'
import type { FightDetails, Last24h } from './schema.ts'
import { fightDetails, last24hFight } from './view.ts'

/** The last completed fights, newest first. */
export const findRecentFights = (
  { dataset }: { readonly dataset: Pick<Dataset, 'fights'> },
  limit: number,
): readonly Fight[] =>
  dataset.fights
    .values()
    .filter(({ isCompleted }) => isCompleted)
    .take(limit)
    .toArray()

/** Payload of the completed fights of the last 24 hours, newest first. */
export const findDayFights = ({
  dataset,
  timed,
}: Pick<TrackedArchive, 'dataset' | 'timed'>): Last24h => {
  const fights = timed((now) => fightsOfLastDay(dataset.fights, now)).map(last24hFight)
  return { fights, count: fights.length }
}

/** Payload of a fight; undefined if it is unknown. */
export const findFightDetails = (
  archive: Parameters<typeof findExpected>[0] & Lookup & Derive,
  ids: Parameters<typeof findFight>[1],
): FightDetails | undefined => {
  const found = findFight(archive, ids)
  if (!found) return undefined
  const { tournament, fight } = found
  const expected = fight.state === 'pending' ? findExpected(archive, tournament) : nothingExpected
  return { ...fightDetails(tournament, fight, expected), ...findChances(archive)(fight) }
}
