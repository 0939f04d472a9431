import type { Archive, ArchiveService } from '../archive/archive.ts'
import type { Tournament } from '../league/types.ts'

/**
 * The data and the time of a request, read once when it arrives: a refresh meanwhile cannot mix two
 * versions. Requests of one second share theirs while nothing is refreshed.
 */
export interface Moment {
  readonly archive: Archive | undefined
  /** Counts the moments of this process. */
  readonly serial: number
  /** Counts the archives served by this process. */
  readonly generation: number
  /** The generation in which the data last changed, and not the cages alone. */
  readonly dataGeneration: number
  /** Unix seconds. */
  readonly now: number
  /** Seconds since the data was last known to be current. */
  readonly dataAge: number
  /** Headers of every response of this moment. */
  readonly version: string
  readonly age: string
}

/** Whether two archives share all but their cages. */
const hasSameData = (one: Archive | undefined, other: Archive | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.dataset === other.dataset &&
  one.bots === other.bots &&
  one.clips === other.clips &&
  one.stills === other.stills &&
  one.botSearch === other.botSearch &&
  one.tournamentSearch === other.tournamentSearch

/** Ids of all that can be removed from a tournament, by kind. */
const idsOf: readonly ((tournament: Tournament) => Iterable<string | number>)[] = [
  ({ games }) => games.keys(),
  ({ playersByID }) => playersByID.keys(),
  ({ clips }) => clips.map(({ token }) => token),
  ({ stills }) => stills.map(({ id }) => id),
  ({ recordings }) => recordings.table.ids,
]

/** Whether something of an archive is hidden or deleted in the next one. */
const hasRemovals = (before: Archive, after: Archive): boolean =>
  before.dataset.tournaments.some((tournament) => {
    const next = after.dataset.tournamentsByID.get(tournament.info.id)
    if (next === tournament) return false
    return !next || idsOf.some((ids) => !new Set(ids(tournament)).isSubsetOf(new Set(ids(next))))
  })

/**
 * Gives the present moment, the same value until it changes; `onRemoval` is called with the first one in
 * which something is hidden or deleted, before that is given.
 */
export const createMoments = (
  service: ArchiveService,
  onRemoval: (moment: Moment) => void,
): (() => Moment) => {
  let moment: Moment = {
    archive: undefined,
    serial: 0,
    generation: 0,
    dataGeneration: 0,
    now: 0,
    dataAge: 0,
    version: 'none',
    age: '0',
  }
  return () => {
    const archive = service.archive()
    const now = service.now()
    const { currentAt } = service.status()
    // Nothing is loaded: no data is known to have been current since this process began.
    const age = currentAt === null ? performance.now() / 1000 : now - currentAt
    const dataAge = Math.max(0, Math.floor(age))
    if (moment.archive !== archive || moment.now !== now || moment.dataAge !== dataAge) {
      const generation = moment.generation + (moment.archive === archive ? 0 : 1)
      const before = moment.archive
      const isSame = hasSameData(before, archive)
      moment = {
        archive,
        serial: moment.serial + 1,
        generation,
        dataGeneration: isSame ? moment.dataGeneration : generation,
        now,
        dataAge,
        version: archive?.version ?? 'none',
        age: String(dataAge),
      }
      if (!isSame && before && (!archive || hasRemovals(before, archive))) onRemoval(moment)
    }
    return moment
  }
}
