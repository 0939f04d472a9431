import { setImmediate } from 'node:timers/promises'
import { type Bots, botSteps, updateBots } from '../../derived/careers/bots.ts'
import { measureLeague } from '../../derived/live/expected.ts'
import { buildClips, type Clips, keepsClips } from '../../derived/media/clips.ts'
import { keepsStills, type Stills, stillSteps } from '../../derived/media/stills.ts'
import { type Ratings, ratingSteps, updateRatings } from '../../derived/ratings/ratings.ts'
import { type BotSearch, searchSteps, updateSearch } from '../../derived/search/botIndex.ts'
import {
  type TournamentSearch,
  tournamentSearchSteps,
} from '../../derived/search/tournamentSearch.ts'
import { atOnce, inSlices, type Steps } from '../../runtime/timeSlice.ts'
import { buildDataset } from '../league/build.ts'
import { buildCages } from '../league/cages.ts'
import {
  mergeDataset,
  mergedTournaments,
  type TournamentChange,
  tournamentChange,
} from '../league/merge.ts'
import type { Cages, Dataset, Tournament } from '../league/types.ts'
import type { CageRows } from '../source/rows.ts'
import type { TournamentFrame } from '../source/snapshot.ts'
import type { RecentBadRow } from './recentBadRows.ts'

/** The indexes of names. */
export interface Search {
  readonly botSearch: BotSearch
  readonly tournamentSearch: TournamentSearch
}

/**
 * One immutable version of all served data; replaced whole.
 */
export interface Archive extends Search {
  /** Opaque; equal data has an equal version, also across processes and sources. */
  readonly version: string
  /** Version of everything but the cages, which change each second of an event. */
  readonly dataVersion: string
  readonly dataset: Dataset
  readonly bots: Bots
  readonly clips: Clips
  readonly cages: Cages
  /** Undefined if ratings are turned off. */
  readonly ratings: Ratings | undefined
  readonly stills: Stills
}

export const noCages: CageRows = { cages: [], cageQueue: [] }

/** Inputs of the bot search from the rest of the league. */
const searchContext = ({ fights }: Dataset, { leagueWords, idsByWord }: TournamentSearch) => ({
  newestUnix: fights.find(({ isCompleted }) => isCompleted)?.finishUnix ?? 0,
  leagueWords,
  idsByWord,
})

function* searchIndexSteps(dataset: Dataset, bots: Bots): Steps<Search> {
  const tournamentSearch = yield* tournamentSearchSteps(dataset)
  const botSearch = yield* searchSteps(bots, searchContext(dataset, tournamentSearch))
  return { botSearch, tournamentSearch }
}

function* archiveSteps(
  version: string,
  tournaments: readonly Tournament[],
  cageRows: CageRows = noCages,
  dataVersion = version,
  hasRatings = true,
): Steps<Archive> {
  const dataset = buildDataset(tournaments)
  yield
  const bots = yield* botSteps(dataset.tournaments)
  const clips = buildClips(tournaments)
  yield
  const cages = buildCages(dataset, cageRows)
  const ratings = hasRatings ? yield* ratingSteps(dataset, bots) : undefined
  const stills = yield* stillSteps(dataset.tournaments)
  const search = yield* searchIndexSteps(dataset, bots)
  return { version, dataVersion, dataset, bots, clips, cages, ratings, stills, ...search }
}

type Input = Parameters<typeof archiveSteps>

/** Builds an archive without a pause. */
export const buildArchive = (...input: Input): Archive => atOnce(archiveSteps(...input))

/** Builds an archive, yielding to the event loop between its steps. */
export const loadArchive = async (...input: Input): Promise<Archive> => {
  const archive = await inSlices(archiveSteps(...input))
  await inSlices(measureLeague(archive.dataset))
  return archive
}

/** Max tournaments of one step, which takes some milliseconds in a league of 120,000 fights. */
const maxStepTournaments = 3

/** Parts of a change. In a large one removals come first: a clip or still may move between parts. */
const partsOf = ({ removed, added }: TournamentChange): readonly TournamentChange[] => {
  if (Math.max(removed.length, added.length) <= maxStepTournaments) return [{ removed, added }]
  const parts = (tournaments: readonly Tournament[]): Tournament[][] =>
    Array.from({ length: Math.ceil(tournaments.length / maxStepTournaments) }, (_, index) =>
      tournaments.slice(index * maxStepTournaments, (index + 1) * maxStepTournaments),
    )
  return [
    ...parts(removed).map((part) => ({ removed: part, added: [] })),
    ...parts(added).map((part) => ({ removed: [], added: part })),
  ]
}

/**
 * Applies a change: `changed` maps each changed tournament to its new value, or to undefined if
 * removed. Equals a full build, at a cost proportional to the change. Yields to requests between
 * its steps.
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
  let { dataset, bots } = before
  if (change.added.length > dataset.tournaments.length / 2) {
    dataset = buildDataset([...mergedTournaments(dataset, change).values()])
    await setImmediate()
    bots = await inSlices(botSteps(dataset.tournaments))
  } else {
    for (const part of partsOf(change)) {
      dataset = mergeDataset(dataset, part)
      await setImmediate()
      bots = await inSlices(updateBots(bots, part.removed, part.added))
      await setImmediate()
    }
  }
  const clips = keepsClips(change) ? before.clips : buildClips(dataset.tournaments)
  await setImmediate()
  const stills = keepsStills(change)
    ? before.stills
    : await inSlices(stillSteps(dataset.tournaments))
  const ratings = before.ratings && (await inSlices(updateRatings(before.ratings, dataset, bots)))
  const tournamentSearch = await inSlices(tournamentSearchSteps(dataset))
  const context = searchContext(dataset, tournamentSearch)
  const botSearch = await updateSearch(before.botSearch, bots, context)
  const cages = buildCages(dataset, cageRows)
  await inSlices(measureLeague(dataset))
  const search = { botSearch, tournamentSearch }
  return { version, dataVersion, dataset, bots, clips, cages, ratings, stills, ...search }
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
  /** How changes are detected: at each commit, at the next timed refresh, or not at all. */
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
  /** Undefined until the first load has finished. */
  readonly archive: () => Archive | undefined
  /** The rows of that archive; undefined until the first load has finished. */
  readonly rows: () => ServedRows | undefined
  readonly status: () => SourceStatus
  /**
   * Unix seconds. A snapshot's clock starts at its capture time; that of a replay is the event's,
   * which runs faster and goes back when the event restarts.
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
}

/** State before the first load. */
export const nothingLoaded = (source: SourceStatus['source']): SourceStatus => ({
  source,
  currentAt: null,
  lastRefresh: { at: null, ms: null, changedRows: 0, error: null },
  follows: source === 'postgres' || source === 'mirror' ? 'timer' : 'nothing',
  badRows: 0,
})
