import { type Derived, deriveSteps } from '../../derived/archive.ts'
import { inSlices, type Steps } from '../../runtime/timeSlice.ts'
import { buildDataset } from '../league/build.ts'
import { buildCages } from '../league/cages.ts'
import { mergeDataset, tournamentChange } from '../league/merge.ts'
import type { Cages, Dataset, Tournament } from '../league/types.ts'
import type { CageRows } from '../source/rows.ts'
import type { TournamentFrame } from '../source/snapshot.ts'
import type { RecentBadRow } from './recentBadRows.ts'

/**
 * One immutable version of all served data; replaced whole.
 */
export interface Archive extends Derived {
  /** Opaque; equal data has an equal version, also across processes and sources. */
  readonly version: string
  /** Version of everything but the cages, which change each second of an event. */
  readonly dataVersion: string
  readonly dataset: Dataset
  readonly cages: Cages
}

export const noCages: CageRows = { cages: [], cageQueue: [] }

export function* archiveSteps(
  version: string,
  tournaments: readonly Tournament[],
  cageRows: CageRows = noCages,
  dataVersion = version,
  hasRatings = true,
): Steps<Archive> {
  const dataset = buildDataset(tournaments)
  yield
  const derived = yield* deriveSteps(dataset, hasRatings)
  return { version, dataVersion, dataset, cages: buildCages(dataset, cageRows), ...derived }
}

/** Builds an archive, yielding to the event loop between its steps. */
export const loadArchive = (...input: Parameters<typeof archiveSteps>): Promise<Archive> =>
  inSlices(archiveSteps(...input))

/**
 * Applies a change: `changed` maps each changed tournament to its new value, or to undefined if
 * removed. Equals a full build. Yields to requests between its steps.
 */
export const updateArchive = async (
  before: Archive,
  version: string,
  changed: ReadonlyMap<string, Tournament | undefined>,
  cageRows: CageRows,
  dataVersion = version,
): Promise<Archive> => {
  if (changed.size === 0) return updateCages(before, version, cageRows)
  const change = tournamentChange(before.dataset, changed)
  const dataset = mergeDataset(before.dataset, change)
  const hasRatings = before.ratings !== undefined
  const derived = await inSlices(deriveSteps(dataset, hasRatings, { derived: before, change }))
  return { version, dataVersion, dataset, cages: buildCages(dataset, cageRows), ...derived }
}

/** Replaces the cages; everything else is shared with the archive before. */
export const updateCages = (before: Archive, version: string, cageRows: CageRows): Archive => {
  if (before.version === version) return before
  return { ...before, version, cages: buildCages(before.dataset, cageRows) }
}

/** State of the source, for `/health` and the freshness headers. */
export interface SourceStatus {
  readonly source: 'postgres' | 'snapshot' | 'replay' | 'mirror'
  /** Last time the served data was known to be current; null before the first load. */
  readonly currentAt: number | null
  readonly lastRefresh: {
    readonly at: number | null
    readonly ms: number | null
    readonly changedRows: number
    readonly error: string | null
  }
  /** Detection of changes: at each commit, at the next timed refresh, or not at all. */
  readonly follows: 'notifications' | 'timer' | 'nothing'
  /** Rows left out of the served archive because they break their schema. */
  readonly badRows: number
  /** Number of bad rows that belong to cages. */
  readonly badCages?: number
  /** Other current problems, one sentence each. */
  readonly problems?: readonly string[]
  /**
   * Tournaments kept at their last good state, because fights would be lost without an explanation.
   */
  readonly heldBack?: readonly {
    readonly tournamentID: string
    /** Number of fights that would be lost. */
    readonly fights: number
    readonly reason: string
  }[]
  /** Refreshes since start, by outcome, and their total duration. */
  readonly refreshes?: {
    readonly complete: number
    /** Tournaments were held back, or the standby lags. */
    readonly incomplete: number
    readonly failed: number
    readonly ms: number
  }
}

/** Rows that an archive was built from, without hidden ones. */
export interface ServedRows {
  readonly archive: Archive
  readonly cages: CageRows
  readonly frames: readonly TournamentFrame[]
}

/** Interface between the data and HTTP: current version, its state, and the time. */
export interface ArchiveService {
  /** The current archive; undefined until the first load has finished. */
  readonly archive: () => Archive | undefined
  /** The rows of that archive; undefined until the first load has finished. */
  readonly rows: () => ServedRows | undefined
  readonly status: () => SourceStatus
  /**
   * Unix seconds. A snapshot's clock starts at its capture time; a replay has the event's clock, which runs faster
   * and goes back when the event restarts.
   */
  readonly now: () => number
  /** The last bad rows with their reasons, newest first. */
  readonly recentBadRows?: () => readonly RecentBadRow[]
}

/** A service with its source. */
export interface OpenedService extends ArchiveService {
  /**
   * Resolves when an archive is available; loading begins at once. Rejects if retrying is useless.
   */
  readonly firstLoad: Promise<void>
  /** Closes the source and saves unsaved data. */
  readonly stop: () => Promise<void>
  /** Reads the source at once; undefined if it is not followed. */
  readonly notified?: () => void
}

/** State before the first load. */
export const nothingLoaded = (source: SourceStatus['source']): SourceStatus => ({
  source,
  currentAt: null,
  lastRefresh: { at: null, ms: null, changedRows: 0, error: null },
  follows: source === 'postgres' || source === 'mirror' ? 'timer' : 'nothing',
  badRows: 0,
})
