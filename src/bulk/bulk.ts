import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Archive } from '../archive/archive.ts'
import { newlyHiddenKeys } from '../archive/lastGood.ts'
import { codeOf } from '../files.ts'
import type { Log } from '../log.ts'
import { type MadeFile, openBulkFile } from './bulkFile.ts'
import { type BulkName, bulkNames } from './tables.ts'

/** Wait of a request for its file; the first one of a league of 120,000 fights takes longer. */
const maxWaitMs = 10_000
/** After a failure, which is a full disk as a rule, further requests are refused at once for a while. */
const defaultRetryAfterMs = 5000
/** Temporary and unknown files older than this belong to no other process that is ending. */
const leftoverMs = 3_600_000

export type { MadeFile } from './bulkFile.ts'

/** The files of `/bulk`. */
export interface Bulk {
  /**
   * The file of this data or of newer data; made first where it is of older data. `busy` when that takes
   * too long, `failed` when it cannot be written.
   */
  readonly file: (name: BulkName) => Promise<MadeFile | 'busy' | 'failed'>
  /** Removes the files of the process before if they hold tournaments that are not served. */
  readonly begun: (archive: Archive) => void
  /** Takes what is hidden by a new version out of the files on disk. */
  readonly swapped: (before: Archive, after: Archive) => void
  /** Current problems, one sentence each. */
  readonly problems: () => readonly string[]
  readonly stop: () => Promise<void>
}

/** Of an app without a folder: every file is refused. */
export const noBulk: Bulk = {
  file: async () => 'failed',
  begun: () => undefined,
  swapped: () => undefined,
  problems: () => [],
  stop: async () => undefined,
}

export interface BulkOptions {
  /** Created at the first request. */
  readonly folder: string
  readonly archive: () => Archive | undefined
  readonly log: Log
  readonly nowUnix?: () => number
  readonly waitMs?: number
  readonly retryAfterMs?: number
}

/**
 * Files are made when they are requested: nobody may ask for them during an event, when the data changes
 * each second. One is made at a time, by the main thread in slices of a millisecond and by the
 * compressor's threads.
 */
export const openBulk = ({
  folder,
  archive: current,
  log,
  nowUnix = () => Math.floor(Date.now() / 1000),
  waitMs = maxWaitMs,
  retryAfterMs = defaultRetryAfterMs,
}: BulkOptions): Bulk => {
  const inTurn = pLimit(1)
  const files = new Map(bulkNames.map((name) => [name, openBulkFile(folder, name, nowUnix)]))
  const making = new Map<BulkName, Promise<MadeFile | 'failed'>>()
  let failure: string | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let stopping = false

  const fail = (error: unknown): void => {
    const reason = `the bulk files cannot be written: ${codeOf(error)}`
    if (reason !== failure) log('warn', reason)
    failure = reason
    failedAt = performance.now()
  }

  /** Makes a file of the newest data; later calls share it until it begins. */
  const make = (name: BulkName): Promise<MadeFile | 'failed'> => {
    const waiting = making.get(name)
    if (waiting) return waiting
    const made = inTurn(async () => {
      making.delete(name)
      const archive = current()
      const file = files.get(name)
      if (!archive || !file || stopping) return 'failed'
      try {
        const ready = (await file.current(archive)) ?? (await file.update(archive))
        failure = undefined
        return ready
      } catch (error) {
        fail(error)
        return 'failed'
      }
    })
    making.set(name, made)
    return made
  }

  /** Removes what a killed process left. */
  const removeLeftovers = async (): Promise<void> => {
    for (const name of await readdir(folder)) {
      const isOwn = /^[a-z]+\.[\w-]{36}\.(ndjson|csv)\.gz(\.tmp)?$/.test(name)
      const path = join(folder, name)
      if (!isOwn || Date.now() - (await stat(path)).mtimeMs < leftoverMs) continue
      const isUsed = await isNamed(name)
      if (!isUsed) await rm(path, { force: true })
    }
  }
  const isNamed = async (file: string): Promise<boolean> => {
    const [base, , ...endings] = file.split('.')
    const manifest = Bun.file(join(folder, `${[base, ...endings].join('.')}.json`))
    return (await manifest.text().catch(() => '')).includes(file)
  }
  void removeLeftovers().catch(() => undefined)

  const hide = async (): Promise<void> => {
    for (const [name, file] of files) {
      if (!(await file.isKept())) continue
      if ((await make(name)) === 'failed') await inTurn(file.remove).catch(fail)
    }
  }

  const removeUnknown = async ({ dataset }: Archive): Promise<void> => {
    for (const [name, { keys }] of files) {
      // Their parts are not named after tournaments.
      if (name.startsWith('bots.')) continue
      if ((await keys()).every((id) => dataset.tournamentsByID.has(id))) continue
      for (const { remove } of files.values()) await inTurn(remove)
      return
    }
  }

  return {
    begun: (archive) => void removeUnknown(archive).catch(fail),
    file: async (name) => {
      const archive = current()
      const ready = archive && !making.has(name) && (await files.get(name)?.current(archive))
      if (ready) return ready
      if (performance.now() - failedAt < retryAfterMs) return 'failed'
      const timeout = new AbortController()
      const late = delay(waitMs, 'busy' as const, { signal: timeout.signal }).catch(
        () => 'busy' as const,
      )
      try {
        return await Promise.race([make(name), late])
      } finally {
        timeout.abort()
      }
    },
    swapped: (before, after) => {
      if (newlyHiddenKeys(before, after).length > 0) void hide()
    },
    problems: () => (failure === undefined ? [] : [failure]),
    stop: async () => {
      stopping = true
      await inTurn(() => undefined)
      await Promise.all([...files.values()].map(({ close }) => close()))
    },
  }
}
