import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import pLimit from 'p-limit'
import { disk } from '../../runtime/disk.ts'
import {
  codeOf,
  readWhole,
  replaceFile,
  syncFolder,
  temporaryPath,
  whyOf,
} from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import type { Archive } from '../archive/archive.ts'
import { type Hidden, hiddenKey, newlyHiddenKeys } from '../archive/hidden.ts'
import { emptyLeague, type LoadedLeague, type NewestTimeline } from '../archive/loadedLeague.ts'
import { leagueOfSnapshot, type SnapshotLeague, saveLeague } from '../archive/savedLeague.ts'
import { readSnapshot } from '../source/snapshot.ts'
import { openHiddenJournal } from './hiddenJournal.ts'

/** A temporary file that nobody wrote to for this long is a leftover. */
const maxWriteMs = 60_000

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const exists = (path: string): Promise<boolean> =>
  disk.stat(path).then(
    () => true,
    () => false,
  )

const maxTimelineBytes = 4096
const Timeline = Type.Object({ databaseIdentity: Type.String(), timeline: Type.Integer() })

/** A saved league. */
export interface Saved extends SnapshotLeague {
  /** Unix seconds at which the league was current. */
  readonly capturedAt: number
}

export type LastGood = ReturnType<typeof openLastGood>

/**
 * Storage of the last good league and the one saved before it: two files in `folder`, `last-good.cageside` and
 * `last-good.previous.cageside`, each replaced atomically. Hidden entries are first recorded in `last-good.hidden`; if
 * that fails, both files are removed, as they could serve hidden entries, at the next change or save if they cannot be
 * removed at once. `last-good.timeline` is the newest timeline of the database. Several processes may use the folder
 * during a restart.
 */
export const openLastGood = (folder: string, log: Log, empty = emptyLeague) => {
  const current = join(folder, 'last-good.cageside')
  const previous = join(folder, 'last-good.previous.cageside')
  const timelinePath = join(folder, 'last-good.timeline')
  let recordedTimeline: NewestTimeline | undefined
  let recordFailed = false
  let saveFailed = false
  let currentIsDamaged = false
  /** True while the files contain unrecorded hidden entries and could not be removed. */
  let isRevealing = false
  /** Journal marks of archives: their league holds no entry up to there. */
  const marks = new WeakMap<Archive, number>()
  /** Journal mark of the last entries that could not be recorded; a league that still has them must not be saved. */
  let unrecordedMark = 0
  /** Runs writes and removals of files one after the other. */
  const inTurn = pLimit(1)
  /** Removes temporary files of killed processes. */
  const removeLeftovers = async (): Promise<void> => {
    for (const name of await disk.readdir(folder)) {
      if (!/^last-good\..*\.tmp$/.test(name)) continue
      const { mtimeMs } = await disk.stat(join(folder, name))
      if (Date.now() - mtimeMs > maxWriteMs) await disk.remove(join(folder, name))
    }
  }

  const openJournal = async () => {
    await disk.makeFolder(folder).catch(() => undefined)
    await removeLeftovers().catch(() => undefined)
    const opened = await openHiddenJournal(join(folder, 'last-good.hidden'), (reason) => {
      log('warn', 'hidden entries cannot be recorded', { reason })
    })
    return { ...opened, firstMark: opened.mark() }
  }
  const journal = openJournal()

  const keepPrevious = async (): Promise<void> => {
    const temporary = temporaryPath(previous)
    try {
      await disk.link(current, temporary)
    } catch (error) {
      if (!(await disk.stat(current)).isFile()) throw error
      // exFAT and some network file systems lack hard links. A start between the two renames reads the previous file.
      return disk.rename(current, previous)
    }
    try {
      await disk.rename(temporary, previous)
    } catch (error) {
      await disk.remove(temporary)
      throw error
    }
  }

  /** Throws system errors; the caller must retry. */
  const removeRevealing = (): Promise<void> =>
    inTurn(async () => {
      if (!isRevealing) return
      for (const path of [current, previous]) await disk.remove(path)
      await syncFolder(folder)
      isRevealing = false
    })

  /** Keys that the files must not show any more; undefined if they are unknown. */
  const hiddenSince = async (hiddenNow: Promise<Hidden>): Promise<Hidden | undefined> => {
    const [{ has, isDamaged }, now] = await Promise.all([journal, hiddenNow])
    if (isDamaged()) {
      log(
        'error',
        'the last good archive is not used: the list of what it must not show is damaged',
      )
      return undefined
    }
    const either = (kind: keyof Hidden): Hidden[typeof kind] => ({
      has: (name) => has(hiddenKey[kind](name)) || now[kind].has(name),
    })
    return {
      tournaments: either('tournaments'),
      clips: either('clips'),
      stills: either('stills'),
    }
  }

  const readFile = async (
    path: string,
    awaited: Promise<Hidden | undefined>,
  ): Promise<Saved | undefined> => {
    if (!(await exists(path))) return undefined
    try {
      const [snapshot, hidden] = await Promise.all([readSnapshot(path), awaited])
      return (
        hidden && {
          ...(await leagueOfSnapshot(snapshot, hidden, empty)),
          capturedAt: snapshot.capturedAt,
        }
      )
    } catch (error) {
      log('error', 'a last good archive is invalid', { reason: reasonOf(error) })
      return undefined
    }
  }

  return {
    /** Newest valid file, without entries hidden since; undefined if there is none. */
    read: async (hiddenNow: Promise<Hidden>): Promise<Saved | undefined> => {
      const hidden = hiddenSince(hiddenNow)
      const saved = await readFile(current, hidden)
      if (saved || !(await hidden)) return saved
      currentIsDamaged = true
      return readFile(previous, hidden)
    },
    /** The last recorded timeline of the database. */
    readTimeline: async (): Promise<NewestTimeline | undefined> => {
      try {
        const bytes = await readWhole(timelinePath, { maxBytes: maxTimelineBytes })
        const found: unknown = JSON.parse(bytes.toString())
        if (!Value.Check(Timeline, found)) throw new Error('its content is invalid')
        recordedTimeline = found
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') {
          log('error', 'the last known timeline cannot be read', { reason: reasonOf(error) })
        }
      }
      return recordedTimeline
    },
    /** Records a newer timeline before its rows are served, so that no restart returns to an old primary. */
    recordTimeline: async (timeline: NewestTimeline | undefined): Promise<void> => {
      if (!timeline || Bun.deepEquals(timeline, recordedTimeline)) return
      try {
        await disk.makeFolder(folder)
        const temporary = temporaryPath(timelinePath)
        await replaceFile(timelinePath, { temporary, mode: 0o600 }, (file) =>
          file.write(Buffer.from(JSON.stringify(timeline)), 0),
        )
        recordedTimeline = timeline
        recordFailed = false
      } catch (error) {
        const reason = whyOf(error)
        if (!recordFailed)
          log('warn', 'the timeline of the database cannot be recorded', { reason })
        recordFailed = true
      }
    },
    /**
     * Records newly hidden entries, before the archive without them is served. Resolves to true if the
     * saved league should be replaced soon.
     */
    recordHidden: async (before: Archive, after: Archive): Promise<boolean> => {
      const { add, mark } = await journal
      const keys = newlyHiddenKeys(before, after)
      const adding = keys.length === 0 || add(keys)
      // The mark is made before the wait, because the next entries may be added meanwhile.
      const ownMark = mark()
      marks.set(after, ownMark)
      if (!(await adding)) {
        unrecordedMark = Math.max(unrecordedMark, ownMark)
        isRevealing = true
      }
      const isUrgent = isRevealing || keys.length > 0
      await removeRevealing().catch((error: unknown) => {
        log('error', 'a last good archive cannot be removed', { reason: reasonOf(error) })
      })
      return isUrgent
    },
    /** Resolves to false on an I/O error. */
    save: async (league: LoadedLeague, capturedAt: number): Promise<boolean> => {
      const next = temporaryPath(current)
      try {
        await disk.makeFolder(folder)
        await removeRevealing()
        const { isEmpty, removeUntil, firstMark } = await journal
        const isClearing = !isEmpty()
        const ownMark = (league.archive && marks.get(league.archive)) ?? firstMark
        await saveLeague(next, league, capturedAt)
        await inTurn(async () => {
          if (ownMark < unrecordedMark) throw new Error('it contains entries hidden meanwhile')
          // Not removed earlier: two generations must remain if the disk is full.
          if (!isClearing && !currentIsDamaged && (await exists(current))) {
            await keepPrevious()
          }
          await disk.rename(next, current)
          currentIsDamaged = false
          if (isClearing) await disk.remove(previous)
          await syncFolder(folder)
        })
        if (isClearing) await removeUntil(ownMark)
        await removeLeftovers().catch(() => undefined)
        saveFailed = false
        return true
      } catch (error) {
        await disk.remove(next).catch(() => undefined)
        if (!saveFailed) log('warn', 'last good archive not saved', { reason: reasonOf(error) })
        saveFailed = true
        return false
      }
    },
  }
}
