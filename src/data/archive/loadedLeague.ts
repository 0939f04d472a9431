import type { Tournament } from '../league/types.ts'
import type { Head } from '../source/postgres.ts'
import type { KnownRecordings } from '../source/readTournaments.ts'
import type { CageRows } from '../source/rows.ts'
import type { TournamentFrame } from '../source/snapshot.ts'
import { type Archive, noCages } from './archive.ts'

/** One tournament: its served value and its packed rows, to detect changes and to save. */
export interface Entry {
  readonly tournament: Tournament
  readonly frame: TournamentFrame
}

/** State of a shown tournament in the database when it was last read. */
export interface Seen {
  /** Stamp of the tournament's own row, see {@link Shown}. */
  readonly stamp: string
  /** Stamp digest of the rows below it; empty if unknown. */
  readonly stampDigest: string
  /** Number of rows left out. */
  readonly badRows: number
  /** Stamp digest of its recordings, if they changed since the start. */
  readonly recordings?: KnownRecordings | undefined
}

/** Rows left out of the tournaments when they were last read. */
export const countBadRowsSeen = (seen: LoadedLeague['seen']): number => {
  let count = 0
  for (const { badRows } of seen.values()) count += badRows
  return count
}

/** A tournament kept at its last good state, because an unexplained loss of fights was found. */
export interface HeldBack {
  readonly fights: number
  readonly reason: string
}

/** Database identity and mark at which the next refresh begins. */
export type Position = Pick<Head, 'databaseIdentity' | 'systemIdentifier' | 'mark'>

/** Newest WAL timeline from which rows were read; each promotion of the database begins a new one. */
export interface NewestTimeline extends Pick<Head, 'databaseIdentity'> {
  readonly timeline: number
}

/** Reason why a league is not served: fights would be lost without an explanation. */
export const lossReason = (lost: number, served: number): string =>
  `refused: ${lost} of ${served} fights would be lost`

/** State of the data loaded from a source. Immutable; replaced at each change. */
export interface LoadedLeague {
  readonly archive: Archive | undefined
  /** True if its archives have ratings. */
  readonly hasRatings: boolean
  readonly entries: ReadonlyMap<string, Entry>
  /** Combined digest of all entries. */
  readonly digest: bigint
  readonly cages: CageRows
  /** Ids in the order of their last comparison, oldest first. */
  readonly seen: ReadonlyMap<string, Seen>
  readonly heldBack: ReadonlyMap<string, HeldBack>
  /** Tournaments added while others are held back. They are not guarded: they may belong to another league. */
  readonly addedSinceLoss: ReadonlySet<string>
  readonly badRows: number
  /** Number of bad rows that belong to cages and queues. */
  readonly badCages: number
  /** Position in the database; undefined if the league was not read from one. */
  readonly position: Position | undefined
  /** Newest timeline of the database; undefined without one, or if an earlier version saved the league. */
  readonly newestTimeline: NewestTimeline | undefined
}

export const emptyLeague: LoadedLeague = {
  archive: undefined,
  hasRatings: true,
  entries: new Map(),
  digest: 0n,
  cages: noCages,
  seen: new Map(),
  heldBack: new Map(),
  addedSinceLoss: new Set(),
  badRows: 0,
  badCages: 0,
  position: undefined,
  newestTimeline: undefined,
}
