import type { Unchecked } from '../../../src/data/source/check.ts'
import type { TournamentRows, TournamentTable } from '../../../src/data/source/rows.ts'
import { childTables } from '../../../src/data/source/tables.ts'
import { isFileNumber, unixNow } from '../values.ts'
import { pairRows, presentRows, propertyOf } from './difference.ts'
import { type ImportedTournament, rowDefaults } from './imported.ts'

type Row = Readonly<Record<string, unknown>>

/** A row with the columns of its table in order, so that it is packed as it is. */
const wholeRow = (imported: object, existing: object | undefined, defaults: Row): Row => {
  const whole: Record<string, unknown> = {}
  for (const property in defaults) {
    const value = propertyOf(imported, property)
    const present = value === undefined ? existing && propertyOf(existing, property) : value
    whole[property] = present === undefined ? defaults[property] : present
  }
  return whole
}

/** True if a stop that the source does not know is older than the start: the game was undone and fought again. */
const isRefought = ({ startTime, stopTime }: Row, imported: object): boolean =>
  typeof startTime === 'number' &&
  typeof stopTime === 'number' &&
  stopTime < startTime &&
  propertyOf(imported, 'stopTime') === undefined

/** A tournament without dates gets the date of its first import: 0 would be 1970. */
const dated = (row: Row): Row => {
  const createTime = row.createTime || unixNow()
  return { ...row, createTime, updateTime: row.updateTime || createTime }
}

/** Treatment of present rows that the source of an import lacks. */
export interface MergeOptions {
  /** True to remove them; otherwise they stay. */
  readonly prune: boolean
  /** True for a recording of this source; by default recordings that are not from files. */
  readonly isOwnRecording?: (id: unknown) => boolean
}

/**
 * True if a present row without an imported one stays. Parts of an imported game or still follow the source, and
 * everything below a removed game goes with it; all else stays unless vanished rows are pruned.
 */
const staysOf = (
  table: TournamentTable,
  imported: ImportedTournament,
  { prune, isOwnRecording = (id) => !isFileNumber(id) }: MergeOptions,
): ((row: Row) => boolean) => {
  const games = new Set<unknown>(imported.games?.map(({ id }) => id))
  const stills = new Set<unknown>(imported.stills?.map(({ id }) => id))
  const tokens = new Set<unknown>(imported.stills?.map(({ token }) => token))
  const films = new Set(
    table === 'recordings' ? imported.recordings?.map((row) => filmOf({ ...row })) : [],
  )
  const isUnread = ({ gameId }: Row): boolean =>
    typeof gameId === 'string' && imported.unreadGames?.has(gameId) === true
  const isAttached = ({ gameId }: Row): boolean =>
    gameId === undefined || !prune || !imported.games || games.has(gameId)
  const stays = (row: Row): boolean => {
    switch (table) {
      case 'slots':
        return !prune && !games.has(row.gameId)
      case 'pauses':
      case 'judgeLines':
        return isUnread(row) || (!prune && !games.has(row.gameId))
      case 'recordings':
        if (isUnread(row)) return true
        return prune ? !isOwnRecording(row.id) && !films.has(filmOf(row)) : true
      case 'stillTags':
        return !prune && !stills.has(row.stillId)
      case 'stills':
        // A token is unique: its still was replaced.
        return !prune && !tokens.has(row.token)
      default:
        return !prune
    }
  }
  const isImported = imported[table] !== undefined
  return (row) => isAttached(row) && (!isImported || stays(row))
}

/** Camera and URL; they identify a recording whatever its number. */
const filmOf = ({ gameId, camera, videoUrl }: Row): string =>
  JSON.stringify([gameId, camera, videoUrl])

/**
 * The rows of a tournament after an import. Imported rows replace rows with the same key. Other rows of an imported
 * table stay, unless `prune` is set.
 */
export const mergeTournament = (
  existing: Unchecked<TournamentRows> | undefined,
  imported: ImportedTournament,
  options: MergeOptions,
): Unchecked<TournamentRows> => {
  const mergeTable = (table: TournamentTable): readonly Row[] => {
    const before = presentRows(existing, table)
    const rows: readonly object[] = imported[table] ?? []
    const defaults = rowDefaults(table)
    const stays = staysOf(table, imported, options)
    const merged: Row[] = []
    pairRows(table, [before, rows], (old, row) => {
      if (row) {
        const whole = wholeRow(row, old, defaults)
        merged.push(isRefought(whole, row) ? { ...whole, stopTime: null } : whole)
      } else if (old) {
        const kept = { ...old }
        if (stays(kept)) merged.push(kept)
      }
    })
    return merged
  }
  const present = existing?.tournament
  return {
    tournament: dated(
      wholeRow(
        imported.tournament,
        typeof present === 'object' && present !== null ? present : undefined,
        rowDefaults('tournaments'),
      ),
    ),
    ...Object.fromEntries(childTables.map((table) => [table, mergeTable(table)])),
  }
}
