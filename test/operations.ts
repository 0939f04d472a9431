/** The n-th row of a table, in any fixed order. */
const nth = (table: string, n: number): string =>
  `ctid = (SELECT ctid FROM cageside.${table} ORDER BY ctid
           OFFSET ${n} % greatest(1, (SELECT count(*) FROM cageside.${table})) LIMIT 1)`
export const update = (table: string, set: (n: number) => string) => (n: number) =>
  `UPDATE cageside.${table} SET ${set(n)} WHERE ${nth(table, n)}`
export const remove = (table: string) => (n: number) =>
  `DELETE FROM cageside.${table} WHERE ${nth(table, n)}`
let serial = 1_000_000

/** Statements that change a league somewhere; `around` is a time of it in Unix seconds. */
export const operationsOn = (around: number): readonly ((n: number) => string)[] => [
  update('players', (n) => `name = 'Renamed ${n}'`),
  update('players', (n) => `seed = ${n}, is_disqualified = NOT is_disqualified`),
  update('games', (n) => `cage = 'Cage ${n % 7}'`),
  update('games', (n) => `notice = 'Notice ${n}'`),
  update('games', (n) => `stop_time = stop_time + interval '${n % 90} seconds'`),
  update('games', () => `state = 'done', stop_time = coalesce(stop_time, start_time)`),
  update('slots', () => `state = 'winner', score = 1`),
  update('slots', () => `state = 'loser', score = 0`),
  update(
    'recordings',
    (n) =>
      `http_status = ${200 + (n % 300)}, proxy_720_url = nullif('https://small.example/${n % 3}', proxy_720_url)`,
  ),
  update('judge_lines', (n) => `idx = idx + ${1 + (n % 50)}`),
  update('rounds', (n) => `name = 'Round ${n}'`),
  update('tournaments', (n) => `name = 'Tournament ${n}', update_time = now()`),
  update('tournaments', (n) => `privacy = '${['public', 'private', 'unlisted'][n % 3]}'`),
  update('tournaments', () => `privacy = 'public', is_test = NOT is_test`),
  update('tournaments', () => 'active = NOT active'),
  update('games', (n) => `state = '${['available', 'called', 'hold', 'active'][n % 4]}'`),
  update('games', (n) => `scheduled_time = to_timestamp(${around - 2500 + n})`),
  update('clips', () => 'is_public = NOT is_public'),
  update('clips', (n) => `state = '${['processing', 'completed', 'failed'][n % 3]}'`),
  update('clips', (n) => `views = ${n}, created_time = created_time + interval '${n} seconds'`),
  update('stills', (n) => `is_hero = NOT is_hero, source = 'Source ${n % 5}'`),
  update('stills', (n) => `taken_time = taken_time + interval '${n} seconds', player_id = NULL`),
  update('stills', (n) => `token = 'token-${n}'`),
  update('still_tags', (n) => `tag = '${['ACTION', 'Hero-Bot', 'Ñew', 'x'][n % 4]}'`),
  remove('still_tags'),
  (n) => `INSERT INTO cageside.still_tags (tournament_id, still_id, tag)
          SELECT tournament_id, id, '${['action', 'Crowd', 'Hero-Bot'][n % 3]}'
          FROM cageside.stills WHERE ${nth('stills', n)}`,
  (n) => `UPDATE cageside.stills SET player_id = NULL, tournament_id = (
            SELECT id FROM cageside.tournaments WHERE ${nth('tournaments', n + 1)})
          WHERE ${nth('stills', n)} AND NOT EXISTS (
            SELECT FROM cageside.still_tags WHERE still_id = stills.id)`,
  () => {
    serial += 1
    return `INSERT INTO cageside.stills (id, tournament_id, token, url, source, is_hero, is_curated, taken_time)
            SELECT ${serial}, id, 'late-${serial}', 'https://media.example/${serial}.jpg', 'Late', true, false, now()
            FROM cageside.tournaments WHERE ${nth('tournaments', serial)}`
  },
  () => {
    serial += 1
    return `INSERT INTO cageside.clips (token, tournament_id, game_id, name, state, is_public, is_curated, duration_ms, views, likes, created_time)
            SELECT 'late-${serial}', tournament_id, id, 'Late', 'completed', true, false, 1500, 0, 0, now()
            FROM cageside.games WHERE ${nth('games', serial)}`
  },
  update('cages', (n) => `status = '${['idle', 'assigned', 'active', 'completed'][n % 4]}'`),
  update('cages', (n) => `status = 'paused', paused_since = to_timestamp(${around - (n % 99)})`),
  update('cages', () => 'update_time = now()'),
  (n) => `UPDATE cageside.cages SET (tournament_id, game_id) = (
            SELECT tournament_id, id FROM cageside.games WHERE ${nth('games', n)})
          WHERE ${nth('cages', n)}`,
  remove('cages'),
  update('cage_queue', (n) => `cage = ${1 + (n % 6)}`),
  remove('cage_queue'),
  () => {
    serial += 1
    return `INSERT INTO cageside.cage_queue (cage, position, tournament_id, game_id)
            SELECT 1, ${serial}, tournament_id, id FROM cageside.games WHERE ${nth('games', serial)}`
  },
  remove('recordings'),
  remove('judge_lines'),
  remove('stills'),
  remove('clips'),
  remove('pauses'),
  remove('games'),
  remove('tournaments'),
  (n) => `WITH gone AS (SELECT tournament_id, id FROM cageside.players WHERE ${nth('players', n)})
          DELETE FROM cageside.games WHERE EXISTS (
            SELECT FROM cageside.slots, gone
            WHERE (slots.tournament_id, slots.player_id) = (gone.tournament_id, gone.id)
              AND (slots.tournament_id, slots.game_id) = (games.tournament_id, games.id))`,
  () => {
    serial += 1
    return `INSERT INTO cageside.recordings (id, tournament_id, game_id, cage, camera, video_url, proxy_720_url, proxy_72_url)
            SELECT ${serial}, tournament_id, id, 'Cage 1', 'New-Camera', 'https://media.example/${serial}.mp4', 'https://media.example/${serial}_720p.mp4', 'https://else.example/${serial}'
            FROM cageside.games WHERE ${nth('games', serial)}`
  },
  () => {
    serial += 1
    return `INSERT INTO cageside.players (id, tournament_id, name, is_bye, is_disqualified)
            SELECT 'late-${serial}', id, 'Late ${serial}', false, false
            FROM cageside.tournaments WHERE ${nth('tournaments', serial)}`
  },
  (n) => `WITH moved AS (SELECT tournament_id, id FROM cageside.games WHERE ${nth('games', n)})
          UPDATE cageside.recordings SET (tournament_id, game_id) = (SELECT tournament_id, id FROM moved)
          WHERE ${nth('recordings', n)} AND EXISTS (SELECT FROM moved)`,
]
