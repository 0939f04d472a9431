import type { Derive, Lookup, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Dataset, Fight } from '../../league/types.ts'
import { nothingExpected } from '../../live/expected.ts'
import { findExpected } from '../live/lookup.ts'
import { findChances } from '../ratings/lookup.ts'
import { findFight } from '../tournaments/lookup.ts'
import type { FightDetails, Last24h, Last24hFight } from './schema.ts'
import { fightDetails, last24hFight } from './view.ts'

const daySeconds = 86_400

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

/**
 * Payload of the completed fights that finished within the last 24 hours (see `finishUnix`), newest first;
 * valid until the oldest of them expires.
 */
export const findDayFights = ({
  dataset,
  timed,
}: Pick<TrackedArchive, 'dataset' | 'timed'>): Last24h => {
  const fights = timed((now) => {
    const value: Last24hFight[] = []
    let oldest = Number.POSITIVE_INFINITY
    for (const fight of dataset.fights) {
      if (fight.state === 'active') continue
      const finishUnix = fight.finishUnix ?? 0
      if (finishUnix < now - daySeconds) break
      if (!fight.isCompleted) continue
      value.push(last24hFight(fight))
      oldest = finishUnix
    }
    return { value, validUntil: oldest + daySeconds + 1 }
  })
  return { fights, count: fights.length }
}

/** Payload of a fight; undefined for an unknown one. */
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
