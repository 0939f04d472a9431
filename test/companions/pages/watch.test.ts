import { describe, expect, test } from 'bun:test'
import { appOf, archiveOf, get, readText } from '../../fixtures.ts'
import { fightRows, playersAs, recordingRow, stillRow, tournamentOf } from '../../rows.ts'

const startTime = 1_770_000_100

const league = (winner: 0 | 1 = 0, winAnnotation = 'JD', stopTime = startTime + 90) =>
  tournamentOf(
    {},
    playersAs({ a: 'Axe', b: 'Bolt', c: '"><script>' }),
    [
      fightRows({ startTime, stopTime, endTime: stopTime, winAnnotation }, 'a', 'b', winner),
      fightRows(
        { id: 'W 1/2', state: 'active', startTime, stopTime: null, winAnnotation: null },
        'a',
        'c',
        null,
      ),
    ],
    {
      recordings: [
        recordingRow({ id: 1, videoUrl: 'https://one.example/a.mp4' }),
        recordingRow({
          id: 2,
          camera: 'SkyCam-A',
          videoUrl: 'http://two.example:8080/b.mp4',
          startMs: null,
        }),
        recordingRow({ id: 3, videoUrl: 'https://gone.example/c.mp4', httpStatus: 404 }),
        recordingRow({
          id: 4,
          videoUrl: null,
          proxy720Url: null,
          proxy360Url: null,
          proxy72Url: null,
        }),
      ],
      stills: [stillRow({ id: 9, playerId: 'b', isHero: true })],
      judgeLines: [{ gameId: 'W-0', idx: 0, line: `Judge 1: Damage ${winner ? '1-4' : '4-1'}` }],
    },
  )
const app = appOf(archiveOf(league()))
const read = (path: string, from = app) => readText(from, path)

describe('films of providers', () => {
  const none = { proxy720Url: null, proxy360Url: null, proxy72Url: null, httpStatus: null }
  const page = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=95'
  const filmed = (...films: readonly object[]) =>
    appOf(
      archiveOf({
        ...league(),
        recordings: films.map((over, index) => recordingRow({ ...none, id: index + 1, ...over })),
      }),
    )
  const youtube = { camera: 'Main', videoUrl: page, startMs: null }
  const twitch = { camera: 'Day 1', videoUrl: 'https://www.twitch.tv/videos/1234567890' }

  test('a film loads the player of its provider when pressed, and the policy allows only that host', async () => {
    const { text, headers } = await read('/w/spring_30lb/W-0', filmed(youtube))
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain('; frame-src https://www.youtube-nocookie.com')
    expect(policy).toContain("media-src 'self' blob:;")
    expect(text).not.toMatch(/<iframe|<video|No recording|id="watch"/)
    expect(text).toContain('>Main')
    expect(text).toContain(
      'data-player="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1&amp;rel=0&amp;start=95"',
    )
    expect(text).toContain('<a href="https://www.youtube.com/watch?v=dQw4w9WgXcQ&amp;t=95">')
  })

  test('a film of a provider begins with the fight if both starts are known', async () => {
    const { text, headers } = await read('/w/spring_30lb/W-0', filmed(twitch))
    expect(text).toContain('video=1234567890&amp;time=59s')
    expect(headers.get('content-security-policy')).toContain('frame-src https://player.twitch.tv')
  })

  test('films of providers are below the synchronised cameras, and need no frame if there are none', async () => {
    const both = filmed({ videoUrl: 'https://one.example/a.mp4' }, youtube)
    const { text } = await read('/w/spring_30lb/W-0', both)
    expect(text.match(/<video /g)).toHaveLength(1)
    expect(text.indexOf('id="watch"')).toBeLessThan(text.indexOf('Further films'))
    expect((await read('/w/spring_30lb/W-0')).headers.get('content-security-policy')).not.toContain(
      'frame-src',
    )
  })

  test('films of providers have a kind, a page and a start in the API, but no file', async () => {
    const app = filmed({ videoUrl: 'https://one.example/a.mp4' }, youtube)
    const { body } = await get(app, '/video-feeds/fight/spring_30lb/W-0')
    expect(body).toMatchObject({
      fightStartOffset: 59.75,
      recordings: [
        { kind: 'file', page: '', s3path: 'https://one.example/a.mp4' },
        { kind: 'youtube', page, s3path: '', fightStartOffset: '95' },
      ],
    })
    expect((await get(app, '/video-feeds/2')).body.videoFeed).toMatchObject({
      ...{ kind: 'youtube', page, s3path: '', fightStartOffset: 95 },
      videoQualities: { original: '' },
    })
    const only = await get(filmed(youtube), '/video-feeds/fight/spring_30lb/W-0')
    expect(only.body.fightStartOffset).toBeNull()
  })
})

describe('GET /w/:tournamentID/:gameID', () => {
  test('the page of a fight shows the playable recordings, and allows only their hosts', async () => {
    const { status, headers, text } = await read('/w/spring_30lb/W-0')
    expect(status).toBe(200)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("media-src 'self' blob: https://one.example http://two.example:8080;")
    expect(text.match(/<video /g)).toHaveLength(2)
    expect(text).toContain('data-offset="59.75"')
    expect(text).toContain('src="https://one.example/a_360p.mp4#t=59.75"')
    expect(text).toContain('Recordings whose start is unknown')
    // Who fights and who won are above the film.
    const [before = ''] = text.split('<section class="watch"')
    expect(before).toContain('<h1><span class="corner red">')
    expect(before).toContain('</bdi> won by')
    expect(text).not.toContain('gone.example')
  })

  test('the moments of a fight are its start, pauses and stop, without the end of a pause at the stop', async () => {
    const pauses = [20, 80].map((at, idx) => {
      const startOfPause = startTime + at
      return { gameId: 'W-0', idx, startTime: startOfPause, stopTime: startOfPause + 10 }
    })
    const { text } = await read('/w/spring_30lb/W-0', appOf(archiveOf({ ...league(), pauses })))
    const moments = text.matchAll(/data-t="(-?\d+)">([A-Z][a-z ]+?) <b>([^<]*)</g)
    expect([...moments].map(([, ...moment]) => moment.join(' '))).toEqual([
      '0 Start 0:00',
      '20 Pause 0:20',
      '30 Goes on 0:30',
      '80 Pause 1:20',
      '90 Stop 1:30',
    ])
  })

  test('the page of a fight has a card with the hero still', async () => {
    const tags = (text: string) =>
      Object.fromEntries(
        [
          ...text.matchAll(/<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">/g),
        ].map(([, name, content]) => [name, content]),
      )
    const { text } = await read('/w/spring_30lb/W-0')
    expect(tags(text)).toEqual({
      'og:site_name': 'Cageside',
      'og:type': 'video.other',
      'og:title': 'Axe v Bolt',
      'og:description': 'Finals, fight 1 of Spring 30lb, 2 cameras in step, 2 Feb 2026.',
      'og:image': 'https://media.example/still-9.jpg',
      'og:image:alt': 'Axe v Bolt',
      'og:video': 'https://one.example/a_360p.mp4',
      'og:video:type': 'video/mp4',
      'og:video:width': '640',
      'og:video:height': '360',
      'twitter:card': 'summary_large_image',
    })
    const asked = tags((await read('/w/spring_30lb/W-0?spoilers=1')).text)
    expect(asked['og:description']).toStartWith('Axe won by JD. Finals, fight 1 of Spring 30lb')
    const hidden = tags((await read('/w/spring_30lb/W-0?spoilers=0')).text)
    expect(hidden['og:description']).toBe(tags(text)['og:description'])
    const unfilmed = tags((await read('/w/spring_30lb/W%201%2F2')).text)
    expect(unfilmed['og:description']).toBe('Finals, fight 1 of Spring 30lb, 2 Feb 2026.')
    const event = await read('/e/spring_30lb')
    expect(tags(event.text)['og:image']).toBe('https://media.example/still-9.jpg')
    const bot = await read('/b/axe')
    expect(tags(bot.text)['twitter:card']).toBe('summary')
    expect(bot.text).toContain(
      '<link rel="alternate" type="text/calendar" title="Fights of Axe" href="/b/axe/fights.ics">',
    )
  })

  test('the canonical URL of a page keeps the choice about results', async () => {
    const publicUrl = 'https://league.example/api'
    const site = appOf(archiveOf(league()), { basePath: '/api', publicUrl })
    for (const query of ['', '?spoilers=0', '?spoilers=1']) {
      const { text } = await read(`/api/b/axe${query}`, site)
      for (const tag of ['rel="canonical" href', 'property="og:url" content'])
        expect(text).toContain(`${tag}="${publicUrl}/b/axe${query}"`)
      expect(text).toMatch(
        /"og:image" content="https:\/\/league.example\/api\/assets\/card\.\w+\.png"/,
      )
    }
  })

  test('the page of a fight shows result and judges', async () => {
    const { text } = await read('/w/spring_30lb/W-0')
    expect(text).toContain('<bdi>Axe</bdi> won by <b>judges’ decision (JD)</b> after <b>1:30</b>')
    // The total is next to the judge because a phone cuts the last columns off.
    expect(text).toContain('<th scope="col">Judge</th><th scope="col">Total</th>')
    expect(text).toMatch(
      /<caption><span class="corner red"><bdi>Axe<.*<span class="corner"><bdi>Bolt/,
    )
    expect(text).toMatch(
      /<th scope="row"><bdi>Judge 1<\/bdi><\/th><td><b><span class="points red">4</,
    )
    expect(text).toContain('data-length="90"')
    const hidden = (await read('/w/spring_30lb/W-0?spoilers=0')).text
    expect(hidden).toContain('data-length="300"')
  })

  test('a category that a judge did not rate is empty, and an unreadable line is no judge', async () => {
    const lines = ['A: Damage 4-1, Control 3-2', 'B: Damage 2-3', 'no rating']
    const judgeLines = lines.map((line, idx) => ({ gameId: 'W-0', idx, line }))
    const { text } = await read('/w/spring_30lb/W-0', appOf(archiveOf({ ...league(), judgeLines })))
    const [table = ''] = /<table class="judges">.*?<\/table>/s.exec(text) ?? []
    const rows = [...table.matchAll(/<th scope="row">.*?<\/tr>/gs)].map(([row]) =>
      row.replace(/<span class="quiet"> to <\/span>/g, '-').replace(/<[^>]*>/g, ' '),
    )
    expect(rows.map((row) => row.trim().split(/\s+/).join(' '))).toEqual([
      'A 7 - 3 4 - 1 3 - 2',
      'B 2 - 3 2 - 3 –',
    ])
  })

  test.each([
    ['Cage-2-Overhead-High', 'Overhead High'],
    ['Cage-20-Overhead', 'Cage 20 Overhead'],
    ['SkyCam-A', 'SkyCam A'],
    ['Cage-2-', 'Cage 2'],
    ['', 'Camera'],
  ])('the camera %p of cage 2 is shown as %s', async (camera, name) => {
    const recordings = [recordingRow({ id: 1, camera })]
    const { text } = await read('/w/spring_30lb/W-0', appOf(archiveOf({ ...league(), recordings })))
    expect(text).toContain(`<figcaption><bdi>${name}</bdi></figcaption>`)
  })

  test('the page of a fight is the same for every outcome without spoilers', async () => {
    const pages = [league(), league(1), league(1, 'KO', startTime + 31)].map(async (rows) => {
      const { text } = await read('/w/spring_30lb/W-0?spoilers=0', appOf(archiveOf(rows)))
      return text
    })
    expect(new Set(await Promise.all(pages)).size).toBe(1)
  })

  test('the page of a fight shows names as text', async () => {
    const { text } = await read(`/w/spring_30lb/${encodeURIComponent('W 1/2')}`)
    expect(text).toContain('<title>Axe v &quot;&gt;&lt;script&gt; · Cageside</title>')
    expect(text).not.toContain('"><script>')
    expect(text).toContain('In the cage now')
    expect(text).toContain('No recording of this fight is available yet.')
  })

  test.each(['/w/none/W-0', '/w/spring_30lb/none'])('%s is 404', async (path) => {
    const { status, headers, text } = await read(path)
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(text).toContain('There is no such fight here.')
  })

  test('the page of a fight is one response for every moment', async () => {
    const { headers } = await read('/w/spring_30lb/W-0')
    expect((await read('/w/spring_30lb/W-0?t=83.5')).headers.get('etag')).toBe(headers.get('etag'))
  })
})

test('the page of a fight links to the fights around it, of the event and of each bot', async () => {
  const bots = ['Axe', 'Bolt', 'Claw'].map((name) => ({ id: name, name }))
  const at = (id: string, minute: number, red: string, blue: string) =>
    fightRows({ id, name: id, startTime: startTime + 60 * minute }, red, blue)
  const fights = [
    at('F1', 0, 'Axe', 'Claw'),
    at('F2', 1, 'Bolt', 'Claw'),
    at('F3', 2, 'Axe', 'Bolt'),
    at('F4', 3, 'Axe', 'Claw'),
  ]
  const { text } = await read('/w/spring_30lb/F3', appOf(archiveOf(tournamentOf({}, bots, fights))))
  const linked = Object.fromEntries(
    ['near', 'more-axe', 'more-bolt'].map((id) => {
      const [part = ''] = new RegExp(`<section id="${id}".*?</section>`, 's').exec(text) ?? []
      const rows = part.matchAll(/class="when">(\w+)<.*?<a class="state" href="([^"]*)"/gs)
      return [id, [...rows].map(([, when, address]) => `${when} ${address?.slice(-2)}`)]
    }),
  )
  expect(linked).toEqual({
    near: ['Before F2', 'After F4'],
    'more-axe': ['Before F1', 'After F4'],
    'more-bolt': ['Before F2'],
  })
})
