import { setTimeout as delay } from 'node:timers/promises'
import type { Archive } from '../../data/archive/archive.ts'
import type { ChangeSink, SavedArchive } from '../../data/archive/changeSink.ts'
import { findBot } from '../../derived/careers/bots.ts'
import { namesIn } from '../../derived/careers/namesIn.ts'
import { whyOf } from '../../runtime/files.ts'
import type { Log } from '../../runtime/log.ts'
import { inSlices } from '../../runtime/timeSlice.ts'
import { diffArchives, diffSteps } from './diff.ts'
import type { Site } from './entry.ts'
import { expectedChanges, type SentStarts, withExpected, withoutUnpublished } from './expected.ts'
import { createHistory } from './history.ts'
import type { LoggedLine } from './line.ts'
import type { ChangeLog, Loaded } from './log.ts'
import { diffSince } from './missed.ts'
import { type ChangesTo, createPublisher } from './publisher.ts'
import type { Change } from './schema.ts'
import { createServedVersions } from './servedVersions.ts'

const defaultMaxEntries = 20_000
const sendExpectedEveryMs = 30_000
const tidyEveryMs = 60_000
const waitForLockMs = 15_000
const lockRetryMs = 100

/** Phase of the start, from no data to following the source. Only the methods of {@link ChangeSink} write it. */
type Phase =
  | { readonly kind: 'new' }
  /** The archive that the previous process saved is served; `missed` has the changes that it published later. */
  | { readonly kind: 'found'; readonly missed: Promise<ChangesTo | undefined> }
  /** The data has been read; missed changes are not published yet. */
  | { readonly kind: 'catchingUp'; readonly newest: Archive }
  | { readonly kind: 'following' }

/**
 * The changes of the data, numbered: the last 20,000 in memory, older ones in the log. A change is on disk before
 * anybody reads it, so that no process can give its number to another change; if the disk fails, an epoch begins that
 * ends with this process. Without a log every process has its own epoch. When something is removed, the history before
 * it is removed too, because it may mention what was removed.
 */
export const createFeed = ({
  changeLog,
  site,
  now,
  log,
  maxEntries = defaultMaxEntries,
}: {
  changeLog: ChangeLog | undefined
  site: Site
  /** Current time in Unix seconds. */
  now: () => number
  log: Log
  /** Maximum number of changes in memory. */
  maxEntries?: number
}) => {
  const history = createHistory({ changeLog, site, maxEntries })
  const publisher = createPublisher({ changeLog, history, now, log })
  let phase: Phase = { kind: 'new' }
  let served: Archive | undefined
  const servedVersions = createServedVersions(now)
  const setServed = (archive: Archive): void => {
    served = archive
    servedVersions.add(archive.version)
  }
  let isReady = false
  let isStopping = false
  const ready = Promise.withResolvers<void>()
  const setReady = (): void => {
    isReady = true
    ready.resolve()
  }

  /** Number of the newest change of each version of the data, from the log as loaded. */
  const versions = new Map<string, number>()
  /** State to continue from; undefined if there is none. */
  const load = async (): Promise<Loaded | undefined> => {
    if (!changeLog) return undefined
    /** Bounds of the last epoch: the number before its first line, and its last line. */
    let after: number | undefined
    let newest: Pick<LoggedLine, 'last' | 'version'> | undefined
    const onStart = (): void => {
      versions.clear()
      after = undefined
      newest = undefined
    }
    const onLine = (line: LoggedLine): void => {
      after ??= line.after
      newest = { last: line.last, version: line.version }
      versions.set(line.version, line.last)
    }
    const deadline = performance.now() + waitForLockMs
    try {
      for (;;) {
        const loaded = await changeLog.load(onLine, onStart)
        if (loaded) {
          if (after !== undefined && newest) await history.load(after, newest)
          return loaded
        }
        if (performance.now() > deadline || isStopping) break
        await delay(lockRetryMs)
      }
      publisher.fail('another process writes the log of changes in DATA_DIR')
    } catch (error) {
      publisher.fail(`the log of changes cannot be read: ${whyOf(error)}`)
    }
    return undefined
  }
  const loading = publisher.inTurn(load)

  const continueFrom = async (
    saved: SavedArchive,
    setAhead: (isAhead: boolean) => void,
  ): Promise<ChangesTo | undefined> => {
    const loaded = await loading
    const at = versions.get(saved.version)
    versions.clear()
    setAhead(loaded !== undefined && at !== undefined && loaded.last > at)
    // The log may mention withheld tournaments.
    if (!loaded?.epoch || !changeLog || at === undefined || saved.withheld.size > 0)
      return undefined
    const changes: Change[] = []
    for await (const line of changeLog.linesAfter(at)) {
      for (const [, change] of line.changesAfter(at)) changes.push(change)
    }
    publisher.resume({ epoch: loaded.epoch, seq: loaded.last })
    log('info', 'the feed of changes continues')
    return (archive) => diffSince({ archive: saved.archive, changes }, archive, now())
  }
  /** The changes since the last one that the previous process published. */
  const findMissed = async (
    saved: SavedArchive,
    setAhead: (isAhead: boolean) => void,
  ): Promise<ChangesTo> => {
    const missed = await continueFrom(saved, setAhead).catch(() => undefined)
    if (!missed) await publisher.restart(saved.archive.version)
    setReady()
    return missed ?? ((archive) => diffArchives(saved, archive, now()))
  }
  const catchUp = async (finding: Promise<ChangesTo | undefined>): Promise<void> => {
    const missed = await finding
    const newest = phase.kind === 'catchingUp' ? phase.newest : undefined
    phase = { kind: 'following' }
    if (newest && missed) await publisher.catchUp(newest, missed)
  }

  const tidy = async (): Promise<void> => {
    await changeLog?.tidy().catch((error: unknown) => {
      log('warn', 'the log of changes cannot be tidied', { reason: whyOf(error) })
    })
  }
  const tidying = changeLog && setInterval(() => void publisher.inTurn(tidy), tidyEveryMs).unref()

  /** The league's clock, once it is known. */
  let leagueNow: (() => number) | undefined
  /** Expected starts as last published; the first set is not published. */
  let sentStarts: SentStarts | undefined
  /** Expected starts that moved; marks them as published. */
  const expectedNow = (archive: Archive) => {
    const before = sentStarts
    if (!leagueNow) return { changes: [], sent: { before: new Map(), after: new Map() } }
    const { changes, sent: after } = expectedChanges(archive, before ?? new Map(), leagueNow())
    sentStarts = after
    return { changes: before ? changes : [], sent: { before: before ?? after, after } }
  }
  /** A separate function, so that steps waiting for a slow disk hold no archive. */
  const countAsSent = async (
    published: Promise<boolean>,
    sent: Parameters<typeof withoutUnpublished>[1],
  ): Promise<void> => {
    if (!(await published)) sentStarts &&= withoutUnpublished(sentStarts, sent)
  }
  let isSendDue = false
  /** Publishes moved expected starts, computed from the archive that is served when the step runs. */
  const sendExpected = (): void => {
    if (isSendDue) return
    isSendDue = true
    void publisher.inTurn(async () => {
      isSendDue = false
      if (!served || phase.kind !== 'following') return
      // Runs after the changes that lead to the served archive.
      if (publisher.isBehind()) return sendExpected()
      const { changes, sent } = expectedNow(served)
      if (changes.length > 0) await countAsSent(publisher.send(served.version, changes), sent)
    })
  }
  /** Expected starts also move as time passes. */
  const sending = setInterval(sendExpected, sendExpectedEveryMs).unref()

  /** Prepared before the version is served. */
  let compared: { before: Archive; after: Archive; changes: readonly Change[] } | undefined

  const sink: ChangeSink = {
    compare: async (before, after) => {
      if (phase.kind !== 'following') return
      const changes = await inSlices(diffSteps({ archive: before }, after, now()))
      compared = { before, after, changes }
    },
    found: (saved) => {
      setServed(saved.archive)
      const ahead = Promise.withResolvers<boolean>()
      phase = { kind: 'found', missed: publisher.inTurn(() => findMissed(saved, ahead.resolve)) }
      return ahead.promise
    },
    begin: (archive) => {
      setServed(archive)
      sentStarts = undefined
      const before = phase
      if (before.kind === 'found') {
        phase = { kind: 'catchingUp', newest: archive }
        void publisher.inTurn(() => catchUp(before.missed))
        return
      }
      if (before.kind === 'new') phase = { kind: 'following' }
      if (before.kind !== 'new') void publisher.beginEpoch(archive.version)
      else if (changeLog) void publisher.beginEpoch(archive.version).then(setReady)
      else {
        history.beginAnew(archive.version)
        setReady()
      }
    },
    swapped: (before, after) => {
      servedVersions.add(before.version)
      setServed(after)
      if (phase.kind === 'catchingUp') phase = { kind: 'catchingUp', newest: after }
      else {
        const known = compared?.before === before && compared.after === after && compared.changes
        const expected = expectedNow(after)
        const published = publisher.publish(after, (archive) => {
          if (archive !== after) return diffArchives({ archive: before }, archive, now())
          const changes = known || diffArchives({ archive: before }, archive, now())
          return withExpected(changes, expected.changes)
        })
        void countAsSent(published, expected.sent)
      }
      compared = undefined
    },
    beforeSave: async (version) => {
      // Versions before the newest one are not published.
      if (phase.kind === 'catchingUp') await publisher.idle()
      if (!changeLog || phase.kind !== 'following') return true
      if (served?.version !== version) return false
      await publisher.mark(version)
      return true
    },
  }

  return {
    ...sink,
    end: history.end,
    version: history.version,
    find: history.find,
    read: history.read,
    subscribe: publisher.subscribe,
    onRestart: publisher.onRestart,
    /** Gives the league's clock, by which expected starts are sent. */
    useClock: (now: () => number): void => {
      leagueNow = now
    },
    /** True if a data version is served now, or was in the last 10 minutes or among the last 1,000 versions. */
    hasServed: servedVersions.has,
    /** Settles when changes can be read. */
    ready: ready.promise,
    isReady: (): boolean => isReady,
    /** Clean names in a comma-separated list of bots. */
    namesIn: (list: string): readonly string[] => namesIn(list, served?.bots ?? []),
    /** True if there is a bot with a clean name, or while that is unknown. */
    isBot: (cleanName: string): boolean => !served || findBot(served.bots, cleanName) !== undefined,
    /** Present problems, one sentence each. */
    problems: (): readonly string[] => {
      const failure = publisher.failure()
      return failure === undefined ? [] : [failure]
    },
    /** Writes the queued changes; later ones are not written. */
    stop: async (): Promise<void> => {
      isStopping = true
      clearInterval(tidying)
      clearInterval(sending)
      await publisher.inTurn(() => changeLog?.close())
    },
  }
}
export type ChangeFeed = ReturnType<typeof createFeed>
