import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, stat, symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { drawStill } from '../../../src/companions/sample/drawing.ts'
import { createLocalMedia } from '../../../src/companions/sample/localMedia.ts'
import type { OpenedService } from '../../../src/data/archive/archive.ts'
import { openSnapshot } from '../../../src/data/following/fromSnapshot.ts'
import { nameFrame, writeSnapshot } from '../../../src/data/source/snapshot.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { appOf, archiveOf, readBody } from '../../fixtures.ts'
import { hostileNames } from '../../pageLeague.ts'
import { projectFolder, temporaryFolder } from '../../process.ts'
import { fightRows, playersNamed, recordingRow, stillRow, tournamentOf } from '../../rows.ts'

const sample = join(projectFolder, 'snapshot/sample.cageside')
const log = createLog('silent')

describe.each([
  { title: 'without settings', basePath: '', publicUrl: undefined },
  { title: 'with PUBLIC_URL', basePath: '/x', publicUrl: 'https://league.example/y/x' },
])('the sample $title', ({ basePath, publicUrl }) => {
  const served = publicUrl ?? 'http://localhost:3000'
  let service: OpenedService
  let app: ReturnType<typeof appOf>
  const get = async (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    app(new Request(`http://localhost:3000${basePath}${path}`, { headers }))
  const read = async (path: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
    (await get(path)).json() as Promise<any>
  /** Gets an address as a client does, through the proxy in front. */
  const follow = (address: string, headers?: Record<string, string>) => {
    expect(address).toStartWith(`${served}/media/`)
    return get(address.slice(served.length), headers)
  }

  beforeAll(async () => {
    const localMedia = createLocalMedia(sample)
    service = openSnapshot(sample, log, undefined, localMedia?.prepare)
    localMedia?.listening(served)
    await service.firstLoad
    app = appOf(service.archive(), { basePath, publicUrl, localMedia })
  })
  afterAll(() => service.stop())

  test('the sample has films at all URLs of recordings and clips', async () => {
    const { fights } = await read('/fights/recent?limit=20')
    const { recordings } = await read(
      `/video-feeds/fight/${fights[0].tournamentID}/${fights[0].id}`,
    )
    const { clips } = await read('/clips?limit=20')
    const addresses: readonly string[] = [
      ...fights.flatMap(({ proxy72 }: { proxy72: string | null }) => proxy72 ?? []),
      ...recordings.flatMap((each: Record<string, string>) =>
        [each.s3path, each.proxy720, each.proxy360, each.proxy72].filter((url) => url !== ''),
      ),
      ...clips.flatMap((each: Record<string, string>) => [
        each.video720p,
        each.video360p,
        each.video72p,
      ]),
    ]
    expect(addresses.length).toBeGreaterThan(100)
    const films = new Set<string | null>()
    for (const address of addresses) {
      const response = await follow(address, { range: 'bytes=4-7' })
      expect([
        response.status,
        response.headers.get('content-type'),
        await response.text(),
      ]).toEqual([206, 'video/mp4', 'ftyp'])
      films.add(response.headers.get('etag'))
    }
    expect(films.size).toBeGreaterThan(8)
  })

  test('the sample sends a film with length, tag, long caching and ranges', async () => {
    const { clips } = await read('/clips?limit=1')
    const whole = await follow(clips[0].video72p)
    expect(whole.headers.get('cache-control')).toBe('public, max-age=604800')
    expect(whole.headers.get('content-disposition')).toBeNull()
    const bytes = await whole.bytes()
    const end = await follow(clips[0].video72p, { range: 'bytes=-10' })
    expect(await end.bytes()).toEqual(bytes.slice(-10))
    const etag = whole.headers.get('etag') ?? ''
    expect((await follow(clips[0].video72p, { 'if-none-match': etag })).status).toBe(304)
    expect((await follow(clips[0].video72p, { range: `bytes=${bytes.length}-` })).status).toBe(416)
    for (const path of [
      '/media/x-nothing_72p.mp4',
      '/media/x-..%2Ftop_360p.mp4',
      '/media/top.mp4',
    ]) {
      expect((await get(path)).status).toBe(404)
    }
  })

  test('the sample has drawings of its bots, which are inert as documents', async () => {
    const { stills } = await read('/stills?limit=5&heroesOnly')
    for (const { url, bot } of stills) {
      const response = await follow(url)
      expect(response.headers.get('content-type')).toBe('image/svg+xml')
      expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      const text = await response.text()
      expect(XMLValidator.validate(text)).toBe(true)
      expect(text).toContain(Bun.escapeHTML(bot.name))
    }
    expect((await get('/media/stills/nobody.svg')).status).toBe(404)
    expect(
      (await get(`/bots/${stills[0].bot.cleanName}/picture`)).headers.get('location'),
    ).toStartWith(`${served}/media/stills/`)
  })

  test('the sample has pages whose media load under any host name, unless PUBLIC_URL names one', async () => {
    const start = publicUrl === undefined ? '/media/' : `${publicUrl}/media/`
    const { fights } = await read('/fights/recent?limit=1')
    for (const path of ['/', `/w/${fights[0].tournamentID}/${fights[0].id}`]) {
      const response = await get(path, { accept: 'text/html' })
      const html = await response.text()
      const addresses = html.match(/"[^" ]*\/media\/[^" ]*"/g) ?? []
      expect(addresses.length).toBeGreaterThan(0)
      expect(addresses.filter((each) => !each.startsWith(`"${start}`))).toEqual([])
      const origins = publicUrl === undefined ? '' : ' https://league.example'
      expect(response.headers.get('content-security-policy')).toMatch(
        new RegExp(`media-src 'self' blob:${path === '/' ? `(${origins})?` : origins};`),
      )
    }
  })
})

describe('a folder of films', () => {
  const film = Buffer.alloc(2_500_000, 'film')
  const own = async (given?: string) => {
    const folder = given ?? (await temporaryFolder())
    await Bun.write(join(folder, 'media/day one/axe v bolt.mp4'), film)
    await Bun.write(join(folder, 'media/.hidden.mp4'), 'x')
    await Bun.write(join(folder, 'media/notes.txt'), 'x')
    await Bun.write(join(folder, 'secret.mp4'), 'x')
    const localMedia = createLocalMedia('none', join(folder, 'media'))
    return appOf(archiveOf(tournamentOf({}, [], [])), { localMedia })
  }

  test('a film in MEDIA_DIR is sent unchanged, by ranges and with a tag', async () => {
    const app = await own()
    const get = (headers: Record<string, string> = {}) =>
      app(new Request('http://localhost/media/day%20one/axe%20v%20bolt.mp4', { headers }))
    const whole = await get()
    expect(whole.headers.get('content-type')).toBe('video/mp4')
    expect(whole.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(Buffer.compare(await whole.bytes(), film)).toBe(0)
    const part = await get({ range: 'bytes=1048570-1048585' })
    expect([part.status, part.headers.get('content-range')]).toEqual([
      206,
      'bytes 1048570-1048585/2500000',
    ])
    expect(Buffer.from(await part.bytes())).toEqual(film.subarray(1_048_570, 1_048_586))
    const etag = whole.headers.get('etag') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
  })

  test('a film in MEDIA_DIR wins over a generated one of the same name', async () => {
    const folder = await temporaryFolder()
    for (const name of ['bolt-spin_72p', 'spin_72p', 'spin_360p'])
      await Bun.write(join(folder, `media/${name}.mp4`), name)
    const app = await own(folder)
    const read = async (name: string) =>
      (await app(new Request(`http://localhost/media/${name}.mp4`))).text()
    expect(await Promise.all(['bolt-spin_72p', 'axe-spin_72p', 'axe-spin'].map(read))).toEqual([
      ...['bolt-spin_72p', 'spin_72p', 'spin_360p'],
    ])
  })

  test('a film in MEDIA_DIR has another tag once it is replaced by one of the same size', async () => {
    const folder = await temporaryFolder()
    const app = await own(folder)
    const tag = async () =>
      (await app(new Request('http://localhost/media/day%20one/axe%20v%20bolt.mp4'))).headers.get(
        'etag',
      )
    const before = await tag()
    await utimes(join(folder, 'media/day one/axe v bolt.mp4'), 1, 1)
    expect(await tag()).not.toBe(before)
  })

  test('MEDIA_DIR serves links that stay within it, but none that lead out', async () => {
    const folder = await temporaryFolder()
    const app = await own(folder)
    const media = join(folder, 'media')
    await Bun.write(join(folder, 'private/film.mp4'), 'secret')
    await Bun.write(join(folder, 'private/away_360p.mp4'), 'secret')
    const links = [
      ['day one/axe v bolt.mp4', 'same.mp4'],
      ['day one', 'day'],
      ['../private/film.mp4', 'out.mp4'],
      [join(folder, 'private/film.mp4'), 'absolute.mp4'],
      ['../private', 'folder'],
      ['out.mp4', 'twice.mp4'],
      ['../private/away_360p.mp4', 'away_360p.mp4'],
    ] as const
    for (const [to, at] of links) await symlink(to, join(media, at))
    // The folder itself can be a link.
    await symlink(media, join(folder, 'linked'))
    const linked = appOf(archiveOf(tournamentOf({}, [], [])), {
      localMedia: createLocalMedia('none', join(folder, 'linked')),
    })
    const statusOf = async (path: string) =>
      Promise.all(
        [app, linked].map(
          async (each) => (await each(new Request(`http://localhost/media/${path}`))).status,
        ),
      )
    for (const path of ['same.mp4', 'day/axe%20v%20bolt.mp4'])
      expect([path, ...(await statusOf(path))]).toEqual([path, 200, 200])
    for (const path of ['out.mp4', 'absolute.mp4', 'folder/film.mp4', 'twice.mp4', 'bot-away.mp4'])
      expect([path, ...(await statusOf(path))]).toEqual([path, 404, 404])
  })

  test.each([
    ['/media/..%2Fsecret.mp4'],
    ['/media/day%20one/..%2F..%2Fsecret.mp4'],
    ['/media/%252e%252e%2Fsecret.mp4'],
    ['/media/.hidden.mp4'],
    ['/media/notes.txt'],
    ['/media/day%20one'],
    ['/media/none.mp4'],
    ['/media/%00.mp4'],
    ['/media/%zz.mp4'],
  ])('MEDIA_DIR does not send %s', async (path) => {
    const app = await own()
    expect((await app(new Request(`http://localhost${path}`))).status).toBe(404)
  })
})

test.each([
  ['beside those of another host', 'https://media.example/own.mp4'],
  ['that are only proxies', 'https://cdn.example/own.mp4'],
])('media URLs of a generated league, %s, point to the service', async (_, videoUrl) => {
  const folder = await temporaryFolder()
  const path = join(folder, 'league.cageside')
  const proxyAt = (height: number) => `https://media.example/proxies/b-${height}.mp4`
  const tournament = tournamentOf({}, playersNamed('Axe', 'Bolt'), [fightRows({}, 'p0', 'p1')], {
    recordings: [
      recordingRow({ id: 1, videoUrl, proxy720Url: null, proxy360Url: null, proxy72Url: null }),
      recordingRow({
        id: 2,
        videoUrl: 'https://cdn.example/other.mp4',
        proxy720Url: proxyAt(720),
        proxy360Url: proxyAt(360),
        proxy72Url: proxyAt(72),
      }),
    ],
    stills: [stillRow({ id: 1, url: 'https://media.example/stills/a.svg' })],
  })
  await writeSnapshot(path, {
    capturedAt: 1,
    cages: [],
    cageQueue: [],
    tournaments: [tournament],
  })
  const localMedia = createLocalMedia(path, folder)
  localMedia?.listening('http://localhost')
  const service = openSnapshot(path, log, undefined, localMedia?.prepare)
  await service.firstLoad
  const app = appOf(service.archive())
  const { recordings } = await readBody(app, '/video-feeds/fight/spring_30lb/W-0')
  const { stills } = await readBody(app, '/stills')
  await service.stop()
  const texts = [
    stills[0].url,
    ...recordings.map((each: Record<string, string>) => [
      each.s3path,
      each.proxy720,
      each.proxy360,
      each.proxy72,
    ]),
  ]
  const media = 'http://localhost/media'
  expect(texts).toEqual([
    `${media}/stills/a.svg`,
    [videoUrl.replace('https://media.example', media), '', '', ''],
    [
      'https://cdn.example/other.mp4',
      ...[720, 360, 72].map((height) => `${media}/proxies/b-${height}.mp4`),
    ],
  ])
})

test('a sample keeps the frames and the version of its file, wherever its media are', async () => {
  const localMedia = createLocalMedia(sample)
  localMedia?.listening('http://localhost')
  const services = [undefined, localMedia?.prepare].map((prepare) =>
    openSnapshot(sample, log, undefined, prepare),
  )
  const [plain, local] = await Promise.all(
    services.map(async ({ firstLoad, archive, rows, stop }) => {
      await firstLoad
      const frames = (rows()?.frames ?? []).map(nameFrame)
      await stop()
      return { version: archive()?.version, frames }
    }),
  )
  expect(local).toEqual(plain)
  expect(local?.frames.length).toBeGreaterThan(0)
})

test('a snapshot without films beside it keeps its URLs', async () => {
  expect(createLocalMedia(join(await temporaryFolder(), 'league.cageside'))).toBeUndefined()
})

test('a drawing without a bot has its first tag as its text, cut to 40 characters', () => {
  const still = { bot: null, token: 'x', width: null, height: null }
  expect(drawStill({ ...still, tags: ['crowd', 'pit'] })).toContain('>crowd</text>')
  expect(drawStill({ ...still, tags: ['x'.repeat(41)] })).toContain(`>${'x'.repeat(40)}</text>`)
})

test('all films of the sample together have at most 3 MB', async () => {
  const folder = join(projectFolder, 'snapshot/media')
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size),
  )
  expect(sizes.length).toBe(14)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(3_000_000)
})

test.each([...hostileNames, 'a\u0000b\ud800', ''])(
  'the drawing of %j is valid and inert',
  (name) => {
    const still = { bot: { name, cleanName: 'x' }, tags: [], token: 't', width: null, height: null }
    const text = drawStill(still)
    expect(text).toBe(drawStill(still))
    expect(text).not.toContain('undefined')
    expect(XMLValidator.validate(text)).toBe(true)
    expect(
      text.match(/<(\w+)/g)?.filter((tag) => !/^<(svg|rect|circle|ellipse|path|text)$/.test(tag)),
    ).toEqual([])
  },
)
