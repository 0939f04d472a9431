import { disk } from '../../runtime/disk.ts'
import { isEmbedded, whyOf } from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import type { OpenedService } from '../archive/archive.ts'
import type { ChangeSink } from '../archive/changeSink.ts'
import { nothingHidden } from '../archive/hidden.ts'
import { type LoadedLeague, lossReason } from '../archive/loadedLeague.ts'
import { leagueOfFrames, type TournamentUpdate } from '../archive/updateLeague.ts'
import type { Tournament } from '../league/types.ts'
import { readSnapshot, type Snapshot, SnapshotError } from '../source/snapshot.ts'
import { follow, type Reading } from './follow.ts'

/** Changes a snapshot before it is loaded. */
export type PrepareSnapshot = (snapshot: Snapshot) => Snapshot | Promise<Snapshot>

/** A text that differs after each replacement of a file; the reason if there is no file. */
const stateOf = async (path: string): Promise<string> => {
  if (isEmbedded(path)) return 'embedded'
  try {
    const { ino, size, mtimeMs } = await disk.stat(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch (error) {
    return whyOf(error)
  }
}

/**
 * True if a file is empty or belongs to another league: it has no tournament of the previous file, hidden ones
 * included, and none of its bots. A tournament whose own row is bad does not count.
 */
const isForeign = (before: LoadedLeague, next: LoadedLeague): boolean => {
  const botsIn = ({ players }: Tournament): readonly string[] =>
    players.flatMap(({ player }) => (player.isBot && player.cleanName) || [])
  const bots = new Set([...before.entries.values()].flatMap((entry) => botsIn(entry.tournament)))
  const isSame = ([id, { badRows }]: readonly [string, { readonly badRows: number }]): boolean => {
    const shown = next.entries.get(id)?.tournament
    return (
      (before.seen.has(id) && (shown !== undefined || badRows === 0)) ||
      (shown !== undefined && botsIn(shown).some((name) => bots.has(name)))
    )
  }
  return bots.size > 0 && !next.seen.entries().some(isSame)
}

/** The league of a file; frames are copied, as a view would keep the whole file in memory after it is replaced. */
const leagueOf = (before: LoadedLeague, { cages, entries, loaded }: Snapshot) => {
  const read = async function* (
    isWanted: (id: string) => boolean,
  ): AsyncGenerator<TournamentUpdate> {
    for await (const { entry, rows } of loaded(({ stored }) => isWanted(stored.name[0]))) {
      const { frame, rows: storedRows, stored } = entry
      const copy = frame && { digest: frame.digest, bytes: new Uint8Array(frame.bytes) }
      yield { id: stored.name[0], rows, frame: copy, storedRows }
    }
  }
  const hashes = new Map(entries.map(({ stored: { name } }) => [name[0], name[1]]))
  return leagueOfFrames(before, { cages, hashes, read })
}

/** Time between two checks for a replaced file, 5 µs each. */
const lookEveryMs = 200
/** A clock stops {@link maxRunSeconds} after a capture that is further than this from the machine's clock. */
const pastSeconds = 86_400
/**
 * Time for which the clock goes on after the last known state; an event that stands still longer looks like a break.
 */
export const maxRunSeconds = 300
/** A clock goes on if it is closer than this to the capture time of the next file: imports and loads take time. */
const maxClockNoiseSeconds = 10

/**
 * Serves a snapshot file, and the next one once the file is replaced by one of the same league. Removals are meant
 * then, but an empty file or another league is refused until a restart. The clock starts at the capture time, so an
 * event in progress at capture is in progress at every start; after a capture of another day it stops five minutes
 * later, so that the event stays in progress. `firstLoad` rejects with a `SnapshotError` if the file is invalid; a
 * later invalid file changes nothing.
 */
export const openSnapshot = (
  path: string,
  log: Log,
  changes?: ChangeSink,
  prepare: PrepareSnapshot = (snapshot) => snapshot,
  ratings = true,
  /** Clock in milliseconds that never jumps. */
  clockMs = () => performance.now(),
): OpenedService => {
  const isFixed = isEmbedded(path)
  let clock = { unix: Date.now() / 1000, startedMs: clockMs() }
  let latest = Number.POSITIVE_INFINITY
  const exactNow = (): number => Math.min(latest, clock.unix + (clockMs() - clock.startedMs) / 1000)
  let state: string | undefined
  /** Time at which that state was found, on `clockMs`, because `exactNow` may have stopped. */
  let foundMs = clockMs()
  /** Capture time of the served file. */
  let capturedAt: number | undefined
  /** Time since which the file cannot be served, on `clockMs`. */
  let differsSinceMs: number | undefined

  const serve = (isFirst: boolean, captured: number): void => {
    const at = isFirst ? Number.NEGATIVE_INFINITY : exactNow()
    // The clock goes on from now: time for which it had stopped does not count.
    clock = {
      unix: Math.abs(captured - at) > maxClockNoiseSeconds ? captured : at,
      startedMs: isFirst ? clock.startedMs : clockMs(),
    }
    const isPast = Math.abs(Date.now() / 1000 - captured) > pastSeconds
    latest = isPast ? captured + maxRunSeconds : Number.POSITIVE_INFINITY
    capturedAt = captured
    differsSinceMs = undefined
  }

  const load = async (before: LoadedLeague): Promise<Reading> => {
    const started = clockMs()
    const isFirst = before.archive === undefined
    const snapshot = await prepare(await readSnapshot(path))
    const { league, bad, changedRows } = await leagueOf(before, snapshot)
    if (isForeign(before, league)) {
      const fights = before.archive?.dataset.fights.length ?? 0
      throw new SnapshotError(lossReason(fights, fights))
    }
    const served = (): void => {
      serve(isFirst, snapshot.capturedAt)
      if (isFirst) return
      const ms = Math.round(clockMs() - started)
      log('info', 'loaded', { source: 'snapshot', ms, tournaments: league.entries.size })
    }
    return { league, bad, changedRows: isFirst ? 0 : changedRows, currentAt: started, served }
  }

  const read = async (before: LoadedLeague): Promise<Reading | undefined> => {
    const found = await stateOf(path)
    if (found === state) return undefined
    state = found
    foundMs = clockMs()
    return load(before)
  }

  return follow(
    {
      kind: 'snapshot',
      name: 'snapshot',
      read,
      failureOf: (error) => {
        differsSinceMs ??= foundMs
        const reason = error instanceof SnapshotError ? error.message : 'internal error'
        if (capturedAt !== undefined)
          log('error', 'the replaced snapshot is not served', { cause: String(error) })
        return { reason, isLasting: true, isLogged: true }
      },
      hidden: async () => nothingHidden,
      isOwn: () => false,
      // Pages ask before the first load.
      follows: () => (isFixed || capturedAt === undefined ? 'nothing' : 'timer'),
      close: async () => undefined,
      wallMs: () => exactNow() * 1000,
      clockMs,
      // A file that can be served has just been compared with the served one.
      currentUnix: () => {
        if (isFixed && capturedAt !== undefined) return capturedAt
        const differsMs = differsSinceMs === undefined ? 0 : clockMs() - differsSinceMs
        return Math.floor(exactNow()) - Math.floor(differsMs / 1000)
      },
    },
    { log, changes, ratings, refreshMs: lookEveryMs, maxDelayMs: lookEveryMs },
  )
}
