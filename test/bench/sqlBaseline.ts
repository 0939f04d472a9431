/**
 * The usual way to build such an API: Elysia with CORS, and one SQL query for each request. Answers
 * `/fights/recent` as Cageside does. Takes the address of the database; prints where it listens.
 */
import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import postgres from 'postgres'
import { cleanName } from '../../src/league/cleanName.ts'

interface Row {
  readonly tournamentID: string
  readonly id: string
  readonly red: string
  readonly blue: string
  readonly name: string
  readonly round: number
  readonly cage: string | null
  readonly redState: string
  readonly blueState: string
  readonly winAnnotation: string | null
  readonly startTime: number | null
  readonly stopTime: number
  readonly tournamentName: string
  readonly weightClass: number
  readonly preview: string | null
  readonly offset: number | null
}

const [url = ''] = Bun.argv.slice(2)
const sql = postgres(url, { max: 10 })

const mostFights = 100

/**
 * The number of rows stands in the statement: with a parameter in its place, Postgres plans for a tenth
 * of all fights and reads every one of them.
 */
const recentFights = (limit: number) => sql<Row[]>`
  SELECT t.id AS "tournamentID", g.id, red.name AS red, blue.name AS blue, g.name,
    CASE WHEN b.is_exhibition THEN -1 ELSE g.round_idx::integer END AS round, g.cage,
    s0.state AS "redState", s1.state AS "blueState", g.win_annotation AS "winAnnotation",
    floor(extract(epoch FROM g.start_time))::float8 AS "startTime",
    extract(epoch FROM g.stop_time)::float8 AS "stopTime",
    t.name AS "tournamentName", t.weight_class AS "weightClass",
    film.proxy_72_url AS preview,
    (SELECT extract(epoch FROM g.start_time - min(r.start_time))::float8
      FROM cageside.recordings r
      WHERE r.tournament_id = g.tournament_id AND r.game_id = g.id
        AND (r.http_status IS NULL OR r.http_status BETWEEN 200 AND 299)
    ) AS "offset"
  FROM cageside.games g
  JOIN cageside.tournaments t ON t.id = g.tournament_id
  JOIN cageside.brackets b ON b.tournament_id = g.tournament_id AND b.id = g.bracket_id
  JOIN cageside.slots s0 ON s0.tournament_id = g.tournament_id AND s0.game_id = g.id AND s0.idx = 0
  JOIN cageside.slots s1 ON s1.tournament_id = g.tournament_id AND s1.game_id = g.id AND s1.idx = 1
  JOIN cageside.players red ON red.tournament_id = g.tournament_id AND red.id = s0.player_id
  JOIN cageside.players blue ON blue.tournament_id = g.tournament_id AND blue.id = s1.player_id
  LEFT JOIN LATERAL (
    SELECT r.proxy_72_url FROM cageside.recordings r
    WHERE r.tournament_id = g.tournament_id AND r.game_id = g.id
      AND r.proxy_72_url IS NOT NULL
    ORDER BY r.id LIMIT 1
  ) film ON true
  WHERE t.privacy = 'public' AND NOT t.is_test AND g.state = 'done' AND g.stop_time IS NOT NULL
    AND NOT red.is_bye AND NOT blue.is_bye
  ORDER BY g.stop_time DESC, g.start_time DESC, t.id, g.id
  LIMIT ${sql.unsafe(String(limit))}`

const limitOf = (text: string | undefined): number => {
  const limit = Math.floor(Number(text ?? 20))
  return limit > 0 ? Math.min(limit, mostFights) : 1
}

const isWin = (state: string): 0 | 1 =>
  state === 'winner' || state === 'winner_by_default' ? 1 : 0

const app = new Elysia().use(cors()).get('/fights/recent', async ({ query }) => ({
  fights: (await recentFights(limitOf(query.limit))).map((row) => ({
    tournamentID: row.tournamentID,
    id: row.id,
    gameID: row.id,
    player1: row.red,
    player1clean: cleanName(row.red),
    player2: row.blue,
    player2clean: cleanName(row.blue),
    name: row.name,
    round: row.round,
    cage: row.cage ?? '',
    player1wins: isWin(row.redState),
    player2wins: isWin(row.blueState),
    winAnnotation: row.winAnnotation ?? '',
    startTime: row.startTime ?? 0,
    stopTime: row.stopTime,
    matchLength: row.startTime === null ? 0 : row.stopTime - row.startTime,
    tournamentName: row.tournamentName,
    WeightClass: row.weightClass,
    proxy72: row.preview,
    fightStartOffset: row.offset !== null && row.offset >= 0 ? row.offset : null,
  })),
}))
app.listen({ hostname: '127.0.0.1', port: 0 }, (server) => {
  process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
})
