import { setImmediate } from 'node:timers/promises'
import { type Archive, buildArchive, noCages, updateArchive, updateCages } from './archive.ts'
import type { Tournament } from './dataset/types.ts'
import { type BadRowCounter, countBadRows, loadTournament } from './load.ts'
import { checkCages, type Unchecked } from './source/check.ts'
import type { Query, Source } from './source/connection.ts'
import {
  changedTournaments,
  eachTournament,
  type Head,
  hiddenTournaments,
  readHead,
  readTournaments,
} from './source/postgres.ts'
import { type CageRows, isShownClip, type TournamentRows } from './source/rows.ts'
import {
  compressTournament,
  packTournament,
  type Snapshot,
  type SnapshotTournament,
  type TournamentFrame,
  writeFrames,
} from './source/snapshot.ts'
import { combineDigests, shownCages, versionOf } from './version.ts'

/** One tournament: what is served of it, and its rows, to see whether they changed and to save them. */
interface Entry {
  readonly tournament: Tournament
  readonly frame: TournamentFrame
}

/** Everything that is known of a database's contents. Replaced whole at each change. */
export interface League {
  readonly archive: Archive | undefined
  readonly entries: ReadonlyMap<string, Entry>
  /** Of all entries. */
  readonly digest: bigint
  readonly cages: CageRows
  /** Rows left out, by the id of their tournament; the empty id stands for the cages. */
  readonly badRowsByTournament: ReadonlyMap<string, number>
  readonly badRows: number
  /** Where the next look begins; undefined when it must be a full one. */
  readonly position: { readonly systemIdentifier: string; readonly mark: string } | undefined
}

export const emptyLeague: League = {
  archive: undefined,
  entries: new Map(),
  digest: 0n,
  cages: noCages,
  badRowsByTournament: new Map(),
  badRows: 0,
  position: undefined,
}

export interface Refreshed {
  readonly league: League
  /** Rows written or deleted since the look before, as far as the database tells. */
  readonly changedRows: number
  readonly bad: BadRowCounter
}

/**
 * A load that would lose too many of the served fights, to deletion or to bad rows. It is refused
 * whole, but for the tournaments that are hidden now: those leave at once, whatever else is wrong.
 */
export class LossError extends Error {
  readonly remaining: Refreshed
  constructor(lost: number, of: number, remaining: Refreshed) {
    super(`refused: ${lost} of ${of} fights would be lost`)
    this.remaining = remaining
  }
}

/** What one look found: the new entry of each tournament that changed, undefined where it is gone. */
interface Changes {
  readonly head: Head
  /** Every tournament was read, not only those that a mark says have changed. */
  readonly isFull: boolean
  readonly entries: ReadonlyMap<string, Entry | undefined>
  readonly badRowsByTournament: ReadonlyMap<string, number>
  readonly hidden: ReadonlySet<string>
  readonly changedRows: number
  readonly bad: BadRowCounter
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/**
 * Fights go on while the photos stay: stills that are equal are those of before, and so is every list
 * that they stand in.
 */
const withKnownStills = (tournament: Tournament, known: Entry | undefined): Tournament =>
  known && Bun.deepEquals(known.tournament.stills, tournament.stills)
    ? { ...tournament, stills: known.tournament.stills }
    : tournament

/** Loads tournaments one by one, and keeps what did not change as it was. */
const createCollector = (before: League) => {
  const bad = countBadRows()
  const entries = new Map<string, Entry | undefined>()
  const badRowsByTournament = new Map<string, number>()
  const seen = new Set<string>()
  return {
    bad,
    entries,
    badRowsByTournament,
    seen,
    /** Requests are answered between its steps, each of which can take milliseconds. */
    add: async (
      id: string,
      unchecked: Unchecked<TournamentRows>,
      saved?: SnapshotTournament['frame'],
    ): Promise<void> => {
      await setImmediate()
      seen.add(id)
      const badBefore = bad.count()
      const loaded = loadTournament(unchecked, bad.onBadRow)
      const badRows = bad.count() - badBefore
      badRowsByTournament.set(id, badRows)
      const known = before.entries.get(id)
      if (!loaded) {
        if (known) entries.set(id, undefined)
        return
      }
      await setImmediate()
      // What is not shown is not kept either, in memory or on disk.
      const clips = loaded.rows.clips.filter(isShownClip)
      const isWhole = badRows === 0 && clips.length === loaded.rows.clips.length
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
    remove: (id: string): void => {
      badRowsByTournament.set(id, 0)
      if (before.entries.has(id)) entries.set(id, undefined)
    },
  }
}

const idOf = ({ tournament }: Unchecked<TournamentRows>): string =>
  typeof tournament === 'object' && tournament !== null && 'id' in tournament
    ? String(tournament.id)
    : ''

/** A mark holds within one database, and only while its transaction numbers run ahead of it. */
const holds = (position: NonNullable<League['position']>, head: Head): boolean =>
  position.systemIdentifier === head.systemIdentifier && BigInt(position.mark) <= BigInt(head.mark)

const readChanges = async (query: Query, before: League): Promise<Changes> => {
  const head = await readHead(query)
  const collector = createCollector(before)
  const { position } = before
  const isFull = !(position && holds(position, head))
  let changedRows = 0
  if (!isFull) {
    const changed = await changedTournaments(query, position.mark)
    changedRows = sum(changed.values())
    const ids = [...changed.keys()]
    for await (const unchecked of readTournaments(query, ids, head)) {
      await collector.add(idOf(unchecked), unchecked)
    }
    for (const id of ids) if (!collector.seen.has(id)) collector.remove(id)
  } else {
    for await (const unchecked of eachTournament(query, head)) {
      await collector.add(idOf(unchecked), unchecked)
      changedRows += sum(
        Object.values(unchecked).map((rows) => (Array.isArray(rows) ? rows.length : 1)),
      )
    }
    for (const id of before.entries.keys()) if (!collector.seen.has(id)) collector.remove(id)
  }
  return { ...collector, head, isFull, changedRows, hidden: await hiddenTournaments(query) }
}

/** Fights served before that are not among the changed ones, those of hidden tournaments left out. */
const countLost = (before: League, { entries, hidden }: Changes): number => {
  let lost = 0
  for (const [id, after] of entries) {
    if (hidden.has(id)) continue
    for (const fight of before.entries.get(id)?.tournament.fights ?? []) {
      if (!after?.tournament.games.get(fight.id)?.isFight) lost += 1
    }
  }
  return lost
}

/** The league with other entries and cages, and a new version of the archive where they are others. */
const withChanges = async (
  before: League,
  changed: ReadonlyMap<string, Entry | undefined>,
  cageRows: CageRows,
): Promise<Pick<League, 'archive' | 'entries' | 'digest' | 'cages'>> => {
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

/**
 * Looks at the database once, in one transaction, and gives the league as it is now. The cost is that
 * of what changed: every other tournament is shared with the league before. Where the position of the
 * league before does not hold any more, everything is read, and what is equal is shared all the same.
 * Throws a `SourceError` when the database cannot be read, and a {@link LossError} when more than the
 * share `largestLoss` of the fights served before would be lost.
 */
export const refreshLeague = async (
  source: Source,
  before: League,
  { largestLoss = 0.2 }: { readonly largestLoss?: number } = {},
): Promise<Refreshed> => {
  const changes = await source.transaction((query) => readChanges(query, before))
  const { head, entries, changedRows, bad } = changes
  const { systemIdentifier, mark } = head

  const served = before.archive?.dataset.fights.length ?? 0
  const lost = countLost(before, changes)
  if (lost > served * largestLoss) {
    const hidden = new Map([...entries].filter(([id]) => changes.hidden.has(id)))
    const part = await withChanges(before, hidden, before.cages)
    const remaining = { ...before, ...part }
    throw new LossError(lost, served, { league: remaining, changedRows: 0, bad: countBadRows() })
  }

  const cages = checkCages(head, bad.onBadRow)
  const badRowsByTournament = new Map(changes.isFull ? [] : before.badRowsByTournament)
  for (const [id, count] of changes.badRowsByTournament) badRowsByTournament.set(id, count)
  badRowsByTournament.set('', bad.count() - sum(changes.badRowsByTournament.values()))
  const league: League = {
    ...(await withChanges(before, entries, cages)),
    badRowsByTournament,
    badRows: sum(badRowsByTournament.values()),
    position: { systemIdentifier, mark },
  }
  return { league, changedRows, bad }
}

/** The league that a snapshot holds, to be served until the database can be read. */
export const leagueOfSnapshot = async (
  snapshot: Pick<Snapshot, 'cages'> & { readonly entries: Iterable<SnapshotTournament> },
): Promise<League> => {
  const collector = createCollector(emptyLeague)
  for (const { rows, frame } of snapshot.entries) {
    const unchecked = rows()
    await collector.add(idOf(unchecked), unchecked, frame)
  }
  const cages = checkCages(snapshot.cages, collector.bad.onBadRow)
  return {
    ...(await withChanges(emptyLeague, collector.entries, cages)),
    badRowsByTournament: collector.badRowsByTournament,
    badRows: collector.bad.count(),
    position: undefined,
  }
}

/** Writes the league as a snapshot captured at this time, whole or not at all. */
export const saveLeague = async (
  path: string,
  { entries, cages }: League,
  capturedAt: number,
): Promise<void> => {
  const frames = [...entries.values()].map(({ frame }) => frame)
  await writeFrames(path, { capturedAt, ...cages }, frames)
}
