import { newestFirst, tournamentsNewestFirst } from './order.ts'
import type { Dataset, Tournament } from './types.ts'

/** Where `entry` stands in a sorted list, or would stand. */
const positionOf = <T>(list: readonly T[], entry: T, compare: (a: T, b: T) => number): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const other = list[middle]
    if (other !== undefined && compare(other, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * A sorted list without some of its entries and with others. Nothing is sorted but the change: its
 * cost in a list of a million is that of copying the list.
 */
export const replaceSorted = <T>(
  list: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] => {
  const edits = [
    ...removed.map((entry) => ({ entry, at: positionOf(list, entry, compare), skip: 1 })),
    ...added.map((entry) => ({ entry, at: positionOf(list, entry, compare), skip: 0 })),
  ].sort((a, b) => a.at - b.at || a.skip - b.skip || compare(a.entry, b.entry))
  const result: T[] = []
  let copied = 0
  const copyUntil = (end: number): void => {
    for (; copied < end; copied += 1) {
      const entry = list[copied]
      if (entry !== undefined) result.push(entry)
    }
  }
  for (const { entry, at, skip } of edits) {
    copyUntil(at)
    if (skip === 0) result.push(entry)
    copied = Math.max(copied, at + skip)
  }
  copyUntil(list.length)
  return result
}

/** Which tournaments a change takes away, and which ones it brings. */
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
