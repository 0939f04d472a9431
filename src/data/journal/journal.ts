import { join } from 'node:path'
import { disk } from '../../runtime/disk.ts'
import { dateOf, dayMs, dayOf, dayOfDate } from './day.ts'
import {
  appendDurably,
  type Lock,
  makeFolder,
  openRegular,
  readText,
  replaceDurably,
  takeLock,
} from './files.ts'
import { type FileLine, readLines } from './readLines.ts'
import { type RetentionClock, step, todayOf } from './retentionClock.ts'

const saveClockEveryMs = 60_000
/** Name of a temporary file left by a process that was killed while it replaced a file. */
const leftover = /^(clock|\d{4}-\d\d-\d\d\.[a-z]+)\.tmp$/

/** Limits of the kept files. */
export interface Retention {
  readonly days: number
  readonly bytes: number
  /** Called before files beyond the limits are removed. */
  readonly mayRemove: (day: number) => boolean
}

/**
 * Lines in `folder`, a file `DATE.EXTENSION` for each UTC day, appended and synced. One process at a
 * time owns the folder. I/O errors are thrown; after a failed append the next one overwrites what
 * it left. Files age by a {@link RetentionClock}, saved in the file `clock`.
 */
export const openJournal = ({
  folder,
  extension,
  now,
  monotonicNow,
}: {
  folder: string
  extension: string
  now: () => number
  /** Monotonic clock, in milliseconds. */
  monotonicNow: () => number
}) => {
  /** Bytes of complete lines; written by {@link survey}, `load`, `append`, `replace` and `remove`. */
  const lengths = new Map<number, number>()
  let lock: Lock | undefined
  let isClosed = false
  let clock: RetentionClock | undefined
  let savedAt = Number.NEGATIVE_INFINITY
  const pathOf = (day: number): string => join(folder, `${dateOf(day)}.${extension}`)
  const clockPath = join(folder, 'clock')
  const length = (day: number): number => lengths.get(day) ?? 0
  const days = (): readonly number[] => [...lengths.keys()].sort((one, other) => one - other)
  const bytes = (): number => lengths.values().reduce((sum, each) => sum + each, 0)

  const release = async (): Promise<void> => {
    const held = lock
    lock = undefined
    await held?.release()
  }

  /** Measures the files, and removes leftovers of replaced ones. */
  const survey = async (): Promise<void> => {
    lengths.clear()
    const wallMs = now()
    let lastUsed = Number.NEGATIVE_INFINITY
    for (const name of await disk.readdir(folder)) {
      if (leftover.test(name)) await disk.remove(join(folder, name))
      const day = dayOfDate(name.slice(0, 10))
      if (day === undefined) continue
      if (day <= dayOf(wallMs)) lastUsed = Math.max(lastUsed, day)
      if (name.slice(10) === `.${extension}`) lengths.set(day, (await disk.lstat(pathOf(day))).size)
    }
    if (clock) return
    const saved = await readText(clockPath)
    const usedMs = lastUsed < 0 ? wallMs : Math.min(wallMs, (lastUsed + 1) * dayMs)
    const reachedMs = /^\d{1,16}\n$/.test(saved) ? Number(saved) : usedMs
    clock = { reachedMs, wallMs, monotonicMs: monotonicNow() }
  }

  const remove = async (day: number): Promise<void> => {
    await disk.remove(pathOf(day))
    lengths.delete(day)
  }

  /** The complete lines of a day from the start of one, also if the file is removed meanwhile. */
  async function* lines(day: number, from: number): AsyncGenerator<readonly FileLine[]> {
    const to = length(day)
    const file = await openRegular(pathOf(day))
    try {
      yield* readLines(file, from, to)
    } finally {
      await file.close()
    }
  }

  return {
    pathOf,
    length,
    /** Days with a file, oldest first. */
    days,
    bytes,
    lines,
    /**
     * Acquires the folder; false while another process owns it, and after `close`. `onTaken` is called when it did
     * not belong to this process before, or was replaced.
     */
    acquire: async (onTaken: () => Promise<void>): Promise<boolean> => {
      if (lock && (await lock.isHeld())) return !isClosed
      await release()
      if (!isClosed) await makeFolder(folder)
      const taken = isClosed ? undefined : takeLock(join(folder, 'lock'))
      if (!taken) return false
      try {
        await survey()
        await onTaken()
        if (!isClosed) lock = taken
        return !isClosed
      } finally {
        if (!lock) await taken.release()
      }
    },
    /** Reads the lines of a day when the folder was taken; a torn last one is cut off. */
    load: async (day: number, from: number, onLine: (line: FileLine) => void): Promise<void> => {
      let end = from
      for await (const group of lines(day, from)) {
        for (const line of group) onLine(line)
        end = group.at(-1)?.end ?? end
      }
      if (end >= length(day)) return
      lengths.set(day, end)
      // The next append overwrites the rest if this fails.
      await disk.truncate(pathOf(day), end).catch(() => undefined)
    },
    /** Appends lines and returns their position, which is less than the known length if the file was shortened. */
    append: async (day: number, added: Uint8Array): Promise<number> => {
      const start = await appendDurably(pathOf(day), length(day), added)
      lengths.set(day, start + added.length)
      return start
    },
    /** Replaces the lines of a day. */
    replace: async (day: number, lines: Uint8Array): Promise<void> => {
      await replaceDurably(pathOf(day), lines)
      lengths.set(day, lines.length)
    },
    remove,
    /** True if a day is more than `keptDays` days old; false before the folder was taken. */
    isOlder: (day: number, keptDays: number): boolean =>
      clock !== undefined && day < todayOf(clock) - keptDays,
    /** Removes the oldest files beyond the limits. Returns the files that were too large together. */
    retain: async ({ days: keptDays, bytes: maxBytes, mayRemove }: Retention) => {
      if (!lock || !clock) return []
      if (monotonicNow() - savedAt >= saveClockEveryMs) {
        savedAt = monotonicNow()
        clock = step(clock, now(), savedAt)
        await replaceDurably(clockPath, `${Math.floor(clock.reachedMs)}\n`)
      }
      const removed: { readonly day: number; readonly bytes: number }[] = []
      const oldest = todayOf(clock) - keptDays
      for (const day of days()) {
        const [isOld, each] = [day < oldest, length(day)]
        if (!isOld && bytes() <= maxBytes) break
        if (mayRemove(day)) {
          await remove(day)
          if (!isOld) removed.push({ day, bytes: each })
        } else if (!isOld) break
      }
      return removed
    },
    /** Releases the folder for good: the next owner would lose what this process still wrote. */
    close: async (): Promise<void> => {
      isClosed = true
      await release()
    },
  }
}
export type Journal = ReturnType<typeof openJournal>
