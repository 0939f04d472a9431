import { newestFirst, tournamentsNewestFirst } from './order.ts'
import { replaceSorted } from './sortedList.ts'
import type { Dataset, Tournament } from './types.ts'

/** Tournaments that a change removes and adds; a replaced one is in both. */
export interface TournamentChange {
  readonly removed: readonly Tournament[]
  readonly added: readonly Tournament[]
}

/**
 * `changed` holds the new value of each tournament that changed, and undefined for each that is gone.
 */
export const tournamentChange = (
  { tournamentsByID }: Dataset,
  changed: ReadonlyMap<string, Tournament | undefined>,
): TournamentChange => ({
  removed: [...changed.keys()].flatMap((id) => tournamentsByID.get(id) ?? []),
  added: [...changed.values()].flatMap((tournament) => tournament ?? []),
})

/** The dataset after a change. All other tournaments are shared with the dataset before. */
export const mergeDataset = (dataset: Dataset, { removed, added }: TournamentChange): Dataset => {
  const tournamentsByID = new Map(dataset.tournamentsByID)
  for (const { info } of removed) tournamentsByID.delete(info.id)
  for (const tournament of added) tournamentsByID.set(tournament.info.id, tournament)
  return {
    tournaments: replaceSorted(dataset.tournaments, removed, added, tournamentsNewestFirst),
    tournamentsByID,
    fights: replaceSorted(
      dataset.fights,
      removed.flatMap(({ fights }) => fights),
      added.flatMap(({ fights }) => fights),
      newestFirst,
    ),
  }
}
