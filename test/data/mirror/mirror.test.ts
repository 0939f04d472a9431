import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { mirror, snapshotAddress } from '../../../scripts/mirror.ts'
import type { App } from '../../../src/app.ts'
import { type Changes, createChanges } from '../../../src/companions/changes/changes.ts'
import { type Archive, noCages, type OpenedService } from '../../../src/data/archive/archive.ts'
import { fetchSnapshot } from '../../../src/data/mirror/fetchSnapshot.ts'
import { openMirror } from '../../../src/data/mirror/openMirror.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import {
  compressTournament,
  packTournament,
  readSnapshot,
  type TournamentFrame,
  writeFrames,
  writeSnapshot,
} from '../../../src/data/source/snapshot.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { appOf, archiveOf, archiveWithCages, get, serviceOf } from '../../fixtures.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  recordingRow,
  stillRow,
  tournamentOf,
} from '../../rows.ts'
import { until } from '../../until.ts'

const log = createLog('silent')
const nowUnix = 1_770_003_600
/** Ends what a test opened: a mirror asks its origin a hundred times a second. */
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A tournament of some size, so that a league takes several requests. */
const tournament = (id: string, notice = '') =>
  tournamentOf(
    { id, name: `Cup ${id}` },
    [
      { id: 'p1', name: `Axe ${id}` },
      { id: 'p2', name: `Bolt ${id}` },
    ],
    [fightRows({ notice }, 'p1', 'p2')],
    {
      recordings: Array.from({ length: 45 }, (_, index) =>
        recordingRow({
          id: 1 + index + 1000 * id.charCodeAt(0),
          videoUrl: `https://media.example/${Array.from({ length: 24 }, (_, n) => Bun.hash.xxHash64(`${id}${index} ${n}`)).join('')}.mp4`,
        }),
      ),
      clips: [clipRow({ token: `clip-${id}` })],
    },
  )
const ids = [...'abcdefgh']
const leagues = new Map<string, Archive>()
/** Built once: an archive is immutable. */
const league = (notices: Record<string, string> = {}): Archive => {
  const key = JSON.stringify(notices)
  const archive = leagues.get(key) ?? archiveOf(...ids.map((id) => tournament(id, notices[id])))
  leagues.set(key, archive)
  return archive
}

type Tamper = (request: Request, answer: () => Promise<Response>) => Response | Promise<Response>

/** A service whose data can be replaced, on a port; `tamper` is a server or proxy that lies. */
const openOrigin = (first: Archive | undefined) => {
  let archive = first
  let tamper: Tamper | undefined
  let explains = true
  const changes = createChanges()
  if (first) changes.feed.begin(first)
  const requests: string[] = []
  const service = {
    ...serviceOf(first, nowUnix),
    archive: () => archive,
    rows: () => serviceOf(archive).rows(),
  }
  const app = appOf(service, { changes })
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname === '/changes' && (explains || !searchParams.has('since'))) return app(request)
      if (pathname === '/changes') return new Response('', { status: 500 })
      requests.push(request.headers.get('range') ?? 'whole')
      const answer = async (): Promise<Response> => app(request)
      return tamper ? tamper(request, answer) : answer()
    },
  })
  closing.push(() => server.stop(true))
  return {
    url: `http://127.0.0.1:${server.port}/snapshot`,
    app,
    requests,
    set: (next: Archive, { isExplained = true } = {}) => {
      if (archive && isExplained) changes.feed.swapped(archive, next)
      archive = next
    },
    /** The origin explains removals since a place; it always gives a place. */
    explain: (isExplained: boolean) => {
      explains = isExplained
    },
    tamper: (with_: Tamper | undefined) => {
      tamper = with_
    },
  }
}

interface Follower {
  readonly service: OpenedService
  readonly app: App
  readonly changes: Changes
  readonly looked: () => Promise<void>
}

const follow = async (
  url: string,
  options: Partial<Parameters<typeof openMirror>[1]> = {},
): Promise<Follower> => {
  const changes = createChanges()
  const service = openMirror(url, {
    refreshMs: 10,
    minRefreshMs: 10,
    maxDelayMs: 40,
    dataDir: await temporaryFolder(),
    log,
    changes: changes.feed,
    ...options,
  })
  closing.push(() => service.stop())
  const app = appOf({ ...service, now: () => nowUnix }, { changes })
  /** Waits for two polls that began after the call. */
  const looked = async (): Promise<void> => {
    for (let look = 0; look < 2; look += 1) {
      const { lastRefresh } = service.status()
      await until(() => service.status().lastRefresh !== lastRefresh)
    }
  }
  return { service, app, changes, looked }
}

/** A mirror once it is loaded. */
const load = async (...args: Parameters<typeof follow>): Promise<Follower> => {
  const follower = await follow(...args)
  await follower.service.firstLoad
  return follower
}

/** Notice of the fight of a tournament. */
const noticeOf = async ({ app }: Follower, id: string): Promise<string> =>
  (await get(app, `/tournaments/${id}/fights/W-0`)).body.fight.notice
const errorOf = ({ service }: Follower): string => service.status().lastRefresh.error ?? ''
const versionOf = ({ service }: Follower): string | undefined => service.archive()?.version
const health = async ({ app }: Follower) => (await get(app, '/health')).body

describe('a mirror', () => {
  test('a mirror answers like its origin, and follows it by fetching only differences', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    const paths = ['/fights', '/tournaments', '/bots', '/clips', '/tournaments/c/fights/W-0']
    for (const path of paths) {
      expect((await get(own.app, path)).body).toEqual((await get(origin.app, path)).body)
    }
    const before = own.service.archive()?.dataset.tournamentsByID
    const cursor = (await get(own.app, '/changes')).body.cursor
    origin.requests.length = 0
    origin.set(league({ c: 'changed' }))
    await until(async () => (await noticeOf(own, 'c')) !== '')
    // The head, then the tournament that changed.
    const ranges = origin.requests.filter((range) => !range.startsWith('bytes=0-'))
    expect(ranges).toHaveLength(1)
    const [start, end] = (ranges[0]?.slice(6) ?? '').split('-').map(Number)
    expect(Number(end) - Number(start)).toBeLessThan(20_000)
    const after = own.service.archive()?.dataset.tournamentsByID
    for (const id of ids) expect(after?.get(id) === before?.get(id)).toBe(id !== 'c')
    const { changes } = (await get(own.app, `/changes?since=${cursor}`)).body
    expect(changes).toMatchObject([{ type: 'fight.corrected', after: { notice: 'changed' } }])
  })

  test('a mirror asks with the tag, no more often than allowed, and gets 304 while nothing changes', async () => {
    const origin = openOrigin(league())
    const statuses: number[] = []
    const times: number[] = []
    origin.tamper(async (_, answer) => {
      times.push(performance.now())
      const response = await answer()
      statuses.push(response.status)
      return response
    })
    const own = await load(origin.url, { refreshMs: 1, minRefreshMs: 50 })
    await own.looked()
    expect(statuses.slice(-2)).toEqual([304, 304])
    const [before = 0, last = 0] = times.slice(-2)
    expect(last - before).toBeGreaterThan(49)
    expect(statuses.filter((status) => status !== 304).length).toBeLessThan(5)
    expect(await health(own)).toMatchObject({
      source: 'mirror',
      follows: 'timer',
      status: 'ok',
      lastRefresh: { changedRows: 0, error: null },
    })
  })

  test('the snapshot of a mirror of a mirror is the same file, byte for byte', async () => {
    const origin = openOrigin(league())
    const middle = await follow(origin.url)
    const server = Bun.serve({ port: 0, fetch: (request) => middle.app(request) })
    closing.push(() => server.stop(true))
    const last = await load(`http://127.0.0.1:${server.port}/snapshot`)
    const fileOf = async (app: App) => {
      const response = await app(new Request('http://localhost/snapshot'))
      expect(response.headers.get('content-disposition')).toContain('league.cageside')
      return response.bytes()
    }
    const file = await fileOf(origin.app)
    expect(Buffer.from(file).equals(await fileOf(last.app))).toBe(true)
    expect(versionOf(last)).toBe(versionOf(middle) ?? '')
  })

  test('a mirror notes the place in the changes before it reads the file, and stops while the origin hangs', async () => {
    const order: string[] = []
    const hanging = Promise.withResolvers<void>()
    const server = Bun.serve({
      port: 0,
      fetch: async ({ url }) => {
        const isPlace = url.endsWith('/changes')
        if (isPlace) await Bun.sleep(20)
        order.push(isPlace ? 'place' : 'file')
        if (isPlace) return Response.json({ cursor: 'e-0' })
        hanging.resolve()
        return new Promise(() => undefined)
      },
    })
    closing.push(() => server.stop(true))
    const { service } = await follow(`${server.url}snapshot`)
    service.firstLoad.catch(() => undefined)
    await hanging.promise
    await service.stop()
    expect(order).toEqual(['place', 'file'])
  }, 10_000)

  test('a mirror reads a file again if it was not served', async () => {
    const origin = openOrigin(league())
    const { feed } = createChanges()
    let failures = 0
    const compare: typeof feed.compare = async (...versions) => {
      failures += 1
      if (failures === 1) throw new Error('once')
      return feed.compare(...versions)
    }
    const own = await load(origin.url, { changes: { ...feed, compare } })
    origin.set(league({ b: 'changed' }))
    await until(async () => (await noticeOf(own, 'b')) === 'changed')
    expect(failures).toBe(2)
  })

  test('a mirror no longer shows what its origin hides', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    origin.set(archiveOf(...ids.slice(1).map((id) => tournament(id))))
    await until(async () => (await get(own.app, '/tournaments/a')).status === 404)
    expect((await get(own.app, '/bots/axea')).status).toBe(404)
  })

  test('a mirror follows a server without ranges and tags', async () => {
    const origin = openOrigin(league())
    origin.tamper(async (_, answer) => {
      const response = await answer()
      if (response.status !== 206) return response
      await response.body?.cancel()
      const whole = await origin.app(new Request('http://localhost/snapshot'))
      return new Response(await whole.bytes())
    })
    const own = await load(origin.url)
    origin.set(league({ b: 'changed' }))
    await until(async () => (await noticeOf(own, 'b')) !== '')
  })

  test('a mirror starts over with a file that changes while it is read', async () => {
    const origin = openOrigin(league())
    let round = 0
    origin.tamper(async (_, answer) => {
      round += 1
      // Every request gets another version.
      if (round < 8) origin.set(league({ a: `round ${round}` }))
      return answer()
    })
    const own = await load(origin.url)
    await own.looked()
    const { fight } = (await get(own.app, '/tournaments/a/fights/W-0')).body
    expect(fight.notice).toBe('round 7')
  })

  test('a mirror has the clock and the data age of its origin', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    await own.looked()
    // The clock of the origin is fixed in the past, and its data is 7 seconds old.
    expect(Math.abs(own.service.now() - nowUnix)).toBeLessThanOrEqual(60)
    const { currentAt } = own.service.status()
    expect(own.service.now() - Number(currentAt)).toBeGreaterThanOrEqual(6)
    expect(own.service.now() - Number(currentAt)).toBeLessThanOrEqual(60)
  })

  test('a clock of the origin that differs by up to two seconds counts as equal', async () => {
    const origin = openOrigin(league())
    let ahead = 0
    origin.tamper(async (_, answer) => {
      const response = await answer()
      response.headers.set('date', new Date(nowUnix * 1000).toUTCString())
      response.headers.set('x-data-clock', String(nowUnix + ahead))
      return response
    })
    const own = await load(origin.url, { wallMs: () => nowUnix * 1000 })
    for (const seconds of [2, 3, -2, -3]) {
      ahead = seconds
      await own.looked()
      expect(own.service.now() - nowUnix).toBe(Math.abs(seconds) > 2 ? seconds : 0)
    }
  })
})

describe('the requests of a mirror', () => {
  test('a mirror does not mix two versions, and reports no failure', async () => {
    const origin = openOrigin(league())
    const messages: string[] = []
    const own = await load(origin.url, { log: (_, message) => messages.push(message) })
    origin.set(league({ a: 'one', h: 'one' }))
    let isNext = true
    origin.tamper((request, answer) => {
      const isPart = !request.headers.get('range')?.startsWith('bytes=0-')
      if (isPart && isNext) {
        isNext = false
        origin.set(league({ a: 'two', h: 'two' }))
      }
      return answer()
    })
    await until(async () => (await noticeOf(own, 'h')) === 'two')
    expect(await noticeOf(own, 'a')).toBe('two')
    expect(isNext).toBe(false)
    expect(messages).not.toContain('refresh failed')
  })

  test('a mirror does not fetch frames again that it got before a failure', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    await own.looked()
    const parts: string[] = []
    origin.tamper((request, answer) => {
      const range = request.headers.get('range') ?? ''
      if (range.startsWith('bytes=0-')) return answer()
      parts.push(range)
      return parts.length === 2 ? new Response('', { status: 500 }) : answer()
    })
    origin.set(league({ d: 'new', h: 'new' }))
    await until(async () => (await noticeOf(own, 'h')) === 'new')
    const [first = '', second = ''] = parts
    expect(parts).toEqual([first, second, second])
    expect(first).not.toBe(second)
    expect(await noticeOf(own, 'd')).toBe('new')
  })

  test('a mirror keeps frames from before a failure only while the file has them', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    await own.looked()
    const starts: number[] = []
    let fails = true
    const isFirst = (start: number): boolean => start < Number(starts[0]) + 1000
    origin.tamper((request, answer) => {
      const start = Number(request.headers.get('range')?.match(/=(\d+)/)?.[1])
      if (start === 0) return answer()
      starts.push(start)
      return fails && !isFirst(start) ? new Response('', { status: 500 }) : answer()
    })
    for (const notice of ['one', 'two']) {
      const before = starts.length
      origin.set(league({ d: notice, h: notice }))
      await until(() => {
        const since = starts.slice(before)
        return since.some(isFirst) && !isFirst(since.at(-1) ?? 0)
      })
    }
    const before = starts.length
    fails = false
    origin.set(league({ d: 'one', h: 'one' }))
    await until(async () => (await noticeOf(own, 'h')) === 'one')
    expect(starts.slice(before).some(isFirst)).toBe(true)
  })

  test('a mirror fetches every changed frame: apart, adjacent and with a short one between', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    for (const changed of ['aceg', 'abdegh']) {
      origin.set(league(Object.fromEntries([...changed].map((id) => [id, changed]))))
      const last = changed.at(-1) ?? ''
      await until(async () => (await noticeOf(own, last)) === changed)
      for (const id of ids)
        expect([id, await noticeOf(own, id)]).toEqual([id, changed.includes(id) ? changed : ''])
    }
  })

  test('the data of a mirror is as old as caches say', async () => {
    const origin = openOrigin(league())
    origin.tamper(async (_, answer) => {
      const response = await answer()
      response.headers.set('age', '300')
      return response
    })
    const own = await load(origin.url)
    await own.looked()
    expect(own.service.now() - Number(own.service.status().currentAt)).toBeWithin(306, 360)
  })

  test('the data of a mirror is as old as the start of the reading', async () => {
    const origin = openOrigin(league())
    let ms = 1_000_000
    origin.tamper((_, answer) => {
      ms += 50_000
      return answer()
    })
    const { service } = await follow(origin.url, { clockMs: () => ms, refreshMs: 3_600_000 })
    await service.firstLoad
    expect(service.now() - Number(service.status().currentAt)).toBeGreaterThanOrEqual(50)
  })

  /** A file on a port whose frames have other names. */
  const served = async (name: (frame: TournamentFrame) => TournamentFrame): Promise<string> => {
    const path = join(await temporaryFolder(), 'other.cageside')
    const frames = ids.map((id) => compressTournament(packTournament(tournament(id)), 'fast'))
    await writeFrames(path, { capturedAt: nowUnix, cages: [], cageQueue: [] }, frames.map(name))
    const headers = { etag: '"one"' }
    const server = Bun.serve({
      port: 0,
      fetch: (request) =>
        request.headers.has('if-none-match')
          ? new Response(null, { status: 304, headers })
          : new Response(Bun.file(path), { headers }),
    })
    closing.push(() => server.stop(true))
    return `http://127.0.0.1:${server.port}/`
  }

  test('a file whose tournament has the name of another one is refused at each poll', async () => {
    const url = await served((frame) => (frame.id === 'a' ? { ...frame, id: 'z' } : frame))
    const own = await follow(url)
    await until(() => errorOf(own) !== '')
    await own.looked()
    expect(errorOf(own)).toEndWith('a tournament has another id')
    expect(own.service.archive()).toBeUndefined()
  })

  test('the version of a mirror does not depend on wrong digests of the file', async () => {
    const versions: unknown[] = []
    for (const wrong of [0n, 1n]) {
      const url = await served((frame) =>
        frame.id === 'c' ? { ...frame, digest: frame.digest ^ wrong } : frame,
      )
      const { service } = await follow(url)
      await service.firstLoad
      versions.push(service.archive()?.dataVersion)
    }
    expect(versions[1]).toBe(versions[0])
  })

  test('a mirror passes on no invalid row that a digest of valid rows hides', async () => {
    const rows = tournament('c')
    const invalid = JSON.parse(JSON.stringify({ ...clipRow({ token: 'invalid' }), views: 'many' }))
    const { bytes } = compressTournament(
      packTournament({ ...rows, clips: [...rows.clips, invalid] }),
      'fast',
    )
    const url = await served((frame) => (frame.id === 'c' ? { ...frame, bytes } : frame))
    const { service, app } = await follow(url)
    await service.firstLoad
    const path = join(await temporaryFolder(), 'passed-on.cageside')
    await Bun.write(path, await app(new Request('http://localhost/snapshot')))
    const invalidRows: unknown[] = []
    const passed = [...(await readSnapshot(path)).tournaments()].flatMap(
      (each) => checkTournament(each, (row) => invalidRows.push(row)) ?? [],
    )
    expect([passed.length, invalidRows]).toEqual([ids.length, []])
  })
})

test('headers with a key follow a redirect within the origin only', async () => {
  const keys: (string | null)[] = []
  const elsewhere = openOrigin(league())
  const origin = openOrigin(league())
  elsewhere.tamper((request, answer) => {
    keys.push(request.headers.get('x-key'))
    return answer()
  })
  const fetched = (path: string) =>
    fetchSnapshot(new URL(path, origin.url), {
      kept: new Map(),
      headers: { 'x-key': 'secret' },
      signal: AbortSignal.timeout(10_000),
      maxBytes: 2 ** 30,
    })
  origin.tamper((request, answer) => {
    const { pathname } = new URL(request.url)
    if (pathname === '/moved') return Response.redirect(origin.url)
    if (pathname === '/away') return Response.redirect(elsewhere.url)
    keys.push(request.headers.get('x-key'))
    return answer()
  })
  expect((await fetched('/moved')).file?.frames).toHaveLength(ids.length)
  expect(new Set(keys)).toEqual(new Set(['secret']))
  const before = keys.length
  await expect(fetched('/away')).rejects.toThrow('the address is not allowed')
  expect(keys).toHaveLength(before)
})

describe('an origin that lost much of its league', () => {
  const few = () => archiveOf(...ids.slice(3).map((id) => tournament(id)))

  test.each<[string, () => Archive]>([
    ['without a tournament', () => archiveOf()],
    ['of another league', () => archiveOf(tournament('x'), tournament('y'))],
    ['without three of eight tournaments', few],
  ])('an origin %s is not followed without an explanation', async (_, next) => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    origin.set(next(), { isExplained: false })
    await until(() => (own.service.status().heldBack ?? []).length > 0)
    expect(errorOf(own)).toMatch(/^refused: \d of \d+ fights would be lost$/)
    await own.looked()
    expect(own.service.archive()?.dataset.fights.length).toBeGreaterThanOrEqual(8)
    const { status, heldBack } = await health(own)
    expect(status).toBe('degraded')
    expect(heldBack).toContainEqual({
      tournamentID: 'a',
      fights: 1,
      reason: 'the tournament is missing without having been deleted',
    })
    // Restored rows are served in their new state.
    origin.set(league({ b: 'restored' }), { isExplained: false })
    await until(() => errorOf(own) === '')
    expect(own.service.archive()?.dataset.fights).toHaveLength(8)
    expect(await health(own)).toMatchObject({ status: 'ok', heldBack: [] })
  })

  test('an origin that became a larger league is not followed, even after a restart, until it is back', async () => {
    const larger = archiveOf(
      ...Array.from({ length: 50 }, (_, n) =>
        tournamentOf({ id: `x${n}` }, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')]),
      ),
    )
    const origin = openOrigin(league())
    const dataDir = await temporaryFolder()
    const first = await load(origin.url, { dataDir })
    const version = versionOf(first)
    origin.set(larger, { isExplained: false })
    await first.looked()
    const refused = 'refused: 8 of 8 fights would be lost'
    expect(errorOf(first)).toBe(refused)
    await first.looked()
    expect(errorOf(first)).toBe(refused)
    await first.service.stop()
    const second = await load(origin.url, { dataDir })
    await second.looked()
    expect(errorOf(second)).toBe(refused)
    expect(second.service.archive()?.dataset.fights).toHaveLength(58)
    origin.set(league(), { isExplained: false })
    await until(() => errorOf(second) === '')
    expect(versionOf(second)).toBe(version)
  })

  test('a tournament that a file of an older format lost and has again is followed', async () => {
    const older = join(projectFolder, 'test/snapshots/version4.cageside')
    const without = join(await temporaryFolder(), 'without.cageside')
    const rows = [...(await readSnapshot(older)).tournaments()].flatMap(
      (each) => checkTournament(each, () => undefined) ?? [],
    )
    await writeSnapshot(without, { capturedAt: 1, ...noCages, tournaments: rows.slice(1) })
    let path = older
    const server = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.endsWith('/snapshot')
          ? new Response(Bun.file(path))
          : new Response(null, { status: 404 }),
    })
    closing.push(() => server.stop(true))
    const own = await load(`http://127.0.0.1:${server.port}/snapshot`)
    const version = versionOf(own)
    path = without
    await until(() => errorOf(own).startsWith('refused'))
    path = older
    await until(() => errorOf(own) === '')
    expect(versionOf(own)).toBe(version)
    expect(await health(own)).toMatchObject({ status: 'ok', heldBack: [] })
  })

  test('a loss that the origin explains in /changes is followed', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    await own.looked()
    // Changes before the removal: it cuts the history that the mirror knows.
    origin.set(league({ h: 'one' }))
    await own.looked()
    origin.set(few())
    await until(() => own.service.archive()?.dataset.fights.length === 5)
    origin.set(archiveOf(tournament('h')))
    await until(() => own.service.archive()?.dataset.fights.length === 1)
    await until(() => errorOf(own) === '')
  })

  const rich = (fights: number, shown: readonly string[], notice = '') =>
    archiveOf(
      tournamentOf(
        { id: 'a' },
        [{ id: 'p1' }, { id: 'p2' }],
        Array.from({ length: fights }, (_, n) => fightRows({ id: `W-${n}`, notice }, 'p1', 'p2')),
        {
          clips: shown.map((token) => clipRow({ token })),
          stills: shown.map((token, n) => stillRow({ id: n + 1, token: `still-${token}` })),
        },
      ),
    )
  const mediaOf = ({ service }: Follower) => {
    const {
      clips = [],
      stills = [],
      fights = [],
    } = service.archive()?.dataset.tournamentsByID.get('a') ?? {}
    return [fights.length, ...[...clips, ...stills].map(({ token }) => token)]
  }

  test('a redrawn bracket with a hidden clip and still is followed after a cut of the history', async () => {
    const origin = openOrigin(rich(6, ['c1', 'secret']))
    const own = await load(origin.url)
    await own.looked()
    origin.set(rich(6, ['c1', 'secret'], 'changed'))
    await own.looked()
    origin.set(rich(3, ['c1'], 'changed'))
    await own.looked()
    expect(await health(own)).toMatchObject({ status: 'ok', heldBack: [] })
    expect(mediaOf(own)).toEqual([3, 'c1', 'still-c1'])
    expect((await get(own.app, '/clips/secret')).status).toBe(404)
  })

  test('an unexplained loss of fights still hides clips and stills', async () => {
    const origin = openOrigin(rich(6, ['c1', 'secret']))
    const own = await load(origin.url)
    await own.looked()
    origin.set(rich(3, ['c1']), { isExplained: false })
    await until(() => errorOf(own).startsWith('refused'))
    expect(mediaOf(own)).toEqual([6, 'c1', 'still-c1'])
  })

  test('a loss explained after the mirror has a newer place in the changes is followed', async () => {
    const origin = openOrigin(league())
    let passedMs = 0
    const own = await load(origin.url, { clockMs: () => performance.now() + passedMs })
    const place = (await get(origin.app, '/changes')).body.cursor
    origin.explain(false)
    origin.set(few())
    await until(() => errorOf(own).startsWith('refused'))
    await until(async () => (await get(origin.app, '/changes')).body.cursor !== place)
    // The mirror asks for a new place.
    passedMs = 3_600_000
    await own.looked()
    origin.explain(true)
    await until(() => errorOf(own) === '')
    expect(own.service.archive()?.dataset.fights).toHaveLength(5)
  })

  test('a loss that is partly explained is followed in that part, as are other changes', async () => {
    const origin = openOrigin(league())
    const own = await load(origin.url)
    await own.looked()
    const without = (lost: string, notice = '') =>
      archiveOf(
        ...ids
          .filter((id) => !lost.includes(id))
          .map((id) => tournament(id, id === 'h' ? notice : '')),
      )
    origin.set(without('a'))
    origin.set(without('abcd', 'changed'), { isExplained: false })
    await until(() => errorOf(own).startsWith('refused'))
    const served = own.service.archive()?.dataset.tournaments.map(({ info }) => info.id)
    expect(served?.toSorted()).toEqual([...'bcdefgh'])
    expect(await noticeOf(own, 'h')).toBe('changed')
    const { heldBack } = await health(own)
    expect(heldBack.map((each: { tournamentID: string }) => each.tournamentID)).toEqual([...'bcd'])
  })
})

test.each([
  ['zeros', Buffer.alloc(0), 0],
  // msgpack of an array of ten million objects
  ['empty objects', Buffer.from([0xdd, 0, 0x98, 0x96, 0x80]), 0x80],
])(
  'frames of %s that would unpack to a multiple of their file are refused first',
  async (_, start, fill) => {
    const path = join(await temporaryFolder(), 'bomb.cageside')
    const packed = Buffer.concat([
      start,
      Buffer.alloc(start.length > 0 ? 10_000_000 : 48 * 2 ** 20, fill),
    ])
    const frames = ids.map(
      (id): TournamentFrame => ({
        ...compressTournament(packTournament(tournament(id)), 'fast'),
        id,
        bytes: Bun.zstdCompressSync(packed),
      }),
    )
    await writeFrames(path, { capturedAt: nowUnix, cages: [], cageQueue: [] }, frames)
    expect(Bun.file(path).size).toBeLessThan(100_000)
    const server = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(path)) })
    closing.push(() => server.stop(true))
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const { service } = await follow(`http://127.0.0.1:${server.port}/`)
    await until(() => service.status().lastRefresh.error !== null)
    expect(service.status().lastRefresh.error).toEndWith('has an invalid frame')
    expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(300)
  },
)

/** An answer with other bytes, headers or status. */
const changed = async (
  response: Response,
  change: (bytes: Buffer) => Buffer,
  headers: Record<string, string> = {},
): Promise<Response> =>
  new Response(new Uint8Array(change(Buffer.from(await response.bytes()))), {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), ...headers },
  })

/** An answer with these bytes, followed by others without end. */
const endless = (first: Buffer, chunkBytes: number): Response => {
  let next = new Uint8Array(first)
  return new Response(
    new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(1)
        if (next.length > 0) controller.enqueue(next)
        next = new Uint8Array(chunkBytes)
      },
    }),
  )
}

const refusals: readonly [string, Tamper, RegExp][] = [
  ['refuses connections', () => Response.json({}, { status: 502 }), /the server answered 502/],
  ['answers with a page', () => new Response('<html>login'), /is not a Cageside snapshot/],
  ['answers with nothing', () => new Response(''), /is not a Cageside snapshot/],
  [
    'sends a damaged head',
    async (_, answer) =>
      changed(await answer(), (bytes) => {
        bytes[100] = (bytes[100] ?? 0) ^ 1
        return bytes
      }),
    /is damaged/,
  ],
  [
    'sends a damaged tournament',
    async (request, answer) =>
      changed(await answer(), (bytes) => {
        if (request.headers.get('range')?.startsWith('bytes=0-')) return bytes
        bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
        return bytes
      }),
    /is damaged: a digest does not match/,
  ],
  [
    'cuts the body',
    async (_, answer) => changed(await answer(), (bytes) => bytes.subarray(0, bytes.length / 2)),
    /the body is cut off/,
  ],
  [
    'sends a newer format',
    async (_, answer) =>
      changed(await answer(), (bytes) => {
        bytes.writeUInt32LE(6, 8)
        return bytes
      }),
    /has a newer format, 6/,
  ],
  [
    'sends an older format',
    async (_, answer) =>
      changed(await answer(), (bytes) => {
        bytes.writeUInt32LE(3, 8)
        return bytes
      }),
    /has an older format, 3/,
  ],
  [
    'tells of a huge file',
    async (_, answer) =>
      changed(await answer(), (bytes) => bytes, {
        'content-range': 'bytes 0-32767/99999999999999',
      }),
    /is too large/,
  ],
  [
    'tells of a huge file in its head',
    async (_, answer) =>
      changed(await answer(), (bytes) => {
        bytes.writeBigUInt64LE(10_000_000n, 20)
        return bytes
      }),
    /the file is too large/,
  ],
  [
    'tells of a file longer than its head says',
    async (_, answer) =>
      changed(await answer(), (bytes) => bytes, { 'content-range': 'bytes 0-32767/999999' }),
    /should hold \d+ bytes and holds 999999/,
  ],
  ['sends a page without end', () => endless(Buffer.alloc(0), 64 * 1024), /is not a Cageside/],
  [
    'never ends',
    async (_, answer) => endless(Buffer.from(await (await answer()).bytes()), 64 * 1024),
    /the body is longer than announced/,
  ],
  [
    'sends a byte more than the head says',
    async (_, answer) => {
      const part = await answer()
      const whole = Buffer.alloc(Number(part.headers.get('content-range')?.split('/')[1]) + 1)
      whole.set(await part.bytes())
      return new Response(whole)
    },
    /the body is longer than announced/,
  ],
  [
    'never ends, a byte at a time',
    async (_, answer) => endless(Buffer.from(await (await answer()).bytes()).subarray(0, 100), 1),
    /the file arrives too slowly/,
  ],
  [
    'never begins',
    () => new Response(new ReadableStream({ pull: () => new Promise(() => undefined) })),
    /no answer in time/,
  ],
  [
    'redirects without end',
    (request) => Response.redirect(`${request.url}x`),
    /too many redirects/,
  ],
  [
    'redirects elsewhere',
    () => new Response(null, { status: 302, headers: { location: 'file:///etc/passwd' } }),
    /the address is not http or https/,
  ],
  [
    'compresses',
    async (_, answer) => changed(await answer(), (bytes) => bytes, { 'content-encoding': 'br' }),
    /the answer is compressed/,
  ],
  [
    'invents a range',
    async (_, answer) =>
      changed(await answer(), (bytes) => bytes, { 'content-range': 'bytes 9-3/1' }),
    /an invalid range/,
  ],
]

describe('the last good archive stays in service', () => {
  test.each(refusals)(
    'a mirror keeps its last good archive if the origin %s',
    async (name, tamper, reason) => {
      const origin = openOrigin(league())
      const own = await load(origin.url, { maxBytes: 4 * 2 ** 20, idleMs: 400 })
      await own.looked()
      const version = versionOf(own)
      origin.set(league({ h: name }))
      origin.tamper(tamper)
      // The first attempt may get no answer in time on a busy machine.
      await until(() => reason.test(own.service.status().lastRefresh.error ?? ''))
      expect(versionOf(own)).toBe(version)
      expect(await health(own)).toMatchObject({ status: 'degraded' })
      expect((await get(own.app, '/tournaments/h')).status).toBe(200)
      origin.tamper(undefined)
      await until(() => versionOf(own) !== version)
      expect(await health(own)).toMatchObject({ status: 'ok' })
    },
  )
})

describe('a start of a mirror', () => {
  test('a mirror starts with nothing older than an origin that answers', async () => {
    const origin = openOrigin(league())
    const dataDir = await temporaryFolder()
    const first = await load(origin.url, { dataDir })
    await first.service.stop()
    const before = versionOf(first)
    origin.set(league({ h: 'Changed' }))
    const again = await load(origin.url, { dataDir, maxStartWaitMs: 60_000 })
    expect(versionOf(again)).not.toBe(before)
  })

  test('a mirror starts with the last good archive if the origin fails, and reports its age', async () => {
    const origin = openOrigin(league())
    const dataDir = await temporaryFolder()
    const first = await load(origin.url, { dataDir })
    await first.looked()
    await first.service.stop()
    origin.tamper(() => new Response('', { status: 500 }))
    const hourMs = 3_600_000
    const again = await follow(origin.url, {
      dataDir,
      wallMs: () => nowUnix * 1000 + hourMs,
    })
    await again.service.firstLoad
    expect(versionOf(again)).toBe(versionOf(first) ?? '')
    const { currentAt, lastRefresh } = again.service.status()
    expect(again.service.now() - Number(currentAt)).toBeWithin(3590, 3660)
    expect(lastRefresh.error).not.toBeNull()
    // The mirror continues from its archive: it fetches only the head.
    origin.tamper(undefined)
    origin.requests.length = 0
    await again.looked()
    await until(() => again.service.status().lastRefresh.error === null)
    expect(origin.requests.filter((range) => !range.startsWith('bytes=0-'))).toEqual([])
  })

  test('a saved mirror has the age at its stop, changed or not', async () => {
    const origin = openOrigin(league())
    const dataDir = await temporaryFolder()
    let passedMs = 0
    const first = await follow(origin.url, {
      dataDir,
      wallMs: () => Date.now() + passedMs,
      clockMs: () => performance.now() + passedMs,
    })
    const file = join(dataDir, 'last-good.cageside')
    await first.service.firstLoad
    await until(() => Bun.file(file).exists())
    const { capturedAt } = await readSnapshot(file)
    passedMs = 40_000
    await first.looked()
    await first.service.stop()
    expect((await readSnapshot(file)).capturedAt - capturedAt).toBeWithin(39, 100)
  })

  test('a mirror does not start with the archive of another address', async () => {
    const origin = openOrigin(league())
    const dataDir = await temporaryFolder()
    const first = await load(origin.url, { dataDir })
    await first.service.stop()
    origin.tamper(() => new Response('', { status: 500 }))
    const other = await follow(`${origin.url}?other`, { dataDir })
    await other.looked()
    expect(other.service.archive()).toBeUndefined()
    expect((await get(other.app, '/fights')).status).toBe(503)
  })
})

test('a snapshot was captured at its newest moment that is not in the future', async () => {
  const past = fightRows({}, 'p1', 'p2')
  const since = nowUnix - 200
  const fightAt = (stopTime: number) => [
    past,
    fightRows({ id: 'W-1', startTime: since, stopTime, endTime: stopTime }, 'p1', 'p2'),
  ]
  const begun = [past, openFight({ id: 'W-1', state: 'active', startTime: since }, 'p1', 'p2')]
  for (const [updateTime, ofCage, capturedAt, fights = [past]] of [
    [nowUnix - 60, 0, nowUnix - 60],
    [nowUnix, 0, nowUnix],
    [nowUnix - 60, nowUnix - 30, nowUnix - 30],
    [nowUnix - 300, 0, since, begun],
    [nowUnix - 300, 0, nowUnix - 20, fightAt(nowUnix - 20)],
    // The clock of the event software is wrong, so the time of the fight counts.
    [nowUnix + 86_400, nowUnix + 60, expect.closeTo(nowUnix - 3600, -4)],
  ] as const) {
    const cages = { cages: [cageRow({ number: 1, updateTime: ofCage })] }
    const rows = tournamentOf({ updateTime }, [{ id: 'p1' }, { id: 'p2' }], fights)
    const archive = archiveWithCages(cages, rows)
    const { app } = openOrigin(archive)
    const path = join(await temporaryFolder(), 'league.cageside')
    await Bun.write(path, await app(new Request('http://localhost/snapshot')))
    expect((await readSnapshot(path)).capturedAt).toEqual(capturedAt)
  }
})

describe('bun run mirror', () => {
  test('bun run mirror writes the file of a service, byte for byte', async () => {
    const origin = openOrigin(league())
    const path = join(await temporaryFolder(), 'league.cageside')
    const { tournaments } = await mirror(snapshotAddress(new URL(origin.url).origin), path)
    expect(tournaments).toBe(ids.length)
    expect((await readSnapshot(path)).tournamentCount).toBe(ids.length)
    const sent = await (await origin.app(new Request('http://localhost/snapshot'))).bytes()
    expect(Buffer.from(sent).equals(await Bun.file(path).bytes())).toBe(true)
  })

  test.each([
    ['https://host/api/snapshot/', 'https://host/api/snapshot/'],
    ['https://host', 'https://host/snapshot'],
    ['https://host/api/', 'https://host/api/snapshot'],
    ['http://host/snapshot', 'http://host/snapshot'],
    ['https://host/files/league.cageside', 'https://host/files/league.cageside'],
  ])('bun run mirror takes %s as %s', (given, address) => {
    expect(snapshotAddress(given).href).toBe(address)
  })

  test('bun run mirror refuses text that is no address', () => {
    expect(() => snapshotAddress('host')).toThrow('an address such as https://host is expected')
  })
})
