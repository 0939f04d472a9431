import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import { named } from '../api/fields.ts'
import { findTournament } from '../api/tournaments/lookup.ts'
import { archived, exchangeOf } from '../http/exchange.ts'
import { idParameter, lenient, queryOf } from '../http/parameters.ts'
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

const largest = 2 ** 31 - 1
const integer = (minimum: number, byDefault: number, description: string) =>
  Type.Integer({ minimum, maximum: largest, default: byDefault, description })
const text = (description: string) => Type.Optional(Type.String({ description }))

const parameters = lenient(
  Type.Object({
    tournamentID: idParameter('id of the tournament'),
    draw: integer(0, 0, 'number of the request, which the answer repeats'),
    start: integer(0, 0, 'rows before the first one'),
    length: integer(-1, -1, 'rows at most; -1 is all'),
    'search[value]': text('words that a row must hold'),
    'columns[0][data]': text('field of a column; as many columns as there are'),
    'order[0][column]': text('number of the column to order by; as many as wanted'),
    'order[0][dir]': text('asc or desc'),
  }),
)

/** Tables whose rows are kept, as a table asks again with each letter typed; each takes up to 1 MiB. */
const keptTables = 8

/** The fights of one tournament for a table; an unknown tournament has none. */
export const getTournamentMatchesDataTables = (mount: Mount) => {
  const kept = new LRUCache<Tournament, readonly TableRow[]>({ max: keptTables })
  const rowsOf = (tournament: Tournament): readonly TableRow[] => {
    const rows = kept.get(tournament) ?? tournament.fights.filter(tookPlace).map(tableRow)
    kept.set(tournament, rows)
    return rows
  }
  return new Elysia().use(archived).get(
    `/getTournamentMatchesDataTables${mount.suffix}`,
    ({ archive, query, exchange, request }) => {
      const { tournamentID = '', draw, start, length } = query
      const table = readTableRequest(queryOf(request), shape, { start, length })
      const tournament = findTournament({ archive, exchange }, tournamentID)
      // Unknown ids are endless in number, and cheap to answer.
      if (!tournament) exchange.validUntil = 0
      const rows = tournament ? rowsOf(tournament) : []
      return { draw, ...answerTable(rows, table, shape) }
    },
    {
      query: parameters.query,
      transform: (context) => {
        parameters.transform(context)
        const exchange = exchangeOf(context.request)
        const given = new URLSearchParams(exchange.query)
        const [draw = 0, start = 0, length = -1] = ['draw', 'start', 'length'].map((name) =>
          given.has(name) ? Number(given.get(name)) : undefined,
        )
        // A table counts its requests: what is the same in all of them is stored.
        exchange.prefix = `{"draw":${draw}`
        const table = readTableRequest(queryOf(context.request), shape, { start, length })
        given.delete('draw')
        // No address holds a line feed, so that none is mistaken for this key.
        exchange.query = `${given}\n${JSON.stringify(table)}`
      },
      response: { 200: Table },
      detail: documented(
        mount,
        'getTournamentMatchesDataTables',
        'The fights of one tournament, for DataTables',
      ),
    },
  )
}
