import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { Calendar } from './calendar.ts'
import { type DayFiles, readText } from './dayFiles.ts'
import { dateOf, dayMs, dayOf } from './event.ts'
import { replaceDurably } from './files.ts'
import { createRetentionClock, type RetentionClock } from './retentionClock.ts'

const tidyEveryMs = 60_000
const logDays = 35
const aggregateDays = 400

/** Removal of old files, and of logs beyond the size limit. */
export interface Retention {
  /** Reads the saved retention clock; nothing is removed before. */
  readonly load: () => Promise<void>
  readonly isDue: () => boolean
  /** Removes old files, at most once a minute. */
  readonly tidy: () => Promise<void>
  /**
   * Removes the oldest logs beyond the limit; a log not fully aggregated waits for the next round.
   */
  readonly shrink: () => Promise<void>
  readonly removedBytes: () => number
}

export const createRetention = ({
  folder,
  calendar,
  dayFiles,
  maxBytes,
  now,
  monotonicNow,
  log,
}: {
  folder: string
  calendar: Pick<Calendar, 'days'>
  dayFiles: DayFiles
  /** Max total size of all logs. */
  maxBytes: number
  now: () => number
  monotonicNow: () => number
  log: Log
}): Retention => {
  const { files } = dayFiles
  const clockPath = join(folder, 'clock')
  let clock: RetentionClock | undefined
  let tidiedAt = Number.NEGATIVE_INFINITY
  let removedBytes = 0
  const isDue = (): boolean => monotonicNow() - tidiedAt >= tidyEveryMs

  const load = async (): Promise<void> => {
    const [wallMs, days] = [now(), calendar.days()]
    const newest = Math.max(...days.filter((day) => day <= dayOf(wallMs)), Number.NEGATIVE_INFINITY)
    const lastUsedMs = days.length === 0 ? wallMs : Math.min(wallMs, (newest + 1) * dayMs)
    const saved = await readText(clockPath)
    const savedMs = /^\d{1,16}\n$/.test(saved) ? Number(saved) : lastUsedMs
    clock = createRetentionClock(savedMs, wallMs, monotonicNow())
  }

  const tidy = async (): Promise<void> => {
    if (!clock || !isDue()) return
    tidiedAt = monotonicNow()
    const reachedMs = clock.advance(now(), tidiedAt)
    await replaceDurably(clockPath, `${Math.floor(reachedMs)}\n`)
    const today = dayOf(clock.now())
    for (const [day, file] of files) {
      const age = today - day
      if (age > logDays && file.isClosed && file.aggregatedBytes >= file.length)
        await dayFiles.removeLog(day)
      if (age > aggregateDays) await dayFiles.removeDay(day)
    }
  }

  const shrink = async (): Promise<void> => {
    let excess = dayFiles.keptBytes() - maxBytes
    if (excess <= 0) return
    for (const [day, file] of [...files].sort(([one], [other]) => one - other)) {
      if (excess <= 0) return
      if (file.length === 0) continue
      if (file.aggregatedBytes < file.length) {
        dayFiles.staleAggregates.add(day)
        return
      }
      const { length } = file
      log('warn', 'a usage log was removed to stay within USAGE_LOG_BYTES', { date: dateOf(day) })
      await dayFiles.removeLog(day)
      excess -= length
      removedBytes += length
    }
  }

  return { load, isDue, tidy, shrink, removedBytes: () => removedBytes }
}
