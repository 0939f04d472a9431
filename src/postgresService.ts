import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Archive, nothingLoaded, type OpenedService, type SourceStatus } from './archive.ts'
import type { Log } from './log.ts'
import {
  emptyLeague,
  type League,
  LossError,
  leagueOfSnapshot,
  type Refreshed,
  refreshLeague,
  saveLeague,
} from './refresh.ts'
import { connect, SourceError } from './source/connection.ts'
import { readSnapshot } from './source/snapshot.ts'

const longestDelayMs = 30_000
const queryDeadlineMs = 5000
const saveEveryMs = 60_000

export interface PostgresOptions {
  readonly refreshMs: number
  /** Holds the last good archive; made when it is not there. */
  readonly dataDir: string
  readonly log: Log
  /** The longest a query may take. */
  readonly deadlineMs?: number
}

/** The league as it is kept for a start without a database. */
const lastGoodPath = (dataDir: string): string => join(dataDir, 'last-good.cageside')

/** What a process that was killed while it wrote has left behind. */
const removeLeftovers = async (dataDir: string): Promise<void> => {
  for (const name of await readdir(dataDir)) {
    if (/^last-good\.cageside\.\d+\.tmp$/.test(name)) await rm(join(dataDir, name), { force: true })
  }
}

/** What is shown no more (a tournament, clip or still) must not come back from the disk either. */
const loses = (before: Archive, after: Archive): boolean =>
  before.dataset.tournaments.some((tournament) => {
    const now = after.dataset.tournamentsByID.get(tournament.info.id)
    if (!now || now === tournament) return !now
    const tokens = new Set([...now.clips, ...now.stills].map(({ token }) => token))
    return [...tournament.clips, ...tournament.stills].some(({ token }) => !tokens.has(token))
  })

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/**
 * Serves what a Postgres holds, and follows it: one look each `refreshMs`, never two at a time, with
 * growing delays of at most 30 s while looking fails. Whatever goes wrong, the served archive stays.
 * A start that cannot reach the database serves the last good archive from `dataDir`.
 */
export const openPostgres = (
  url: string,
  { refreshMs, dataDir, log, deadlineMs = queryDeadlineMs }: PostgresOptions,
): OpenedService => {
  const source = connect(url, { deadlineMs })
  const now = (): number => Math.floor(Date.now() / 1000)
  let league: League = emptyLeague
  let archive: Archive | undefined
  const loaded = Promise.withResolvers<void>()
  let status = nothingLoaded('postgres')
  let failures = 0
  let stopping = false
  let timer: Timer | undefined
  let current: Promise<void> = Promise.resolve()

  let unsaved = false
  let savedAt = Number.NEGATIVE_INFINITY
  /** Until when the saved archive is known to have been current, in Unix seconds. */
  let savedUntil: number | null = null
  let saveFailed = false
  const save = async (): Promise<void> => {
    if (!unsaved || status.currentAt === null) return
    unsaved = false
    savedAt = performance.now()
    try {
      await mkdir(dataDir, { recursive: true })
      await removeLeftovers(dataDir)
      const { currentAt } = status
      await saveLeague(lastGoodPath(dataDir), league, currentAt)
      savedUntil = currentAt
      saveFailed = false
    } catch (error) {
      unsaved = true
      if (!saveFailed) log('warn', 'last good archive not saved', { reason: reasonOf(error) })
      saveFailed = true
    }
  }
  /** One after the other, beside the looks, which do not wait for it. */
  let saving: Promise<void> = Promise.resolve()
  const saveSometimes = (): void => {
    if (unsaved && performance.now() - savedAt >= saveEveryMs) saving = saving.then(save)
  }

  const accept = (refreshed: Refreshed): void => {
    league = refreshed.league
    if (archive === league.archive) return
    if (archive && league.archive && loses(archive, league.archive))
      savedAt = Number.NEGATIVE_INFINITY
    archive = league.archive
    loaded.resolve()
    unsaved = true
    const { count, examples } = refreshed.bad
    if (count() > 0) log('warn', 'rows left out', { badRows: count(), examples })
  }

  const startDegraded = async (): Promise<void> => {
    const path = lastGoodPath(dataDir)
    if (!(await Bun.file(path).exists())) return
    try {
      const snapshot = await readSnapshot(path)
      league = await leagueOfSnapshot(snapshot)
      archive = league.archive
      loaded.resolve()
      savedUntil = snapshot.capturedAt
      status = { ...status, currentAt: snapshot.capturedAt, badRows: league.badRows }
      log('warn', 'serving the last good archive', { capturedAt: snapshot.capturedAt })
    } catch (error) {
      log('error', 'the last good archive is not usable', { reason: reasonOf(error) })
    }
  }

  const look = async (): Promise<void> => {
    const at = now()
    const started = performance.now()
    const finish = (changedRows: number, error: string | null): SourceStatus['lastRefresh'] => ({
      at,
      ms: Math.round(performance.now() - started),
      changedRows,
      error,
    })
    try {
      const refreshed = await refreshLeague(source, league)
      if (stopping) return
      accept(refreshed)
      status = {
        ...status,
        currentAt: at,
        lastRefresh: finish(refreshed.changedRows, null),
        badRows: league.badRows,
      }
      if (failures > 0) log('info', 'the database answers again')
      failures = 0
    } catch (error) {
      if (stopping) return
      if (error instanceof LossError) accept(error.remaining)
      if (!(error instanceof SourceError || error instanceof LossError)) {
        log('error', 'refresh failed unexpectedly', { cause: String(error) })
      }
      const reason =
        error instanceof SourceError || error instanceof LossError
          ? error.message
          : 'internal error'
      const detail = error instanceof SourceError ? error.detail : undefined
      if (reason !== status.lastRefresh.error) log('error', 'refresh failed', { reason, detail })
      failures += 1
      status = { ...status, lastRefresh: finish(0, reason), badRows: league.badRows }
      if (!archive) await startDegraded()
    }
  }

  const tick = async (): Promise<void> => {
    await look()
    if (stopping) return
    saveSometimes()
    timer = setTimeout(
      () => {
        current = tick()
      },
      Math.min(longestDelayMs, refreshMs * 2 ** failures),
    )
  }

  current = tick()
  return {
    archive: () => archive,
    status: () => status,
    now,
    firstLoad: loaded.promise,
    stop: async () => {
      stopping = true
      clearTimeout(timer)
      await source.close()
      await current
      await saving
      unsaved ||= status.currentAt !== savedUntil
      await save()
    },
  }
}
