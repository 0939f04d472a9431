import type { OpenedService } from '../archive/archive.ts'
import { nothingHidden } from '../archive/hidden.ts'
import { countBadRows } from '../archive/load.ts'
import type { LoadedLeague, Position } from '../archive/loadedLeague.ts'
import { leagueOfFrames, type TournamentUpdate } from '../archive/updateLeague.ts'
import { type FollowOptions, follow, type Reading } from '../following/follow.ts'
import { holdBack, lossProblem } from '../following/guard.ts'
import { checkPacked, type Unchecked } from '../source/check.ts'
import type { TournamentRows } from '../source/rows.ts'
import { packTournament, SnapshotError, type TournamentFrame } from '../source/snapshot.ts'
import { createExplanations, type Explanations } from './explanations.ts'
import { decoderOf, type Fetched, fetchSnapshot, refuse } from './fetchSnapshot.ts'
import { MirrorError } from './remote.ts'

/** Minimum time between checks, however often a database would be read. */
const defaultMinRefreshMs = 1000
/** Maximum size, enough for 850,000 fights; twice as much is in memory if the server sends it at once. */
const defaultMaxBytes = 2 ** 28
/** A clock that differs by less counts as the clock of this machine, because the request takes time. */
const maxClockNoiseSeconds = 2

export interface MirrorOptions extends FollowOptions {
  readonly dataDir: string
  readonly minRefreshMs?: number
  /** Maximum size of the snapshot. */
  readonly maxBytes?: number
  /** A request that receives no byte for this long has failed. */
  readonly idleMs?: number
  /** Clock of the machine in Unix milliseconds. */
  readonly wallMs?: () => number
  /** Clock in milliseconds that never jumps. */
  readonly clockMs?: () => number
}

type FetchedFile = NonNullable<Fetched['file']>

const integerIn = (headers: Headers, name: string): number | undefined => {
  const text = headers.get(name) ?? ''
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined
}

/** Age of the data of an answer in seconds, with its time in caches on the way. */
const ageOf = (headers: Headers): number =>
  (integerIn(headers, 'x-data-age') ?? 0) + (integerIn(headers, 'age') ?? 0)

/** Difference in seconds between the clock of the league and the clock of its machine. */
const clockOffset = (headers: Headers): number => {
  const clock = integerIn(headers, 'x-data-clock')
  const date = Date.parse(headers.get('date') ?? '') / 1000
  const offset = clock === undefined || Number.isNaN(date) ? 0 : clock - date
  return Math.abs(offset) <= maxClockNoiseSeconds ? 0 : offset
}

/** Name of the address in files of `dataDir`; it does not show the address. */
const positionOf = (address: URL): Position => ({
  databaseIdentity: new Bun.CryptoHasher('sha256').update(address.href).digest('hex'),
  systemIdentifier: 'mirror',
  mark: '0',
})

/** The rows of a frame, checked against its name. */
const rowsOf = (
  id: string,
  frame: TournamentFrame,
  decode: (bytes: Uint8Array) => Unchecked<TournamentRows>,
): Pick<TournamentUpdate, 'rows' | 'frame'> => {
  const unchecked = decode(frame.bytes)
  const rows = checkPacked(unchecked, () => undefined)
  if (rows && rows.tournament.id !== id) return refuse('is damaged: a tournament has another id')
  // Versions are named after digests, so the digest of another server is checked first. It differs if a row is invalid.
  const isProved = rows !== undefined && packTournament(rows).digest === frame.digest
  return { rows: unchecked, ...(isProved && { frame }) }
}

/** The league of a fetched file. */
const leagueOf = (
  before: LoadedLeague,
  { head, frames }: FetchedFile,
  withdrawn: Explanations['withdrawn'],
) => {
  const { decode, isOwn } = decoderOf(head)
  const shown = new Map(frames.map(({ name: [id, hash] }) => [id, hash]))
  const read = function* (isWanted: (id: string) => boolean): Generator<TournamentUpdate> {
    for (const { name, frame } of frames) {
      const [id] = name
      if (!isWanted(id)) continue
      const { rows, frame: proved } = rowsOf(id, frame, decode)
      yield { id, rows, ...(isOwn && proved && { frame: proved }) }
    }
  }
  return leagueOfFrames(before, { cages: decode(head.cages), hashes: shown, read }, (found) =>
    holdBack(before, { ...found, shown, withdrawn }),
  )
}

/**
 * Follows the snapshot of another service, see {@link follow}. Only changed frames are fetched; the frames of a fetch
 * that failed halfway are kept for the next one.
 */
export const openMirror = (
  url: string,
  { wallMs = Date.now, clockMs = () => performance.now(), ...options }: MirrorOptions,
): OpenedService => {
  const { maxBytes = defaultMaxBytes, idleMs } = options
  const address = new URL(url)
  const position = positionOf(address)
  const stopped = new AbortController()
  const explanations = createExplanations({ address, signal: stopped.signal, clockMs })
  let offsetSeconds = 0
  /** League and ETag of the last file that was read. */
  let last: { readonly league: LoadedLeague; readonly etag: string | undefined } | undefined
  /** Frames of a fetch that failed halfway. */
  const pending = new Map<string, TournamentFrame>()

  /** Frames of the league have its layout, not the layout of the file: they are not decoded. */
  const known = ({
    seen,
    entries,
    heldBack,
  }: LoadedLeague): ReadonlyMap<string, TournamentFrame> => {
    const frames = new Map<string, TournamentFrame>()
    for (const [id, { stamp }] of seen) {
      const frame = entries.get(id)?.frame
      if (frame && !heldBack.has(id)) frames.set(stamp, frame)
    }
    return frames
  }

  const read = async (before: LoadedLeague): Promise<Reading> => {
    const started = clockMs()
    await explanations.begin()
    const { file, headers } = await fetchSnapshot(address, {
      // Held-back tournaments are checked again, because an explanation can come later. If the league of the last file
      // is not served, the file is read again.
      etag: before.heldBack.size === 0 && last?.league === before ? last.etag : undefined,
      known: known(before),
      kept: pending,
      signal: stopped.signal,
      maxBytes,
      ...(idleMs !== undefined && { idleMs }),
    })
    const updated = file && (await leagueOf(before, file, explanations.withdrawn))
    if (file) pending.clear()
    offsetSeconds = clockOffset(headers)
    const league = updated ? { ...updated.league, position } : before
    if (file) last = { league, etag: file.etag }
    if (league.heldBack.size === 0) explanations.accepted(headers.get('x-data-version'))
    return {
      league,
      problem: lossProblem(league, options.dataDir),
      bad: updated?.bad ?? countBadRows(),
      changedRows: updated?.changedRows ?? 0,
      currentAt: started - ageOf(headers) * 1000,
    }
  }

  return follow(
    {
      kind: 'mirror',
      name: 'snapshot',
      read,
      failureOf: (error) =>
        error instanceof MirrorError || error instanceof SnapshotError
          ? { reason: `the snapshot: ${error.message}` }
          : undefined,
      hidden: async () => nothingHidden,
      isOwn: ({ league }) => league.position?.databaseIdentity === position.databaseIdentity,
      follows: () => 'timer',
      close: async () => stopped.abort(),
      wallMs: () => wallMs() + offsetSeconds * 1000,
      clockMs,
    },
    {
      ...options,
      refreshMs: Math.max(options.minRefreshMs ?? defaultMinRefreshMs, options.refreshMs),
    },
  )
}
