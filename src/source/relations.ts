import { publicViewsVersion, sqlName, type Table } from './tables.ts'

/** How a query reads. */
export interface ReadOptions {
  /** Schema version. */
  readonly version: number
  /** Include private, unlisted and test tournaments; for scripts only. */
  readonly includeHidden?: boolean
}

/** Schema to read from: the views of public rows, or the tables. */
const schemaOf = ({ version, includeHidden = false }: ReadOptions): string =>
  version >= publicViewsVersion && !includeHidden ? 'cageside_public' : 'cageside'

/** The name of a table, or of the view of its public rows. */
export const relation = (table: Table, options: ReadOptions): string =>
  `${schemaOf(options)}.${sqlName(table)}`

export const isShown = "privacy = 'public' AND NOT is_test"
const digestOf = (column: string): string => `encode(sha256(convert_to(${column}, 'UTF8')), 'hex')`

/** Views of hidden rows, and the equivalent queries for schema versions without them. */
const hiddenRelations = {
  clip_changes: 'cageside.clips',
  hidden_tournaments: `(SELECT ${digestOf('id')} AS digest FROM cageside.tournaments
    WHERE NOT (${isShown})) AS hidden_tournaments`,
  hidden_clips: `(SELECT ${digestOf('token')} AS digest FROM cageside.clips
    WHERE NOT (is_public AND state = 'completed')) AS hidden_clips`,
  tombstones: `(SELECT table_name, row_xid,
      CASE WHEN table_name <> 'tournaments' THEN tournament_id END AS tournament_id,
      CASE table_name WHEN 'tournaments' THEN ${digestOf('tournament_id')}
        WHEN 'clips' THEN ${digestOf("key ->> 'token'")} ELSE key ->> 'id' END AS key
    FROM cageside.tombstones) AS tombstones`,
} as const
export const hiddenRelation = (
  name: keyof typeof hiddenRelations,
  { version }: Pick<ReadOptions, 'version'>,
): string => (version >= publicViewsVersion ? `cageside_public.${name}` : hiddenRelations[name])

/** SHA-256 digest by which the database lists a hidden tournament or clip. */
export const hiddenDigest = (id: string): string =>
  new Bun.CryptoHasher('sha256').update(id).digest('hex')
