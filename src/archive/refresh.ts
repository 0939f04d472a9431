import { setImmediate } from 'node:timers/promises'
import type { Tournament } from '../league/types.ts'
import {
  changedTournaments,
  deletedSince,
  fingerprints,
  hiddenClips,
  hiddenTournaments,
  type Shown,
  shownStamps,
} from '../source/changedRows.ts'
import { checkCages, type Unchecked } from '../source/check.ts'
import type { Source } from '../source/connection.ts'
import {
  batchSize,
  type Head,
  type ReadTournament,
  readBatch,
  readTransaction,
} from '../source/postgres.ts'
import type { CageRows, TournamentRows } from '../source/rows.ts'
import {
  compressTournament,
  packTournament,
  type Snapshot,
  type SnapshotTournament,
  writeFrames,
} from '../source/snapshot.ts'
import type { Origin } from '../source/snapshotHead.ts'
import { isShownClip } from '../source/visibility.ts'
import { buildArchive, updateArchive, updateCages } from './archive.ts'
import { type Hidden, holdBack, nothingHidden, withoutHidden } from './guard.ts'
import { type BadRowCounter, countBadRows, loadTournament } from './load.ts'
import {
  type Entry,
  emptyLeague,
  type LoadedLeague,
  type Position,
  type Seen,
} from './loadedLeague.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

export interface Refreshed {
  readonly league: LoadedLeague
  /** Rows written or deleted since the previous refresh, as reported by the database. */
  readonly changedRows: number
  /** Tournaments that changed without a mark: restored or replicated with the triggers off. */
  readonly unmarked: readonly string[]
  readonly head: Pick<Head, 'version' | 'standby' | 'mayReadPrivate'>
  readonly bad: BadRowCounter
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** Reuses the previous list of stills if it is equal, so that indexes of stills are shared. */
const withKnownStills = (tournament: Tournament, known: Entry | undefined): Tournament =>
  known && Bun.deepEquals(known.tournament.stills, tournament.stills)
    ? { ...tournament, stills: known.tournament.stills }
    : tournament

/** Loads tournaments one by one; unchanged ones are skipped. */
const createCollector = (before: Pick<LoadedLeague, 'entries'>) => {
  const bad = countBadRows()
  /** New entry of each changed tournament; undefined for a removed one. */
  const entries = new Map<string, Entry | undefined>()
  const badRows = new Map<string, number>()
  return {
    bad,
    entries,
    badRows,
    /** Yields to requests between its steps, which take milliseconds each. */
    add: async (
      id: string,
      unchecked: Unchecked<TournamentRows>,
      saved?: SnapshotTournament['frame'],
    ): Promise<void> => {
      await setImmediate()
      const badBefore = bad.count()
      const loaded = loadTournament(unchecked, bad.onBadRow)
      const ownBadRows = bad.count() - badBefore
      badRows.set(id, ownBadRows)
      // Discards the result of an earlier part of this refresh.
      entries.delete(id)
      const known = before.entries.get(id)
      if (!loaded) {
        if (known) entries.set(id, undefined)
        return
      }
      await setImmediate()
      // Hidden clips are kept neither in memory nor on disk.
      const clips = loaded.rows.clips.filter(isShownClip)
      const isWhole = ownBadRows === 0 && clips.length === loaded.rows.clips.length
      if (isWhole && saved) {
        entries.set(id, { tournament: loaded.tournament, frame: { id, ...saved } })
        return
      }
      const packed = packTournament({ ...loaded.rows, clips })
      if (packed.digest === known?.frame.digest) return
      const frame = compressTournament(packed, 'fast')
      await setImmediate()
      entries.set(id, { tournament: withKnownStills(loaded.tournament, known), frame })
    },
  }
}

const idOf = ({ tournament }: Unchecked<TournamentRows>): string =>
  typeof tournament === 'object' && tournament !== null && 'id' in tournament
    ? String(tournament.id)
    : ''

/** Whether a mark is still valid: same database, and not ahead of its transaction numbers. */
const holds = (position: Position, head: Head): boolean =>
  position.systemIdentifier === head.systemIdentifier && BigInt(position.mark) <= BigInt(head.mark)

const inBatches = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) =>
    ids.slice(index * batchSize, (index + 1) * batchSize),
  )

/** Moves keys to the end of a map. */
const moveToEnd = <K, V>(map: Map<K, V>, keys: readonly K[]): void => {
  for (const key of keys) {
    const value = map.get(key)
    if (value === undefined) continue
    map.delete(key)
    map.set(key, value)
  }
}

/** Max tournaments read in one transaction; more are read in several, to hold no lock for long. */
const maxPerTransaction = 2 * batchSize
/** Max parts of a read; the last one reads everything left in one transaction. */
const maxParts = 4

/** Changes found by a refresh, before the guard. */
interface FoundChanges {
  readonly head: Head
  readonly shown: Shown
  readonly collector: ReturnType<typeof createCollector>
  readonly seen: ReadonlyMap<string, Seen>
  readonly unmarked: readonly string[]
  readonly changedRows: number
}

/**
 * Reads the tournaments changed by mark, by stamp of their own row, or by fingerprint (those
 * compared least recently). Reads all of them if the position is invalid.
 */
const readChanges = async (
  source: Source,
  before: LoadedLeague,
  compareCount: number,
): Promise<FoundChanges> => {
  const collector = createCollector(before)
  const seen = new Map(before.seen)
  const unmarked = new Set<string>()
  const add = async (batch: readonly ReadTournament[], shown: Shown): Promise<void> => {
    for (const { id, rows, fingerprint } of batch) {
      await collector.add(id, rows)
      const badRows = collector.badRows.get(id) ?? 0
      seen.set(id, { stamp: shown.get(id) ?? '', fingerprint, badRows })
    }
  }
  let { position } = before
  let changedRows = 0
  for (let part = 1; ; part += 1) {
    const found = await readTransaction(source, async (query, head) => {
      const shown = await shownStamps(query, head)
      const isKnown = position !== undefined && holds(position, head)
      const changed =
        isKnown && position ? await changedTournaments(query, head, position.mark) : undefined
      const compared = changed && part === 1 ? [...seen.keys()].slice(0, compareCount) : []
      const found = compared.length > 0 ? await fingerprints(query, head, compared) : new Map()
      const others = new Set(
        compared.filter((id) => !changed?.has(id) && found.get(id) !== seen.get(id)?.fingerprint),
      )
      const due: string[] = []
      for (const [id, stamp] of shown) {
        const isOther = others.has(id) || seen.get(id)?.stamp !== stamp
        if (changed && isOther && !changed.has(id)) unmarked.add(id)
        if (!changed || changed.has(id) || isOther) due.push(id)
      }
      const isLast = due.length <= maxPerTransaction || part >= maxParts
      const batch = isLast ? await readBatch(query, due, head) : undefined
      return { head, shown, changed, compared, due, batch }
    })
    const { head, shown, changed, compared, due, batch } = found
    moveToEnd(seen, compared)
    for (const [id, rows] of changed ?? []) {
      if (shown.has(id) || before.entries.has(id)) changedRows += rows
    }
    if (batch) {
      await add(batch, shown)
      for (const id of seen.keys()) if (!shown.has(id)) seen.delete(id)
      const newlySeen = [...unmarked].filter((id) => before.seen.has(id))
      if (!changed) changedRows += sum(batch.map(({ rows }) => rowCount(rows)))
      // A removed tournament may leave no row that this role can read.
      for (const id of before.entries.keys()) {
        if (!shown.has(id) && !changed?.has(id) && before.seen.has(id)) changedRows += 1
      }
      return { head, shown, collector, seen, unmarked: newlySeen, changedRows }
    }
    // Read the next batch while one is built.
    const read = (ids: readonly string[]): Promise<readonly ReadTournament[]> =>
      readTransaction(source, (query, current) => readBatch(query, ids, current))
    const batches = inBatches(due)
    let next = batches[0] && read(batches[0])
    for (const index of batches.keys()) {
      const batch = await next
      const following = batches[index + 1]
      next = following && read(following)
      // A rejection is handled where the batch is awaited.
      next?.catch(() => undefined)
      if (!batch) continue
      if (!changed) changedRows += sum(batch.map(({ rows }) => rowCount(rows)))
      await add(batch, shown)
    }
    position = head
  }
}

const rowCount = (rows: Unchecked<TournamentRows>): number =>
  sum(Object.values(rows).map((table) => (Array.isArray(table) ? table.length : 1)))

/** Applies entries and cages; the archive gets a new version if they differ. */
const withChanges = async (
  before: LoadedLeague,
  changed: ReadonlyMap<string, Entry | undefined>,
  cageRows: CageRows,
): Promise<Pick<LoadedLeague, 'archive' | 'entries' | 'digest' | 'cages'>> => {
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
  if (before.archive && changed.size === 0) {
    if (before.archive.version === version) return before
    return { ...before, cages, archive: updateCages(before.archive, version, cages) }
  }
  const tournaments = new Map([...changed].map(([id, entry]) => [id, entry?.tournament]))
  const archive = before.archive
    ? await updateArchive(before.archive, version, tournaments, cages, dataVersion)
    : buildArchive(
        version,
        [...entries.values()].map(({ tournament }) => tournament),
        cages,
        dataVersion,
      )
  return { entries, digest, cages, archive }
}

/** Keeps the previous cage rows of held-back tournaments. */
const withHeldBack = (
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

export interface RefreshOptions {
  /** Max share of served fights that may be lost without a tombstone or write that explains it. */
  readonly maxLoss?: number
  /** Share of the tournaments whose fingerprints are compared. */
  readonly compareShare?: number
}

/**
 * Runs one refresh. The cost is proportional to the change: other tournaments are shared with the
 * league before. If its position is invalid, everything is read, and equal tournaments are still
 * shared. Tournaments with unexplained losses are held back, see {@link holdBack}. Throws a
 * `SourceError` if the database cannot be read.
 */
export const refreshLeague = async (
  source: Source,
  before: LoadedLeague,
  { maxLoss = 0.2, compareShare = 1 }: RefreshOptions = {},
): Promise<Refreshed> => {
  const compareCount = Math.ceil(before.seen.size * compareShare)
  const found = await readChanges(source, before, compareCount)
  const { head, shown, collector, changedRows, unmarked, bad } = { ...found, ...found.collector }
  const changes = new Map(collector.entries)
  for (const id of before.entries.keys()) {
    if (!shown.has(id)) changes.set(id, undefined)
  }
  const { databaseIdentity, systemIdentifier, mark } = head
  const since =
    before.position?.databaseIdentity === databaseIdentity &&
    BigInt(before.position.mark) <= BigInt(mark)
      ? before.position.mark
      : undefined
  const guarded = await holdBack(before, {
    changes,
    shown,
    badRows: collector.badRows,
    maxLoss,
    withdrawn: (ids) =>
      readTransaction(source, async (query, current) => ({
        tournaments: await hiddenTournaments(query, current),
        clips: await hiddenClips(query, current),
        deleted: since === undefined ? [] : await deletedSince(query, current, since, ids),
      })),
  })
  const seen = new Map(found.seen)
  for (const id of guarded.readAgain) seen.delete(id)

  const badBefore = bad.count()
  const cages = withHeldBack(checkCages(head, bad.onBadRow), before.cages, guarded.heldBack)
  const league: LoadedLeague = {
    ...(await withChanges(before, guarded.changes, cages)),
    seen,
    heldBack: guarded.heldBack,
    badRows: sum([...seen.values()].map(({ badRows }) => badRows)) + bad.count() - badBefore,
    position: { databaseIdentity, systemIdentifier, mark },
  }
  return { league, changedRows, unmarked, head, bad }
}

/** Rows that replace those of one tournament; without rows the tournament is gone. */
export interface TournamentUpdate {
  readonly id: string
  readonly rows: Unchecked<TournamentRows> | undefined
  /** The same rows as a snapshot holds them. */
  readonly frame?: SnapshotTournament['frame']
  /** Name of this state of the tournament in its source. */
  readonly stamp?: string
}

/** The league with other rows of some tournaments, and other cages, from a source that knows what changed. */
export const leagueWith = async (
  before: LoadedLeague,
  updates: Iterable<TournamentUpdate>,
  cageRows: CageRows,
): Promise<LoadedLeague> => {
  const collector = createCollector(before)
  const seen = new Map(before.seen)
  for (const { id, rows, frame, stamp } of updates) {
    if (rows) await collector.add(id, rows, frame)
    else if (before.entries.has(id)) collector.entries.set(id, undefined)
    const badRows = collector.badRows.get(id) ?? 0
    if (stamp === undefined) seen.delete(id)
    else seen.set(id, { stamp, fingerprint: '', badRows })
  }
  return {
    ...before,
    ...(await withChanges(before, collector.entries, cageRows)),
    seen,
    badRows: sum([...seen.values()].map(({ badRows }) => badRows)),
  }
}

/** A league from a snapshot, and what of the snapshot is not in it. */
export interface SnapshotLeague {
  readonly league: LoadedLeague
  /** Of all that the snapshot holds; undefined where it has no digests. */
  readonly version: string | undefined
  /** Tournaments that are hidden, or have hidden parts. */
  readonly withheld: ReadonlySet<string>
}

/**
 * Builds the league of a snapshot, to be served until the database is read, without hidden entries.
 */
export const leagueOfSnapshot = async (
  snapshot: Pick<Snapshot, 'cages'> & {
    readonly origin?: Origin | undefined
    readonly entries: Iterable<SnapshotTournament>
  },
  hidden: Hidden = nothingHidden,
): Promise<SnapshotLeague> => {
  const collector = createCollector(emptyLeague)
  const ids = new Set<string>()
  const digests: (bigint | undefined)[] = []
  const withheld = new Set<string>()
  for (const { rows, frame } of snapshot.entries) {
    const unchecked = rows()
    const id = idOf(unchecked)
    ids.add(id)
    digests.push(frame?.digest)
    if (hidden.tournaments.has(id)) {
      withheld.add(id)
      continue
    }
    const shown = withoutHidden(unchecked, hidden)
    if (shown !== unchecked) withheld.add(id)
    await collector.add(id, shown, shown === unchecked ? frame : undefined)
  }
  const seen = new Map(
    snapshot.origin?.seen
      .filter(([id]) => collector.entries.has(id))
      .map(([id, stamp, fingerprint]) => [id, { stamp, fingerprint, badRows: 0 }]),
  )
  const cages = checkCages(snapshot.cages, collector.bad.onBadRow)
  const known = digests.filter((digest) => digest !== undefined)
  const league: LoadedLeague = {
    ...emptyLeague,
    ...(await withChanges(emptyLeague, collector.entries, cages)),
    seen,
    badRows: collector.bad.count(),
    position: snapshot.origin,
  }
  const whole = versionOf(
    combineDigests(known),
    shownCages(cages, (id) => ids.has(id)),
  )
  return { league, version: known.length === ids.size ? whole.version : undefined, withheld }
}

/** Writes the league as a snapshot, atomically. */
export const saveLeague = async (
  path: string,
  { entries, cages, seen, heldBack, position }: LoadedLeague,
  capturedAt: number,
): Promise<void> => {
  const frames = [...entries.values()].map(({ frame }) => frame)
  // Held-back tournaments and those with bad rows differ from the database: they are read again.
  const known = [...seen].filter(([id, { badRows }]) => badRows === 0 && !heldBack.has(id))
  const origin = position && {
    ...position,
    seen: known.map(([id, { stamp, fingerprint }]): Origin['seen'][number] => [
      id,
      stamp,
      fingerprint,
    ]),
  }
  await writeFrames(path, { capturedAt, ...cages, ...(origin && { origin }) }, frames, {
    mode: 0o600,
  })
}
