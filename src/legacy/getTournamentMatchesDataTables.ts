import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { named } from '../api/fields.ts'
import { findTournament } from '../api/tournaments/lookup.ts'
import { idParameter, parameters } from '../http/parameters.ts'
import { archived } from '../http/requestContext.ts'
import type { Fight, Tournament } from '../league/types.ts'
import { answerTable, type RowShape, readTableRequest } from './dataTables.ts'
import { MatchRow, matchRow, numericFields } from './matchRow.ts'
import { documented, type Mount } from './mount.ts'

const TableRow = Type.Object(
  {
    ...MatchRow.properties,
    winner: Type.Union([Type.Literal('Red'), Type.Literal('Blue'), Type.Literal('')]),
  },
  named('LegacyTableRow'),
)
type TableRow = Static<typeof TableRow>

const count = Type.Integer({ minimum: 0 })
const Table = Type.Object(
  {
    draw: Type.Integer({ minimum: 0, description: 'the same as was asked' }),
    recordsTotal: count,
    recordsFiltered: count,
    data: Type.Array(TableRow),
  },
  named('LegacyTable'),
)

const shape: RowShape = { fields: Object.keys(TableRow.properties), numericFields }

const winner = ({ red, blue }: Fight): 'Red' | 'Blue' | '' =>
  red.isWinner ? 'Red' : blue.isWinner ? 'Blue' : ''

const tableRow = (fight: Fight): TableRow => ({ ...matchRow(fight), winner: winner(fight) })

/** Fights under way, decided, or over with a start; a game closed without any of these took no place. */
const tookPlace = ({ state, isCompleted, startUnix }: Fight): boolean =>
  state === 'active' || isCompleted || (state === 'done' && startUnix !== null)

const maxInt32 = 2 ** 31 - 1
const integer = (minimum: number, byDefault: number, description: string) =>
  Type.Integer({ minimum, maximum: maxInt32, default: byDefault, description })
const text = (description: string) => Type.Optional(Type.String({ description }))

const TableQuery = Type.Object({
  tournamentID: idParameter('id of the tournament'),
  draw: integer(0, 0, 'number of the request, which the answer repeats'),
  start: integer(0, 0, 'rows before the first one'),
  length: integer(-1, -1, 'rows at most; -1 is all'),
  'search[value]': text('words that a row must hold'),
  'columns[0][data]': text('field of a column; as many columns as there are'),
  'order[0][column]': text('number of the column to order by; as many as wanted'),
  'order[0][dir]': text('asc or desc'),
})

/** What the table holds already, or the opening of the body. */
const consumedParameters = {
  draw: 0,
  'search[value]': undefined,
  'columns[0][data]': undefined,
  'order[0][column]': undefined,
  'order[0][dir]': undefined,
} as const

/** Tables whose rows are kept, as a table asks again with each letter typed; each takes up to 1 MiB. */
const maxCachedTables = 8

/** The fights of one tournament for a table; an unknown tournament has none. */
export const getTournamentMatchesDataTables = (mount: Mount) => {
  const kept = new LRUCache<Tournament, readonly TableRow[]>({ max: maxCachedTables })
  const rowsOf = (tournament: Tournament): readonly TableRow[] => {
    const rows = kept.get(tournament) ?? tournament.fights.filter(tookPlace).map(tableRow)
    kept.set(tournament, rows)
    return rows
  }
  return new Elysia().use(archived).get(
    `/getTournamentMatchesDataTables${mount.suffix}`,
    ({ archive, cached, query: { tournamentID = '', table } }) => {
      const tournament = findTournament(archive, tournamentID)
      // Unknown ids are endless in number, and cheap to answer.
      if (!tournament) return { draw: 0, ...answerTable([], table, shape) }
      return cached({ draw: 0, ...answerTable(rowsOf(tournament), table, shape) })
    },
    {
      ...parameters({
        query: TableQuery,
        normalize: ({ start, length }, { given }) => ({
          table: readTableRequest(given, shape, { start, length }),
          ...consumedParameters,
        }),
        // A table counts its requests: the rest of the body is the same for all of them.
        opening: ({ draw }) => ({ cached: '{"draw":0', sent: `{"draw":${draw}` }),
      }),
      response: { 200: Table },
      detail: documented(
        mount,
        'getTournamentMatchesDataTables',
        'The fights of one tournament, for DataTables',
      ),
    },
  )
}
