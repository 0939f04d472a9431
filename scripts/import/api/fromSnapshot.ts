import {
  decoderOf,
  type Fetched,
  fetchSnapshot,
  refuse,
} from '../../../src/data/mirror/fetchSnapshot.ts'
import { MirrorError } from '../../../src/data/mirror/remote.ts'
import { checkCages, checkTournament, type Unchecked } from '../../../src/data/source/check.ts'
import type { CageRows } from '../../../src/data/source/rows.ts'
import type { TournamentFrame } from '../../../src/data/source/snapshot.ts'
import { maxWaitMs, retryAfterMs } from '../remote/remote.ts'
import { untilAborted } from '../repeat.ts'
import { type ImportRun, reportRow, writeTournament } from '../run.ts'
import { type ImportedCage, writeCages } from '../target/cages.ts'
import { standardCages } from './cages.ts'

/** Frames and tag of a source's snapshot, kept between the rounds of an import. */
export interface SnapshotMemory {
  /** Start of the import, on the clock of `performance.now`. */
  readonly sinceMs: number
  /** ETag of the last file that was written without problems. */
  etag: string | undefined
  /** Frames of the last file by hash. */
  readonly frames: Map<string, TournamentFrame>
  /** Hashes of the frames of tournaments that were written. */
  readonly written: Map<string, { readonly hash: string; readonly games: ReadonlySet<string> }>
}

/** Time after which everything is written again, because other programs can change the target. */
const memoryMs = 3_600_000

export const createMemory = (): SnapshotMemory => ({
  sinceMs: performance.now(),
  etag: undefined,
  frames: new Map(),
  written: new Map(),
})

/** Memory for the next round: empty after a failed one, because a file is written only at its end. */
export const memoryOf = (memory: SnapshotMemory, isAfterFailure: boolean): SnapshotMemory =>
  isAfterFailure || performance.now() - memory.sinceMs > memoryMs ? createMemory() : memory

export interface SnapshotSource {
  readonly memory: SnapshotMemory
  readonly address: URL
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Delay before the first retry, unless the server asks for one; it doubles with each further retry. */
  readonly retryMs?: number
}

type SnapshotFile = NonNullable<Fetched['file']>

const maxBytes = 2 ** 30
const maxAttempts = 4

const isTransient = ({ status }: MirrorError): boolean =>
  status === undefined || status === 429 || status >= 500

/**
 * The snapshot of a source, or `unchanged` since the last complete round; undefined if the source has no readable one,
 * which is noted.
 */
export const readSnapshotFile = async (
  { address, headers, signal, memory, retryMs = 1000 }: SnapshotSource,
  note: (text: string) => void,
): Promise<SnapshotFile | 'unchanged' | undefined> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      const { file } = await fetchSnapshot(address, {
        etag: memory.etag,
        kept: memory.frames,
        headers,
        signal,
        maxBytes,
      })
      return file ?? 'unchanged'
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof MirrorError)) throw error
      const failure = `${address.href} cannot be read: ${error.message}`
      const waitMs = retryAfterMs(error.retryAfter) ?? retryMs * 2 ** (attempts - 1)
      if (attempts === maxAttempts || waitMs > maxWaitMs || !isTransient(error)) {
        if (error.status !== 404)
          note(`${failure}; requesting every endpoint instead, which takes longer`)
        return undefined
      }
      if (attempts === 1)
        note(
          `${failure}; trying ${maxAttempts - 1} more times, first in ${Math.ceil(waitMs / 1000)} s`,
        )
      await untilAborted(waitMs, signal)
      signal.throwIfAborted()
    }
  }
}

/** Cages with a row or a queue, and cages that every server shows. */
const cagesOf = ({ cages, cageQueue }: CageRows): readonly ImportedCage[] => {
  const rows = new Map(cages.map((row) => [row.number, row]))
  const queues = Map.groupBy(cageQueue, ({ cage }) => cage)
  return [...new Set([...standardCages, ...rows.keys(), ...queues.keys()])].map((number) => ({
    number,
    row: rows.get(number),
    queue: queues.get(number) ?? [],
  }))
}

/**
 * Writes the cages, and the tournaments of a file that the last round did not write. Throws a {@link MirrorError} if
 * the file cannot be read.
 */
export const writeSnapshotFile = async (
  run: ImportRun,
  { head, frames, etag }: SnapshotFile,
  options: {
    readonly memory: SnapshotMemory
    /** Name of the server; folders from which it imports are not folders of this target. */
    readonly source: string
    readonly isOfSource: (tournamentId: string) => boolean
  },
): Promise<void> => {
  const { memory, source, isOfSource } = options
  const { progress, report, result } = run
  const { decode } = decoderOf(head)
  const problems = result.problems.length
  progress.add(frames.length)
  for (const { name, frame } of frames) {
    const [id, hash] = name
    const before = memory.written.get(id)
    if (before?.hash === hash) {
      result.tournaments.set(id, false)
      result.games.set(id, before.games)
      progress.step(id)
      continue
    }
    const known = result.problems.length
    const rows = checkTournament(decode(frame.bytes), reportRow(id, report))
    if (rows && rows.tournament.id !== id) refuse('is damaged: a tournament has another id')
    if (rows) {
      const tournament = { ...rows.tournament, source }
      await writeTournament(run, { ...rows, tournament }, { isOfSource })
    }
    const games = result.games.get(id)
    if (games && result.problems.length === known) memory.written.set(id, { hash, games })
    else memory.written.delete(id)
    progress.step(id)
  }
  const unchecked: Unchecked<CageRows> = decode(head.cages)
  const cages = checkCages(unchecked, ({ table, key = '', problem }) =>
    report({ where: `${table} ${key}`, reason: problem }),
  )
  await writeCages(run, cagesOf(cages), isOfSource)
  memory.etag = result.problems.length === problems ? etag : undefined
}
