import { setImmediate } from 'node:timers/promises'
import pLimit from 'p-limit'
import { type Bots, botSteps, updateBots } from '../careers/bots.ts'
import { Later } from '../later.ts'
import { buildDataset } from '../league/build.ts'
import { buildCages } from '../league/cages.ts'
import { mergeDataset, type TournamentChange, tournamentChange } from '../league/merge.ts'
import type { Cages, Dataset, Tournament } from '../league/types.ts'
import { measureLeague } from '../live/expected.ts'
import { buildClips, type Clips, updateClips } from '../media/clips.ts'
import {
  buildStills,
  type Stills,
  stillSteps,
  updateStills,
  withOtherStills,
} from '../media/stills.ts'
import { buildRatings, type Ratings, ratingSteps, updateRatings } from '../ratings/ratings.ts'
import { type BotSearch, searchSteps, updateSearch } from '../search/botIndex.ts'
import {
  type TournamentSearch,
  tournamentSearchSteps,
  updateTournamentSearch,
} from '../search/tournamentSearch.ts'
import type { CageRows } from '../source/rows.ts'
import type { TournamentFrame } from '../source/snapshot.ts'
import type { FrameName } from '../source/snapshotHead.ts'
import { atOnce, inSlices, type Steps } from '../timeSlice.ts'
import type { RecentBadRow } from './recentBadRows.ts'

/** The indexes of names. */
export interface Search {
  readonly botSearch: BotSearch
  readonly tournamentSearch: TournamentSearch
}

/** These are made beside the first requests: they took a third of a start. */
interface Parts {
  /** Undefined where they are turned off. */
  readonly ratings: Later<Ratings | undefined>
  readonly stills: Later<Stills>
  readonly search: Later<Search>
}

interface Base {
  /** Opaque; equal data has an equal version, also across processes and sources. */
  readonly version: string
  /** Version of everything but the cages, which change each second of an event. */
  readonly dataVersion: string
  readonly dataset: Dataset
  readonly bots: Bots
  readonly clips: Clips
  readonly cages: Cages
  readonly later: Parts
}

/**
 * One immutable version of all served data; replaced whole. Its {@link Parts} are read as properties, which throw
 * `NotMadeYet` until they are made: the request waits then, and is answered anew.
 */
export interface Archive extends Base, Search {
  readonly ratings: Ratings | undefined
  readonly stills: Stills
}

export const withParts = (base: Base): Archive => ({
  ...base,
  get ratings() {
    return base.later.ratings.value
  },
  get stills() {
    return base.later.stills.value
  },
  get botSearch() {
    return base.later.search.value.botSearch
  },
  get tournamentSearch() {
    return base.later.search.value.tournamentSearch
  },
})

export const noCages: CageRows = { cages: [], cageQueue: [] }

/** Inputs of the bot search from the rest of the league. */
const searchContext = ({ fights }: Dataset, { leagueWords, idsByWord }: TournamentSearch) => ({
  newestUnix: fights.find(({ isCompleted }) => isCompleted)?.finishUnix ?? 0,
  leagueWords,
  idsByWord,
})

function* baseSteps(
  version: string,
  tournaments: readonly Tournament[],
  cageRows: CageRows = noCages,
  dataVersion = version,
): Steps<Omit<Base, 'later'>> {
  const dataset = buildDataset(tournaments)
  yield
  const bots = yield* botSteps(dataset.tournaments)
  const clips = buildClips(tournaments)
  yield
  const cages = buildCages(dataset, cageRows)
  return { version, dataVersion, dataset, bots, clips, cages }
}

type League = Pick<Base, 'dataset' | 'bots'>

function* indexSteps({ dataset, bots }: League): Steps<Search> {
  const tournamentSearch = yield* tournamentSearchSteps(dataset)
  const botSearch = yield* searchSteps(bots, searchContext(dataset, tournamentSearch))
  return { botSearch, tournamentSearch }
}

type Input = [...base: Parameters<typeof baseSteps>, hasRatings?: boolean]

/** An archive of which all parts are made. */
export const buildArchive = (
  ...[id, tournaments, cages, dataID, hasRatings = true]: Input
): Archive => {
  const base = atOnce(baseSteps(id, tournaments, cages, dataID))
  const later = {
    ratings: Later.of(hasRatings ? buildRatings(base.dataset, base.bots) : undefined),
    stills: Later.of(buildStills(base.dataset.tournaments)),
    search: Later.of(atOnce(indexSteps(base))),
  }
  return withParts({ ...base, later })
}

/** The same, yielding to requests between its steps; its parts follow, those first that most answers need. */
export const loadArchive = async (
  ...[id, tournaments, cages, dataID, hasRatings = true]: Input
): Promise<Archive> => {
  const base = await inSlices(baseSteps(id, tournaments, cages, dataID))
  const { dataset, bots } = base
  const inTurn = pLimit(1)
  const make = <Part>(steps: () => Steps<Part>) => new Later(inTurn(() => inSlices(steps())))
  const later = {
    ratings: hasRatings ? make(() => ratingSteps(dataset, bots)) : Later.of(undefined),
    stills: make(() => stillSteps(dataset.tournaments)),
    search: make(() => indexSteps(base)),
  }
  // Who needs it sooner measures the league itself.
  make(() => measureLeague(dataset))
  return withParts({ ...base, later })
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
  let { dataset, bots, clips } = before
  for (const part of partsOf(change)) {
    dataset = mergeDataset(dataset, part)
    await setImmediate()
    bots = await inSlices(updateBots(bots, part.removed, part.added))
    await setImmediate()
    clips = updateClips(clips, part.removed, part.added)
    await setImmediate()
  }
  const { later } = before
  const stills = await later.stills.next(
    async (known) => {
      let next = known
      for (const { removed, added } of partsOf(withOtherStills(change))) {
        next = updateStills(next, removed, added)
        await setImmediate()
      }
      return next
    },
    () => inSlices(stillSteps(dataset.tournaments)),
  )
  const ratings = await later.ratings.next(
    (known) => known && inSlices(updateRatings(known, dataset, change, bots)),
    () => inSlices(ratingSteps(dataset, bots)),
  )
  const search = await later.search.next(
    async (known) => {
      const tournamentSearch = await updateTournamentSearch(known.tournamentSearch, dataset, change)
      const context = searchContext(dataset, tournamentSearch)
      return { botSearch: await updateSearch(known.botSearch, bots, context), tournamentSearch }
    },
    () => inSlices(indexSteps({ dataset, bots })),
  )
  const cages = buildCages(dataset, cageRows)
  await inSlices(measureLeague(dataset))
  const base = { version, dataVersion, dataset, bots, clips, cages }
  return withParts({ ...base, later: { ratings, stills, search } })
}

/** Replaces the cages; everything else is shared with the archive before. */
export const updateCages = (before: Archive, version: string, cageRows: CageRows): Archive => {
  if (before.version === version) return before
  const { dataVersion, dataset, bots, clips, later } = before
  const cages = buildCages(dataset, cageRows)
  return withParts({ version, dataVersion, dataset, bots, clips, cages, later })
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

/** The rows of one tournament, as a snapshot stores them. */
export interface ServedFrame {
  readonly id: string
  readonly name: () => FrameName | Promise<FrameName>
  /** Rejects if the file that it is read from was changed. */
  readonly read: () => TournamentFrame | Promise<TournamentFrame>
}

/** Rows that an archive was built from, without hidden ones. */
export interface ServedRows {
  readonly archive: Archive
  readonly cages: CageRows
  readonly frames: readonly ServedFrame[]
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
