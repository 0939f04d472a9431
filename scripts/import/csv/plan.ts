import { checkTournament, type Unchecked } from '../../../src/data/source/check.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { assignRecordings, writeRecordings } from '../recordings/recordings.ts'
import { type ImportRun, reportRow, writeTournament } from '../run.ts'
import { writeCages } from '../target/cages.ts'
import { addChanges, presentRows, propertyOf, tournamentDifference } from '../target/difference.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { type MergeOptions, mergeTournament } from '../target/merge.ts'
import { validRows } from '../target/target.ts'
import { isFolderNumber } from '../values.ts'
import type { FolderLeague } from './folder.ts'
import { followFights, keptIds, movedFights, renameFights } from './movedFights.ts'
import { type RemovedTournament, summaryOfTournament, type TournamentSummary } from './summary.ts'

/** The current time with milliseconds, which no time in a file has. */
const seenNow = (): number => (Math.floor(Date.now() / 2) * 2 + 1) / 1000

/**
 * Fights under way without a start in the files get the time of the first import that found them under way, and keep
 * it. Its milliseconds distinguish it from a time in the files.
 */
const withSeenStarts = (
  games: ImportedTournament['games'],
  existing: Unchecked<TournamentRows> | undefined,
): ImportedTournament['games'] => {
  if (!games?.some(({ state, startTime }) => state === 'active' || startTime === null)) return games
  const seen = new Map(
    presentRows(existing, 'games').flatMap((row) => {
      const [id, start] = [propertyOf(row, 'id'), propertyOf(row, 'startTime')]
      return typeof start === 'number' && !Number.isInteger(start) ? [[id, start] as const] : []
    }),
  )
  return games.map((game) => {
    if (game.startTime !== null || (game.state !== 'active' && game.state !== 'done')) return game
    const startTime = seen.get(game.id) ?? (game.state === 'active' ? seenNow() : null)
    return { ...game, startTime }
  })
}

interface PlanOptions {
  readonly source: string
  readonly prune: boolean
  /** Events of any source may be changed. */
  readonly keep?: boolean
}

/** The rows of an event after an import of its folder. */
const createMerge =
  (options: MergeOptions) =>
  (
    existing: Unchecked<TournamentRows> | undefined,
    imported: ImportedTournament,
    moved?: ReadonlyMap<string, string | null>,
  ): Unchecked<TournamentRows> => {
    const present = options.prune ? followFights(existing, imported, moved) : existing
    return mergeTournament(
      present,
      { ...imported, games: withSeenStarts(imported.games, present) },
      options,
    )
  }

/** Changes that the import of a folder makes in its target. */
export const planImport = async (
  run: ImportRun,
  { league, cages, footage, report, options }: FolderLeague,
  { source, prune, keep = false }: PlanOptions,
) => {
  const { target } = run
  const merge = createMerge({ prune, isOwnRecording: isFolderNumber })
  const sources = await target.sources()
  const recordings = await assignRecordings(
    run,
    footage,
    new Map(league.map(({ tournament, games = [] }) => [tournament.id, games])),
    report,
  )
  const parts: TournamentSummary[] = []
  /** Ids of fights that differ from the ids in the files, by event. */
  const kept = new Map<string, ReadonlyMap<string, string>>()
  /** Tournaments to write. */
  const written: ImportedTournament[] = []
  /** Tournaments of the files that are skipped because another source owns them. */
  const foreign = new Set<string>()
  /** Tournaments without a source that lose or change rows. */
  const taken: string[] = []
  for (const { tournament, ...tables } of league) {
    const { id } = tournament
    const owner = sources.get(id)
    if (!keep && owner && owner !== source) {
      foreign.add(id)
      report({
        where: id,
        reason: `the event belongs to '${owner}'; give it another id, or use --source`,
      })
      continue
    }
    const isOwned = owner === undefined || !keep
    const existing = await target.read(id)
    const moved = movedFights(existing, tables)
    const ids = prune ? new Map<string, string>() : keptIds(existing, tables, moved)
    kept.set(id, ids)
    const imported = renameFights(
      {
        ...tables,
        tournament: { ...tournament, source: isOwned ? source : owner },
        recordings: recordings.get(id) ?? [],
      },
      ids,
    )
    const rows = validRows(merge(existing, imported, moved), reportRow(id, report))
    if (!rows) continue
    const difference = tournamentDifference(existing, rows)
    const part = summaryOfTournament(
      existing,
      rows,
      { difference, moved: prune ? moved : new Map() },
      options,
    )
    parts.push(part)
    if (part.isSame) {
      run.result.tournaments.set(id, false)
      run.result.games.set(id, new Set(rows.games.map((game) => game.id)))
    } else written.push(imported)
    const isChanged = part.changed.length + Object.values(part.removed).flat().length > 0
    if (!keep && owner === null && isChanged) taken.push(id)
  }
  const listed = new Set(league.map(({ tournament }) => tournament.id))
  const removed: RemovedTournament[] = []
  for (const [id, owner] of prune ? sources : []) {
    if (owner !== source || listed.has(id)) continue
    const rows = checkTournament((await target.read(id)) ?? {}, () => undefined)
    removed.push({ id, name: rows?.tournament.name ?? '', fights: rows?.games.length ?? 0 })
  }
  const elsewhere = new Map([...recordings].filter(([id]) => !listed.has(id)))
  const hasOwn = league.some(({ tournament: { id } }) => sources.get(id) === source)
  const inCage = <Row extends { tournamentId: string | null; gameId: string | null }>(
    row: Row,
  ) => ({
    ...row,
    gameId: kept.get(row.tournamentId ?? '')?.get(row.gameId ?? '') ?? row.gameId,
  })
  const placed = cages?.map(({ number, row, queue }) => ({
    number,
    row: row && inCage(row),
    queue: queue.map((each) => inCage(each)),
  }))
  const owned = listed.difference(foreign)
  return {
    ...{ parts, written, taken, removed, elsewhere, merge, cages: placed, listed, owned },
    ...{ hasOwn, prune },
  }
}
export type Plan = Awaited<ReturnType<typeof planImport>>

export const writeImport = async (
  run: ImportRun,
  { written, removed, elsewhere, merge, cages, owned, prune }: Plan,
): Promise<void> => {
  const { target, result } = run
  for (const { id } of removed) {
    result.changes = addChanges(result.changes, await target.remove(id))
    result.removed += 1
  }
  for (const imported of written) {
    await writeTournament(run, imported, { isOfSource: () => false, mayTake: true, merge })
  }
  await writeRecordings(run, elsewhere)
  if (cages) await writeCages(run, cages, (id) => owned.has(id), { prune })
}

/** True if anything is removed. */
export const removesRows = ({ parts, removed }: Pick<Plan, 'parts' | 'removed'>): boolean =>
  removed.length > 0 || parts.some((part) => Object.values(part.removed).flat().length > 0)

/** An import removes more than this share of its source's fights only if that is confirmed. */
const maxRemovedPart = 0.2

/** Reason why an import must be confirmed; undefined if it need not be. */
export const confirmation = ({ parts, removed, taken }: Plan): string | undefined => {
  const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
  const fights = sum(parts.map((part) => part.fights))
  const gone = sum(parts.map((part) => part.removed.fight.length))
  if (removed.length > 0) return 'a whole event is removed'
  if (gone > fights * maxRemovedPart) return `${gone} of ${fights} fights are removed`
  return taken.length > 0
    ? `events that are not from this folder are changed: ${taken.join(', ')}`
    : undefined
}
