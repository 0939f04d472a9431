import type { TournamentFrame } from '../../../src/source/snapshot.ts'
import type { Loose } from '../values.ts'

/** What a watching import knows of a tournament from its last round. */
export interface KnownTournament {
  /** Its element of `/tournaments`. */
  readonly row: string
  /** Digest of what the lists tell of each fight whose own responses were read. */
  readonly fights: ReadonlyMap<string, bigint>
  /** Games that were written. */
  readonly games: ReadonlySet<string>
}

/** What a watching import knows of the snapshot of a source. */
export interface SnapshotMemory {
  /** Of the last file that was written without problems. */
  etag: string | undefined
  /** Frames of the last file by their hashes. */
  readonly frames: Map<string, TournamentFrame>
  /** Tournaments that were written, with the hashes of their frames. */
  readonly written: Map<string, { readonly hash: string; readonly games: ReadonlySet<string> }>
}

/**
 * State between the rounds of a watching import. A round asks for active tournaments and for those whose
 * element in the list changed, and within them for fights that the lists show changed or not over. Once an hour a
 * round asks for everything, because some changes show in no list, such as judges' lines.
 */
export interface Memory {
  /** Version of the server's data in the last round without problems. */
  version: string | undefined
  /** Begin of the last round that read everything, on the clock of `performance.now`. */
  fullAtMs: number
  readonly tournaments: Map<string, KnownTournament>
  readonly snapshot: SnapshotMemory
}

const fullEveryMs = 3_600_000

export const createMemory = (): Memory => ({
  version: undefined,
  fullAtMs: Number.NEGATIVE_INFINITY,
  tournaments: new Map(),
  snapshot: { etag: undefined, frames: new Map(), written: new Map() },
})

export const isFullRoundDue = (memory: Memory | undefined, nowMs: number): boolean =>
  !memory || nowMs - memory.fullAtMs > fullEveryMs

export const fightDigest = (summary: Loose, game: Loose): bigint =>
  Bun.hash.xxHash64(JSON.stringify([summary, game]))
