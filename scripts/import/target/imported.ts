import type { TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import {
  type ClipRow,
  type GameRow,
  type PlayerRow,
  type RecordingRow,
  type SlotRow,
  type StillRow,
  TournamentRow,
  type TournamentRows,
  type TournamentTable,
  tournamentTables,
} from '../../../src/data/source/rows.ts'

/**
 * A row as far as a source determines it. An undefined property keeps its present value, or gets its default in a new
 * row.
 */
export type PartialRow<Row, Key extends keyof Row> = Pick<Row, Key> & {
  readonly [Property in keyof Row]?: Row[Property] | undefined
}

interface PartialTables {
  readonly players: PartialRow<PlayerRow, 'id'>
  readonly games: PartialRow<GameRow, 'id' | 'bracketId' | 'roundIdx' | 'position'>
  readonly slots: PartialRow<SlotRow, 'gameId' | 'idx'>
  readonly recordings: PartialRow<RecordingRow, 'id' | 'gameId'>
  readonly clips: PartialRow<ClipRow, 'token' | 'gameId'>
  readonly stills: PartialRow<StillRow, 'id' | 'token'>
}

/** A tournament as one source has it. Undefined tables keep their present rows. */
export type ImportedTournament = {
  readonly tournament: PartialRow<TournamentRow, 'id'>
  /** Games whose recordings, pauses and judges' lines could not be read; the present ones stay. */
  readonly unreadGames?: ReadonlySet<string>
} & {
  readonly [Table in TournamentTable]?:
    | readonly (Table extends keyof PartialTables
        ? PartialTables[Table]
        : TournamentRows[Table][number])[]
    | undefined
}

export const slotDefaults = {
  playerId: null,
  prevGameId: null,
  score: null,
  state: 'pending',
  isReady: false,
  tapped: false,
  unstickTime: null,
  showMotionTime: null,
} as const satisfies Omit<SlotRow, 'gameId' | 'idx'>

/** Defaults of a new row for columns that must not be empty. */
const preset: { readonly [Name in ImportedTable]?: object } = {
  tournaments: { privacy: 'public', formatType: 'double_elimination', scoreToWin: 1 },
  games: { state: 'unavailable' },
  slots: slotDefaults,
  clips: { state: 'completed', isPublic: true },
}

type ImportedTable = 'tournaments' | TournamentTable

/** The first of these values that a column can hold; undefined for a key. */
const emptyValue = (schema: TSchema): unknown =>
  [null, '', 0, false, []].find((empty) => Value.Check(schema, empty))

/** Values of a new row that the source lacks: null if that is allowed, else empty, 0 or false. */
export const rowDefaults = (table: ImportedTable): Readonly<Record<string, unknown>> => {
  const { properties } = table === 'tournaments' ? TournamentRow : tournamentTables[table]
  const schemas = Object.entries<TSchema>(properties)
  const empty = schemas.map(([property, schema]) => [property, emptyValue(schema)])
  return { ...Object.fromEntries(empty), ...preset[table] }
}
