import { setImmediate } from 'node:timers/promises'
import { type Bots, buildBots, updateBots } from '../careers/bots.ts'
import { buildDataset } from '../league/build.ts'
import { buildCages } from '../league/cages.ts'
import { mergeDataset, tournamentChange } from '../league/merge.ts'
import type { Cages, Dataset, Tournament } from '../league/types.ts'
import { buildClips, type Clips, updateClips } from '../media/clips.ts'
import { buildStills, type Stills, updateStills } from '../media/stills.ts'
import { type BotSearch, buildSearch, updateSearch } from '../search/botIndex.ts'
import {
  buildTournamentSearch,
  type TournamentSearch,
  updateTournamentSearch,
} from '../search/tournamentSearch.ts'
import type { CageRows } from '../source/rows.ts'

/** One version of everything that is served. Replaced whole, never changed. */
export interface Archive {
  /** Opaque; equal data has the same version, changed data another one. */
  readonly version: string
  /** Stays the same while the cages alone change, which they do each second of an event. */
  readonly dataVersion: string
  readonly dataset: Dataset
  readonly bots: Bots
  readonly clips: Clips
  readonly stills: Stills
  readonly botSearch: BotSearch
  readonly tournamentSearch: TournamentSearch
  readonly cages: Cages
}

export const noCages: CageRows = { cages: [], cageQueue: [] }

/** What the search for bots takes from the rest of the league. */
const searchContext = ({ fights }: Dataset, { leagueWords }: TournamentSearch) => ({
  newestUnix: fights.find(({ isCompleted }) => isCompleted)?.stopUnix ?? 0,
  leagueWords,
})

export const buildArchive = (
  version: string,
  tournaments: readonly Tournament[],
  cageRows: CageRows = noCages,
  dataVersion = version,
): Archive => {
  const dataset = buildDataset(tournaments)
  const bots = buildBots(tournaments)
  const tournamentSearch = buildTournamentSearch(dataset)
  return {
    version,
    dataVersion,
    dataset,
    bots,
    botSearch: buildSearch(bots, searchContext(dataset, tournamentSearch)),
    tournamentSearch,
    clips: buildClips(tournaments),
    stills: buildStills(tournaments),
    cages: buildCages(dataset, cageRows),
  }
}

/**
 * The archive after a change: `changed` holds the new value of each tournament that changed, and
 * undefined for each that is gone. Equals one built anew, at a cost that depends on the change. Between
 * its parts, requests are answered from the archive before.
 */
export const updateArchive = async (
  before: Archive,
  version: string,
  changed: ReadonlyMap<string, Tournament | undefined>,
  cageRows: CageRows,
  dataVersion = version,
): Promise<Archive> => {
  const change = tournamentChange(before.dataset, changed)
  const { removed, added } = change
  const dataset = mergeDataset(before.dataset, change)
  await setImmediate()
  const bots = updateBots(before.bots, removed, added)
  await setImmediate()
  const clips = updateClips(before.clips, removed, added)
  await setImmediate()
  const stills = updateStills(before.stills, removed, added)
  await setImmediate()
  const tournamentSearch = updateTournamentSearch(before.tournamentSearch, dataset, change)
  const context = searchContext(dataset, tournamentSearch)
  const botSearch = await updateSearch(before.botSearch, bots, context)
  const cages = buildCages(dataset, cageRows)
  const search = { botSearch, tournamentSearch }
  return { version, dataVersion, dataset, bots, clips, stills, ...search, cages }
}

/** The archive after a change of the cages alone. All else is shared with the archive before. */
export const updateCages = (before: Archive, version: string, cageRows: CageRows): Archive => ({
  ...before,
  version,
  cages: buildCages(before.dataset, cageRows),
})

/** How the archive is kept current, as `/health` and the freshness headers tell it. */
export interface SourceStatus {
  readonly source: 'postgres' | 'snapshot'
  /** When the served data was last known to be current; null while there is none. */
  readonly currentAt: number | null
  readonly lastRefresh: {
    readonly at: number | null
    readonly ms: number | null
    readonly changedRows: number
    readonly error: string | null
  }
  /** How changes are noticed: at each commit, at the next look of the timer, or there are none. */
  readonly follows: 'notifications' | 'timer' | 'nothing'
  /** Rows left out of the served archive because they break their schema. */
  readonly badRows: number
  /** What else is wrong at present, a sentence each. */
  readonly problems?: readonly string[]
  /** Tournaments that are served as they were, since their fights would be lost without a reason. */
  readonly heldBack?: readonly {
    readonly tournamentID: string
    /** That would be lost. */
    readonly fights: number
    readonly reason: string
  }[]
}

/** What the HTTP side sees of the data: the current version, its state, and the time. */
export interface ArchiveService {
  /** Undefined until the first load is done. */
  readonly archive: () => Archive | undefined
  readonly status: () => SourceStatus
  /** Unix seconds; for a snapshot the clock starts at the capture time. */
  readonly now: () => number
}

/** A service with the source behind it. */
export interface OpenedService extends ArchiveService {
  /**
   * Settles when there is an archive; loading begins at once. Rejects where trying again is of no use.
   */
  readonly firstLoad: Promise<void>
  /** Gives the source up, and saves what is to be saved. */
  readonly stop: () => Promise<void>
}

/** The state before anything is loaded. */
export const nothingLoaded = (source: SourceStatus['source']): SourceStatus => ({
  source,
  currentAt: null,
  lastRefresh: { at: null, ms: null, changedRows: 0, error: null },
  follows: source === 'postgres' ? 'timer' : 'nothing',
  badRows: 0,
})
