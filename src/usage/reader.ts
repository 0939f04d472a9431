import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../files.ts'
import { type Calendar, createCalendar } from './calendar.ts'
import { dateOf, dayOf } from './event.ts'
import { UsageFolderError } from './folders.ts'
import { createIntern, dayOfFile, type ReadDay, readDay } from './readDay.ts'
import { buildReport, daysAhead, lastReportDay } from './report.ts'
import type { Usage } from './usage.ts'

/** Reports of the usage of several services together, read from their folders. */
export interface UsageReader extends Pick<Usage, 'prepare' | 'report' | 'routes'> {
  /** Reads what changed since the last call. Throws a {@link UsageFolderError} for copied files. */
  readonly prepare: (days: number) => Promise<void>
  /** What could not be counted of the days that were read, one line for each kind and folder. */
  readonly problems: () => readonly string[]
}

interface Problem {
  readonly folder: string
  readonly kind: string
  readonly day: number
  readonly count: number
}

/** Files of one day: a text for each folder that changes when one of them does. */
type DayState = Map<string, string>

/** A day that was read. */
interface KnownDay {
  readonly state: string
  readonly problems: readonly Problem[]
}

const problemsOf = (folder: string, day: number, read: ReadDay): readonly Problem[] => {
  const { badLines, isShort, aggregateFailure, logFailure } = read
  const kinds: readonly (readonly [string, number])[] = [
    ['invalid lines skipped', badLines],
    ['logs shorter than their aggregates, which are counted', isShort ? 1 : 0],
    ['damaged aggregates, only the logs are counted', aggregateFailure === 'damaged' ? 1 : 0],
    [
      `aggregates that cannot be read (${aggregateFailure})`,
      aggregateFailure === undefined || aggregateFailure === 'damaged' ? 0 : 1,
    ],
    [`logs that cannot be read (${logFailure})`, logFailure === undefined ? 0 : 1],
  ]
  return kinds.flatMap(([kind, count]) => (count === 0 ? [] : [{ folder, kind, day, count }]))
}

/** Max dates named in one line. */
const maxDates = 3

const lineOf = (problems: readonly Problem[]): string => {
  const [{ folder, kind } = { folder: '', kind: '' }] = problems
  const count = problems.reduce((sum, each) => sum + each.count, 0)
  const dates = problems.map(({ day }) => dateOf(day)).toSorted()
  const named = [...dates.slice(0, maxDates), ...(dates.length > maxDates ? ['…'] : [])]
  return `${folder}: ${kind}: ${count} (${named.join(', ')})`
}

/** Changes with the file. One that cannot be looked at is reported when it is read. */
const fileState = async (path: string): Promise<string> => {
  try {
    const { ino, size, mtimeMs } = await lstat(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch (error) {
    return codeOf(error)
  }
}

/** The days from `first` of all folders, oldest first, with the states of their files. */
const findDays = async (
  folders: readonly string[],
  first: number,
): Promise<readonly (readonly [day: number, DayState])[]> => {
  const found = new Map<number, DayState>()
  for (const folder of folders) {
    for (const name of (await readdir(folder)).toSorted()) {
      const day = dayOfFile(name)
      if (day === undefined || day < first) continue
      const states = found.get(day) ?? new Map()
      found.set(day, states)
      const before = states.get(folder) ?? ''
      states.set(folder, `${before} ${name} ${await fileState(join(folder, name))}`)
    }
  }
  return [...found].sort(([one], [other]) => one - other)
}

/** Reads a day of all folders. */
const readDays = async (
  folders: Iterable<string>,
  day: number,
  into: Calendar,
  intern: (text: string) => string,
): Promise<readonly Problem[]> => {
  const owners = new Map<string, string>()
  const problems: Problem[] = []
  for (const folder of folders) {
    const read = await readDay(folder, day, into, intern)
    for (const fingerprint of read.fingerprints) {
      const owner = owners.get(fingerprint) ?? folder
      owners.set(fingerprint, owner)
      if (owner === folder) continue
      throw new UsageFolderError(
        `${owner} and ${folder} have the same ${dateOf(day)}: one is a copy of the other`,
      )
    }
    problems.push(...problemsOf(folder, day, read))
  }
  return problems
}

/**
 * Creates a reader of usage folders, see `findUsageFolders`. Nothing in them is changed; services may
 * write them meanwhile. A torn last line is ignored.
 */
export const createUsageReader = (
  folders: readonly string[],
  now: () => number = Date.now,
): UsageReader => {
  let calendar = createCalendar()
  let known: ReadonlyMap<number, KnownDay> = new Map()
  let future: readonly Problem[] = []
  let maxDays = 0

  const read = async (days: number): Promise<void> => {
    maxDays = Math.max(maxDays, days)
    const today = dayOf(now())
    const found = await findDays(folders, today - maxDays + 1)
    const kind = 'days in the future, not counted'
    future = found
      .filter(([day]) => day > today + daysAhead)
      .flatMap(([day, states]) =>
        [...states.keys()].map((folder) => ({ folder, kind, day, count: 1 })),
      )
    const next = createCalendar()
    const nextKnown = new Map<number, KnownDay>()
    const intern = createIntern()
    for (const [day, states] of found) {
      if (day > today + daysAhead) break
      const state = JSON.stringify([...states])
      const before = known.get(day)
      const counts = before?.state === state && day < today ? calendar.read(day) : undefined
      if (before && counts) {
        next.addDay(day, counts)
        nextKnown.set(day, before)
        continue
      }
      const problems = await readDays(states.keys(), day, next, intern)
      // Bounds memory.
      if (day < today && next.isOpen(day)) next.close(day)
      nextKnown.set(day, { state, problems })
    }
    calendar = next
    known = nextKnown
  }

  /** Serialized: concurrent requests find everything read. */
  let reading: Promise<void> = Promise.resolve()
  return {
    prepare: async (days) => {
      reading = reading.catch(() => undefined).then(() => read(days))
      await reading
      const last = lastReportDay(calendar, now())
      await calendar.prepare(last - days + 1, last)
    },
    report: (days, route) =>
      buildReport(calendar, { lastDay: lastReportDay(calendar, now()), days, route }),
    routes: () => calendar.routes(),
    problems: () => {
      const all = [...[...known.values()].flatMap(({ problems }) => problems), ...future]
      return [...Map.groupBy(all, ({ folder, kind }) => `${folder}\n${kind}`).values()].map(lineOf)
    },
  }
}
