import { expect, test } from 'bun:test'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Archive } from '../../../src/data/archive/archive.ts'
import { nothingHidden } from '../../../src/data/archive/hidden.ts'
import { leagueWith, type TournamentUpdate } from '../../../src/data/archive/updateLeague.ts'
import { type FollowedSource, follow } from '../../../src/data/following/follow.ts'
import { holdBack } from '../../../src/data/following/guard.ts'
import { openLastGood } from '../../../src/data/following/lastGood.ts'
import type { TournamentRows } from '../../../src/data/source/rows.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { temporaryFolder } from '../../process.ts'
import { clipRow, fightRows, tournamentOf } from '../../rows.ts'
import { runs } from '../../runs.ts'

/** A tournament of the database. Each change gives it a higher revision, which is its name. */
interface Stored {
  /** Lost tournaments, and those that lost their fights, left no explanation. */
  readonly state: 'shown' | 'hidden' | 'lost' | 'emptied'
  readonly revision: number
  /** Token of its clip, a new one each time it is shown. */
  readonly clip: string | undefined
}
/** Number of fights of each tournament: only the loss of `a` is small enough to be accepted. */
const sizes = { a: 1, b: 2, c: 2, d: 2 } as const
type Id = keyof typeof sizes
const ids = ['a', 'b', 'c', 'd'] as const satisfies readonly Id[]
const maxLoss = 0.2

const rowsOf = (id: Id, { revision, clip, state }: Stored): TournamentRows =>
  tournamentOf(
    { id, name: `${revision}` },
    [{ id: 'axe' }, { id: 'saw' }],
    Array.from({ length: state === 'emptied' ? 0 : sizes[id] }, (_, n) =>
      fightRows({ id: `W-${n}` }, 'axe', 'saw'),
    ),
    { clips: clip === undefined ? [] : [clipRow({ token: clip })] },
  )

const log = createLog('silent')
const noCages = { cages: [], cageQueue: [] }

const generations = ['last-good.cageside', 'last-good.previous.cageside']
/**
 * A folder as a kill leaves it. The list is copied first because a save removes entries that its file does not hold.
 */
const copyOf = async (folder: string): Promise<string> => {
  const copy = await temporaryFolder()
  for (const name of ['last-good.hidden', ...generations]) {
    // The file may not exist yet, or any more.
    await copyFile(join(folder, name), join(copy, name)).catch(() => undefined)
  }
  return copy
}

/** A database and a service that follows it; each step of the service waits to be released. */
const openModel = async () => {
  const database = new Map<Id, Stored>()
  let revision = 0
  let isFailing = false
  const change = (id: Id, over: Partial<Stored>): void => {
    const known = database.get(id) ?? { state: 'shown', clip: undefined }
    revision += 1
    database.set(id, { ...known, ...over, revision })
  }
  for (const id of ids) change(id, { clip: id })

  /** Rows served last, and rows that may never be served or read from disk again. */
  const served = new Map<string, number>()
  const gone = new Map<string, number>()
  const clips = new Set<string>()
  const goneClips = new Set<string>()
  /** Tournaments that were served when they were lost. */
  const held = new Set<Id>()
  /** Tournaments shown again after others were lost: these are not guarded. */
  const added = new Set<Id>()

  /** A start may serve an older state if the database could not be read. */
  let mayGoBack = false
  const gaps: string[] = []

  let folder = await temporaryFolder()
  /** The current process; steps of earlier ones are never released. */
  let life = 0
  let reads = 0
  let saves = 0
  /** The process whose source was closed last. */
  let closed = 0
  let pending: { readonly kind: 'read' | 'save'; readonly release: () => void }[] = []
  const point = (kind: 'read' | 'save', own: number): Promise<void> =>
    new Promise((release) => {
      if (own === life) pending.push({ kind, release })
    })

  const start = () => {
    life += 1
    pending = []
    const own = life
    /** The version that readers of `/changes` have. */
    let followed: Archive | undefined
    const source: FollowedSource = {
      kind: 'postgres',
      name: 'database',
      read: async (before) => {
        await point('read', own)
        if (isFailing) throw new Error('down')
        const moment = new Map(database)
        const shown = new Map(
          [...moment].flatMap(([id, row]) =>
            row.state === 'shown' || row.state === 'emptied'
              ? [[id, `${row.revision}`] as const]
              : [],
          ),
        )
        const updates = [...moment].flatMap(([id, row]): readonly TournamentUpdate[] => {
          const stamp = shown.get(id)
          if (stamp === undefined) return [{ id, rows: undefined }]
          return before.seen.get(id)?.stamp === stamp ? [] : [{ id, rows: rowsOf(id, row), stamp }]
        })
        const hidden = [...moment].flatMap(([id, { state }]) => (state === 'hidden' ? [id] : []))
        const { league, bad } = await leagueWith(before, updates, noCages, (found) =>
          holdBack(before, {
            ...found,
            maxLoss,
            shown,
            withdrawn: async () => ({
              tournaments: new Set(hidden),
              clips: { has: (token) => ![...moment.values()].some(({ clip }) => clip === token) },
              deleted: [],
            }),
          }),
        )
        await point('read', own)
        reads += 1
        return { league, bad, changedRows: 0, currentAt: performance.now() }
      },
      failureOf: () => ({ reason: 'down' }),
      hidden: async () => nothingHidden,
      isOwn: () => true,
      follows: () => 'notifications',
      close: async () => {
        closed = own
      },
      wallMs: Date.now,
      clockMs: () => performance.now(),
    }
    return follow(source, {
      refreshMs: 0,
      saveEveryMs: 0,
      maxStartWaitMs: 3_600_000,
      dataDir: folder,
      log,
      changes: {
        found: async ({ archive }) => {
          followed = archive
          return false
        },
        begin: (archive) => {
          followed = archive
        },
        compare: async (before) => {
          if (before !== followed) gaps.push('compared with another version')
        },
        swapped: (before, after) => {
          if (before !== followed) gaps.push('a version is missing in the changes')
          followed = after
        },
        beforeSave: async (version) => {
          saves += 1
          await point('save', own)
          // Saved changes are already in the log of changes.
          if (followed?.version !== version && !followed)
            gaps.push('saved before it is in the changes')
          return true
        },
      },
    })
  }
  let service = start()
  /** Wait until the next read of the service waits for its release. */
  const settle = async (): Promise<void> => {
    while (!pending.some(({ kind }) => kind === 'read')) await Bun.sleep(1)
  }
  await settle()

  const observe = (): void => {
    expect(gaps).toEqual([])
    const archive = service.archive()
    if (!archive) return
    if (mayGoBack) for (const each of [served, clips]) each.clear()
    mayGoBack = false
    const now = new Map(
      archive.dataset.tournaments.map(({ info }) => [info.id, Number(info.name)] as const),
    )
    for (const [id, own] of now) {
      // The version is neither older than before nor withdrawn.
      expect(own).toBeGreaterThanOrEqual(served.get(id) ?? 0)
      expect(own).toBeGreaterThan(gone.get(id) ?? 0)
    }
    for (const [id, own] of served) if (!now.has(id)) gone.set(id, own)
    served.clear()
    for (const [id, own] of now) served.set(id, own)
    const shown = new Set(archive.clips.newestFirst.map(({ token }) => token))
    for (const token of shown) expect(goneClips.has(token)).toBe(false)
    for (const token of clips) if (!shown.has(token)) goneClips.add(token)
    for (const token of shown) clips.add(token)
  }
  /** Reads a copy of the folder as a start without a database would. */
  const readSaved = async (): Promise<void> => {
    const copy = await copyOf(folder)
    for (const generation of generations) {
      const saved = await openLastGood(copy, log).read(Promise.resolve(nothingHidden))
      for (const [id, { tournament }] of saved?.league.entries ?? []) {
        expect(Number(tournament.info.name)).toBeGreaterThan(gone.get(id) ?? 0)
        for (const { token } of tournament.clips) expect(goneClips.has(token)).toBe(false)
      }
      await rm(join(copy, generation), { force: true })
    }
  }
  const release = async (pick: number): Promise<void> => {
    const [step] = pending.splice(pick % pending.length, 1)
    step?.release()
    await settle()
    observe()
  }
  const releaseWhile = async (holds: () => boolean): Promise<void> => {
    while (holds()) {
      pending.shift()?.release()
      await Bun.sleep(1)
    }
  }
  const stop = async (): Promise<void> => {
    let isStopped = false
    const stopping = service.stop().then(() => {
      isStopped = true
    })
    await releaseWhile(() => !isStopped)
    await stopping
    expect(closed).toBe(life)
  }

  return {
    release,
    readSaved,
    hide: (id: Id) => {
      held.delete(id)
      change(id, { state: 'hidden' })
    },
    show: (id: Id) => {
      held.delete(id)
      const isLoss = database.values().some(({ state }) => state === 'lost' || state === 'emptied')
      if (isLoss && !served.has(id)) added.add(id)
      const clip = database.get(id)?.clip && `${id} ${revision}`
      change(id, { state: 'shown', clip })
    },
    /** Deletes the tournament, or its fights, without tombstones. */
    lose: (id: Id, state: 'lost' | 'emptied') => {
      const known = database.get(id)
      const isServed = service.archive() !== undefined && served.get(id) === known?.revision
      if (known?.state === 'shown' && isServed && !added.has(id)) held.add(id)
      // Tournaments held back have the state of the file, unless a newer one was read.
      if (!service.archive()) served.delete(id)
      // Tournaments that are not served yet, or that the file of a killed process may lack, are added with the loss.
      for (const [other, row] of database)
        if (row.state === 'shown' && !(service.archive() && served.has(other))) added.add(other)
      change(id, { state })
    },
    turnClip: (id: Id) => {
      const clip = database.get(id)?.clip === undefined ? `${id} ${revision}` : undefined
      change(id, { clip })
    },
    fail: (fails: boolean) => {
      isFailing = fails
      if (fails && !service.archive()) mayGoBack = true
    },
    notify: () => service.notified(),
    /** Ends the process in order, or at once. */
    restart: async (isKill: boolean): Promise<void> => {
      if (isKill) {
        life += 1
        held.clear()
        for (const [id, { state }] of database) if (state !== 'shown') served.delete(id)
        folder = await copyOf(folder)
      } else {
        await stop()
      }
      mayGoBack = isFailing
      service = start()
      await settle()
      observe()
    },
    /** A full read comes first, then a comparison. */
    rest: async (): Promise<void> => {
      isFailing = false
      const readTimes = (times: number) => {
        const enough = reads + times
        return releaseWhile(() => reads < enough)
      }
      await readTimes(3)
      await settle()
      observe()
      // Saved rows are not saved again; a save may begin some turns after the read before it.
      let saved = -1
      for (let round = 0; round < 5 && saved !== saves; round += 1) {
        saved = saves
        await readTimes(2)
        await releaseWhile(() => pending.some(({ kind }) => kind === 'save'))
      }
      expect(saves).toBe(saved)
      await settle()
      const shown = [...database].flatMap(([id, { state, revision }]) =>
        state === 'shown' ? [[id, revision] as const] : [],
      )
      for (const [id, own] of shown) expect(served.get(id)).toBe(own)
      const fights = service.archive()?.dataset.fights ?? []
      const isLost = (id: string) => shown.every(([other]) => other !== id)
      const kept = fights.filter(({ tournament }) => isLost(tournament.id))
      if (kept.length > 0 && added.size === 0)
        expect(kept.length / fights.length).toBeGreaterThan(maxLoss)
      for (const id of held) {
        if (sizes[id] > 1) expect(kept.map(({ tournament }) => tournament.id)).toContain(id)
      }
      for (const [id, { state }] of database) {
        if (state === 'hidden') expect(served.has(id)).toBe(false)
      }
      const tokens = service.archive()?.clips.newestFirst.map(({ token }) => token) ?? []
      for (const [id] of shown) {
        const clip = database.get(id)?.clip
        if (clip !== undefined) expect(tokens).toContain(clip)
      }
      await readSaved()
    },
    stop,
  }
}

const id = fc.constantFrom(...ids)
const step = <Kind extends string>(kind: Kind, weight: number) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constant(kind), id, pick: fc.nat(5) }),
})
const steps = fc.array(
  fc.oneof(
    step('release', 30),
    step('hide', 4),
    step('show', 4),
    step('lose', 2),
    step('empty', 2),
    step('clip', 4),
    step('fail', 1),
    step('recover', 1),
    step('notify', 1),
    step('saved', 3),
    step('restart', 1),
    step('kill', 3),
  ),
  { minLength: 20, maxLength: 80 },
)

test('reads, saves and starts in any order serve nothing hidden and no older version', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const model = await openModel()
      for (const { kind, id, pick } of steps) {
        if (kind === 'release') await model.release(pick)
        else if (kind === 'hide') model.hide(id)
        else if (kind === 'show') model.show(id)
        else if (kind === 'lose') model.lose(id, 'lost')
        else if (kind === 'empty') model.lose(id, 'emptied')
        else if (kind === 'clip') model.turnClip(id)
        else if (kind === 'notify') model.notify()
        else if (kind === 'saved') await model.readSaved()
        else if (kind === 'restart' || kind === 'kill') await model.restart(kind === 'kill')
        else model.fail(kind === 'fail')
      }
      await model.rest()
      await model.stop()
    }),
    { numRuns: runs(30), endOnFailure: true },
  )
}, 300_000)
