import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { parseFeed } from '@rowanmanning/feed-parser'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import ICAL from 'ical.js'
import { convertIcsCalendar } from 'ts-ics'
import type { App } from '../../../src/app.ts'
import { buildSitemap } from '../../../src/companions/feeds/sitemap.ts'
import {
  appOf,
  archiveOf,
  archiveWithCages,
  contract,
  readText as read,
  readBody,
  serviceOf,
} from '../../fixtures.ts'
import { present } from '../../present.ts'
import { projectFolder } from '../../process.ts'
import { cageRow, fightRows, openFight, recordingRow, tournamentOf } from '../../rows.ts'

// The library lacks NAME of RFC 7986 and its older equivalent.
for (const name of ['name', 'x-wr-calname'])
  ICAL.design.icalendar.property[name] = { defaultType: 'text' }

const hostile = '<img src=x onerror=alert(1)>'
const breaking = 'Two\r\nATTACH:evil; a,b \\ \u0000\u001b]]>'
const hebrew = 'רובוט'
const long = 'ロボ'.repeat(150)
const now = 1_770_003_600

/** One decided fight, one between awkward names, a draw, and a future one. */
const league = ({
  winner = 0,
  annotation = 'KO',
  stopTime = 1_770_000_190,
  updateTime = 1_770_000_050,
  name = 'Axe',
}: {
  winner?: 0 | 1 | null
  annotation?: string
  stopTime?: number
  updateTime?: number
  name?: string
} = {}) =>
  tournamentOf(
    { name: 'Spring & 30lb', active: true, updateTime },
    [
      { id: 'p1', name },
      { id: 'p2', name: hostile },
      { id: 'p3', name: breaking },
      { id: 'p4', name: hebrew },
      { id: 'p5', name: long },
    ],
    [
      fightRows({ winAnnotation: annotation, stopTime, endTime: null }, 'p1', 'p2', winner),
      fightRows(
        { id: 'W-1', startTime: 1_770_000_400, stopTime: 1_770_000_580, winAnnotation: annotation },
        'p3',
        'p4',
        winner,
      ),
      fightRows(
        {
          id: 'W/2',
          name: 'W:2-1',
          state: 'called',
          winAnnotation: null,
          startTime: null,
          stopTime: null,
          endTime: null,
          scheduledTime: now + 600,
          calledSince: 1_770_000_600,
        },
        'p1',
        'p5',
        null,
      ),
    ],
    { recordings: [recordingRow({ id: 1 })] },
  )

const archive = archiveOf(league())
const service = serviceOf(archive, now)

test('a feed has the 50 newest results', async () => {
  const fights = Array.from({ length: 55 }, (_, index) =>
    fightRows({ id: `W-${index}`, stopTime: 1_770_000_200 + index }, 'a', 'b'),
  )
  const long = archiveOf(tournamentOf({}, [{ id: 'a' }, { id: 'b' }], fights))
  for (const path of ['/results.atom', '/e/spring_30lb/results.atom', '/results.atom?spoilers=0']) {
    const { text } = await read(appOf(serviceOf(long, now)), path)
    expect([path, text.match(/<entry>/g)?.length]).toEqual([path, 50])
    expect(text).toContain('/w/spring_30lb/W-54')
  }
})

const feedPaths = [
  '/results.atom',
  '/b/axe/results.atom',
  '/e/spring_30lb/results.atom',
  '/events.ics',
  '/b/axe/fights.ics',
  '/e/spring_30lb/fights.ics',
  '/my.ics',
  '/my/results.atom',
  '/e/spring_30lb/chapters.txt',
  '/e/spring_30lb/chapters.vtt',
  '/sitemap.xml',
  '/llms.txt',
  '/robots.txt',
]

describe('every feed', () => {
  test.each([
    ['/results.atom', 'application/atom+xml; charset=utf-8'],
    ['/events.ics', 'text/calendar; charset=utf-8'],
    ['/e/spring_30lb/chapters.txt', 'text/plain; charset=utf-8'],
    ['/e/spring_30lb/chapters.vtt', 'text/vtt; charset=utf-8'],
    ['/sitemap.xml', 'application/xml; charset=utf-8'],
    ['/llms.txt', 'text/plain; charset=utf-8'],
    ['/robots.txt', 'text/plain; charset=utf-8'],
  ])('the feed %s has its type, an ETag and a 304', async (path, type) => {
    const app = appOf(service)
    const { status, headers } = await read(app, path)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    const tag = headers.get('etag') ?? ''
    expect((await read(app, path, { 'if-none-match': tag })).status).toBe(304)
  })

  test('every feed has a date that brings 304 to readers without ETags until it changes', async () => {
    let archive = archiveOf(league())
    const app = appOf({ ...serviceOf(archive), archive: () => archive })
    const dates = new Map<string, string>()
    for (const path of feedPaths) {
      const { headers } = await read(app, path)
      const date = headers.get('last-modified') ?? ''
      expect([path, Math.abs(Date.parse(date) - Date.now()) < 60_000]).toEqual([path, true])
      const again = await read(app, path, { 'if-modified-since': date })
      expect([path, again.status, again.headers.get('last-modified')]).toEqual([path, 304, date])
      // A list of ETags has precedence.
      const conditions = { 'if-modified-since': date, 'if-none-match': '"another"' }
      expect((await read(app, path, conditions)).status).toBe(200)
      const later = { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }
      expect((await read(app, path, later)).status).toBe(200)
      dates.set(path, date)
    }
    archive = archiveOf(league({ winner: 1, name: 'Axe II' }))
    for (const path of [
      '/results.atom',
      '/e/spring_30lb/results.atom',
      '/e/spring_30lb/fights.ics',
    ]) {
      const changed = await read(app, path, { 'if-modified-since': dates.get(path) ?? '' })
      expect([path, changed.status]).toEqual([path, 200])
    }
  })

  test('every feed depends only on the data', async () => {
    for (const path of feedPaths) {
      const { text } = await read(appOf(service), path)
      const later = appOf(serviceOf(archiveOf(league()), now + 60))
      expect([path, (await read(later, path)).text]).toEqual([path, text])
    }
  })

  test('every feed is in the README', async () => {
    const readme = await Bun.file(join(projectFolder, 'src/companions/feeds/README.md')).text()
    const paths = [...readme.matchAll(/^\| `(\S+)` /gm)].map(([, path = '']) =>
      path.replace('BOT', 'axe').replace('ID', 'spring_30lb'),
    )
    expect(paths).toEqual(feedPaths)
  })

  test.each(['/b/nobody/results.atom', '/b/nobody/fights.ics', '/e/none/results.atom'])(
    'the feed %s is 404',
    async (path) => {
      const { status, headers } = await read(appOf(service), path)
      expect([status, headers.get('content-type')]).toEqual([404, 'application/json'])
    },
  )

  test('every feed that shows data waits for it', async () => {
    const app = appOf(undefined)
    expect((await read(app, '/results.atom')).status).toBe(503)
    expect((await read(app, '/llms.txt')).status).toBe(200)
  })
})

describe('links', () => {
  const linkOf = async (app: App, headers: Record<string, string> = {}) => {
    const { text } = await read(app, '/api/results.atom', headers)
    return parseFeed(text).url
  }
  const own = { basePath: '/api' }

  test('links of feeds follow the forwarded headers of each request, cached or not', async () => {
    const app = appOf(service, { trustedProxies: 1 })
    const linkedAt = async (headers: Record<string, string>) => {
      const request = new Request('http://localhost/llms.txt', {
        headers: { host: 'a.example', ...headers },
      })
      return /https?:\/\/[\w.]+/.exec(await (await app(request)).text())?.[0]
    }
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    for (let repeat = 0; repeat < 3; repeat += 1) {
      expect(await linkedAt(forwarded)).toBe('https://evil.example')
      expect(await linkedAt({})).toBe('http://a.example')
      expect(await linkedAt({ 'x-forwarded-proto': 'https' })).toBe('https://a.example')
    }
  })

  test('links of feeds begin with PUBLIC_URL for any request', async () => {
    const app = appOf(service, { ...own, publicUrl: 'https://robots.example/v1' })
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    expect(await linkOf(app, headers)).toBe('https://robots.example/v1/')
    const answer = await read(app, '/api/results.atom')
    expect(answer.headers.get('cache-control')).toStartWith('public, max-age=60')
  })

  test('links of feeds follow the host without PUBLIC_URL, and are not cached for another host', async () => {
    const app = appOf(service, own)
    for (const host of ['a.example', 'b.example:8080', 'A.example', '[::1]:3000']) {
      expect(await linkOf(app, { host })).toBe(`http://${host.toLowerCase()}/api/`)
    }
    expect(await linkOf(app, { host: 'a.example' })).toBe('http://a.example/api/')
    const answer = await read(app, '/api/results.atom')
    expect(answer.headers.get('cache-control')).toStartWith('private')
  })

  test('links of feeds follow forwarded headers only of trusted proxies', async () => {
    const headers = {
      host: 'inner:3000',
      'x-forwarded-host': 'forged.example, robots.example',
      'x-forwarded-proto': 'https',
    }
    expect(await linkOf(appOf(service, own), headers)).toBe('http://inner:3000/api/')
    const app = appOf(service, { ...own, trustedProxies: 1 })
    expect(await linkOf(app, headers)).toBe('https://robots.example/api/')
  })

  test.each(['a"><script>', 'a b', 'a/b', 'a@b', '', 'x'.repeat(300)])(
    '%p is no host for links',
    async (host) => {
      const app = appOf(service, { ...own, trustedProxies: 1 })
      const headers = { 'x-forwarded-host': host, 'x-forwarded-proto': 'javascript' }
      expect(await linkOf(app, headers)).toBe('http://localhost/api/')
    },
  )
})

describe('Atom', () => {
  const results = async (path: string, app = appOf(service)) =>
    parseFeed((await read(app, path)).text)

  test('an Atom feed has the results as text, newest first', async () => {
    const feed = await results('/results.atom')
    expect(feed.meta).toMatchObject({ type: 'atom', version: '1.0' })
    expect(feed.items.map(({ title, url }) => [title, url])).toEqual([
      [
        `Two ATTACH:evil; a,b \\  ]]> beat \u2068${hebrew}\u2069 (KO)`,
        'http://localhost/w/spring_30lb/W-1',
      ],
      [`Axe beat ${hostile} (KO)`, 'http://localhost/w/spring_30lb/W-0'],
    ])
    expect(feed.items[1]?.updated?.toISOString()).toStartWith('2026-02-02T02:43:10.')
    expect(feed.items[1]?.description).toBe('Spring & 30lb, Finals, fight 1, Cage 2, 1:30')
  })

  test('an Atom feed lists the fights of one bot, or of one tournament', async () => {
    const bot = await results('/b/Axe/results.atom')
    expect(bot.title).toBe('Cageside: results of Axe')
    expect(bot.items).toHaveLength(1)
    expect(bot.url).toBe('http://localhost/b/axe')
    const tournament = await results('/e/spring_30lb/results.atom')
    expect(tournament.title).toBe('Cageside: results of Spring & 30lb')
    expect(tournament.items).toHaveLength(2)
  })

  test('an Atom feed of several bots has the results of all, each once, newest first', async () => {
    const at = (id: string, startTime: number, ...bots: [string, string]) =>
      fightRows({ id, name: id, startTime, stopTime: startTime + 60, endTime: null }, ...bots)
    const fights = [
      at('W-1', now, 'a', 'b'),
      at('W-2', now + 90, 'c', 'd'),
      at('W-3', now + 180, 'a', 'b'),
    ]
    const bots = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
    const app = appOf(archiveOf(tournamentOf({}, bots, fights)))
    const { text } = await read(app, '/my/results.atom?bots=a,b,c')
    const found = [...text.matchAll(/\/w\/spring_30lb\/(W-\d)/g)].map(([, id]) => id)
    expect(found).toEqual(['W-3', 'W-2', 'W-1'])
    const { text: named } = await read(app, '/my/results.atom?bots=a,c&spoilers=0')
    expect(named).toContain('/my/results.atom?bots=a,c&amp;spoilers=0"')
  })

  test('an Atom feed gives fights with the same number in two events different ids', async () => {
    const event = (id: string) =>
      tournamentOf({ id }, [{ id: 'a' }, { id: 'b' }], [fightRows({}, 'a', 'b')])
    const { text } = await read(appOf(archiveOf(event('one'), event('two'))), '/results.atom')
    const ids = [...text.matchAll(/<id>(.*?)</g)].map(([, id]) => id)
    expect([ids.length, new Set(ids).size]).toEqual([3, 3])
  })

  test('an Atom feed gives a fight the same id at every URL and under every name', async () => {
    const renamed = appOf(serviceOf(archiveOf(league({ name: 'Hatchet' })), now), {
      publicUrl: 'https://else.example',
    })
    const ids = async (app: App) => (await results('/results.atom', app)).items.map(({ id }) => id)
    expect(await ids(renamed)).toEqual(await ids(appOf(service)))
    expect((await ids(renamed))[0]).toMatch(/^urn:uuid:[0-9a-f-]{36}$/)
  })

  test('a corrected result changes only the updated field of its own entry', async () => {
    const entriesOf = async (rows: ReturnType<typeof league>) => {
      const feed = await results('/results.atom', appOf(serviceOf(archiveOf(rows), now)))
      return { entries: feed.items, latest: feed.updated }
    }
    const { entries: before } = await entriesOf(league())
    const touched = league({ updateTime: 1_770_000_900 })
    expect((await entriesOf(touched)).entries).toEqual(before)
    const slots = touched.slots.map((slot) =>
      slot.gameId === 'W-0'
        ? { ...slot, state: slot.idx === 0 ? ('loser' as const) : ('winner' as const) }
        : slot,
    )
    const { entries: after } = await entriesOf({ ...touched, slots })
    expect(after[0]).toEqual(present(before[0]))
    const { title, updated, ...same } = present(before[1])
    expect(after[1]).toMatchObject(same)
    expect(after[1]?.title).not.toBe(title)
    expect(after[1]?.updated).not.toEqual(updated)
  })

  test('pages and feeds omit unknown lengths', async () => {
    const undated = { startTime: null, stopTime: null, endTime: null, timerDuration: null }
    const fights = Array.from({ length: 6 }, (_, index) =>
      fightRows({ id: `W-${index}`, ...undated }, 'p1', 'p2'),
    )
    const rows = tournamentOf(
      { active: true },
      [
        { id: 'p1', name: 'Axe' },
        { id: 'p2', name: 'Bolt' },
      ],
      fights,
    )
    const cage = cageRow({
      number: 1,
      status: 'completed',
      tournamentId: 'spring_30lb',
      gameId: 'W-5',
    })
    const app = appOf(archiveWithCages({ cages: [cage] }, rows))
    const pages = [
      '/',
      '/live',
      '/e',
      '/stats',
      '/e/spring_30lb',
      '/b/axe',
      '/vs/axe/bolt',
      '/w/spring_30lb/W-5',
    ]
    const others = [
      '/overlay/cage/1',
      '/overlay/next',
      '/my?bots=axe',
      '/results.atom',
      '/b/axe/fights.ics',
    ]
    for (const path of [...pages, ...others]) {
      const { status, text } = await read(app, path, { accept: 'text/html' })
      expect([path, status, text.match(/.{20}\b0:00(?!\.0).{9}/g)]).toEqual([path, 200, null])
    }
    expect((await readBody(app, '/bots/axe')).bot.durationStats).toMatchObject({
      averageSeconds: 0,
      fightsMeasured: 0,
    })
    const file = await app(new Request('http://localhost/bulk/fights.csv.gz'))
    const [head = '', first = ''] = new TextDecoder()
      .decode(Bun.gunzipSync(await file.arrayBuffer()))
      .split('\r\n')
    const cells = first.split(',')
    for (const column of ['matchLength', 'stopTime', 'timerDuration'])
      expect([column, cells[head.split(',').indexOf(column)] ?? '']).toEqual([column, ''])
  })

  test('an event without dates is not dated 1970', async () => {
    const undated = { startTime: null, stopTime: null, endTime: null }
    const fights = [fightRows(undated, 'a', 'b')]
    const event = { createTime: 0, updateTime: now }
    const app = appOf(archiveOf(tournamentOf(event, [{ id: 'a' }, { id: 'b' }], fights)))
    for (const path of [
      '/results.atom',
      '/results.atom?spoilers=0',
      '/sitemap.xml',
      '/tournaments',
      '/events.ics',
    ])
      expect([path, (await read(app, path)).text.match(/1970-|19700101T0+Z/)]).toEqual([path, null])
    const { tournaments } = await readBody(app, '/tournaments')
    expect(tournaments[0].createTime).toBe('0000-00-00 00:00:00')
    expect((await readBody(app, '/tournaments?year=1970')).tournaments).toEqual([])
  })

  test('pages and feeds omit an unknown weight class', async () => {
    const rows = league()
    const app = appOf(archiveOf({ ...rows, tournament: { ...rows.tournament, weightClass: 0 } }))
    for (const path of [
      '/results.atom',
      '/events.ics',
      '/e/spring_30lb',
      '/b/axe',
      '/stats',
      '/live',
    ])
      expect((await read(app, path)).text.match(/.*\b0 lb.*/)).toBeNull()
    expect((await read(app, '/results.atom')).text).not.toContain('<category')
  })

  test('feeds with and without outcomes share no id', async () => {
    for (const path of ['/results.atom', '/b/axe/fights.ics']) {
      const idsAt = async (query: string) =>
        (await read(appOf(service), path + query)).text.match(/urn:uuid:[^<]+|^UID:.*$/gm) ?? []
      const [shown, hidden] = [await idsAt(''), await idsAt('?spoilers=0')]
      expect(shown.length).toBeGreaterThan(1)
      expect(hidden).toHaveLength(shown.length)
      expect(new Set([...shown, ...hidden]).size).toBe(2 * shown.length)
    }
  })

  test('an empty league is an empty feed', async () => {
    const feed = await results('/results.atom', appOf(archiveOf()))
    expect(feed.items).toEqual([])
  })
})

describe('feeds without spoilers', () => {
  const outcomes = [
    league(),
    league({ winner: 1 }),
    league({ annotation: 'JD' }),
    league({ winner: 1, annotation: 'FF' }),
    league({ stopTime: 1_770_000_150 }),
  ].map((rows) => appOf(serviceOf(archiveOf(rows), now)))

  test.each(['/results.atom', '/b/axe/results.atom', '/b/axe/fights.ics'])(
    '%s is the same for every outcome without spoilers',
    async (path) => {
      const seen = async (query: string) =>
        new Set(
          await Promise.all(outcomes.map(async (app) => (await read(app, path + query)).text)),
        )
      expect((await seen('?spoilers=0')).size).toBe(1)
      expect((await seen('')).size).toBe(outcomes.length)
    },
  )

  test('a second grand final, which one outcome of the first leads to, is left out', async () => {
    const [red, blue] = fightRows({ id: 'W-9' }, 'a', 'b').slots
    const reset = fightRows({ id: 'W-9', name: 'W:2-1', startTime: 1_770_000_900 }, 'a', 'b')
    const slots = [red, blue].map((slot) => ({ ...slot, prevGameId: 'W-0' }))
    const rows = tournamentOf({}, [{ id: 'a' }, { id: 'b' }], [fightRows({}, 'a', 'b'), reset])
    const first = rows.slots.filter(({ gameId }) => gameId === 'W-0')
    const app = appOf(archiveOf({ ...rows, slots: [...first, ...slots] }))
    const entries = async (path: string, mark: string) =>
      (await read(app, `/e/spring_30lb/${path}`)).text.split(mark).length - 1
    for (const [path, mark] of [
      ['results.atom', '<entry>'],
      ['chapters.txt', '\n'],
    ] as const) {
      const [all, named] = [await entries(path, mark), await entries(`${path}?spoilers=0`, mark)]
      expect([path, all, named]).toEqual([path, 2, 1])
    }
  })

  test('a name that follows from an outcome is left out', async () => {
    const final = fightRows({ id: 'W-9', name: 'W:2-1', startTime: 1_770_000_900 }, 'a', 'c')
    const [red, blue] = final.slots
    const rows = tournamentOf(
      {},
      [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      [fightRows({}, 'a', 'b'), { ...final, slots: [{ ...red, prevGameId: 'W-0' }, blue] }],
    )
    const app = appOf(archiveOf(rows))
    const at = async (path: string) => (await read(app, path)).text
    expect(await at('/results.atom?spoilers=0')).toContain('<title>? v c</title>')
    expect(await at('/b/c/results.atom?spoilers=0')).not.toContain('<entry>')
    expect(await at('/e/spring_30lb/results.atom?spoilers=0')).toContain('<title>? v c</title>')
    expect(await at('/b/c/fights.ics?spoilers=0')).not.toContain('VEVENT')
    expect(await at('/e/spring_30lb/chapters.txt?spoilers=0')).toContain(' ? v c\n')
    expect(await at('/e/spring_30lb/chapters.txt')).toContain(' a v c\n')
  })

  test.each(['/results.atom', '/e/spring_30lb/results.atom', '/b/axe/fights.ics', '/events.ics'])(
    '%s leads to pages without outcomes',
    async (path) => {
      const text = (await read(appOf(service), `${path}?spoilers=0`)).text.replaceAll('\r\n ', '')
      const links = text.match(/http:\/\/localhost\/[^"\s]*/g) ?? []
      expect(links.length).toBeGreaterThan(0)
      for (const link of links) expect(link).toEndWith('?spoilers=0')
    },
  )

  test('chapters are the same for every outcome, even with spoilers', async () => {
    const texts = outcomes.map(async (app) => (await read(app, '/e/spring_30lb/chapters.txt')).text)
    expect(new Set(await Promise.all(texts)).size).toBe(1)
  })
})

describe('iCalendar', () => {
  const calendar = async (path: string, app = appOf(service)) => {
    const { text } = await read(app, path)
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    const parsed = new ICAL.Component(ICAL.parse(text))
    expect(parsed.getAllSubcomponents().length).toBeGreaterThan(0)
    const events = parsed.getAllSubcomponents('vevent')
    const other = convertIcsCalendar(undefined, text)
    expect(
      (other.events ?? []).map(({ uid, summary, start }) => [uid, summary, +start.date]),
    ).toEqual(
      events.map((each) => {
        const { uid, summary, startDate } = new ICAL.Event(each)
        return [uid, summary, 1000 * unix(startDate)]
      }),
    )
    return events.map((each) => ({ event: new ICAL.Event(each), each }))
  }
  const unix = (time: { toUnixTime: () => number }) => time.toUnixTime()

  test('the calendar has the tournaments', async () => {
    const [found, ...others] = await calendar('/events.ics')
    expect(others).toEqual([])
    expect(found?.event.summary).toBe('Spring & 30lb')
    expect(unix(present(found?.event.startDate))).toBe(1_770_000_100)
    expect(unix(present(found?.event.endDate))).toBe(now + 600)
    expect(String(found?.each.getFirstPropertyValue('url'))).toBe('http://localhost/e/spring_30lb')
  })

  test('a tournament to come lasts as long as most did, in half hours', async () => {
    const past = [2, 3, 9].map((hours) =>
      tournamentOf(
        { id: `t${hours}`, startTime: now - 90_000, endTime: now - 90_000 + hours * 3500 },
        [],
        [],
      ),
    )
    const planned = { startTime: null, scheduledStartTime: now + 3600 }
    const next = tournamentOf({ id: 'next', name: 'Next', ...planned }, [], [])
    for (const [rows, hours] of [
      [[next], 0],
      [[next, ...past], 3],
    ] as const)
      for (const spoilers of ['', '?spoilers=0']) {
        const app = appOf(serviceOf(archiveOf(...rows)))
        const found = (await calendar(`/events.ics${spoilers}`, app)).find(
          ({ event }) => event.summary === 'Next',
        )
        const seconds = unix(present(found?.event.endDate)) - unix(present(found?.event.startDate))
        expect([spoilers, seconds]).toEqual([spoilers, hours * 3600])
      }
  })

  test('the calendar has the 300 newest tournaments', async () => {
    const rows = Array.from({ length: 301 }, (_, index) =>
      tournamentOf({ id: `t${index}`, name: `E${index}`, startTime: now - index * 60 }, [], []),
    )
    const { text } = await read(appOf(archiveOf(...rows)), '/events.ics')
    expect(text.split('BEGIN:VEVENT').length - 1).toBe(300)
    expect([text.includes('SUMMARY:E0\r'), text.includes('SUMMARY:E300\r')]).toEqual([true, false])
  })

  describe('an event under way', () => {
    const [, last] = league().games
    const rows = { ...league(), games: [present(last)] }
    const endAt = async (
      time: number,
      over: Partial<typeof rows.tournament> = {},
      games: typeof rows.games = rows.games,
    ) => {
      const shown = { ...rows, games, tournament: { ...rows.tournament, ...over } }
      const [found] = await calendar('/events.ics', appOf(serviceOf(archiveOf(shown), time)))
      return { end: unix(present(found?.event.endDate)), sequence: found?.event.sequence ?? 0 }
    }
    const stop = 1_770_000_580
    test.each([0, 600, 7200, 80_000])(
      'a calendar event does not end %i s after its last fight',
      async (seconds) => {
        expect((await endAt(stop + seconds)).end).toBeGreaterThan(stop + seconds + 3600)
      },
    )
    test('a calendar event under way ends an hour later after an hour, with a higher SEQUENCE', async () => {
      const [one, two] = [await endAt(stop), await endAt(stop + 3600)]
      expect(two.end).toBe(one.end + 3600)
      expect(two.sequence).toBeGreaterThan(one.sequence)
    })
    test('a calendar event ends with its last fight when it is over, or idle for a day', async () => {
      expect((await endAt(stop + 600, { active: false })).end).toBe(stop)
      // A fight that was over before its planned time.
      const early = { ...present(last), scheduledTime: stop + 3600 }
      expect((await endAt(stop + 90_000, {}, [early])).end).toBe(stop)
      expect((await endAt(stop + 86_400)).end).toBe(stop)
    })
  })

  test('the calendar of a bot has its past and coming fights', async () => {
    const found = await calendar('/b/axe/fights.ics')
    expect(
      found.map(({ event, each }) => [
        event.summary,
        unix(event.startDate),
        unix(event.endDate) - unix(event.startDate),
        each.getFirstPropertyValue('status'),
        String(each.getFirstPropertyValue('url')),
      ]),
    ).toEqual([
      [`Axe v ${long}`, now + 600, 180, 'TENTATIVE', 'http://localhost/w/spring_30lb/W%2F2'],
      [
        `Axe beat ${hostile} (KO)`,
        1_770_000_100,
        90,
        'CONFIRMED',
        'http://localhost/w/spring_30lb/W-0',
      ],
    ])
    expect(found[0]?.event.location).toBe('Cage 2')
  })

  test.each([
    ['available', 'TENTATIVE'],
    ['active', 'CONFIRMED'],
  ] as const)('a fight that is %s is %s', async (state, status) => {
    const open = openFight(
      { state, startTime: state === 'active' ? now : null, scheduledTime: now },
      'a',
      'b',
    )
    const rows = tournamentOf({ active: true }, [{ id: 'a' }, { id: 'b' }], [open])
    const [found] = await calendar('/b/a/fights.ics', appOf(serviceOf(archiveOf(rows), now)))
    expect(found?.each.getFirstPropertyValue('status')).toBe(status)
  })

  test('a fight that ended when it began has no end', async () => {
    const rows = tournamentOf(
      { startTime: 1_770_000_100, endTime: 1_770_000_100 },
      [{ id: 'a' }, { id: 'b' }],
      [fightRows({ stopTime: 1_770_000_100, endTime: null }, 'a', 'b')],
    )
    const app = appOf(serviceOf(archiveOf(rows), now))
    for (const path of ['/b/a/fights.ics', '/events.ics']) {
      const { text } = await read(app, path)
      expect(text).toContain('DTSTART')
      expect(text).not.toContain('DTEND')
    }
  })

  test('names in a calendar are text without line breaks', async () => {
    const [found] = await calendar(`/b/${encodeURIComponent(breaking)}/fights.ics`)
    expect(found?.each.getAllProperties('attach')).toEqual([])
    expect(found?.event.summary).toStartWith('Two ATTACH:evil; a,b \\')
  })

  test('fights.ics has the past and future fights of a tournament', async () => {
    const found = await calendar('/e/spring_30lb/fights.ics')
    expect(found.map(({ event }) => event.summary)).toEqual([
      `Axe v ${long}`,
      `Two ATTACH:evil; a,b \\  ]]> beat \u2068${hebrew}\u2069 (KO)`,
      `Axe beat ${hostile} (KO)`,
    ])
    const hidden = await calendar('/e/spring_30lb/fights.ics?spoilers=0')
    expect(hidden.map(({ event }) => event.summary)).not.toContain(`Axe beat ${hostile} (KO)`)
  })

  test('the name of a calendar is escaped', async () => {
    const name = "You're Toast; Buddy, \\n"
    const app = appOf(archiveOf(league({ name })))
    const { text } = await read(app, `/b/${encodeURIComponent(name)}/fights.ics`)
    const calendar = new ICAL.Component(ICAL.parse(text))
    for (const property of ['name', 'x-wr-calname'])
      expect(String(calendar.getFirstPropertyValue(property))).toBe(`Fights of ${name}`)
  })

  test('a calendar without entries is valid', async () => {
    const undated = { startTime: null, stopTime: null, endTime: null }
    const rows = tournamentOf({}, [{ id: 'a' }, { id: 'b' }], [fightRows(undated, 'a', 'b')])
    const app = appOf(archiveOf(rows))
    for (const path of ['/b/a/fights.ics', '/e/spring_30lb/fights.ics', '/my.ics', '/events.ics'])
      expect(await calendar(path, app)).toEqual([])
  })

  test.each([
    ['later', 600, 0],
    ['earlier', -600, 900],
  ])('calendar programs accept a fight that is planned %s', async (_, bySeconds, after) => {
    const at = async (scheduledTime: number, time: number, path: string) => {
      const open = openFight({ scheduledTime }, 'a', 'b')
      const dates = { createTime: now - 900_000, scheduledStartTime: scheduledTime }
      const rows = tournamentOf({ ...dates }, [{ id: 'a' }, { id: 'b' }], [open])
      const [found] = await calendar(path, appOf(serviceOf(archiveOf(rows), time)))
      const [stamp = 0, modified = 0] = ['dtstamp', 'last-modified'].map((name) =>
        Date.parse(String(found?.each.getFirstPropertyValue(name))),
      )
      return { sequence: present(found).event.sequence, stamp, modified }
    }
    for (const path of ['/b/a/fights.ics', '/e/spring_30lb/fights.ics', '/events.ics']) {
      const [planned, wait] = [now + 36_000, path === '/events.ics' ? 4 * after : after]
      const [one, two] = [
        await at(planned, now, path),
        await at(planned + bySeconds, now + wait, path),
      ]
      expect(two.sequence).toBeGreaterThan(one.sequence)
      expect(two.stamp).toBeGreaterThan(one.stamp)
      expect(two.modified).toBeGreaterThan(one.modified)
    }
  })

  test('a fight that was called in a mistyped year has the dates of one that was not', async () => {
    const called = async (calledSince: number | null) => {
      const open = openFight({ state: 'called', calledSince, scheduledTime: now + 600 }, 'a', 'b')
      const rows = tournamentOf({}, [{ id: 'a' }, { id: 'b' }], [open])
      const [found] = await calendar('/b/a/fights.ics', appOf(serviceOf(archiveOf(rows), now)))
      return String(found?.each)
    }
    expect(await called(2_903_000_000)).toBe(await called(null))
  })

  test('ids stay and sequences grow when a fight changes', async () => {
    const identities = async (rows: ReturnType<typeof league>) =>
      (await calendar('/b/p1/fights.ics', appOf(serviceOf(archiveOf(rows), now)))).map(
        ({ event, each }) =>
          [event.uid, event.sequence, String(each.getFirstPropertyValue('dtstamp'))] as const,
      )
    const before = await identities(league({ name: 'P1' }))
    expect(await identities(league({ name: 'P1' }))).toEqual(before)
    const after = await identities(league({ name: 'P-1', stopTime: 1_770_000_250 }))
    expect(after.map(([uid]) => uid)).toEqual(before.map(([uid]) => uid))
    expect(after[1]?.[1]).toBeGreaterThan(before[1]?.[1] ?? 0)
    const moved = await identities(league({ name: 'P1', updateTime: 1_770_000_900 }))
    for (const [index, [, sequence]] of moved.entries())
      expect(sequence).toBeGreaterThan(before[index]?.[1] ?? 0)
  })
})

describe('chapters', () => {
  const chapters = async (query = '') =>
    (await read(appOf(service), `/e/spring_30lb/chapters.txt${query}`)).text.split('\n')

  test('chapters count from the first fight', async () => {
    expect(await chapters()).toEqual([
      `0:00 Axe v ${hostile}`,
      `5:00 Two ATTACH:evil; a,b \\  ]]> v \u2068${hebrew}\u2069`,
      '',
    ])
  })

  test('chapters are also a WebVTT track', async () => {
    const track = async (query = '') =>
      (await read(appOf(service), `/e/spring_30lb/chapters.vtt${query}`)).text
    expect(await track()).toBe(`WEBVTT

00:00:00.000 --> 00:05:00.000
Axe v &lt;img src=x onerror=alert(1)&gt; (Finals, fight 1)

00:05:00.000 --> 00:08:00.000
Two ATTACH:evil; a,b \\  ]]&gt; v \u2068${hebrew}\u2069 (Finals, fight 1)
`)
    const late = await track(`?start=${1_770_000_100 - 360_000}`)
    expect(late).toContain('00:00:00.000 --> 100:00:00.000\nSpring &amp; 30lb\n')
    expect(late).toContain('\n100:00:00.000 --> 100:05:00.000\n')
    expect(await track('?cage=3')).toBe('WEBVTT\n')
    expect((await read(appOf(service), '/e/none/chapters.vtt')).status).toBe(404)
  })

  test.each([
    [120, '00:02:00.000'],
    [0, '00:03:00.000'],
    [null, '00:03:00.000'],
  ])('the last chapter of a fight with a clock of %p s ends at %s', async (countdown, end) => {
    const rows = tournamentOf({}, [{ id: 'a' }, { id: 'b' }], [fightRows({ countdown }, 'a', 'b')])
    const { text } = await read(appOf(archiveOf(rows)), '/e/spring_30lb/chapters.vtt')
    expect(text).toContain(`00:00:00.000 --> ${end}\n`)
  })

  test('chapters of a video count from its start, named at 0:00, up to its end', async () => {
    const [first, second, third] = await chapters(`?start=${1_770_000_100 - 3700}`)
    expect(first).toBe('0:00 Spring & 30lb')
    expect(second).toStartWith('1:01:40 Axe v ')
    expect(third).toStartWith('1:06:40 Two ')
    expect((await chapters('?start=1770000091'))[0]).toStartWith('0:00 Axe v ')
    expect((await chapters('?start=1770000090'))[1]).toStartWith('0:10 Axe v ')
    expect((await chapters('?start=1770000396'))[0]).toStartWith('0:00 Two ')
    expect(await chapters('?start=1770000091&end=1770000400')).toEqual([
      `0:00 Axe v ${hostile}`,
      '',
    ])
    const track = await read(appOf(service), '/e/spring_30lb/chapters.vtt?end=1770000450')
    expect(track.text).toContain('00:05:00.000 --> 00:05:50.000\n')
  })

  test('chapters of one cage have only its fights', async () => {
    expect(await chapters('?cage=2')).toEqual(await chapters())
    expect(await chapters('?cage=3')).toEqual([''])
  })

  test('chapters share a line when they begin at almost the same time', async () => {
    const at = (id: string, startTime: number) => fightRows({ id, name: id, startTime }, 'a', 'b')
    const rows = tournamentOf(
      {},
      [{ id: 'a' }, { id: 'b' }],
      [
        at('W-0', 1_770_000_000),
        at('W-1', 1_770_000_009),
        at('W-2', 1_770_000_019),
        at('W-3', 1_770_000_029),
      ],
    )
    const { text } = await read(appOf(archiveOf(rows)), '/e/spring_30lb/chapters.txt')
    expect(text).toBe('0:00 a v b, a v b\n0:19 a v b\n0:29 a v b\n')
  })
})

test('chapters of an event have a part for each cage and day', async () => {
  const evening = 1_770_062_400
  const fights = [
    ['Cage 10', evening + 60],
    ['Cage 2', evening + 3600],
    ['Cage 10', evening + 9000],
    // Past midnight, but of the same evening.
    ['Cage 2', evening + 20_000],
    ['Cage 2', evening + 72_000],
  ] as const
  const rows = tournamentOf(
    {},
    [{ id: 'a' }, { id: 'b' }],
    fights.map(([cage, startTime], index) =>
      fightRows({ id: `W-${index}`, cage, startTime }, 'a', 'b'),
    ),
  )
  const app = appOf(archiveOf(rows), { timeZone: 'America/New_York' })
  const { text } = await read(app, '/e/spring_30lb/chapters.txt')
  expect(text.split('\n\n')).toEqual([
    'Cage 10, 2 February 2026\n0:00 a v b\n2:29:00 a v b',
    'Cage 2, 2 February 2026\n0:00 a v b\n4:33:20 a v b',
    'Cage 2, 3 February 2026\n0:00 a v b\n',
  ])
  const one = await read(app, '/e/spring_30lb/chapters.txt?cage=10')
  expect(one.text).toBe('0:00 a v b\n2:29:00 a v b\n')
})

describe('the sitemap', () => {
  const parser = new XMLParser()
  const locations = (text: string): string[] => {
    expect(XMLValidator.validate(text)).toBe(true)
    return [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address = '']) => address)
  }

  test('the sitemap has the day of the last fight of a bot', async () => {
    const { text } = await read(appOf(service), '/sitemap.xml')
    expect(text).toContain('/b/axe</loc><lastmod>2026-02-02</lastmod>')
  })

  test('the sitemap has the pages of tournaments, bots and fights', async () => {
    const { text } = await read(appOf(service), '/sitemap.xml')
    const found = locations(text)
    expect(parser.parse(text).urlset.url).toHaveLength(found.length)
    const fixed = ['/', '/live', '/e', '/stats', '/embed']
    for (const path of [...fixed, '/e/spring_30lb', '/b/axe', '/w/spring_30lb/W%2F2'])
      expect(found).toContain(`http://localhost${path}`)
    expect((await read(appOf(service), '/sitemap.xml?part=1')).text).toBe(text)
    expect((await read(appOf(service), '/sitemap.xml?part=2')).status).toBe(404)
  })

  test('the sitemap is an index of parts that hold every page once', async () => {
    const all = await buildSitemap(archive, { base: 'https://a.example/x', part: 0 })
    const options = { base: 'https://a.example/x', perPart: 4 }
    const index = await buildSitemap(archive, { ...options, part: 0 })
    const parts = locations(index ?? '').length
    expect(index).toContain(`<loc>https://a.example/x/sitemap.xml?part=${parts}</loc>`)
    const pages: string[] = []
    for (let part = 1; part <= parts; part += 1) {
      const found = locations((await buildSitemap(archive, { ...options, part })) ?? '')
      expect(found.length).toBeLessThanOrEqual(4)
      pages.push(...found)
    }
    expect(pages).toEqual(locations(all ?? ''))
    expect(await buildSitemap(archive, { ...options, part: parts + 1 })).toBeUndefined()
  })
})

describe('llms.txt', () => {
  const linesOf = (section: string): (readonly [string, string])[] =>
    [...section.matchAll(/^- `([^`]+)`: (\S.*)$/gm)].map(([, path = '', line = '']) => [path, line])
  /** Names of the parameters in a line. */
  const parametersOf = (line: string): string[] =>
    (line.split('. Parameters: ')[1]?.split(' · ') ?? []).flatMap(
      (part) => /^`([^`]+)`/.exec(part)?.[1] ?? [],
    )
  const queryOf = ({ parameters = [] }: (typeof contract.operations)[number]['operation']) =>
    parameters.flatMap((each) => ('in' in each && each.in === 'query' ? each.name : []))

  test('llms.txt has every route of the API with its parameters, and every page, in under 11 KB', async () => {
    for (const basePath of ['', '/x/api']) {
      const app = appOf(service, { basePath })
      const { text } = await read(app, `${basePath}/llms.txt`, { host: 'robots.example' })
      expect(Buffer.byteLength(text)).toBeLessThan(11_000)
      expect(text).toStartWith('# Cageside\n\n> ')
      expect(text).not.toContain('` | ')
      const [, api = '', beside = ''] = text.split('\n## ')
      const described = contract.operations
        .filter(({ operation }) => !operation.tags?.includes('legacy'))
        .map(({ template, operation }) => [template, queryOf(operation)])
      const named = linesOf(api).map(([path, line]) => [path, parametersOf(line)])
      expect(named).toEqual(described)
      const pages = linesOf(beside)
      const fed = feedPaths.filter((path) => !['/llms.txt', '/robots.txt'].includes(path))
      const own = [
        '/b/axe',
        '/e',
        '/e/spring_30lb',
        '/e/spring_30lb/fights.csv',
        '/embed',
        '/live',
        '/my',
        '/overlay/cage/1',
        '/stats',
      ]
      const filled = pages.map(([path]) =>
        path
          .replace('{bot}', 'axe')
          .replace('{tournamentID}', 'spring_30lb')
          .replace('{gameID}', 'W-0')
          .replace('{bot1}/{bot2}', 'axe/p2')
          .replace('{cageNumber}', '1'),
      )
      expect(filled.toSorted()).toEqual(
        [...fed, ...own, '/vs/axe/p2', '/w/spring_30lb/W-0'].toSorted(),
      )
      for (const path of filled) {
        if (path.startsWith('/vs/')) continue
        expect([path, (await read(app, basePath + path)).status]).toEqual([path, 200])
      }
    }
  })

  /** Each question with the line and the parameters that answer it, and a field of the answer. */
  test.each([
    ['Who won the last fight?', '/fights/recent', { limit: '1' }, 'player1wins'],
    ['What is the record of Axe?', '/bots/{bot}', {}, 'winRate'],
    ['How did Axe do against another bot?', '/stats/head-to-head/{bot1}/{bot2}', {}, 'bot1'],
    ['Whom does Axe fight next?', '/bots/{bot}/upcoming', {}, 'matches'],
    [
      'Who are the ten best of the 30 lb class by share of wins?',
      '/stats/leaderboard',
      { metric: 'winRate', weightClass: '30', limit: '10' },
      'entries',
    ],
    [
      'Where in the video does a fight start?',
      '/video-feeds/fight/{tournamentID}/{gameID}',
      {},
      'fightStartOffset',
    ],
    ['How is "axx" spelled?', '/search', { q: 'axe' }, 'bots'],
    [
      'Is there a beauty shot of Axe?',
      '/stills',
      { bot: 'axe', heroesOnly: '1', limit: '1' },
      'stills',
    ],
    ['What is in cage 2 now?', '/cages/{cageNumber}', {}, 'queue'],
    [
      'Did anything change since I asked?',
      '/changes',
      { wait: '0', type: 'fight.ended' },
      'changes',
    ],
    ['Which page of a fight can I send to a friend?', '/w/{tournamentID}/{gameID}', {}, '<html'],
  ])('llms.txt answers: %s', async (_, template, query, field) => {
    const app = appOf(service)
    const { text } = await read(app, '/llms.txt')
    const [, line] = present(linesOf(text).find(([path]) => path === template))
    for (const name of Object.keys(query)) expect(parametersOf(line)).toContain(name)
    const values: Readonly<Record<string, string>> = {
      bot: 'axe',
      bot1: 'axe',
      bot2: 'p5',
      tournamentID: 'spring_30lb',
      gameID: 'W-0',
      cageNumber: '2',
    }
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => present(values[name]))
    const answer = await read(app, `${path}?${new URLSearchParams(query)}`)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain(field)
  })
})

describe('robots.txt', () => {
  test.each(['/changes', '/search', '/autocomplete', '/usage'])(
    'robots.txt closes %s',
    async (path) => {
      const { text } = await read(appOf(service), '/robots.txt')
      expect(text.split('\n')).toContain(`Disallow: ${path}`)
    },
  )

  test('robots.txt names the sitemap, and disallows endless streams', async () => {
    const app = appOf(service, { basePath: '/api', publicUrl: 'https://robots.example/v1' })
    const { text } = await read(app, '/api/robots.txt')
    expect(text).toContain('\nDisallow: /v1/changes\n')
    expect(text).toEndWith('\nSitemap: https://robots.example/v1/sitemap.xml\n')
  })
})
