import { expect, test } from 'bun:test'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { cursorOf, everything } from '../../../src/companions/changes/entry.ts'
import { createFeed } from '../../../src/companions/changes/feed.ts'
import { type ChangeLog, openChangeLog } from '../../../src/companions/changes/log.ts'
import type { ChangeEvent } from '../../../src/companions/changes/schema.ts'
import { createStreams } from '../../../src/companions/changes/streams.ts'
import type { Archive } from '../../../src/data/archive/archive.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { disorder, stateAfter } from '../../changeReader.ts'
import { comparable, type State, stateOf } from '../../changes.ts'
import { archiveOf } from '../../fixtures.ts'
import { temporaryFolder } from '../../process.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'
import { runs } from '../../runs.ts'

const ids = ['a', 'b', 'c'] as const
type Id = (typeof ids)[number]
/** Revisions of a tournament and of its second fight; undefined while it is hidden or deleted. */
interface Stored {
  readonly revision: number | undefined
  readonly second: number | undefined
}
const players = playersNamed('Axe', 'Bolt')
const log = createLog('silent')

const archiveWith = (rows: Iterable<readonly [Id, Stored]>): Archive =>
  archiveOf(
    ...[...rows].flatMap(([id, { revision, second }]) => {
      if (revision === undefined) return []
      const fights = [fightRows({ id: 'W-0', notice: `${id}.${revision}.` }, 'p0', 'p1')]
      if (second !== undefined)
        fights.push(fightRows({ id: 'W-1', notice: `${id}x.${second}.` }, 'p0', 'p1'))
      return tournamentOf({ id, name: `${id}.${revision}.` }, players, fights)
    }),
  )

/** A reader, over restarts. */
interface Follower {
  state: State
  cursor: string
  changes: ChangeEvent[]
  /** The next cursor of the reader may be refused. */
  mayBeReset: boolean
  isWaiting: boolean
}

/** A feed whose every use of the disk waits to be released, before and after it; its process; its readers. */
const openModel = async () => {
  let revision = 0
  const database = new Map<Id, Stored>(ids.map((id) => [id, { revision: 0, second: 0 }]))
  let served = archiveWith(database)
  /** Rows that the source has read. */
  let read = new Map(database)
  let readAt = 0
  /** The revision up to which a named row must not be read any more. */
  const gone = new Map<string, number>()
  const followers: Follower[] = []
  const problems: string[] = []
  const allowResets = (): void => {
    for (const each of followers) each.mayBeReset = true
  }
  /** Notes the rows that the served version no longer has. */
  const forget = (): void => {
    for (const [id, row] of read) {
      if (row.revision === undefined) gone.set(id, readAt)
      if (row.revision === undefined || row.second === undefined) gone.set(`${id}x`, readAt)
    }
  }
  const expectNothingGone = (text: string): void => {
    const found = [...text.matchAll(/\b([abc]x?)\.(\d+)\./g)].filter(
      ([, name = '', own]) => Number(own) <= (gone.get(name) ?? -1),
    )
    if (found.length > 0) problems.push(`${found[0]} is gone`)
  }

  let folder = await temporaryFolder()
  /** The current process; steps of earlier ones are never released. */
  let life = 0
  let pending: (() => void)[] = []
  let busy = 0
  let isFailing = false
  /** Memory only has the last changes, until the next start. */
  let hasFailed = false
  let phase: 'found' | 'catchingUp' | 'following' = 'found'
  interface Saved {
    readonly rows: ReadonlyMap<Id, Stored>
    readonly version: string
    /** Tournaments hidden since the last start. */
    readonly hidden: Set<Id>
    /** Something appeared or disappeared since, which the log by itself cannot bridge. */
    isOld: boolean
  }
  const saves: Saved[] = []
  let saved: Saved | undefined
  const ageSaves = (): void => {
    for (const each of saves) each.isOld = true
  }
  /** True if the source has not yet read a removal. */
  let isRemoved = false

  const point = (own: number) =>
    new Promise<void>((release) => {
      if (own === life) pending.push(release)
    })
  const gated = async <Result>(own: number, use: () => Promise<Result>): Promise<Result> => {
    await point(own)
    busy += 1
    const result = await use().finally(() => {
      busy -= 1
    })
    await point(own)
    return result
  }
  const start = () => {
    life += 1
    const own = life
    pending = []
    const real = openChangeLog({
      folder,
      maxBytes: 1e9,
      now: Date.now,
      monotonicNow: () => performance.now(),
    })
    const written =
      (write: ChangeLog['append']): ChangeLog['append'] =>
      (line) =>
        gated(own, async () => {
          if (isFailing) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
          await write(line)
        })
    const feed = createFeed({
      changeLog: {
        ...real,
        load: (...listeners) => gated(own, () => real.load(...listeners)),
        linesAfter: async function* (seq) {
          yield* await gated(own, () => Array.fromAsync(real.linesAfter(seq)))
        },
        append: written(real.append),
        cut: written(real.cut),
        clear: () => gated(own, real.clear),
      },
      site: { linkPath: '', hasPages: true },
      now: () => 1_770_000_000,
      log,
      maxEntries: 2,
    })
    phase = 'found'
    hasFailed = isFailing
    // A fight that returned may be in the log since before.
    for (const id of ids) gone.delete(`${id}x`)
    if (!saved || saved.isOld) allowResets()
    if (saved) {
      const { version, rows, hidden } = saved
      for (const [id, { revision }] of database) if (revision === undefined) hidden.add(id)
      const withheld = new Set([...rows.keys()].filter((id) => hidden.has(id)))
      const left = [...rows].filter(([id]) => !withheld.has(id))
      served = archiveWith(left)
      feed.found({ archive: served, version, withheld })
    }
    const options = {
      maxStreams: 9,
      maxStreamsPerClient: 9,
      heartbeatMs: own % 2 === 0 ? 1 : 60_000,
    }
    return { own, feed, streams: createStreams(feed, options) }
  }
  let running = start()

  /** Wait until only the released steps go on. */
  const settle = async (): Promise<void> => {
    do for (let turn = 0; turn < 4; turn += 1) await setImmediate()
    while (busy > 0)
  }
  const take = (follower: Follower, changes: readonly ChangeEvent[], cursor: string): void => {
    follower.state = stateAfter(follower.state, changes, served)
    follower.changes.push(...changes)
    follower.cursor = cursor
    problems.push(...disorder(follower.changes))
  }
  const reset = (follower: Follower, cursor: string): void => {
    if (!follower.mayBeReset) problems.push(`${follower.cursor} was refused`)
    follower.changes = []
    follower.state = stateOf(served)
    follower.cursor = cursor
  }
  const poll = (follower: Follower, waitMs: number): void => {
    if (follower.isWaiting) return
    follower.isWaiting = true
    const { own, streams } = running
    streams.poll({
      since: follower.cursor,
      filter: everything,
      limit: 2,
      waitMs,
      client: undefined,
      signal: new AbortController().signal,
      waiter: {
        charge: () => undefined,
        respond: ({ status, bytes }) => {
          if (own !== life) return
          follower.isWaiting = false
          const text = new TextDecoder().decode(bytes)
          const { cursor, changes } = JSON.parse(text)
          if (status === 410) return reset(follower, cursor)
          expectNothingGone(text)
          take(follower, changes, cursor)
        },
      },
    })
  }
  const stream = async (follower: Follower): Promise<void> => {
    follower.isWaiting = true
    const connection = {
      ended: () => undefined,
      cut: () => undefined,
      failed: () => undefined,
      charge: () => undefined,
    }
    const { own, streams } = running
    const options = { since: follower.cursor, filter: everything, client: undefined, connection }
    for await (const chunk of streams.open(options)) {
      if (own !== life) return
      for (const frame of new TextDecoder().decode(chunk).split('\n\n')) {
        const [, cursor = ''] = /^id: (.*)$/m.exec(frame) ?? []
        const [, data] = /^data: (.*)$/m.exec(frame) ?? []
        if (/^event: reset$/m.test(frame)) reset(follower, cursor)
        else if (data !== undefined && !/^event: readers$/m.test(frame))
          take(follower, [JSON.parse(data)], cursor)
      }
      // This reader is slow.
      await point(own)
    }
    if (own === life) follower.isWaiting = false
  }

  const observe = (): void => {
    expect(problems).toEqual([])
    if (pending.length > 0 || phase === 'found') return
    if (phase === 'catchingUp') forget()
    phase = 'following'
    for (const each of followers)
      each.mayBeReset = hasFailed || running.feed.find(each.cursor) === undefined
    for (const name of readdirSync(folder))
      if (name.endsWith('.ndjson')) expectNothingGone(readFileSync(join(folder, name), 'utf8'))
    expect(problems).toEqual([])
  }
  const release = async (pick: number): Promise<void> => {
    pending.splice(pick % pending.length, 1)[0]?.()
    await settle()
    observe()
  }
  const releaseAll = async (): Promise<void> => {
    await settle()
    while (pending.length > 0) await release(0)
  }
  /** The source is read again. */
  const swap = (): void => {
    const before = served
    for (const { hidden } of saves)
      for (const [id, { revision }] of database) if (revision === undefined) hidden.add(id)
    if (isRemoved) allowResets()
    isRemoved = false
    read = new Map(database)
    readAt = revision
    served = archiveWith(database)
    if (phase !== 'found') running.feed.swapped(before, served)
    else {
      phase = saved ? 'catchingUp' : 'following'
      running.feed.begin(served)
    }
    if (phase === 'following') forget()
  }
  const change = (id: Id, over: Partial<Stored>, isRemoval: boolean, isAddition: boolean): void => {
    revision += 1
    database.set(id, { revision: undefined, second: undefined, ...database.get(id), ...over })
    if (isRemoval || isAddition) ageSaves()
    if (isRemoval) isRemoved = true
  }
  swap()
  await releaseAll()
  for (let each = 0; each < 3; each += 1)
    followers.push({
      state: stateOf(served),
      cursor: cursorOf(running.feed.end()),
      changes: [],
      mayBeReset: false,
      isWaiting: false,
    })
  const [first, second, third] = followers
  if (!first || !second || !third) throw new Error('no followers')

  return {
    release,
    swap,
    settle: async () => {
      await settle()
      observe()
    },
    change: (id: Id) => {
      const row = database.get(id)
      if (row?.revision !== undefined) change(id, { revision: revision + 1 }, false, false)
    },
    hide: (id: Id) => change(id, { revision: undefined, second: undefined }, true, false),
    show: (id: Id) => {
      if (database.get(id)?.revision === undefined)
        change(id, { revision: revision + 1 }, false, true)
    },
    toggle: (id: Id) => {
      const row = database.get(id)
      if (row?.revision === undefined) return
      const isThere = row.second !== undefined
      change(id, { second: isThere ? undefined : revision + 1 }, isThere, !isThere)
    },
    fail: (fails: boolean) => {
      isFailing = fails
      if (!fails) return
      hasFailed = true
      ageSaves()
      allowResets()
    },
    read: (pick: number) => {
      poll(first, 0)
      if (pick > 1) poll(second, 25_000)
      if (pick > 3 && !third.isWaiting) void stream(third)
    },
    save: async function save(): Promise<void> {
      if (phase === 'found') return
      const rows = new Map([...database].filter(([, row]) => row.revision !== undefined))
      const { version } = archiveWith(rows)
      // Saved and served data are equal.
      if (version !== served.version) return
      const { own } = running
      const next = { rows, version, hidden: new Set<Id>(), isOld: hasFailed }
      saves.push(next)
      const isPublished = await running.feed.beforeSave(version)
      if (own !== life) return
      if (isPublished) saved = next
      else await save()
    },
    restart: async (isKill: boolean): Promise<void> => {
      const before = running
      if (isKill) {
        const copy = await temporaryFolder()
        for (const name of readdirSync(folder))
          if (name.endsWith('.ndjson')) cpSync(join(folder, name), join(copy, name))
        folder = copy
      } else {
        before.streams.stop()
        let isStopped = false
        const stopping = before.feed.stop().then(() => {
          isStopped = true
        })
        while (!isStopped) await releaseAll()
        await stopping
      }
      running = start()
      for (const each of followers) each.isWaiting = false
      await settle()
      observe()
    },
    /** Every reader has the served state. */
    rest: async (): Promise<void> => {
      isFailing = false
      swap()
      await releaseAll()
      for (let round = 0; round < 200; round += 1) {
        poll(first, 0)
        poll(second, 0)
        if (!third.isWaiting) void stream(third)
        await releaseAll()
        if (followers.every(({ cursor }) => cursor === cursorOf(running.feed.end()))) break
      }
      const end = stateOf(served)
      for (const { state } of followers)
        expect(comparable(state, end)).toEqual(comparable(end, state))
      observe()
      running.streams.stop()
      await running.feed.stop()
    },
  }
}

const step = <Kind extends string>(kind: Kind, weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), id: fc.constantFrom(...ids), pick: fc.nat(5) }),
})
const steps = fc.array(
  fc.oneof(
    step('release', 30),
    step('swap', 14),
    step('read', 12),
    step('change', 8),
    step('hide', 2),
    step('show', 3),
    step('toggle', 2),
    step('save', 6),
    step('fail', 1),
    step('recover', 2),
    step('restart', 2),
    step('kill', 3),
  ),
  { minLength: 20, maxLength: 80 },
)
const swapWhileCatchingUp = (
  ['save', 'release', 'release', 'kill', 'swap', 'change', 'swap'] as const
).map((kind) => ({ kind, id: 'a' as const, pick: 0 }))

test('readers have the served data and nothing removed after changes, removals, saves, reads and starts in any order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const model = await openModel()
      for (const { kind, id, pick } of steps) {
        if (kind === 'release') await model.release(pick)
        else if (kind === 'save') void model.save()
        else if (kind === 'read') model.read(pick)
        else if (kind === 'restart' || kind === 'kill') await model.restart(kind === 'kill')
        else if (kind === 'fail' || kind === 'recover') model.fail(kind === 'fail')
        else model[kind](id)
        await model.settle()
      }
      await model.rest()
    }),
    {
      numRuns: runs(20),
      endOnFailure: true,
      examples: [[swapWhileCatchingUp]],
    },
  )
}, 120_000)
