import type { Query } from './connection.ts'
import { hiddenDigest, isShown, relation } from './relations.ts'
import { type Parts, stampDigestOf } from './stampDigest.ts'
import { childTables, isTournamentTable } from './tables.ts'

/**
 * Condition for rows written since a mark. Stamps that the server has not assigned yet are excluded: a dump restored
 * into a new cluster has stamps ahead of the server's, and all its rows would count at each refresh.
 */
const isChanged = 'row_xid >= $1::xid8 AND row_xid < pg_snapshot_xmax(pg_current_snapshot())'

const changedSince = `SELECT id, count(*)::int, bool_or(is_recording) FROM (${[
  `SELECT id, false AS is_recording FROM ${relation('tournaments')} WHERE ${isChanged}`,
  ...childTables.map((table) => {
    const from = table === 'clips' ? 'cageside_public.clip_changes' : relation(table)
    return `SELECT tournament_id, ${table === 'recordings'} FROM ${from} WHERE ${isChanged}`
  }),
  `SELECT tournament_id, table_name = 'recordings' FROM cageside_public.tombstones
     WHERE ${isChanged} AND table_name NOT IN ('tournaments', 'cages', 'cage_queue')`,
].join(' UNION ALL ')}) AS changed GROUP BY id`

/** Rows of a tournament that were written or deleted since a mark. */
export interface ChangedRows {
  readonly rows: number
  readonly hasRecordings: boolean
}

/**
 * Reads the tournaments with rows written or deleted since a mark. A tournament that is no longer shown may be missing.
 */
export const changedTournaments = async (
  query: Query,
  mark: string,
): Promise<ReadonlyMap<string, ChangedRows>> =>
  new Map(
    (await query(changedSince, [mark])).map(([id, rows, hasRecordings]) => [
      String(id),
      { rows: Number(rows), hasRecordings: hasRecordings === true },
    ]),
  )

/**
 * A deleted row. The key is unique within its tournament, or a {@link hiddenDigest} for tournaments
 * and clips; `tournamentID` is null for a deleted tournament.
 */
export interface Deleted {
  readonly table: 'tournaments' | 'games' | 'clips' | 'stills'
  readonly tournamentID: string | null
  readonly key: string
}

/** Reads the deletions since a mark: deleted tournaments, and deleted rows of the given tournaments. */
export const deletedSince = async (
  query: Query,
  mark: string,
  ids: readonly string[],
): Promise<readonly Deleted[]> => {
  const answer = await query(
    `SELECT table_name, tournament_id, key FROM cageside_public.tombstones
     WHERE ${isChanged} AND (
       table_name = 'tournaments'
       OR table_name IN ('games', 'clips', 'stills') AND tournament_id = ANY ($2)
     )`,
    [mark, ids],
  )
  return answer.flatMap(([table, tournamentID, key]) =>
    table === 'tournaments' || table === 'games' || table === 'clips' || table === 'stills'
      ? [
          {
            table,
            tournamentID: typeof tournamentID === 'string' ? tournamentID : null,
            key: String(key),
          },
        ]
      : [],
  )
}

/** Stamp (`xmin`, kept by the server even with triggers off) of each shown tournament's own row. */
export type Shown = ReadonlyMap<string, string>

export const shownStamps = async (query: Query): Promise<Shown> => {
  const answer = await query(
    `SELECT id, xmin::text FROM ${relation('tournaments')} WHERE ${isShown}`,
  )
  return new Map(answer.map(([id, stamp]) => [String(id), String(stamp)]))
}

const stampDigestQuery = childTables
  .map(
    (table) => `SELECT tournament_id, '${table}', count(*)::float8, sum(xmin::text::float8)
       FROM ${relation(table)} WHERE tournament_id = ANY ($1) GROUP BY tournament_id`,
  )
  .join(' UNION ALL ')

/**
 * Reads stamp digests, which change with every write below a tournament, also with triggers off: per
 * table the number of rows and the sum of `xmin`, which every write increases.
 */
export const stampDigests = async (
  query: Query,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, Parts>(ids.map((id) => [id, new Map()]))
  for (const [id, table, rows, stamps] of await query(stampDigestQuery, [ids])) {
    const name = String(table)
    if (!isTournamentTable(name)) continue
    found.get(String(id))?.set(name, { rows: Number(rows), stamps: Number(stamps) })
  }
  return new Map([...found].map(([id, parts]) => [id, stampDigestOf(parts)]))
}

const digestsIn = async (
  query: Query,
  view: 'hidden_tournaments' | 'hidden_clips',
): Promise<Pick<ReadonlySet<string>, 'has'>> => {
  const answer = await query(`SELECT digest FROM cageside_public.${view}`)
  const digests = new Set(answer.map(([digest]) => String(digest)))
  return { has: (id) => digests.has(hiddenDigest(id)) }
}

/** Reads the set of hidden tournaments, by id. */
export const hiddenTournaments = (query: Query): Promise<Pick<ReadonlySet<string>, 'has'>> =>
  digestsIn(query, 'hidden_tournaments')

/** Reads the set of hidden clips, by token. */
export const hiddenClips = (query: Query): Promise<Pick<ReadonlySet<string>, 'has'>> =>
  digestsIn(query, 'hidden_clips')
