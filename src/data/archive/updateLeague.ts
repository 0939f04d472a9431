import { setImmediate } from 'node:timers/promises'
import { once } from '../../runtime/once.ts'
import { buildTournament, rebuildTournament } from '../league/build.ts'
import { sameTable } from '../league/recordings.ts'
import type { Tournament } from '../league/types.ts'
import { checkCages, type Unchecked } from '../source/check.ts'
import { PackedRecordings, type PackedRows } from '../source/recordingTable.ts'
import type { CageRows, TournamentRows } from '../source/rows.ts'
import {
  compressTournament,
  frameWhenRead,
  packTournament,
  type SnapshotTournament,
  type TournamentFrame,
} from '../source/snapshot.ts'
import { shownRows } from '../source/visibility.ts'
import { loadArchive, updateArchive } from './archive.ts'
import { type BadRowCounter, checkPublic, countBadRows } from './load.ts'
import { countBadRowsSeen, type Entry, type LoadedLeague } from './loadedLeague.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

/** Reuses the previous list of stills if it is equal, so that indexes of stills are shared. */
const withKnownStills = (tournament: Tournament, known: Entry | undefined): Tournament =>
  known && Bun.deepEquals(known.tournament.stills, tournament.stills)
    ? { ...tournament, stills: known.tournament.stills }
    : tournament

/** Reuses the previous table of recordings if it is equal: its URLs take most of a tournament's memory. */
const withKnownTable = (rows: PackedRows, known: Entry | undefined): PackedRows => {
  const { table, games, counts } = rows.recordings
  const before = known?.tournament.recordings.table
  return before && sameTable(before, table)
    ? { ...rows, recordings: new PackedRecordings(before, games, counts) }
    : rows
}

/** Max rows per read whose compression is deferred: uncompressed rows of 120,000 fights would take 360 MB. */
const maxPackedBytes = 16 * 2 ** 20

/** New rows of one tournament; without rows the tournament is gone. */
export interface TournamentUpdate {
  readonly id: string
  readonly rows: Unchecked<TournamentRows> | undefined
  /** The rows as stored in a snapshot. */
  readonly frame?: SnapshotTournament['frame']
  /** Decodes the rows as stored, if URLs of media differ in `rows`. */
  readonly storedRows?: SnapshotTournament['rows']
  /** Name of this state of the tournament in its source. */
  readonly stamp?: string | undefined
}

/** The shown rows of a stored tournament. */
const shownOf = (storedRows: SnapshotTournament['rows']): PackedRows | undefined => {
  const rows = checkPublic(storedRows(), () => undefined)
  return rows && shownRows(rows)
}

/**
 * Frame with a known digest, packed when its bytes are first read: most tournaments of a generated league have hidden
 * clips, so that their stored frames are not served.
 */
const packedWhenRead = (
  id: string,
  digest: bigint,
  storedRows: SnapshotTournament['rows'],
): TournamentFrame => {
  const bytes = once(() => {
    const shown = shownOf(storedRows)
    return shown ? compressTournament(packTournament(shown), 'fast').bytes : new Uint8Array()
  })
  return {
    id,
    digest,
    get bytes() {
      return bytes()
    },
  }
}

/** Loads tournaments one by one; a tournament equal to `before` is not built. */
export const createCollector = (before: Pick<LoadedLeague, 'entries'>, bad = countBadRows()) => {
  /** New entry of each changed tournament; undefined for a removed one. */
  const entries = new Map<string, Entry | undefined>()
  const badRows = new Map<string, number>()
  let packedBytes = 0
  return {
    bad,
    entries,
    badRows,
    /** Loads in time slices of a few milliseconds. Returns the tournament's recordings if no row is bad. */
    add: async (
      id: string,
      unchecked: Unchecked<TournamentRows>,
      { frame: saved, storedRows }: Pick<TournamentUpdate, 'frame' | 'storedRows'> = {},
    ): Promise<PackedRecordings | undefined> => {
      await setImmediate()
      const badBefore = bad.count()
      const checked = checkPublic(unchecked, bad.onBadRow)
      const ownBadRows = bad.count() - badBefore
      badRows.set(id, ownBadRows)
      // Discards the result of an earlier part of this refresh.
      entries.delete(id)
      const known = before.entries.get(id)
      if (!checked) {
        if (known) entries.set(id, undefined)
        return undefined
      }
      const rows = withKnownTable(checked, known)
      const recordings = ownBadRows === 0 ? rows.recordings : undefined
      await setImmediate()
      // Hidden tournaments are kept neither in memory nor on disk.
      const shown = shownRows(rows)
      const whole = ownBadRows === 0 ? saved : undefined
      if (shown === rows && whole) {
        entries.set(id, { tournament: buildTournament(rows), frame: { id, ...whole } })
        return recordings
      }
      // A stored digest covers the shown rows.
      if (whole && storedRows) {
        const frame = packedWhenRead(id, whole.digest, storedRows)
        entries.set(id, { tournament: buildTournament(rows), frame })
        return recordings
      }
      const own = packTournament((storedRows && shownOf(storedRows)) ?? shown)
      const packed = { ...own, digest: whole?.digest ?? own.digest }
      if (packed.digest === known?.frame.digest) return recordings
      packedBytes += packed.packed.length
      const frame =
        packedBytes > maxPackedBytes ? compressTournament(packed, 'fast') : frameWhenRead(packed)
      await setImmediate()
      const tournament = withKnownStills(rebuildTournament(rows, known?.tournament), known)
      entries.set(id, { tournament, frame })
      return recordings
    },
  }
}

/** Applies entries and cages; the archive gets a new version if they differ. */
export const withChanges = async (
  before: LoadedLeague,
  changed: ReadonlyMap<string, Entry | undefined>,
  cageRows: CageRows,
): Promise<Pick<LoadedLeague, 'archive' | 'hasRatings' | 'entries' | 'digest' | 'cages'>> => {
  const entries = new Map(before.entries)
  for (const [id, entry] of changed) {
    if (entry) entries.set(id, entry)
    else entries.delete(id)
  }
  const digest = combineDigests([
    before.digest,
    ...[...changed.keys()].flatMap((id) => before.entries.get(id)?.frame.digest ?? []),
    ...[...changed.values()].flatMap((entry) => entry?.frame.digest ?? []),
  ])
  const cages = shownCages(cageRows, (id) => entries.has(id))
  const { version, dataVersion } = versionOf(digest, cages)
  if (before.archive?.version === version && changed.size === 0) return before
  const tournaments = new Map([...changed].map(([id, entry]) => [id, entry?.tournament]))
  const archive = before.archive
    ? await updateArchive(before.archive, version, tournaments, cages, dataVersion)
    : await loadArchive(
        version,
        [...entries.values()].map(({ tournament }) => tournament),
        cages,
        dataVersion,
        before.hasRatings,
      )
  return { entries, digest, cages, archive, hasRatings: before.hasRatings }
}

/** A league, and the rows that its update left out. */
export interface UpdatedLeague {
  readonly league: LoadedLeague
  readonly bad: BadRowCounter
}

/** Keeps the previous cage rows of held-back tournaments. */
export const withHeldBack = (
  { cages, cageQueue }: CageRows,
  before: CageRows,
  heldBack: ReadonlyMap<string, unknown>,
): CageRows => {
  if (heldBack.size === 0) return { cages, cageQueue }
  const isHeld = ({ tournamentId }: { readonly tournamentId: string | null }): boolean =>
    tournamentId !== null && heldBack.has(tournamentId)
  const kept = new Map(before.cages.filter(isHeld).map((row) => [row.number, row]))
  const rows = new Map([...cages.map((row) => [row.number, row] as const), ...kept])
  return {
    cages: [...rows.values()].sort((a, b) => a.number - b.number),
    cageQueue: [
      ...cageQueue.filter((row) => !isHeld(row)),
      ...before.cageQueue.filter(isHeld),
    ].sort((a, b) => a.cage - b.cage || a.position - b.position),
  }
}

/** The changes of an update, and the bad rows of each tournament that was read. */
interface Found {
  readonly changes: ReadonlyMap<string, Entry | undefined>
  readonly badRows: ReadonlyMap<string, number>
}

/** Decides which changes are applied. */
type Guard = (
  found: Found,
) => Promise<Pick<Found, 'changes'> & Pick<LoadedLeague, 'heldBack' | 'addedSinceLoss'>>

/**
 * The league with other rows of some tournaments, and other cages, from a source that knows what changed. A held-back
 * tournament keeps its stamp, so that the next update brings it again.
 */
export const leagueWith = async (
  before: LoadedLeague,
  updates: Iterable<TournamentUpdate> | AsyncIterable<TournamentUpdate>,
  cageRows: CageRows,
  guard: Guard = async ({ changes }) => ({
    changes,
    heldBack: new Map(),
    addedSinceLoss: new Set(),
  }),
  bad = countBadRows(),
): Promise<UpdatedLeague> => {
  const collector = createCollector(before, bad)
  const seen = new Map(before.seen)
  for await (const { id, rows, stamp, ...stored } of updates) {
    if (rows) await collector.add(id, rows, stored)
    else if (before.entries.has(id)) collector.entries.set(id, undefined)
    const badRows = collector.badRows.get(id) ?? 0
    if (stamp === undefined) seen.delete(id)
    else seen.set(id, { stamp, stampDigest: '', badRows })
  }
  const { changes, heldBack, addedSinceLoss } = await guard({
    changes: collector.entries,
    badRows: collector.badRows,
  })
  for (const id of heldBack.keys()) {
    const known = before.seen.get(id)
    if (known) seen.set(id, known)
    else seen.delete(id)
  }
  const cages = withHeldBack(cageRows, before.cages, heldBack)
  const league = {
    ...before,
    ...(await withChanges(before, changes, cages)),
    seen,
    heldBack,
    addedSinceLoss,
    badRows: countBadRowsSeen(seen),
  }
  return { league, bad }
}

/** The tournaments of a snapshot by their ids and the hashes of their frames. */
export interface SnapshotContent {
  readonly cages: Unchecked<CageRows>
  readonly hashes: ReadonlyMap<string, string>
  /** Reads the tournaments with these ids. */
  readonly read: (
    isWanted: (id: string) => boolean,
  ) => AsyncIterable<TournamentUpdate> | Iterable<TournamentUpdate>
}

/** The league of a snapshot. Tournaments with the same hashes are shared with the league before. */
export const leagueOfFrames = async (
  before: LoadedLeague,
  { cages: unchecked, hashes, read }: SnapshotContent,
  guard?: Guard,
): Promise<UpdatedLeague & { readonly changedRows: number }> => {
  const bad = countBadRows()
  const cages = checkCages(unchecked, bad.onBadRow)
  const badCages = bad.count()
  let changedRows = 0
  const updates = async function* (): AsyncGenerator<TournamentUpdate> {
    const isChanged = (id: string): boolean =>
      before.seen.get(id)?.stamp !== hashes.get(id) || before.heldBack.has(id)
    for await (const update of read(isChanged)) {
      changedRows += 1
      yield { ...update, stamp: hashes.get(update.id) }
    }
    for (const id of new Set([...before.seen.keys(), ...before.entries.keys()])) {
      if (hashes.has(id)) continue
      changedRows += 1
      yield { id, rows: undefined }
    }
  }
  const { league } = await leagueWith(before, updates(), cages, guard, bad)
  return { league: { ...league, badRows: league.badRows + badCages, badCages }, bad, changedRows }
}
