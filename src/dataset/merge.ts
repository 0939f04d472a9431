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
 * A sorted list without some of its entries and with others. The stretches between are copied as
 * they are, so that the cost of a small change to a list of a million is that of the copy.
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
  const parts: (readonly T[])[] = []
  let copied = 0
  for (const { entry, at, skip } of edits) {
    if (at > copied) parts.push(list.slice(copied, at))
    if (skip === 0) parts.push([entry])
    copied = Math.max(copied, at + skip)
  }
  const none: readonly T[] = []
  return none.concat(...parts, list.slice(copied))
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
