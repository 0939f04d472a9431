import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { LRUCache } from 'lru-cache'
import type { Fight, Tournament } from '../../data/league/types.ts'
import { idParameter, parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { literals, named } from '../fields.ts'
import { findTournament } from '../tournaments/lookup.ts'
import { answerTable, createTable, readTableRequest, type Table } from './dataTables.ts'
import { MatchRow, matchRow, numericFields } from './matchRow.ts'
import { documented, type Mount } from './mount.ts'

const TableRow = named('LegacyTableRow', {
  ...MatchRow.properties,
  winner: literals(['Red', 'Blue', '']),
})
type TableRow = Static<typeof TableRow>

const count = Type.Integer({ minimum: 0 })
const TableBody = named('LegacyTable', {
  draw: Type.Integer({ minimum: 0, description: '`draw` of the request' }),
  recordsTotal: count,
  recordsFiltered: count,
  data: Type.Array(TableRow),
})

const shape = { fields: Object.keys(TableRow.properties), numericFields }

const winner = ({ red, blue }: Fight): 'Red' | 'Blue' | '' =>
  red.isWinner ? 'Red' : blue.isWinner ? 'Blue' : ''

const tableRow = (fight: Fight): TableRow => ({ ...matchRow(fight), winner: winner(fight) })

/**
 * Fights under way, completed, or done with a start; a game closed without any of these did not
 * take place.
 */
const tookPlace = ({ state, isCompleted, startUnix }: Fight): boolean =>
  state === 'active' || isCompleted || (state === 'done' && startUnix !== null)

/** Latest start first; the stable sort keeps fights without a start in order of play. */
const byStart = (a: Fight, b: Fight): number => (b.startUnix ?? 0) - (a.startUnix ?? 0)

const maxInt32 = 2 ** 31 - 1
const integer = (minimum: number, byDefault: number, description: string) =>
  Type.Integer({ minimum, maximum: maxInt32, default: byDefault, description })

const tableQuery = {
  tournamentID: idParameter('id of the tournament'),
  draw: integer(0, 0, 'number of the request, repeated in the response'),
  start: integer(0, 0, 'index of the first row'),
  length: integer(-1, -1, 'max rows; -1 for all'),
  'search[value]': textParameter('words that a row must contain'),
  'columns[0][data]': textParameter('field of column 0; further columns likewise'),
  'order[0][column]': textParameter('index of the column to order by; further ones likewise'),
  'order[0][dir]': textParameter('asc or desc'),
}

/** Parameters that are read into `table`. */
const consumedParameters = {
  'search[value]': undefined,
  'columns[0][data]': undefined,
  'order[0][column]': undefined,
  'order[0][dir]': undefined,
} as const

/** Maximum number of tables kept, because a page requests again on each key typed; up to 1 MiB each. */
const maxKeptTables = 8

interface Kept {
  /** Weak, so that an old version of a tournament is not kept in memory. */
  readonly tournament: WeakRef<Tournament>
  readonly table: Table<TableRow>
}

/** Fights of one tournament as a table; an unknown tournament has none. */
export const getTournamentMatchesDataTables = (mount: Mount) => {
  const kept = new LRUCache<string, Kept>({ max: maxKeptTables })
  const tableOf = (tournament: Tournament): Table<TableRow> => {
    const known = kept.get(tournament.info.id)
    if (known?.tournament.deref() === tournament) return known.table
    const fights = tournament.fights.filter(tookPlace).sort(byStart)
    const table = createTable(fights.map(tableRow), shape)
    kept.set(tournament.info.id, { tournament: new WeakRef(tournament), table })
    return table
  }
  const noFights = createTable<TableRow>([], shape)
  return new Elysia().use(archived).get(
    `/getTournamentMatchesDataTables${mount.suffix}`,
    ({ archive, cached, query: { tournamentID = '', draw, table } }) => {
      const tournament = findTournament(archive, tournamentID)
      // Not cached: the number of unknown ids is unbounded, and the response is cheap.
      if (!tournament) return { draw, ...answerTable(noFights, table) }
      const body = { draw, ...answerTable(tableOf(tournament), table) }
      // True for the first request of a program or a page; `draw` increments with each request of a page.
      return draw <= 1 ? cached(body) : body
    },
    {
      ...parameters(tableQuery, {
        alsoRead: /^(columns|order|search)\[/,
        normalize: ({ start, length }, { given }) => ({
          table: readTableRequest(given, shape, { start, length }),
          ...consumedParameters,
        }),
      }),
      response: { 200: TableBody },
      detail: documented(
        mount,
        'getTournamentMatchesDataTables',
        'The fights of one tournament, for DataTables',
      ),
    },
  )
}
