import { compareTexts } from '../../../src/compareTexts.ts'
import type { Unchecked } from '../../../src/source/check.ts'
import type { TournamentRows, TournamentTable } from '../../../src/source/rows.ts'
import { childTables, rowKey } from '../../../src/source/tables.ts'
import { isFileNumber } from '../values.ts'
import { type ImportedTournament, rowDefaults, tournamentDefaults } from './imported.ts'

type Row = Readonly<Record<string, unknown>>

export const keyText = (table: TournamentTable, row: object): string =>
  JSON.stringify(rowKey(table).map((property): unknown => Reflect.get(row, property)))

const compareValues = (a: unknown, b: unknown): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareTexts(String(a), String(b))

const byKey =
  (table: TournamentTable) =>
  (a: Row, b: Row): number => {
    for (const property of rowKey(table)) {
      const order = compareValues(a[property], b[property])
      if (order !== 0) return order
    }
    return 0
  }

const definedOf = (row: object): Row => {
  const defined: Record<string, unknown> = { ...row }
  for (const property in defined) if (defined[property] === undefined) delete defined[property]
  return defined
}

/** Whether a stop that the source does not know is older than the start: the game was undone and fought again. */
const isRefought = ({ startTime, stopTime }: Row, imported: object): boolean =>
  typeof startTime === 'number' &&
  typeof stopTime === 'number' &&
  stopTime < startTime &&
  definedOf(imported).stopTime === undefined

/** Whether a present row that the source does not have stays. */
type Stays = (row: Row) => boolean

/**
 * Present rows without an imported one: parts of an imported game or still are what the source says;
 * everything else stays unless vanished rows are pruned.
 */
const staysOf = (table: TournamentTable, imported: ImportedTournament, prune: boolean): Stays => {
  const games = new Set(imported.games?.map(({ id }) => id))
  const stills = new Set(imported.stills?.map(({ id }): unknown => id))
  const tokens = new Set(imported.stills?.map(({ token }): unknown => token))
  const isRead = ({ gameId }: Row): boolean =>
    typeof gameId === 'string' && games.has(gameId) && !imported.unreadGames?.has(gameId)
  const isUnread = ({ gameId }: Row): boolean =>
    typeof gameId === 'string' && imported.unreadGames?.has(gameId) === true
  switch (table) {
    case 'slots':
      return ({ gameId }) => !prune && typeof gameId === 'string' && !games.has(gameId)
    case 'pauses':
    case 'judgeLines':
      return (row) => isUnread(row) || (!prune && !isRead(row))
    case 'recordings':
      return (row) => isUnread(row) || !prune || isFileNumber(row.id)
    case 'stillTags':
      return ({ stillId }) => !prune && !stills.has(stillId)
    case 'stills':
      // A token is unique: its still was replaced.
      return ({ token }) => !prune && !tokens.has(token)
    default:
      return () => !prune
  }
}

const present = (
  existing: Unchecked<TournamentRows> | undefined,
  table: TournamentTable,
): readonly Row[] => {
  const rows = existing?.[table]
  return Array.isArray(rows) ? rows : []
}

/**
 * The rows of a tournament after an import. Imported rows replace those of the same key. Other rows of an
 * imported table stay, with `prune` they go.
 */
export const mergeTournament = (
  existing: Unchecked<TournamentRows> | undefined,
  imported: ImportedTournament,
  { prune }: { readonly prune: boolean },
): Unchecked<TournamentRows> => {
  const mergeTable = (table: TournamentTable): readonly Row[] => {
    const before = present(existing, table)
    const rows: readonly object[] | undefined = imported[table]
    if (!rows) return before
    const old = new Map(before.map((row) => [keyText(table, row), row]))
    const merged = rows.map((row) => {
      const key = old.size === 0 ? '' : keyText(table, row)
      const whole: Row = { ...rowDefaults[table], ...old.get(key), ...definedOf(row) }
      old.delete(key)
      return isRefought(whole, row) ? { ...whole, stopTime: null } : whole
    })
    const stays = staysOf(table, imported, prune)
    return [...merged, ...[...old.values()].filter(stays)].sort(byKey(table))
  }
  return {
    tournament: {
      ...tournamentDefaults,
      ...(typeof existing?.tournament === 'object' ? existing.tournament : {}),
      ...definedOf(imported.tournament),
    },
    ...Object.fromEntries(childTables.map((table) => [table, mergeTable(table)])),
  }
}
