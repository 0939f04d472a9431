import { setTimeout as delay } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Archive } from '../../data/archive/archive.ts'
import { newlyHiddenKeys } from '../../data/archive/hidden.ts'
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import { createCompressor, type Member } from './members.ts'
import { type BulkName, bulkNames, bulkTables } from './tables.ts'

/** Maximum wait of a request for its file; the first file of a league of 120,000 fights takes longer. */
const defaultWaitMs = 10_000
/**
 * Time after which a file is streamed while it is built, without an ETag; a league of 12,000 fights takes a third.
 */
const defaultDraftAfterMs = defaultWaitMs
/** Time for which the files stay in memory after the last request. */
const defaultIdleMs = 600_000

/** A file in memory: gzip members in their order. */
export interface BulkFile {
  readonly name: BulkName
  readonly members: readonly Uint8Array[]
  readonly bytes: number
  readonly rows: number
  readonly sha256: string
  readonly version: string
  /** Unix seconds at which this process first had these bytes. */
  readonly updated: number
}

/** A file that is being made; its size and digest are not known yet. */
export interface Draft extends Pick<BulkFile, 'name' | 'version'> {
  /** The members in their order, as they are made; throws if something in them is hidden meanwhile. */
  readonly read: () => AsyncGenerator<Uint8Array>
}

/** Members that are read while they are made. */
const createDraft = (of: Pick<BulkFile, 'name' | 'version'>) => {
  const members: Uint8Array[] = []
  let state: 'made' | 'whole' | 'hidden' = 'made'
  let changed = Promise.withResolvers<void>()
  const change = (): void => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  const read: Draft['read'] = async function* () {
    for (let next = 0; ; next += 1) {
      while (state === 'made' && next === members.length) await changed.promise
      if (state === 'hidden') throw new Error('the file is made again: something was hidden')
      const member = members[next]
      if (!member) return
      yield member
    }
  }
  return {
    draft: { ...of, read },
    push: (member: Uint8Array): void => {
      members.push(member)
      change()
    },
    end: (isShown: boolean): void => {
      state = isShown ? 'whole' : 'hidden'
      change()
    },
  }
}

interface Making {
  /** The data that the file is made from; known once its turn comes. */
  data?: Archive['dataset']
  draft?: Draft
  readonly begun: PromiseWithResolvers<void>
  readonly file: Promise<BulkFile | undefined>
}

interface BulkOptions {
  readonly archive: () => Archive | undefined
  readonly waitMs?: number
  readonly idleMs?: number
  readonly draftAfterMs?: number
}

/** Both maps have weak keys: what belongs to replaced data is collected with it. */
const createStore = () => ({
  files: new WeakMap<Archive['dataset'], Map<BulkName, BulkFile>>(),
  members: new WeakMap<object, Map<BulkName, Member>>(),
})

/**
 * Makes the files of `/bulk` when they are requested: during an event the data changes each second, and nobody may ask
 * for them. A file is put together from one member per tournament of the archive, so it cannot hold a tournament that
 * is not served. One file is made at a time, by the main thread in slices of a millisecond and by the compressor's
 * threads.
 */
export const createBulk = ({
  archive: current,
  waitMs = defaultWaitMs,
  idleMs = defaultIdleMs,
  draftAfterMs = defaultDraftAfterMs,
}: BulkOptions) => {
  const inTurn = pLimit(1)
  const making = new Map<BulkName, Making>()
  const last = new Map<BulkName, Pick<BulkFile, 'sha256' | 'updated'>>()
  let store = createStore()
  let idle: Timer | undefined

  const build = async (
    name: BulkName,
    archive: Archive,
    onMember: (member: Uint8Array) => void,
  ): Promise<BulkFile> => {
    const table = bulkTables[name]
    const format = table.format(archive)
    const compressor = createCompressor(format)
    const slice = createTimeSlice()
    const hash = new Bun.CryptoHasher('sha256')
    const members: Uint8Array[] = []
    let [bytes, rows] = [0, 0]
    const append = async (member: Member): Promise<void> => {
      members.push(member.bytes)
      onMember(member.bytes)
      hash.update(member.bytes)
      bytes += member.bytes.length
      rows += member.rows
      if (slice.isOver()) await slice.next()
    }
    const parts = table.parts(archive)
    // A gzip file has at least one member.
    if (format.opening !== '' || parts.length === 0) await append(await compressor.opening())
    for (const part of parts) {
      const known = store.members.getOrInsertComputed(part.of, () => new Map())
      const member = known.get(name) ?? (await compressor.member(part))
      known.set(name, member)
      await append(member)
    }
    const sha256 = hash.digest('hex')
    const before = last.get(name)
    const updated = before?.sha256 === sha256 ? before.updated : Math.floor(Date.now() / 1000)
    last.set(name, { sha256, updated })
    return { name, members, bytes, rows, sha256, version: archive.dataVersion, updated }
  }

  /** Makes a file from a version of the data; undefined if something in it is hidden meanwhile. */
  const makeOf = async (
    name: BulkName,
    archive: Archive,
    onBegun?: (draft: Draft) => void,
  ): Promise<BulkFile | undefined> => {
    const known = store.files.getOrInsertComputed(archive.dataset, () => new Map())
    const ready = known.get(name)
    const { draft, push, end } = createDraft({ name, version: archive.dataVersion })
    if (!ready) onBegun?.(draft)
    const file = ready ?? (await build(name, archive, push))
    known.set(name, file)
    const after = current()
    const isShown = after !== undefined && newlyHiddenKeys(archive, after).length === 0
    end(isShown)
    return isShown ? file : undefined
  }

  const makeNewest = async (
    name: BulkName,
    onBegun: (archive: Archive, draft: Draft) => void,
  ): Promise<BulkFile | undefined> => {
    for (;;) {
      const archive = current()
      if (!archive) return undefined
      const file = await makeOf(name, archive, (draft) => onBegun(archive, draft))
      if (file) return file
      // Hidden rows are not sent: the next file is made of the remaining members.
    }
  }

  /** Makes a file from the newest data; later calls share it while it waits, or if the data is the same. */
  const make = (name: BulkName): Making => {
    const before = making.get(name)
    if (before && (!before.data || before.data === current()?.dataset)) return before
    const begun = Promise.withResolvers<void>()
    const file = inTurn(() =>
      makeNewest(name, (archive, draft) => {
        Object.assign(made, { data: archive.dataset, draft })
        begun.resolve()
      }),
    ).finally(() => {
      if (making.get(name) === made) making.delete(name)
    })
    const made: Making = { begun, file }
    making.set(name, made)
    return made
  }

  /** Returns a ready file; the files are dropped a while after the last request. */
  const ready = (name: BulkName): BulkFile | undefined => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      store = createStore()
    }, idleMs).unref()
    const archive = current()
    return archive && store.files.get(archive.dataset)?.get(name)
  }

  /** `busy` if the file takes too long. */
  const orBusy = async <Result>(result: Promise<Result>, ms: number): Promise<Result | 'busy'> => {
    const timeout = new AbortController()
    const busy = () => 'busy' as const
    const late = delay(ms, undefined, { signal: timeout.signal }).then(busy, busy)
    try {
      return await Promise.race([result, late])
    } finally {
      timeout.abort()
    }
  }

  /** The file of this data or of newer data: `busy` if making it takes too long, undefined until data is loaded. */
  const file = async (name: BulkName): Promise<BulkFile | 'busy' | undefined> =>
    ready(name) ?? orBusy(make(name).file, waitMs)

  /** All files of one version of the data, each once it is made; undefined if something in it is hidden. */
  const filesOf = (archive: Archive): readonly Promise<BulkFile | undefined>[] =>
    bulkNames.map(async (name) => {
      const known = archive.dataset === current()?.dataset ? ready(name) : undefined
      return known ?? inTurn(() => makeOf(name, archive))
    })

  /** All files; `busy` if making them takes too long, or even a little with `isSoon`. */
  const whenMade = (files: ReturnType<typeof filesOf>, isSoon: boolean) =>
    orBusy(Promise.all(files), isSoon ? draftAfterMs : waitMs)

  /** The file of this name, or its draft if it is not ready soon; `busy` while others are made before it. */
  const fileOrDraft = async (name: BulkName): Promise<BulkFile | Draft | 'busy' | undefined> => {
    const known = ready(name)
    if (known) return known
    const made = make(name)
    const soon = await orBusy(made.file, draftAfterMs)
    if (soon !== 'busy') return soon
    const begun = made.begun.promise.then(() => made.draft)
    return orBusy(Promise.race([made.file, begun]), waitMs)
  }
  return { file, filesOf, whenMade, fileOrDraft }
}
