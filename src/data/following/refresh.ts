import type { BadRowCounter } from '../archive/load.ts'
import {
  countBadRowsSeen,
  type LoadedLeague,
  type NewestTimeline,
  type Position,
  type Seen,
} from '../archive/loadedLeague.ts'
import { createCollector, withChanges, withHeldBack } from '../archive/updateLeague.ts'
import {
  type ChangedRows,
  changedTournaments,
  deletedSince,
  hiddenClips,
  hiddenTournaments,
  type Shown,
  shownStamps,
  stampDigests,
} from '../source/changedRows.ts'
import { checkCages } from '../source/check.ts'
import type { Query, Source } from '../source/connection.ts'
import { type Head, readTransaction } from '../source/postgres.ts'
import { inBatches, type ReadTournament, readShown } from '../source/readTournaments.ts'
import { UnreachableError } from '../source/sourceErrors.ts'
import { holdBack } from './guard.ts'

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

/** True if a mark is still valid: same database, and not ahead of its transaction numbers. */
const holds = (position: Position, head: Head): boolean =>
  position.systemIdentifier === head.systemIdentifier && BigInt(position.mark) <= BigInt(head.mark)

/** The newer of two timelines if the database is the same, else the timeline of the database read now. */
const newestOf = (
  before: NewestTimeline | undefined,
  { databaseIdentity, timeline }: Head,
): NewestTimeline => {
  const known = before?.databaseIdentity === databaseIdentity ? before.timeline : 0
  // A standby reports the timeline of its last checkpoint, which may be older.
  return { databaseIdentity, timeline: Math.max(known, timeline) }
}

/** Number of batches of a long read that are read while one is built, one on each connection. */
const batchesAhead = 2

/**
 * Runs `read` in a transaction, unless the server is a primary that another one has replaced: commits after the
 * promotion would be lost in silence.
 */
const readUnlessOld = <T>(
  source: Source,
  { newestTimeline }: Pick<LoadedLeague, 'newestTimeline'>,
  read: (query: Query, head: Head) => Promise<T>,
): Promise<T> =>
  readTransaction(source, async (query, head) => {
    if (!head.standby && newestOf(newestTimeline, head).timeline > head.timeline) {
      throw new UnreachableError(
        'the database is an old primary, which another one has replaced',
        'connect to the new one, or to accept this one stop, remove last-good.* of DATA_DIR and start',
      )
    }
    return read(query, head)
  })

/** Moves keys to the end of a map. */
const moveToEnd = <K, V>(map: Map<K, V>, keys: readonly K[]): void => {
  for (const key of keys) {
    const value = map.get(key)
    if (value === undefined) continue
    map.delete(key)
    map.set(key, value)
  }
}

/** Maximum number of batches read in one transaction; further batches have their own, to hold no lock for long. */
const maxPerTransaction = 2
/** Maximum number of parts of a read; the last one reads everything left in one transaction. */
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
 * Reads the tournaments changed by mark, by stamp of their own row, or by stamp digest (those
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
    for (const { id, rows, stampDigest, recordings: part } of batch) {
      const packed = await collector.add(id, rows)
      const badRows = collector.badRows.get(id) ?? 0
      // Omitted after a load of everything: the keys would take 50 bytes a fight.
      const recordings = position && packed && { packed, part }
      seen.set(id, { stamp: shown.get(id) ?? '', stampDigest, badRows, recordings })
    }
  }
  /** Known recordings of tournaments whose changes are only in other rows. */
  const knownRecordings = (changed: ReadonlyMap<string, ChangedRows>) =>
    new Map(
      [...changed].flatMap(([id, { hasRecordings }]) => {
        const known = hasRecordings ? undefined : seen.get(id)?.recordings
        return known ? [[id, known] as const] : []
      }),
    )
  let { position } = before
  let changedRows = 0
  for (let part = 1; ; part += 1) {
    const found = await readUnlessOld(source, before, async (query, head) => {
      const [shown, written] = await Promise.all([
        shownStamps(query),
        position && changedTournaments(query, position.mark),
      ])
      const changed = position && holds(position, head) ? written : undefined
      const compared = changed && part === 1 ? [...seen.keys()].slice(0, compareCount) : []
      const found = compared.length > 0 ? await stampDigests(query, compared) : new Map()
      const others = new Set(
        compared.filter((id) => !changed?.has(id) && found.get(id) !== seen.get(id)?.stampDigest),
      )
      const due: string[] = []
      for (const [id, stamp] of shown) {
        const isOther = others.has(id) || seen.get(id)?.stamp !== stamp
        if (changed && isOther && !changed.has(id)) unmarked.add(id)
        if (!changed || changed.has(id) || isOther) due.push(id)
      }
      const isLast = inBatches(due).length <= maxPerTransaction || part >= maxParts
      const known = changed && knownRecordings(changed)
      const batch = isLast ? await readShown(query, due, head, known) : undefined
      return { head, shown, changed, compared, due, batch }
    })
    const { head, shown, changed, compared, due, batch } = found
    moveToEnd(seen, compared)
    for (const [id, { rows }] of changed ?? []) {
      if (shown.has(id) || before.entries.has(id)) changedRows += rows
    }
    if (batch) {
      await add(batch, shown)
      for (const id of seen.keys()) if (!shown.has(id)) seen.delete(id)
      const newlySeen = [...unmarked].filter((id) => before.seen.has(id))
      if (!changed) changedRows += sum(batch.map(rowCount))
      // A removed tournament may leave no row that this role can read.
      for (const id of before.entries.keys()) {
        if (!shown.has(id) && !changed?.has(id) && before.seen.has(id)) changedRows += 1
      }
      return { head, shown, collector, seen, unmarked: newlySeen, changedRows }
    }
    const waiting = inBatches(due).values()
    const read = (ids: readonly string[]): Promise<readonly ReadTournament[]> => {
      const reading = readUnlessOld(source, before, (query, current) =>
        readShown(query, ids, current),
      )
      // A rejection is handled where the batch is awaited.
      reading.catch(() => undefined)
      return reading
    }
    const ahead = waiting.take(batchesAhead).map(read).toArray()
    for (let batch = await ahead.shift(); batch; batch = await ahead.shift()) {
      const next = waiting.next()
      if (!next.done) ahead.push(read(next.value))
      if (!changed) changedRows += sum(batch.map(rowCount))
      await add(batch, shown)
    }
    position = head
  }
}

/** Recordings may be packed. */
const rowCount = ({ rows, recordings }: ReadTournament): number =>
  recordings.rows +
  sum(
    Object.values({ ...rows, recordings: [] }).map((table) =>
      Array.isArray(table) ? table.length : 1,
    ),
  )

export interface RefreshOptions {
  /** Max share of served fights that may be lost without a tombstone or write that explains it. */
  readonly maxLoss?: number
  /** Share of the tournaments whose stamp digests are compared. */
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
  { maxLoss, compareShare = 1 }: RefreshOptions = {},
): Promise<Refreshed> => {
  const compareCount = Math.ceil(before.seen.size * compareShare)
  const found = await readChanges(source, before, compareCount)
  const { head, shown, collector, changedRows, unmarked, bad } = { ...found, ...found.collector }
  const changes = new Map(collector.entries)
  // Tournaments that were shown when an earlier part read them count, too.
  for (const id of new Set([...before.entries.keys(), ...changes.keys()])) {
    if (shown.has(id)) continue
    if (before.entries.has(id)) changes.set(id, undefined)
    else changes.delete(id)
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
    ...(maxLoss !== undefined && { maxLoss }),
    withdrawn: (ids) =>
      readTransaction(source, async (query) => ({
        tournaments: await hiddenTournaments(query),
        clips: await hiddenClips(query),
        deleted: since === undefined ? [] : await deletedSince(query, since, ids),
      })),
  })
  const seen = new Map(found.seen)
  for (const id of guarded.readAgain) seen.delete(id)

  const badBefore = bad.count()
  const cages = withHeldBack(checkCages(head, bad.onBadRow), before.cages, guarded.heldBack)
  const badCages = bad.count() - badBefore
  const league: LoadedLeague = {
    ...(await withChanges(before, guarded.changes, cages)),
    seen,
    heldBack: guarded.heldBack,
    addedSinceLoss: guarded.addedSinceLoss,
    badRows: countBadRowsSeen(seen) + badCages,
    badCages,
    position: { databaseIdentity, systemIdentifier, mark },
    newestTimeline: newestOf(before.newestTimeline, head),
  }
  return { league, changedRows, unmarked, head, bad }
}
