import { sqlName, type Table } from './tables.ts'

/** Choice of the rows that a query reads. */
export interface ReadOptions {
  /** Schema version. */
  readonly version: number
  /** True to include private, unlisted and test tournaments; for scripts only. */
  readonly includeHidden?: boolean
}

/** Schema to read from: the views of public rows, or the tables. */
const schemaOf = ({ includeHidden = false }: Pick<ReadOptions, 'includeHidden'>): string =>
  includeHidden ? 'cageside' : 'cageside_public'

/** Name of a table, or of the view of its public rows. */
export const relation = (table: Table, options: Pick<ReadOptions, 'includeHidden'> = {}): string =>
  `${schemaOf(options)}.${sqlName(table)}`

export const isShown = "privacy = 'public' AND NOT is_test"

/** SHA-256 digest by which the database lists a hidden tournament or clip. */
export const hiddenDigest = (id: string): string =>
  new Bun.CryptoHasher('sha256').update(id).digest('hex')
