import type { Archive, ArchiveService } from '../data/archive/archive.ts'
import type { Tournament } from '../data/league/types.ts'

/**
 * The data and the time of a request, read once when it arrives, so that a refresh cannot mix two versions. Requests
 * within one second share a moment unless data is refreshed.
 */
export interface Moment {
  readonly archive: Archive | undefined
  /** Time of the moment in Unix seconds. */
  readonly now: number
  /** Headers of every response of this moment. */
  readonly headers: { readonly 'x-data-version': string; readonly 'x-data-age': string }
}

/** Ids of everything that can be removed from a tournament, by kind. */
const idsOf: readonly ((tournament: Tournament) => Iterable<string | number>)[] = [
  ({ games }) => games.keys(),
  ({ playersByID }) => playersByID.keys(),
  ({ clips }) => clips.map(({ token }) => token),
  ({ stills }) => stills.map(({ id }) => id),
  ({ recordings }) => recordings.table.ids,
]

/** True if all ids are among others, usually in the same order: comparing sets takes five times as long. */
const areKept = (ids: Iterable<unknown>, others: Iterable<unknown>): boolean => {
  const [own, next] = [[...ids], [...others]]
  return own.every((id, index) => id === next[index]) || new Set(own).isSubsetOf(new Set(next))
}

/** True if something in an archive is hidden or deleted in the next one. */
const hasRemovals = (before: Archive, after: Archive): boolean =>
  before.dataset.tournaments.some((tournament) => {
    const next = after.dataset.tournamentsByID.get(tournament.info.id)
    if (next === tournament) return false
    return !next || idsOf.some((ids) => !areKept(ids(tournament), ids(next)))
  })

/**
 * Gives the current moment, the same value until it changes. `onRemoval` gets the first moment after something was
 * hidden or deleted, before anyone else does.
 */
export const createMoments = (
  service: ArchiveService,
  onRemoval: (moment: Moment) => void,
): (() => Moment) => {
  let moment: Moment | undefined
  return () => {
    const archive = service.archive()
    const now = service.now()
    const { currentAt } = service.status()
    // Nothing is loaded: no data has been current since this process began.
    const dataAge = currentAt === null ? performance.now() / 1000 : now - currentAt
    const age = Math.max(0, Math.floor(dataAge)).toString()
    if (
      moment?.archive === archive &&
      moment?.now === now &&
      moment.headers['x-data-age'] === age
    ) {
      return moment
    }
    const before = moment?.archive
    const version = archive?.version ?? 'none'
    moment = { archive, now, headers: { 'x-data-version': version, 'x-data-age': age } }
    const isSame = before?.dataVersion === archive?.dataVersion
    if (before && !isSame && (!archive || hasRemovals(before, archive))) onRemoval(moment)
    return moment
  }
}
