import type { OpenedService } from '../archive/archive.ts'
import { type Hidden, nothingHidden } from '../archive/hidden.ts'
import type { LoadedLeague } from '../archive/loadedLeague.ts'
import { hiddenClips, hiddenTournaments } from '../source/changedRows.ts'
import { omissionsOf } from '../source/clientOptions.ts'
import { connect, type Source } from '../source/connection.ts'
import { openListener } from '../source/listener.ts'
import { readTransaction } from '../source/postgres.ts'
import { schemaVersion } from '../source/rows.ts'
import { SetupError, SourceError } from '../source/sourceErrors.ts'
import type { Failure } from './failureLog.ts'
import { type FollowOptions, follow, type Reading } from './follow.ts'
import { lossProblem } from './guard.ts'
import { type Refreshed, refreshLeague } from './refresh.ts'

const queryDeadlineMs = 5000
/** Every tournament is compared with the database within this time, whatever the marks say. */
const compareAllMs = 180_000
/** Min tournaments per comparison, which costs the server about 20 ms regardless of size. */
const minCompared = 64
/** Max wait at start for the list of hidden tournaments and clips. */
const maxHiddenWaitMs = 500
const standbyLagMs = 10_000

export interface PostgresOptions extends FollowOptions {
  readonly dataDir: string
  /** Timeout of each query. */
  readonly deadlineMs?: number
  readonly throughPooler?: boolean
  /** True if no connection is held between refreshes: a serverless database sleeps only without any. */
  readonly databaseSleeps?: boolean
  readonly compareAllMs?: number
  /** Max lag of a standby behind its primary before it is reported. */
  readonly standbyLagMs?: number
}

/** Reads the hidden tournaments and clips; nothing on failure or timeout. */
const readHidden = async (source: Source): Promise<Hidden> => {
  const answer = readTransaction(
    source,
    async (query): Promise<Hidden> => ({
      ...nothingHidden,
      tournaments: await hiddenTournaments(query),
      clips: await hiddenClips(query),
    }),
  )
  const inTime = Bun.sleep(maxHiddenWaitMs).then(() => nothingHidden)
  return Promise.race([answer.catch(() => nothingHidden), inTime])
}

/**
 * Share of the tournaments that are due for comparison, so that all are compared within `allMs`. A refresh that a
 * commit waits for leaves its share to the next one, until twice as many are due.
 */
export const createComparing = (allMs: number, clockMs = () => performance.now()) => {
  let comparedAt = clockMs()
  return (tournaments: number, isAwaited = false) => {
    const at = clockMs()
    const due = Math.min(1, (at - comparedAt) / allMs)
    const least = isAwaited ? 2 * minCompared : minCompared
    return {
      share: due < 1 && due * tournaments < least ? 0 : due,
      /** Must be called once that share is compared. */
      compared: (): void => {
        comparedAt = at
      },
    }
  }
}

/**
 * Time up to which a reading is current, on the monotonic clock, because a standby may lag behind its primary; `wallMs`
 * is in Unix milliseconds.
 */
export const currentAfter = (
  standby: Refreshed['head']['standby'],
  readAt: number,
  before: number | undefined,
  wallMs = Date.now(),
): number => {
  if (!standby || standby.isCurrent) return readAt
  const behindMs = Math.max(0, wallMs - (standby.replayedUntil ?? 0) * 1000)
  return Math.max(before ?? Number.NEGATIVE_INFINITY, readAt - behindMs)
}

/** Serves a Postgres database, see {@link follow}. */
export const openPostgres = (
  url: string,
  {
    deadlineMs = queryDeadlineMs,
    throughPooler = false,
    databaseSleeps = false,
    ...options
  }: PostgresOptions,
): OpenedService => {
  const { dataDir, log } = options
  const maxLagMs = options.standbyLagMs ?? standbyLagMs
  const dueShare = createComparing(options.compareAllMs ?? compareAllMs)
  for (const omission of omissionsOf(url)) log('warn', `DATABASE_URL: ${omission}`)
  const source = connect(url, { deadlineMs, throughPooler, isIdleClosed: databaseSleeps })

  /** Reason why a reading is incomplete. */
  const problemOf = (
    { league, head: { version, standby } }: Refreshed,
    currentAt: number,
  ): Failure | undefined => {
    const loss = lossProblem(league, dataDir)
    if (loss) return loss
    if (version < schemaVersion) {
      const reason = `the database has schema version ${version} of ${schemaVersion}: run migrate`
      return { reason }
    }
    const isBehind = standby?.isCurrent === false && performance.now() - currentAt > maxLagMs
    return isBehind ? { reason: 'the standby does not follow its primary' } : undefined
  }

  let mayReadPrivate = false
  const warn = ({ unmarked, head }: Refreshed): void => {
    if (unmarked.length > 0) {
      log('warn', 'tournaments changed with their triggers off; run migrate to turn them on', {
        tournaments: unmarked.length,
      })
    }
    if (head.mayReadPrivate && !mayReadPrivate) {
      log(
        'warn',
        'the role of DATABASE_URL can read private rows; use a role made by migrate --reader',
      )
    }
    mayReadPrivate = head.mayReadPrivate
  }

  const read = async (
    before: LoadedLeague,
    currentBefore: number | undefined,
    isAwaited: boolean,
  ): Promise<Reading> => {
    const started = performance.now()
    const { share, compared } = dueShare(before.seen.size, isAwaited)
    const refreshed = await refreshLeague(source, before, { compareShare: share })
    if (share > 0) compared()
    listener?.checkAddress()
    warn(refreshed)
    const { league, bad, changedRows, head } = refreshed
    const currentAt = currentAfter(head.standby, started, currentBefore)
    return { league, bad, changedRows, currentAt, problem: problemOf(refreshed, currentAt) }
  }

  const service = follow(
    {
      kind: 'postgres',
      name: 'database',
      read,
      failureOf: (error) =>
        error instanceof SourceError
          ? {
              reason: error.message,
              detail: error.detail,
              isLasting: error instanceof SetupError,
            }
          : undefined,
      hidden: () => readHidden(source),
      isOwn: () => true,
      follows: () => (listener?.isListening() ? 'notifications' : 'timer'),
      close: async () => void (await Promise.all([source.close(), listener?.close()])),
      wallMs: Date.now,
      clockMs: () => performance.now(),
    },
    options,
  )
  // A pooler in transaction mode does not forward notifications.
  const listener =
    throughPooler || databaseSleeps
      ? undefined
      : openListener(source.address, {
          onNotify: service.notified,
          onLost: (reason) => log('warn', 'no notifications of the database', { reason }),
        })
  return service
}
