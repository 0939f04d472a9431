/**
 * Baseline: Elysia with CORS and one SQL query per request. Its `/fights/recent` has the same body as the service's.
 * Argument: the database URL. Prints its URL.
 */
import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import postgres from 'postgres'
import { cleanName } from '../../src/data/league/cleanName.ts'

/** A fight as in the API, except its clean names. */
interface Row {
  readonly player1: string
  readonly player2: string
}

const [url = ''] = Bun.argv.slice(2)
const sql = postgres(url, { max: 10 })

const maxFights = 100

/** Postgres plans for a tenth of all fights and reads every one of them if LIMIT is a parameter. */
const recentFights = (limit: number) => sql<Row[]>`
  SELECT t.id AS "tournamentID", g.id, g.id AS "gameID", red.name AS player1, blue.name AS player2,
    g.name, CASE WHEN b.is_exhibition THEN -1 ELSE g.round_idx::integer END AS round,
    coalesce(g.cage, '') AS cage,
    (s0.state IN ('winner', 'winner_by_default'))::integer AS player1wins,
    (s1.state IN ('winner', 'winner_by_default'))::integer AS player2wins,
    CASE WHEN s0.state IN ('winner', 'winner_by_default') THEN 'player1'
      WHEN s1.state IN ('winner', 'winner_by_default') THEN 'player2' ELSE 'draw' END AS winner,
    coalesce(g.win_annotation, '') AS "winAnnotation",
    coalesce(floor(extract(epoch FROM g.start_time)), 0)::float8 AS "startTime",
    extract(epoch FROM g.stop_time)::float8 AS "stopTime",
    coalesce(extract(epoch FROM g.stop_time) - floor(extract(epoch FROM g.start_time)), 0)::float8
      AS "matchLength",
    t.name AS "tournamentName", t.weight_class AS "WeightClass",
    t.weight_class_name AS "weightClassName", film.proxy_72_url AS proxy72,
    CASE WHEN camera.start_offset >= 0 THEN camera.start_offset END AS "fightStartOffset"
  FROM cageside.games g
  JOIN cageside.tournaments t ON t.id = g.tournament_id
  JOIN cageside.brackets b ON b.tournament_id = g.tournament_id AND b.id = g.bracket_id
  JOIN cageside.slots s0 ON s0.tournament_id = g.tournament_id AND s0.game_id = g.id AND s0.idx = 0
  JOIN cageside.slots s1 ON s1.tournament_id = g.tournament_id AND s1.game_id = g.id AND s1.idx = 1
  JOIN cageside.players red ON red.tournament_id = g.tournament_id AND red.id = s0.player_id
  JOIN cageside.players blue ON blue.tournament_id = g.tournament_id AND blue.id = s1.player_id
  LEFT JOIN LATERAL (
    SELECT extract(epoch FROM g.start_time - min(r.start_time))::float8 AS start_offset
    FROM cageside.recordings r
    WHERE r.tournament_id = g.tournament_id AND r.game_id = g.id
      AND (r.http_status IS NULL OR r.http_status BETWEEN 200 AND 299)
  ) camera ON true
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
  return limit > 0 ? Math.min(limit, maxFights) : 1
}

const app = new Elysia().use(cors()).get('/fights/recent', async ({ query }) => ({
  fights: (await recentFights(limitOf(query.limit))).map((row) => ({
    ...row,
    player1clean: cleanName(row.player1),
    player2clean: cleanName(row.player2),
  })),
}))
app.listen({ hostname: '127.0.0.1', port: 0 }, (server) => {
  process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)
})
