import type { OnBadRow, Unchecked } from '../../src/data/source/check.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import type { Progress } from '../progress.ts'
import type { Problem, Report } from './problems.ts'
import { addChanges, isChange, noChanges, propertyOf } from './target/difference.ts'
import type { ImportedTournament } from './target/imported.ts'
import { mergeTournament } from './target/merge.ts'
import type { Target, Updated } from './target/target.ts'

/** An import into a target, and its results so far. */
export const createRun = (options: {
  readonly target: Target
  readonly prune: boolean
  readonly progress: Progress
}) => {
  /** Written tournaments by id; true if rows were changed. */
  const tournaments = new Map<string, boolean>()
  const countOf = (isChanged: boolean): number =>
    tournaments.values().reduce((sum, each) => sum + Number(each === isChanged), 0)
  const result = {
    tournaments,
    get changed() {
      return countOf(true)
    },
    get unchanged() {
      return countOf(false)
    },
    removed: 0,
    changes: noChanges,
    /** Rows and files that could not be imported. */
    problems: [] as Problem[],
    /** Ids of tournaments that are skipped because another source owns them. */
    foreign: new Set<string>(),
    /** Ids of the games of each tournament after the import. */
    games: new Map<string, ReadonlySet<string>>(),
  }
  const report: Report = (problem) => void result.problems.push(problem)
  return { ...options, result, report }
}
export type ImportRun = ReturnType<typeof createRun>

/** Reports a bad row by its tournament, table and key. */
export const reportRow =
  (tournamentId: string, report: Report): OnBadRow =>
  ({ table, key = '', problem }) =>
    report({ where: `${tournamentId}, ${table} ${key}`.trim(), reason: problem })

/** Present tournaments of a source, and tournaments of its list that no other source owns. */
export const isOfSource = async (
  { target, result }: ImportRun,
  source: string,
  listed: ReadonlySet<string>,
): Promise<WriteOptions['isOfSource']> => {
  const sources = await target.sources()
  return (id) => {
    const owner = sources.get(id)
    return owner === source || (owner == null && listed.has(id) && !result.foreign.has(id))
  }
}

/**
 * Reason why an import may not change a present tournament. A tournament without a source (written by versions before
 * 2.1 or event software) may be changed unless the creation times differ; 0 is unknown.
 */
const foreignReason = (
  { tournament: present }: Unchecked<TournamentRows>,
  { tournament }: ImportedTournament,
  mayTake: boolean,
): string | undefined => {
  if (tournament.source === undefined || typeof present !== 'object' || present === null)
    return undefined
  const owner = propertyOf(present, 'source') ?? null
  if (owner === tournament.source) return undefined
  if (owner !== null) return `stays as it is: an event of the source '${owner}'`
  const { createTime } = tournament
  const isSame = !createTime || propertyOf(present, 'createTime') === createTime
  return isSame || mayTake ? undefined : 'stays as it is: another event of this id, of no source'
}

interface WriteOptions {
  readonly isOfSource: (tournamentId: string) => boolean
  /** True if an event without a source becomes one of this import. */
  readonly mayTake?: boolean
  /** The rows after the import; by default from {@link mergeTournament}. */
  readonly merge?: (
    existing: Unchecked<TournamentRows> | undefined,
    imported: ImportedTournament,
  ) => Unchecked<TournamentRows>
}

/** Writes one tournament at once. Bad rows are reported; an invalid tournament changes nothing. */
export const writeTournament = async (
  { target, prune, result, report }: ImportRun,
  imported: ImportedTournament,
  {
    isOfSource,
    mayTake = false,
    merge = (existing, each) => mergeTournament(existing, each, { prune }),
  }: WriteOptions,
): Promise<Updated | undefined> => {
  const { id } = imported.tournament
  const change = (
    existing: Unchecked<TournamentRows> | undefined,
  ): Unchecked<TournamentRows> | undefined => {
    const reason = existing && foreignReason(existing, imported, mayTake)
    if (reason === undefined) return merge(existing, imported)
    result.foreign.add(id)
    report({ where: id, reason })
    return undefined
  }
  const onBadRow = reportRow(id, report)
  const updated = await target.update(id, change, { isOfSource, onBadRow })
  if (!updated) return undefined
  result.changes = addChanges(result.changes, updated.changes)
  result.tournaments.set(id, isChange(updated.changes) || result.tournaments.get(id) === true)
  result.games.set(id, new Set(updated.rows.games.map((game) => game.id)))
  return updated
}

/** One line on the results of an import. */
export const summaryOf = ({ changed, unchanged, removed, changes }: ImportRun['result']): string =>
  `${changed} tournaments changed, ${unchanged} unchanged, ${removed} removed; rows: ` +
  `${changes.inserted} inserted, ${changes.updated} updated, ${changes.deleted} deleted`
