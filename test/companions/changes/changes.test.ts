import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import type { ChangeEvent } from '../../../src/companions/changes/schema.ts'
import type { Archive } from '../../../src/data/archive/archive.ts'
import type { Observer } from '../../../src/http/recordUsage.ts'
import { parseNetworks } from '../../../src/http/trustedNetworks.ts'
import { createUsage } from '../../../src/http/usage/usage.ts'
import { appOf, archiveOf, get, serviceOf } from '../../fixtures.ts'
import { fightRows, playersNamed, tournamentOf } from '../../rows.ts'
import { until } from '../../until.ts'

const players = playersNamed('Axe', 'Bolt', 'Cog', 'Dart')
/** A cup with two fights, each in the given state. */
const cupAt = (first: number, second = 0, id = 'cup') => {
  const fight = (index: number, step: number) =>
    fightRows(
      {
        id: `W-${index}`,
        state: step < 0 ? 'available' : step % 2 === 0 ? 'active' : 'done',
        startTime: 1_770_000_000 + step,
        winAnnotation: null,
        stopTime: null,
        endTime: null,
      },
      `p${index * 2}`,
      `p${index * 2 + 1}`,
      step % 2 === 1 ? 0 : null,
    )
  return tournamentOf({ id, name: 'Cup' }, players, [fight(0, first), fight(1, second)])
}
const archives = new Map<string, Archive>()
/** Built once: an archive is immutable. */
const archiveAt = (...steps: Parameters<typeof cupAt>): Archive => {
  const archive = archives.get(`${steps}`) ?? archiveOf(cupAt(...steps))
  archives.set(`${steps}`, archive)
  return archive
}

const begin = async (options: Parameters<typeof createChanges>[0] = {}) => {
  const changes = createChanges(options)
  let archive = archiveAt(0)
  changes.feed.begin(archive)
  await changes.feed.ready
  const usage = createUsage()
  const app = appOf(archive, { changes, usage, basePath: options.basePath ?? '' })
  const swap = async (next: Archive): Promise<void> => {
    const published = Promise.withResolvers<unknown>()
    const unsubscribe = changes.feed.subscribe(published.resolve)
    changes.feed.swapped(archive, next)
    archive = next
    await published.promise
    unsubscribe()
  }
  return { changes, app, usage, swap }
}
const typesOf = (changes: readonly ChangeEvent[]) => changes.map(({ type }) => type)

describe('GET /changes', () => {
  test('/changes begins now, and gives each change once', async () => {
    const { app, swap } = await begin()
    const { body: start } = await get(app, '/changes')
    expect(start).toMatchObject({ changes: [], more: false })
    await swap(archiveAt(1))
    const { body, headers } = await get(app, `/changes?since=${start.cursor}`)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(typesOf(body.changes)).toContain('fight.ended')
    const ended = body.changes.find(({ type }: ChangeEvent) => type === 'fight.ended')
    expect(ended).toMatchObject({
      tournamentID: 'cup',
      gameID: 'W-0',
      bots: ['axe', 'bolt'],
      url: expect.stringMatching(/^\/tournaments\/cup\/fights\/W-0\?v=/),
      after: { player1: 'Axe', player1wins: 1 },
    })
    const { body: rest } = await get(app, `/changes?since=${body.cursor}`)
    expect(rest).toEqual({ ...body, changes: [] })
  })

  test('/changes goes on from the id of any change, in pages', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    for (const step of [1, 2, 3, 4]) await swap(archiveAt(step))
    const all = (await get(app, `/changes?since=${cursor}`)).body.changes
    expect(all.length).toBeGreaterThanOrEqual(4)
    const parts: ChangeEvent[] = []
    let since = cursor
    for (let more = true; more; ) {
      const { body } = await get(app, `/changes?since=${since}&limit=1`)
      expect(body.changes).toHaveLength(1)
      parts.push(...body.changes)
      since = body.cursor
      more = body.more
    }
    expect(parts).toEqual(all)
    const { body } = await get(app, `/changes?since=${all[1].id}`)
    expect(body.changes).toEqual(all.slice(2))
  })

  test('/changes filters by type, bot and tournament, and still moves the cursor on', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    await swap(archiveAt(1, 1))
    const found = async (query: string) =>
      (await get(app, `/changes?since=${cursor}&${query}`)).body
    expect((await found('bot=Cog&type=fight.ended')).changes).toMatchObject([{ gameID: 'W-1' }])
    expect(typesOf((await found('type=fight.ended,clip.added')).changes)).toEqual([
      'fight.ended',
      'fight.ended',
    ])
    expect((await found('tournament=cup')).changes.length).toBeGreaterThanOrEqual(2)
    const { body: end } = await get(app, '/changes')
    for (const none of ['tournament=other', 'type=clip.added']) {
      expect(await found(none)).toEqual({ ...end, changes: [] })
    }
    for (const bot of ['nobody', 'xcog', 'cogx'])
      expect(await found(`bot=${bot}`)).toEqual({ ...end, changes: [], unknownBots: [bot] })
    for (const several of ['bot=Axe,Cog', 'bot=axe&bot=cog']) {
      const { changes } = await found(`${several}&type=fight.ended`)
      expect(changes.map(({ gameID }: { gameID: string }) => gameID)).toEqual(['W-0', 'W-1'])
    }
    // Empty names are left out.
    expect(await found('type=,&bot=%20,')).toEqual(await found(''))
    expect(await found('type=fight.ended,%20,')).toEqual(await found('type=fight.ended'))
    expect(await found('type=clip.added&type=fight.ended')).toEqual(
      await found('type=clip.added,%20fight.ended'),
    )
  })

  test.each(['/changes', '/changes/stream'])(
    '%s answers 400 with the list of types for an unknown one',
    async (path) => {
      const { app } = await begin()
      const { status, body } = await get(app, `${path}?type=fight.ended,nonsense`)
      expect([status, body.error]).toEqual([400, expect.stringContaining('fight.ended')])
      expect(body.error).not.toContain('nonsense')
    },
  )

  test('/changes names unknown bots and follows them', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    const query = `since=${cursor}&bot=Axe,Eel&bot=Fang`
    expect((await get(app, `/changes?${query}`)).body.unknownBots).toEqual(['eel', 'fang'])
    expect((await get(app, `/changes?since=${cursor}&bot=Axe`)).body).not.toHaveProperty(
      'unknownBots',
    )
    const waiting = get(app, `/changes?${query}&wait=25`)
    const stream = await follow(app, `/changes/stream?${query}`)
    const known = await follow(app, `/changes/stream?since=${cursor}&bot=axe`)
    const gone = await follow(app, '/changes/stream?since=abcdefgh1234-7&bot=eel')
    await until(() => [stream, known, gone].every(({ frames }) => frames().length >= 2))
    const named = 'event: unknownBots\ndata: {"unknownBots":["eel","fang"]}'
    expect(stream.frames()[1]).toBe(named)
    expect(known.frames()[1]).toBe(`id: ${cursor}`)
    expect(gone.frames()[1]).toBe(named.replace(',"fang"', ''))
    const other = tournamentOf(
      { id: 'other' },
      ['Eel', 'Gar'].map((name) => ({ id: name, name })),
      [fightRows({}, 'Eel', 'Gar')],
    )
    await swap(archiveOf(cupAt(0), other))
    const { body } = await waiting
    expect(body.unknownBots).toEqual(['fang'])
    expect(body.changes).toMatchObject([{ type: 'tournament.added', tournamentID: 'other' }])
    await until(() => stream.changes().length === body.changes.length)
    expect(stream.changes()).toEqual(body.changes)
    expect(stream.frames().filter((frame) => frame.includes('unknownBots'))).toEqual([named])
    for (const each of [stream, known, gone]) await each.stop()
  })

  test('a comma in the name of a bot does not separate names in /changes, pages and feeds', async () => {
    const rows = playersNamed('Smith, Jr.', 'Flip Flop', 'Flip', 'Flop', 'Smith', 'One, Two, Three')
    const fights = [0, 2, 4].map((index) =>
      fightRows({ id: `W-${index}` }, `p${index}`, `p${index + 1}`),
    )
    const archive = archiveOf(tournamentOf({ id: 'cup' }, rows, fights))
    const changes = createChanges()
    changes.feed.begin(archive)
    await changes.feed.ready
    const app = appOf(archive, { changes })
    const queries: [string, string[]][] = [
      ['smith, JR.,flip', ['smithjr', 'flip']],
      ['flip,flop', ['flip', 'flop']],
      ['smith,jr', ['smithjr']],
      ['flip,One, Two, Three,smith', ['flip', 'onetwothree', 'smith']],
      ['flip flop', ['flipflop']],
    ]
    for (const [query, names] of queries) {
      const list = encodeURIComponent(query)
      const { body } = await get(app, `/changes?bot=${list}`)
      expect([query, body.unknownBots]).toEqual([query, undefined])
      for (const path of ['/my', '/my/results.atom']) {
        const response = await app(new Request(`http://localhost${path}?bots=${list}`))
        const text = await response.text()
        expect([path, query, text.includes(`?bots=${names.join(',')}"`)]).toEqual([
          path,
          query,
          true,
        ])
      }
    }
    const repeated = await get(app, '/changes?bot=smith&bot=jr')
    expect(repeated.body.unknownBots).toEqual(['jr'])
  })

  test('addresses in changes are below the base path', async () => {
    const { app, swap } = await begin({ basePath: '/api' })
    const read = async (query: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
      (await app(new Request(`http://localhost/api/changes${query}`))).json() as Promise<any>
    const { cursor } = await read('')
    await swap(archiveAt(1))
    const [change] = (await read(`?since=${cursor}&type=fight.ended`)).changes
    const { version, reload } = await read('?since=other')
    expect(change.version).toBe(version)
    expect(change.url).toBe(`/api/tournaments/cup/fights/W-0?v=${version}`)
    expect(change.page).toBe('/api/w/cup/W-0')
    expect(reload).toContain(`/api/cages?v=${version}`)
  })

  test('a long poll is answered at the first match', async () => {
    const { app, swap, usage } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    const url = `http://localhost/changes?since=${cursor}&wait=25&bot=cog&type=fight.ended`
    let isAnswered = false
    const waiting = Promise.resolve(app(new Request(url), '192.0.2.1')).then(async (response) => {
      isAnswered = true
      return response.json()
    })
    await swap(archiveAt(1))
    await Bun.sleep(1000)
    expect(isAnswered).toBe(false)
    await swap(archiveAt(1, 1))
    expect(await waiting).toMatchObject({ changes: [{ type: 'fight.ended', gameID: 'W-1' }] })
    expect((await usage.report(1, undefined)).maxUs).toBeLessThan(900_000)
  })

  test('a waiting request keeps no archive in memory, and its answer names its version', async () => {
    /** True if an archive remains that was replaced while a request waited. */
    const keepsArchive = async (): Promise<boolean> => {
      const changes = createChanges()
      let current: Archive | undefined = { ...archiveAt(0), version: 'version-0' }
      changes.feed.begin(current)
      await changes.feed.ready
      const service = { ...serviceOf(undefined), archive: () => current }
      const app = appOf(service, { changes })
      const before = new WeakRef(current)
      const waiting = app(
        new Request('http://localhost/changes?wait=25&type=clip.added'),
        '192.0.2.1',
      )
      const next = app(new Request('http://localhost/changes?wait=25'), '192.0.2.2')
      await until(() => changes.streams.count() === 2)
      // A place is taken before the wait begins.
      await setImmediate()
      const after: Archive = { ...archiveAt(1), version: 'version-1' }
      await changes.feed.compare(current, after)
      changes.feed.swapped(current, after)
      current = after
      const response = await next
      expect(await response.json()).toMatchObject({ version: 'version-1' })
      expect(response.headers.get('x-data-version')).toBe('version-1')
      for (let tries = 0; tries < 10 && before.deref() !== undefined; tries += 1) {
        await Bun.sleep(10)
        Bun.gc(true)
      }
      expect(changes.streams.count()).toBe(1)
      changes.streams.stop()
      expect((await waiting).status).toBe(200)
      return before.deref() !== undefined
    }
    // An address left on the stack by chance can keep one archive alive, but not each.
    let tries = 1
    while (tries < 5 && (await keepsArchive())) tries += 1
    expect(tries).toBeLessThan(5)
  })

  test('a large page is sent in one piece with its headers, on a connection that stays', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    for (let step = 1; step < 40; step += 1) await swap(archiveAt(step))
    await using server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (r) => app(r, '192.0.2.1'),
    })
    const address = new URL(`/changes?since=${cursor}&limit=1000`, server.url)
    const { body } = await get(app, address.pathname + address.search)
    const encodings = ['identity', 'gzip', 'br']
    const read = encodings.map((each) => fetch(address, { headers: { 'accept-encoding': each } }))
    for (const response of await Promise.all(read)) expect(await response.json()).toEqual(body)
    const plain = { method: 'HEAD', headers: { 'accept-encoding': 'identity' } }
    const length = Number((await fetch(address, plain)).headers.get('content-length'))
    expect(length).toBeGreaterThan(16 * 1024)
    let pieces: string[] = []
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(server.port),
      socket: { data: (_, bytes) => void pieces.push(bytes.toString()) },
    })
    for (let round = 0; round < 20; round += 1) {
      pieces = []
      socket.write(`GET ${address.pathname}${address.search} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      await until(() => pieces.join('').length > length)
      expect(pieces[0]).toContain('\r\n\r\n')
    }
    socket.end()
    // All readers share the waiting bytes of a large page.
    for (let step = 40; step < 900; step += 1) await swap(archiveAt(40 + (step % 2)))
    const large = await fetch(address, { headers: { 'accept-encoding': 'identity' } })
    expect(Number(large.headers.get('content-length'))).toBeGreaterThan(256 * 1024)
  })

  test('a long poll ends without changes after its time, and with the process', async () => {
    const { app, changes } = await begin()
    expect((await get(app, '/changes?wait=1')).body.changes).toEqual([])
    const waiting = get(app, '/changes?wait=25')
    await Bun.sleep(20)
    changes.streams.stop()
    expect((await waiting).body.changes).toEqual([])
  })

  test.each(['nonsense', 'abcdefgh1234-0', 'abcdefgh1234-99999999999999999999'])(
    '/changes answers 410 for the cursor %s, with the URLs to read again',
    async (since) => {
      const { app } = await begin()
      const { cursor } = (await get(app, '/changes')).body
      const { status, body } = await get(app, `/changes?since=${since}`)
      expect(status).toBe(410)
      expect(body).toMatchObject({ cursor, error: expect.any(String) })
      const paths = ['tournaments', 'fights', 'cages', 'schedule', 'clips', 'stills', 'bots']
      expect(body.reload).toEqual(paths.map((path) => `/${path}?v=${body.version}`))
      expect((await get(app, `/changes?since=${body.cursor}`)).status).toBe(200)
    },
  )

  test('a long poll ends with 410 when another epoch begins', async () => {
    const { app, changes, swap } = await begin()
    for (const step of [1, 2, 3]) await swap(archiveAt(step, step))
    const { cursor } = (await get(app, '/changes')).body
    const place = changes.feed.find(cursor)
    if (!place) throw new Error('no place')
    const waiting = get(app, `/changes?since=${cursor}&wait=25`)
    await Bun.sleep(20)
    changes.feed.begin(archiveAt(0))
    const { status, body } = await waiting
    expect(status).toBe(410)
    await swap(archiveAt(1))
    expect((await get(app, `/changes?since=${body.cursor}`)).body.changes).not.toEqual([])
    const everything = { types: undefined, bots: undefined, tournament: undefined }
    expect(await changes.feed.read(place, everything, 100)).toBeUndefined()
  })

  test('/changes answers 410 for a cursor ahead of the feed, and for a longer text', async () => {
    const { app } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    for (const since of [`${cursor}7`, `${cursor}.`, `!${cursor}`])
      expect([since, (await get(app, `/changes?since=${since}`)).status]).toEqual([since, 410])
  })

  test('/changes answers 503 until the data is loaded', async () => {
    const app = appOf(archiveAt(0), { changes: createChanges() })
    const { status, headers } = await get(app, '/changes')
    expect(status).toBe(503)
    expect(headers.get('retry-after')).toBe('2')
  })

  test('/changes answers 410 for a cursor before a removal; a reader who has all before it goes on', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    await swap(archiveAt(1))
    const { cursor: live } = (await get(app, '/changes')).body
    await swap(archiveOf())
    const { status, body: gone } = await get(app, `/changes?since=${cursor}`)
    expect([status, gone.version]).toEqual([410, archiveOf().version])
    const { body } = await get(app, `/changes?since=${live}`)
    expect(body.changes).toMatchObject([{ type: 'tournament.removed', tournamentID: 'cup' }])
    expect(JSON.stringify(body)).not.toMatch(/axe/i)
  })
})

test('a URL with a version that the service has not served gets no-store', async () => {
  let archive = archiveAt(0)
  const clock = { unix: 1_770_000_000 }
  const changes = createChanges({ now: () => clock.unix })
  const app = appOf({ ...serviceOf(archive), archive: () => archive }, { changes, pages: true })
  changes.feed.begin(archive)
  const serve = (next: Archive): void => {
    changes.feed.swapped(archive, next)
    archive = next
  }
  const [first, second] = [archiveAt(0).version, archiveAt(1).version]
  const cached = async (path: string, from = app) =>
    (await from(new Request(`http://localhost${path}`))).headers.get('cache-control') !== 'no-store'
  const paths = ['/bots', '/cages', '/e/cup', '/bulk', '/legacy/getLatestMatches?tournamentID=cup']
  for (const path of paths) {
    expect([path, await cached(`${path}${path.includes('?') ? '&' : '?'}v=${first}`)]).toEqual([
      path,
      true,
    ])
    // Once while the service is behind another one, and once from its cache.
    for (const query of [`v=${second}`, `v=${first}&v=${second}`, 'v='])
      for (const _ of [1, 2])
        expect([
          path,
          query,
          await cached(`${path}${path.includes('?') ? '&' : '?'}${query}`),
        ]).toEqual([path, query, false])
  }
  serve(archiveAt(1))
  for (const version of [first, second]) expect(await cached(`/bots?v=${version}`)).toBe(true)
  // Another process started with the second version.
  expect(await cached(`/bots?v=${first}`, appOf(archiveAt(1)))).toBe(false)
  for (let step = 2; step < 1005; step += 1) serve({ ...archiveAt(1), version: `version${step}` })
  expect(await cached(`/bots?v=${first}`)).toBe(true)
  clock.unix += 601
  serve(archiveAt(2))
  expect(await cached(`/bots?v=${first}`)).toBe(false)
  expect(await cached('/bots?v=version10')).toBe(true)
})

/** Reads a stream frame by frame. */
const follow = async (
  app: ReturnType<typeof appOf>,
  path: string,
  {
    headers = {},
    sender = '192.0.2.1',
  }: { headers?: Record<string, string>; sender?: string } = {},
) => {
  const response = await app(new Request(`http://localhost${path}`, { headers }), sender)
  const reader = response.body?.getReader()
  if (!reader) throw new Error('no body')
  const decoder = new TextDecoder()
  let text = ''
  let isDone = false
  const running = (async () => {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    isDone = true
  })().catch(() => {
    isDone = true
  })
  const frames = () =>
    text.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith('event: readers'))
  return {
    response,
    frames,
    readers: () =>
      [...text.matchAll(/event: readers\ndata: {"readers":(\d+)}\n\n/g)].map(([, count]) => count),
    isDone: () => isDone,
    ids: () => [...text.matchAll(/^id: (.*)\ndata/gm)].map(([, id]) => id),
    changes: (): ChangeEvent[] =>
      frames().flatMap((frame) => {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        return data && !frame.includes('event: ') ? JSON.parse(data) : []
      }),
    stop: async () => {
      await reader.cancel()
      await running
    },
  }
}

describe('GET /changes/stream', () => {
  test('/changes/stream sends each change as it happens', async () => {
    const { app, swap } = await begin()
    const stream = await follow(app, '/changes/stream')
    const { headers, status } = stream.response
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    })
    await until(() => stream.frames().length >= 2)
    expect(stream.frames()[0]).toContain('retry: 2000')
    const { cursor } = (await get(app, '/changes')).body
    expect(stream.frames()[1]).toBe(`id: ${cursor}`)
    await swap(archiveAt(1))
    await until(() => stream.changes().length > 0)
    const { body } = await get(app, `/changes?since=${cursor}`)
    await until(() => stream.changes().length === body.changes.length)
    expect(stream.changes()).toEqual(body.changes)
    await stream.stop()
  })

  test('a stream sends the number of readers first, and again when it has doubled or halved', async () => {
    const { app, swap } = await begin()
    const first = await follow(app, '/changes/stream')
    const change = async (to: Archive): Promise<void> => {
      const before = first.changes().length
      await swap(to)
      await until(() => first.changes().length > before)
    }
    await until(() => first.readers().length === 1)
    const others = await Promise.all([1, 2].map(() => follow(app, '/changes/stream')))
    await change(archiveAt(1))
    await Promise.all(others.map(({ stop }) => stop()))
    const last = await follow(app, '/changes/stream')
    await change(archiveAt(1, 1))
    await last.stop()
    await change(archiveAt(2, 1))
    expect([first.readers(), last.readers()]).toEqual([['1', '3', '1'], ['2']])
    await first.stop()
  })

  test('a stream resumes after Last-Event-ID, lastEventId or since, and filters', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    for (const step of [1, 2, 3]) await swap(archiveAt(step, step))
    const all = (await get(app, `/changes?since=${cursor}`)).body.changes
    const header = await follow(app, '/changes/stream', { headers: { 'last-event-id': cursor } })
    const polyfill = await follow(app, `/changes/stream?lastEventId=${cursor}`)
    const query = await follow(app, `/changes/stream?since=${cursor}&bot=cog&type=fight.ended`)
    await until(() => polyfill.changes().length === all.length)
    await polyfill.stop()
    await until(() => header.changes().length === all.length)
    await until(() => query.changes().length === 2)
    await swap(archiveAt(4, 4))
    await swap(archiveAt(4, 5))
    await until(() => query.changes().length === 3)
    const since = (await get(app, `/changes?since=${cursor}`)).body.changes
    await until(() => header.changes().length === since.length)
    expect(header.changes()).toEqual(since)
    await header.stop()
    await query.stop()
  })

  test('since=now reads and follows from now on, as without it', async () => {
    const { app, swap } = await begin()
    await swap(archiveAt(1))
    const { changes, cursor } = (await get(app, '/changes?since=now')).body
    expect([changes, cursor]).toEqual([[], (await get(app, '/changes')).body.cursor])
    const stream = await follow(app, '/changes/stream?since=now')
    await swap(archiveAt(2))
    await until(() => stream.changes().length > 0)
    expect(stream.changes()).toEqual((await get(app, `/changes?since=${cursor}`)).body.changes)
    await stream.stop()
  })

  test('after a lost connection Last-Event-ID wins over the since of the URL', async () => {
    const { app, swap } = await begin()
    const { cursor } = (await get(app, '/changes')).body
    for (const step of [1, 2, 3]) await swap(archiveAt(step, step))
    const all = (await get(app, `/changes?since=${cursor}`)).body.changes
    for (const [id, left] of [
      [all[1].id, all.slice(2)],
      ['', all],
    ]) {
      const stream = await follow(app, `/changes/stream?since=${cursor}`, {
        headers: { 'last-event-id': id },
      })
      await until(() => stream.changes().at(-1)?.id === all.at(-1).id)
      expect(stream.changes()).toEqual(left)
      await stream.stop()
    }
  })

  test('a cursor that is unknown gets a reset, and goes on', async () => {
    const { app, swap } = await begin()
    const stream = await follow(app, '/changes/stream?since=abcdefgh1234-7')
    await until(() => stream.frames().length >= 2)
    const { cursor } = (await get(app, '/changes')).body
    expect(stream.frames()[1]).toStartWith(`id: ${cursor}\nevent: reset\ndata: {"error":`)
    await swap(archiveAt(1))
    await until(() => stream.changes().length > 0)
    await stream.stop()
  })

  test('/changes/stream waits for the data and is not refused', async () => {
    const changes = createChanges()
    const archive = archiveAt(0)
    const app = appOf(archive, { changes })
    const stream = await follow(app, '/changes/stream')
    changes.feed.begin(archive)
    await until(() => stream.frames().length >= 2)
    await stream.stop()
  })

  test('a long poll whose client is gone gives its place back at once', async () => {
    const { app, changes } = await begin({ limits: { maxStreams: 1, maxStreamsPerClient: 1 } })
    const gone = new AbortController()
    const url = 'http://localhost/changes?wait=25'
    const waiting = app(new Request(url, { signal: gone.signal }), '192.0.2.1')
    await until(() => changes.streams.count() === 1)
    expect((await app(new Request(url), '192.0.2.1')).status).toBe(503)
    gone.abort()
    await until(() => changes.streams.count() === 0)
    await waiting
    const next = app(new Request(url), '192.0.2.1')
    await until(() => changes.streams.count() === 1)
    changes.streams.stop()
    expect((await next).status).toBe(200)
  })

  test('places are limited for each client and in all, and given back', async () => {
    const { app } = await begin({ limits: { maxStreams: 3, maxStreamsPerClient: 2 } })
    const one = await follow(app, '/changes/stream', { sender: '192.0.2.1' })
    const two = await follow(app, '/changes/stream', { sender: '192.0.2.1' })
    const expectRefused = async (path: string, sender: string): Promise<void> => {
      const { status, headers } = await app(new Request(`http://localhost${path}`), sender)
      expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    }
    await expectRefused('/changes/stream', '192.0.2.1')
    const three = await follow(app, '/changes/stream', { sender: '2001:db8::1' })
    await expectRefused('/changes/stream', '198.51.100.1')
    await expectRefused('/changes?wait=5', '198.51.100.1')
    const atOnce = await app(new Request('http://localhost/changes'), '198.51.100.1')
    expect(atOnce.status).toBe(200)
    for (const stream of [one, two, three]) await stream.stop()
    const again = await follow(app, '/changes/stream', { sender: '192.0.2.1' })
    expect(again.response.status).toBe(200)
    await again.stop()
  })

  test('a trusted network has as many places as there are in all', async () => {
    const trustedNetworks = parseNetworks('192.0.2.0/24,2001:db8::1') ?? []
    const { app } = await begin({
      limits: { maxStreams: 4, maxStreamsPerClient: 1, trustedNetworks },
    })
    const statusOf = async (sender: string): Promise<readonly [number, () => unknown]> => {
      const { response, stop } = await follow(app, '/changes/stream', { sender })
      return [response.status, stop]
    }
    const opened = [await statusOf('192.0.2.1'), await statusOf('::ffff:192.0.2.1')]
    // An address of the same /64 that is not trusted has its own place.
    opened.push(await statusOf('2001:db8::1'), await statusOf('2001:db8::2'))
    expect(opened.map(([status]) => status)).toEqual([200, 200, 200, 200])
    const refused = new Request('http://localhost/changes/stream')
    expect((await app(refused, '192.0.2.1')).status).toBe(503)
    await opened[0]?.[1]()
    expect((await app(refused, '2001:db8::2')).status).toBe(503)
    opened.push(await statusOf('192.0.2.9'))
    expect(opened.at(-1)?.[0]).toBe(200)
    for (const [, stop] of opened) await stop()
  })

  test('HEAD opens no stream', async () => {
    const { app } = await begin({ limits: { maxStreams: 1, maxStreamsPerClient: 1 } })
    for (let each = 0; each < 3; each += 1) {
      const request = new Request('http://localhost/changes/stream', { method: 'HEAD' })
      const response = await app(request, '192.0.2.1')
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      expect(await response.text()).toBe('')
    }
  })

  test('a stream counts when it has ended, and not in response times', async () => {
    const { app, usage } = await begin()
    const started = performance.now()
    const stream = await follow(app, '/changes/stream')
    const openedMs = performance.now() - started
    await Bun.sleep(openedMs + 60)
    expect((await usage.report(1, '/changes/stream')).totals.requests).toBe(0)
    await stream.stop()
    await until(async () => (await usage.report(1, '/changes/stream')).totals.requests === 1)
    const { totals, maxUs } = await usage.report(1, '/changes/stream')
    expect(totals.bytes).toBeGreaterThan(30)
    expect(maxUs / 1000).toBeLessThanOrEqual(openedMs)
  })

  test('a long poll counts once, without the time it waits', async () => {
    const { app, usage } = await begin()
    const started = performance.now()
    const answer = await app(new Request('http://localhost/changes?wait=1'), '192.0.2.1')
    const { changes } = JSON.parse(await answer.text())
    expect(changes).toEqual([])
    const waitedMs = performance.now() - started
    const { totals, maxUs } = await usage.report(1, '/changes')
    expect(totals.requests).toBe(1)
    expect(maxUs / 1000).toBeLessThan(waitedMs - 900)
  })

  test('only a request that may wait is counted as open', async () => {
    const { changes, app: reader, swap } = await begin()
    const { cursor } = (await get(reader, '/changes')).body
    await swap(archiveAt(1))
    const opened: (number | undefined)[] = []
    const observers: Observer[] = [({ openMs }) => opened.push(openMs)]
    const app = appOf(archiveAt(1), { changes, observers })
    for (const wait of [0, 25])
      await app(new Request(`http://localhost/changes?since=${cursor}&wait=${wait}`), '192.0.2.1')
    expect(opened).toEqual([undefined, expect.any(Number)])
  })

  test('a stream ends at once when the process stops', async () => {
    const { app, changes } = await begin()
    const stream = await follow(app, '/changes/stream')
    changes.streams.stop()
    await until(stream.isDone)
    const refused = await app(new Request('http://localhost/changes/stream'), '192.0.2.1')
    expect(refused.status).toBe(503)
  })
})
