import type { Tournament } from '../league/types.ts'
import type { Head } from '../source/postgres.ts'
import type { CageRows } from '../source/rows.ts'
import type { TournamentFrame } from '../source/snapshot.ts'
import { type Archive, noCages } from './archive.ts'

/** One tournament: what is served of it, and its rows, to see whether they changed and to save them. */
export interface Entry {
  readonly tournament: Tournament
  readonly frame: TournamentFrame
}

/** What is known of a shown tournament in the database since it was read. */
export interface Seen {
  /** Of its own row, see {@link Shown}. */
  readonly stamp: string
  /** Of the rows below it; empty when it is not known. */
  readonly fingerprint: string
  /** Rows left out. */
  readonly badRows: number
}

/** A tournament that is served as it was, because fights would be lost and nothing explains that. */
export interface HeldBack {
  readonly fights: number
  readonly reason: string
}

/** Where the next look begins. */
export type Position = Pick<Head, 'databaseIdentity' | 'systemIdentifier' | 'mark'>

/** Everything that is known of a database's contents. Replaced whole at each change. */
export interface LoadedLeague {
  readonly archive: Archive | undefined
  readonly entries: ReadonlyMap<string, Entry>
  /** Of all entries. */
  readonly digest: bigint
  readonly cages: CageRows
  /** Least recently compared first. */
  readonly seen: ReadonlyMap<string, Seen>
  readonly heldBack: ReadonlyMap<string, HeldBack>
  readonly badRows: number
  /** Undefined when nothing of a database is known. */
  readonly position: Position | undefined
}

export const emptyLeague: LoadedLeague = {
  archive: undefined,
  entries: new Map(),
  digest: 0n,
  cages: noCages,
  seen: new Map(),
  heldBack: new Map(),
  badRows: 0,
  position: undefined,
}
