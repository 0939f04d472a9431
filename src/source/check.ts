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

/** A function that keeps the rows of one table that fit, and reports each one that does not. */
const tableChecker = <T extends TObject>(
  table: string,
  schema: T,
): ((value: unknown, onBadRow: OnBadRow) => readonly Static<T>[]) => {
  const check = TypeCompiler.Compile(schema)
  return (value, onBadRow) => {
    if (!Array.isArray(value)) {
      onBadRow({ table, problem: 'the table is missing' })
      return []
    }
    const rows: readonly unknown[] = value
    const fits = (row: unknown): row is Static<T> => check.Check(row)
    if (rows.every(fits)) return rows
    return rows.filter((row): row is Static<T> => {
      if (fits(row)) return true
      onBadRow(describe(table, check, row))
      return false
    })
  }
}

const tournamentCheck = TypeCompiler.Compile(TournamentRow)
const tables = {
  brackets: tableChecker('brackets', tournamentTables.brackets),
  rounds: tableChecker('rounds', tournamentTables.rounds),
  players: tableChecker('players', tournamentTables.players),
  games: tableChecker('games', tournamentTables.games),
  slots: tableChecker('slots', tournamentTables.slots),
  pauses: tableChecker('pauses', tournamentTables.pauses),
  judgeLines: tableChecker('judgeLines', tournamentTables.judgeLines),
  recordings: tableChecker('recordings', tournamentTables.recordings),
  clips: tableChecker('clips', tournamentTables.clips),
  stills: tableChecker('stills', tournamentTables.stills),
  stillTags: tableChecker('stillTags', tournamentTables.stillTags),
}
const cages = tableChecker('cages', CageRow)
const cageQueue = tableChecker('cageQueue', CageQueueRow)

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
