import type { Static, TObject } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import {
  CageQueueRow,
  CageRow,
  type CageRows,
  TournamentRow,
  type TournamentRows,
  tournamentTables,
} from './rows.ts'
import { rowKeys } from './tables.ts'

/** What a source hands over: nothing is known of the values, nor whether they are there. */
export type Unchecked<T> = { readonly [K in keyof T]?: unknown }

/** A row that breaks its schema: where it stood and the first thing wrong with it. */
export interface BadRow {
  readonly table: string
  readonly problem: string
}
export type OnBadRow = (bad: BadRow) => void

const describe = (table: string, check: TypeCheck<TObject>, value: unknown): BadRow => {
  const error = check.Errors(value).First()
  return { table, problem: error ? `${error.path || '/'}: ${error.message}` : 'unreadable' }
}

type Row = Readonly<Record<string, unknown>>

/** Whether each row comes after the one before it, which sources deliver and which excludes duplicates. */
const areAscending = (rows: readonly Row[], key: readonly string[]): boolean => {
  let before: Row | undefined
  for (const row of rows) {
    if (before) {
      let at = 0
      let column = key[at] ?? ''
      while (row[column] === before[column]) {
        at += 1
        if (at === key.length) return false
        column = key[at] ?? ''
      }
      const [a, b] = [before[column], row[column]]
      const isAfter =
        (typeof a === 'string' && typeof b === 'string' && a < b) ||
        (typeof a === 'number' && typeof b === 'number' && a < b)
      if (!isAfter) return false
    }
    before = row
  }
  return true
}

/** The first row of each key. A database that lost an index can hold several. */
const withoutDuplicates = <T extends Row>(
  rows: readonly T[],
  { table, key, onBadRow }: { table: string; key: readonly string[]; onBadRow: OnBadRow },
): readonly T[] => {
  if (areAscending(rows, key)) return rows
  const seen = new Set<string>()
  return rows.filter((row) => {
    const own = JSON.stringify(key.map((column) => row[column]))
    if (!seen.has(own)) return seen.add(own)
    onBadRow({ table, problem: 'the key is that of another row' })
    return false
  })
}

/**
 * A function that keeps the rows of one table that fit, one of each key, and reports each one that it
 * leaves out.
 */
const tableChecker = <T extends TObject>(
  table: string,
  schema: T,
  key: readonly string[],
): ((value: unknown, onBadRow: OnBadRow) => readonly Static<T>[]) => {
  const check = TypeCompiler.Compile(schema)
  return (value, onBadRow) => {
    if (!Array.isArray(value)) {
      onBadRow({ table, problem: 'the table is missing' })
      return []
    }
    const rows: readonly unknown[] = value
    const fits = (row: unknown): row is Static<T> => check.Check(row)
    const fitting = rows.every(fits)
      ? rows
      : rows.filter((row): row is Static<T> => {
          if (fits(row)) return true
          onBadRow(describe(table, check, row))
          return false
        })
    return withoutDuplicates(fitting, { table, key, onBadRow })
  }
}

const tournamentCheck = TypeCompiler.Compile(TournamentRow)
const tables = {
  brackets: tableChecker('brackets', tournamentTables.brackets, rowKeys.brackets),
  rounds: tableChecker('rounds', tournamentTables.rounds, rowKeys.rounds),
  players: tableChecker('players', tournamentTables.players, rowKeys.players),
  games: tableChecker('games', tournamentTables.games, rowKeys.games),
  slots: tableChecker('slots', tournamentTables.slots, rowKeys.slots),
  pauses: tableChecker('pauses', tournamentTables.pauses, rowKeys.pauses),
  judgeLines: tableChecker('judgeLines', tournamentTables.judgeLines, rowKeys.judgeLines),
  recordings: tableChecker('recordings', tournamentTables.recordings, rowKeys.recordings),
  clips: tableChecker('clips', tournamentTables.clips, rowKeys.clips),
  stills: tableChecker('stills', tournamentTables.stills, rowKeys.stills),
  stillTags: tableChecker('stillTags', tournamentTables.stillTags, rowKeys.stillTags),
}
const cages = tableChecker('cages', CageRow, ['number'])
const cageQueue = tableChecker('cageQueue', CageQueueRow, ['cage', 'position'])

/** The rows that fit their schemas; undefined when the tournament's own row does not. */
export const checkTournament = (
  rows: Unchecked<TournamentRows>,
  onBadRow: OnBadRow,
): TournamentRows | undefined => {
  const { tournament } = rows
  if (!tournamentCheck.Check(tournament)) {
    onBadRow(describe('tournaments', tournamentCheck, tournament))
    return undefined
  }
  return {
    tournament,
    brackets: tables.brackets(rows.brackets, onBadRow),
    rounds: tables.rounds(rows.rounds, onBadRow),
    players: tables.players(rows.players, onBadRow),
    games: tables.games(rows.games, onBadRow),
    slots: tables.slots(rows.slots, onBadRow),
    pauses: tables.pauses(rows.pauses, onBadRow),
    judgeLines: tables.judgeLines(rows.judgeLines, onBadRow),
    recordings: tables.recordings(rows.recordings, onBadRow),
    clips: tables.clips(rows.clips, onBadRow),
    stills: tables.stills(rows.stills, onBadRow),
    stillTags: tables.stillTags(rows.stillTags, onBadRow),
  }
}

/** The cage rows that fit their schemas. */
export const checkCages = (rows: Unchecked<CageRows>, onBadRow: OnBadRow): CageRows => ({
  cages: cages(rows.cages, onBadRow),
  cageQueue: cageQueue(rows.cageQueue, onBadRow),
})
