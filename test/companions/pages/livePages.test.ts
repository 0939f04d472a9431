import { describe, expect, test } from 'bun:test'
import { noCages } from '../../../src/data/archive/archive.ts'
import { buildCages } from '../../../src/data/league/cages.ts'
import { appOf, archiveWithCages, readText, serviceOf } from '../../fixtures.ts'
import { withoutInlined } from '../../inlined.ts'
import { cageRow, fightRows, openFight, playersAs, tournamentOf } from '../../rows.ts'

const now = 1_770_003_600
const hostile = '<img src=x onerror=alert(1)>'

const league = (
  winner: 0 | 1 = 0,
  winAnnotation = 'KO',
  stopTime = now - 400,
  status: 'active' | 'paused' = 'active',
) =>
  archiveWithCages(
    {
      cages: [
        cageRow({ number: 1, status, tournamentId: 'spring_30lb', gameId: 'W-1' }),
        cageRow({ number: 2, status: 'completed', tournamentId: 'spring_30lb', gameId: 'W-0' }),
        cageRow({ number: 4, status: 'assigned', tournamentId: 'spring_30lb', gameId: 'W-2' }),
      ],
      cageQueue: ['W-3', 'W-4', 'W-5', 'W-6'].map((gameId, position) => ({
        cage: 5,
        position,
        tournamentId: 'spring_30lb',
        gameId,
      })),
    },
    tournamentOf(
      { active: true },
      [
        { id: 'a', name: 'Axe' },
        { id: 'b', name: hostile },
        { id: 'c', name: 'Claw' },
      ],
      [
        fightRows(
          { winAnnotation, startTime: now - 490, stopTime, endTime: null },
          'a',
          'b',
          winner,
        ),
        openFight({ id: 'W-1', state: 'active', startTime: now - 75 }, 'a', 'c'),
        openFight({ id: 'W-2', state: 'called' }, 'b', 'c'),
        ...['W-3', 'W-4', 'W-5', 'W-6'].map((id) =>
          openFight({ id, state: 'called', cage: null, scheduledTime: now + 600 }, 'c', 'a'),
        ),
      ],
    ),
  )
const app = appOf(serviceOf(league(), now), { basePath: '/api' })
const read = (path: string, from = app) => readText(from, `/api${path}`)

describe('GET /live', () => {
  test('/live shows every cage of the league with its clock and queue', async () => {
    const { status, headers, text } = await read('/live')
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toStartWith('public, max-age=0, s-maxage=2,')
    expect(text.match(/<li class="card cage \w+" id="cage-\d+">/g)).toHaveLength(4)
    expect(text).toContain(
      '<span class="fight-clock" data-seconds="75" data-limit="180">1:15</span>',
    )
    expect(text).toContain('data-follow="/api/changes/stream?type=cage.changed,')
    expect(text).toMatch(/data-worker="\/api\/assets\/changes\.\w{10}\.js"/)
    expect(text).not.toContain(hostile)
  })

  test.each([
    ['nothing', true],
    ['timer', false],
    ['notifications', false],
  ] as const)(
    '/live never marks the data of a source that follows %s as old: %p',
    async (follows, isFixed) => {
      const service = serviceOf(league(), now)
      const status = () => ({ ...service.status(), follows })
      const { text } = await read('/live', appOf({ ...service, status }, { basePath: '/api' }))
      expect(/<html [^>]*data-fixed/.test(text)).toBe(isFixed)
    },
  )

  test('/live lists the cages by number, without idle cages that have no fight to come', async () => {
    const { text } = await read('/live')
    const cages = (of: string) =>
      [...of.matchAll(/<li class="card cage (\w+)"/g)].map(([, status]) => status)
    expect(cages(text)).toEqual(['active', 'completed', 'assigned', 'idle'])
    // A card is shown for the idle cage that the link names.
    const start = (await readText(app, '/api/', { accept: 'text/html' })).text
    expect(start).toContain('<a href="/api/live?cage=4#cage-4">Cage 4</a>')
    expect(cages((await read('/live?cage=4')).text)).toEqual([
      'assigned',
      'active',
      'completed',
      'idle',
    ])
    // An idle cage with a queue shows its first fight as the others do.
    const [, card = ''] = /<li [^>]*id="cage-5">(.*?)<\/ol>/s.exec(text) ?? []
    expect(card).toContain(
      '<a href="/api/w/spring_30lb/W-3">Finals, fight 1</a> of <a href="/api/e/spring_30lb"><bdi>Spring 30lb</bdi></a>, 30 lb',
    )
    expect(card.match(/<li>/g)).toHaveLength(3)
    const none = { ...league(), cages: buildCages(league().dataset, noCages) }
    const { text: all } = await read('/live', appOf(serviceOf(none, now), { basePath: '/api' }))
    for (const cage of [1, 2, 4, 5, 6])
      expect(all).toContain(`<span>Cage ${cage} <small>Idle</small></span>`)
  })

  test('/live begins with a link to each cage by number, and marks the occupied ones', async () => {
    const { text } = await read('/live')
    const [, nav = ''] = /<nav class="chips jumps"[^>]*>(.*?)<\/nav>/s.exec(text) ?? []
    const links = [...nav.matchAll(/class="(\w+)" href="#cage-(\d)">Cage \2</g)]
    expect(links.map(([, state, cage]) => [cage, state])).toEqual([
      ['1', 'active'],
      ['2', 'completed'],
      ['4', 'assigned'],
      ['5', 'idle'],
    ])
  })

  test('live pages say when the time of a fight is up', async () => {
    const late = appOf(serviceOf(league(), now + 1000), { basePath: '/api' })
    for (const path of ['/live', '/', '/overlay']) {
      const of = (from: typeof app) => readText(from, `/api${path}`, { accept: 'text/html' })
      expect([path, (await of(app)).text.includes('>Time is up<')]).toEqual([path, false])
      expect([path, (await of(late)).text.includes('>Time is up<')]).toEqual([path, true])
    }
  })

  test('/live as a board has two waiting fights of each cage, and a QR code of the event', async () => {
    const path = '/live?board=1'
    const headers = { host: 'league.example', 'x-forwarded-proto': 'https' }
    const board = async (from = app) =>
      (await from(new Request(`http://localhost/api${path}`, { headers }))).text()
    const text = await board()
    expect(text).not.toContain('<header')
    expect(text).toMatch(/<\/ol>\s*<p class="soft">then 1 more<\/p>/)
    expect(text).toContain('<html lang="en" class="projector"')
    expect(text).toContain('<figcaption>league.example/api/e/spring_30lb</figcaption>')
    const own = { basePath: '/api', publicUrl: 'https://fights.example/x' }
    expect(await board(appOf(serviceOf(league(), now), own))).toContain(
      '>fights.example/x/e/spring',
    )
    expect(await board()).toBe(text)
    // The eighth card would be under the QR code.
    const busy = (count: number) => {
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      const cages = numbers.map((number) =>
        cageRow({ number, status: 'completed', tournamentId: 'spring_30lb', gameId: 'W-0' }),
      )
      const built = buildCages(league().dataset, { ...noCages, cages })
      return appOf(serviceOf({ ...league(), cages: built }, now), { basePath: '/api' })
    }
    expect(await board(busy(7))).toContain('<ul class="cards live" id="cages"')
    expect(await board(busy(8))).toContain('<ul class="cards live many" id="cages"')
    // The QR code keeps the choice about results.
    const hidden = (from = app) => readText(from, '/api/live?board=1&spoilers=0', headers)
    for (const [from, host] of [
      [app, 'league.example/api'],
      [appOf(serviceOf(league(), now), own), 'fights.example/x'],
    ] as const)
      expect((await hidden(from)).text).toContain(`>${host}/e/spring_30lb?spoilers=0<`)
  })

  test.each([
    ['/live', 'active', true],
    ['/live', 'paused', false],
    ['/overlay/cage/1', 'active', true],
    ['/overlay/cage/1', 'paused', false],
  ] as const)('the clock on %s runs in a cage that is %s: %p', async (path, status, runs) => {
    const from = appOf(serviceOf(league(0, 'KO', now - 400, status), now), { basePath: '/api' })
    const [clock = ''] = /<span class="fight-clock".*?>/.exec((await read(path, from)).text) ?? []
    expect(clock.includes('data-seconds')).toBe(runs)
    expect(clock).not.toBe('')
  })

  test('/live shows four fights of a cage after the first, and the number of the others', async () => {
    const ids = Array.from({ length: 7 }, (_, index) => `W-${index}`)
    const full = archiveWithCages(
      {
        cageQueue: ids.map((gameId, position) => {
          return { cage: 1, position, tournamentId: 'spring_30lb', gameId }
        }),
      },
      tournamentOf(
        { active: true },
        playersAs({ a: 'Axe', b: 'Bolt' }),
        ids.map((id) => openFight({ id }, 'a', 'b')),
      ),
    )
    const { text } = await read('/live', appOf(serviceOf(full, now), { basePath: '/api' }))
    expect(/<ol class="next">(.*?)<\/ol>/s.exec(text)?.[1]?.match(/<li>/g)).toHaveLength(4)
    expect(text).toContain('<p class="soft">then 2 more</p>')
  })

  test('/live says so if no fight is in a cage or waits for one', async () => {
    const idle = { ...league(), cages: buildCages(league().dataset, noCages) }
    const isHidden = async (from: typeof app) =>
      /<p id="nothing" data-live hidden>/.test((await read('/live', from)).text)
    expect(await isHidden(app)).toBe(true)
    expect(await isHidden(appOf(serviceOf(idle, now), { basePath: '/api' }))).toBe(false)
  })

  test('a delayed fight without a cage says so, and does not expect its planned time', async () => {
    const times = { cage: null, scheduledTime: now - 600 }
    const bots = playersAs({ p0: 'Axe', p1: 'Claw' })
    const delayed = appOf(
      serviceOf(
        archiveWithCages(
          noCages,
          tournamentOf({ active: true }, bots, [
            openFight({ id: 'W-1', state: 'hold', ...times }, 'p0', 'p1'),
          ]),
        ),
        now,
      ),
      { basePath: '/api' },
    )
    const [event, bot, fight] = await Promise.all(
      ['/e/spring_30lb', '/b/axe', '/w/spring_30lb/W-1'].map((path) => read(path, delayed)),
    )
    for (const page of [event, bot]) {
      expect(page?.text).toContain('</time> <small>planned</small> <small>no cage yet</small></p>')
      expect(page?.text).toContain('<small>should have begun 10 minutes ago</small>')
    }
    const note = 'no start can be estimated yet'
    expect(bot?.text).toContain(`<small>${note}</small>`)
    expect(fight?.text).toContain(
      `<p><b>Delayed</b>, no cage yet, should have begun 10 minutes ago: ${note}</p>`,
    )
    const [, called] =
      /<p><b>(Called<\/b>[^<]*)</.exec((await read('/w/spring_30lb/W-3')).text) ?? []
    expect(called).toBe('Called</b>, Cage 5')
  })

  test.each([
    [59, true, 'Delayed</b>, no cage yet'],
    [60, true, 'Delayed</b>, no cage yet, should have begun 1 minute ago'],
    [60, false, undefined],
  ])(
    'the page of a fight says how late it is %i s after its planned time in an event, active: %p',
    async (seconds, active, said) => {
      const fight = openFight({ cage: null, scheduledTime: now - seconds }, 'p0', 'p1')
      const rows = tournamentOf({ active }, playersAs({ p0: 'Axe', p1: 'Claw' }), [fight])
      const late = appOf(serviceOf(archiveWithCages(noCages, rows), now), { basePath: '/api' })
      const { text } = await read('/w/spring_30lb/W-0', late)
      expect(/<p><b>(Delayed<\/b>[^<:]*)/.exec(text)?.[1]).toBe(said)
    },
  )

  test.each(['/b/claw', '/e/spring_30lb', '/my?bots=axe,claw'])(
    '%s names the cages of waiting fights, and shows who fights, loads in or is paused',
    async (path) => {
      const { text } = await read(path)
      expect(text.match(/<small>Cage 5<\/small>/g)).toHaveLength(4)
      const statesOf = (page: string) =>
        [...page.matchAll(/class="state" [^>]*><span class="quiet">[^<]*<\/span>([^<]*)</g)]
          .map(([, state]) => state)
          .slice(0, 3)
      expect(statesOf(text)).toEqual(['In the cage', 'Loading in', 'Called'])
      // The fight has no planned time, so the page shows its start.
      const [, begun = ''] = /class="when"><time[^>]*>([^<]*)</.exec(text) ?? []
      expect(begun).toBe(new Date((now - 75) * 1000).toISOString().slice(11, 16))
      const paused = appOf(serviceOf(league(0, 'KO', now - 400, 'paused'), now), {
        basePath: '/api',
      })
      expect(statesOf((await read(path, paused)).text)[0]).toBe('Paused')
    },
  )

  test('a bot waiting in the queue of a cage has that cage in its calendar', async () => {
    const { text } = await read('/b/claw/fights.ics')
    expect(text).toContain('LOCATION:Cage 5\r\n')
  })

  test('live pages allow the hosts of streams if there are any', async () => {
    const policyOf = async (from = app) =>
      (await read('/live', from)).headers.get('content-security-policy')
    expect(await policyOf()).toContain("connect-src 'self';")
    const streamBase = 'https://hls.example/live'
    const streaming = appOf(serviceOf(league(), now), { basePath: '/api', streamBase })
    expect(await policyOf(streaming)).toContain("connect-src 'self' https://hls.example;")
    const { text } = await read('/live', streaming)
    expect(text).toMatch(
      /data-streams="\/api\/live\/streams" data-hls="\/api\/assets\/hls\.\w{10}\.js">/,
    )
    const inCage = await read('/w/spring_30lb/W-1', streaming)
    expect(inCage.text).toMatch(/data-streams="\/api\/live\/streams" .* data-cage="Cage 1">/)
    expect(inCage.headers.get('content-security-policy')).toContain("'self' https://hls.example;")
    expect((await read('/w/spring_30lb/W-0', streaming)).text).not.toContain('data-streams')
  })
})

describe('GET /overlay/cage/:cageNumber', () => {
  test.each([
    [1, 'Now fighting', 'Claw', '1:15'],
    [2, 'Result', 'Winner', '1:30'],
    [4, 'Up next', 'Claw', 'Cage 2'],
    [5, 'Up next', 'Axe', 'Finals, fight 1'],
  ])('the overlay of cage %p shows: %s', async (number, title, first, second) => {
    const { status, text } = await read(`/overlay/cage/${number}`)
    expect([status, /<h1 id="state">(.*?)<\/h1>/.exec(text)?.[1]]).toEqual([200, title])
    for (const each of [first, second]) expect(text).toContain(each)
    expect(text).not.toContain(hostile)
    expect(text).not.toContain('<header')
  })

  test('the overlay of a cage says that a fight is paused', async () => {
    const paused = league(0, 'KO', now - 400, 'paused')
    const { text } = await read(
      '/overlay/cage/1',
      appOf(serviceOf(paused, now), { basePath: '/api' }),
    )
    expect(/<h1 id="state">(.*?)</.exec(text)?.[1]).toBe('Paused')
  })

  test('the overlay of a cage is only a note if the cage has had no fight or does not exist', async () => {
    const cage6 = await read('/overlay/cage/6')
    expect([cage6.status, cage6.text.includes('<h1')]).toEqual([200, false])
    expect(cage6.text).toContain('<p class="corner-note">Cage 6: no fight yet</p>')
    for (const number of ['3', '0', '06', 'x', '99999']) {
      const { status, text } = await read(`/overlay/cage/${number}`)
      expect([number, status]).toEqual([number, 404])
      expect(text).toContain('<p class="corner-note">No such cage</p>')
      expect(text).toContain('.corner-note{')
      expect(text).not.toContain('<header')
    }
  })

  test('the overlay of a cage is empty between fights', async () => {
    const idle = archiveWithCages(
      { cages: [cageRow({ number: 2, status: 'idle' })] },
      tournamentOf({}, playersAs({ a: 'Axe', b: 'Bolt' }), [fightRows({}, 'a', 'b')]),
    )
    const { text } = await read(
      '/overlay/cage/2',
      appOf(serviceOf(idle, now), { basePath: '/api' }),
    )
    expect(withoutInlined(text)).not.toMatch(/<h1|corner-note/)
  })
})

describe('overlays of every kind', () => {
  const contentOf = (text: string): string =>
    (/<section.*<\/section>/s.exec(text)?.[0] ?? '').replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

  test.each([
    [
      '/overlay/next',
      ' Up next Cage 4 &lt;img src=x onerror=alert(1)&gt; Claw Cage 5 Claw Axe Cage 5 Claw Axe ',
    ],
    ['/overlay/next?cage=5', ' Up next Cage 5 Claw Axe Cage 5 Claw Axe Cage 5 Claw Axe '],
    ['/overlay/next?cage=1', ''],
    ['/overlay/bot/axe', ' Axe 1–0 · 30 lb Up next: Cage 2, Finals, fight 1 '],
    ['/overlay/bot/axe?spoilers=0', ' Axe 30 lb Up next: Cage 2, Finals, fight 1 '],
    ['/overlay/cage/1?lang=de', / Im Kampf .* Käfig 2 /],
    ['/overlay/cage/2?lang=es', / Resultado .*Ganador/],
    ['/overlay/next?lang=xx', / Up next /],
  ])('the overlay %s says%s', async (path, said) => {
    const { status, text, headers } = await read(path)
    expect([status, headers.get('content-security-policy')?.includes('frame-ancestors')]).toEqual([
      200,
      false,
    ])
    const content = contentOf(text)
    if (typeof said === 'string') expect(content).toBe(said)
    else expect(content).toMatch(said)
    expect(text).not.toMatch(/<a |<header/)
  })

  test('the bracket overlay has the last three rounds, or as many as requested', async () => {
    const rounds = [0, 1, 2, 3].map((roundIdx) =>
      fightRows({ id: `W-${roundIdx}`, roundIdx }, 'a', 'b'),
    )
    const bots = playersAs({ a: 'Axe', b: 'Bolt' })
    const from = appOf(archiveWithCages({}, tournamentOf({}, bots, rounds)), { basePath: '/api' })
    for (const [query, count] of [
      ['', 3],
      ['?rounds=1', 1],
      ['?rounds=9', 4],
    ] as const) {
      const { text } = await read(`/overlay/bracket/spring_30lb${query}`, from)
      expect(text.match(/class="game /g)).toHaveLength(count)
    }
  })

  test.each(['/overlay/bot/nobody', '/overlay/bracket/none'])(
    'the overlay %s is a note',
    async (path) => {
      const { status, text } = await read(path)
      expect([status, /<p class="corner-note">(.*?)</.exec(text)?.[1]?.slice(0, 8)]).toEqual([
        404,
        'No such ',
      ])
    },
  )

  test('/overlay lists all overlays, with previews and a choice of languages', async () => {
    const { text } = await read('/overlay?lang=fr')
    const previews = [...text.matchAll(/<iframe src="([^"]*)"/g)].map(([, address]) => address)
    expect(previews).toEqual(
      ['cage/1', 'cage/2', 'cage/4', 'cage/5', 'next', 'bracket/spring_30lb', 'bot/axe'].map(
        (each) => `/api/overlay/${each}?lang=fr`,
      ),
    )
    expect(text).toContain('aria-current="page"><span lang="fr">français</span></a>')
    expect(text).toMatch(/<span class="status idle" id="state-5" data-live>Next<\/span>/)
  })
})

test('an overlay is empty while the data is loading, and reloads', async () => {
  const { status, text } = await read('/overlay/cage/1', appOf(undefined, { basePath: '/api' }))
  expect(status).toBe(503)
  expect(text).toContain('<meta http-equiv="refresh" content="2">')
  expect(/<body>([\s\S]*)<\/body>/.exec(text)?.[1]?.trim()).toBe('<main class="overlay"></main>')
})

describe('a second grand final while results are hidden', () => {
  const bots = ['Axe', 'Bolt', 'Claw'].map((name) => ({ id: name, name }))
  const first = fightRows({ id: 'W-1', startTime: now - 490, stopTime: now - 400 }, 'Axe', 'Bolt')
  const after = openFight({ id: 'L-9', state: 'called' }, 'Claw', 'Bolt')
  const secondWith = (over: Parameters<typeof fightRows>[0]) => {
    const { games, slots } = openFight({ id: 'W-2', ...over, state: 'called' }, 'Axe', 'Bolt')
    const [red, blue] = slots
    return {
      games,
      slots: [
        { ...red, prevGameId: 'W-1' },
        { ...blue, prevGameId: 'W-1' },
      ],
    } satisfies ReturnType<typeof fightRows>
  }
  const place = { tournamentId: 'spring_30lb', gameId: 'W-2' }

  /** The pages of one league after a first final, with or without a second one. */
  const pagesOf = async (
    fights: Parameters<typeof tournamentOf>[2],
    cages: Parameters<typeof archiveWithCages>[0],
  ) => {
    const archive = archiveWithCages(cages, tournamentOf({ active: true }, bots, fights))
    const from = appOf(serviceOf(archive, now), { basePath: '/api' })
    const paths = ['/', '/live', ...[1, 2, 4, 5, 6].map((number) => `/overlay/cage/${number}`)]
    return Promise.all(
      paths.map(async (path) => {
        const accept = { headers: { accept: 'text/html' } }
        const response = await from(new Request(`http://localhost/api${path}?spoilers=0`, accept))
        return [path, await response.text()]
      }),
    )
  }
  test.each(['assigned', 'active', 'paused', 'completed'] as const)(
    'a second grand final is not shown in a cage without spoilers: %s',
    async (status) => {
      const fought = secondWith(
        status === 'assigned' ? {} : { state: 'active', startTime: now - 75 },
      )
      const shown = await pagesOf([first, after, fought], {
        cages: [
          cageRow({ number: 1, status, ...place }),
          cageRow({ number: 4, status: 'completed', tournamentId: 'spring_30lb', gameId: 'W-1' }),
        ],
      })
      const none = await pagesOf([first, after], {
        cages: [
          cageRow({ number: 1, status: 'idle' }),
          cageRow({ number: 4, status: 'completed', tournamentId: 'spring_30lb', gameId: 'W-1' }),
        ],
      })
      expect(shown).toEqual(none)
    },
  )

  test('a second grand final is neither shown nor counted in a queue without spoilers', async () => {
    const others = { tournamentId: 'spring_30lb', gameId: 'L-9' }
    const shown = await pagesOf([first, after, secondWith({})], {
      cageQueue: [
        { cage: 1, position: 0, ...place },
        { cage: 1, position: 1, ...others },
        { cage: 5, position: 0, ...place },
        { cage: 6, position: 0, ...others },
        { cage: 6, position: 1, ...place },
      ],
    })
    const none = await pagesOf([first, after], {
      cageQueue: [
        { cage: 1, position: 0, ...others },
        { cage: 6, position: 0, ...others },
      ],
    })
    expect(shown).toEqual(none)
    expect(shown.map(([, text]) => text).join()).toContain('Claw')
  })
})

test.each(['/live', '/live?board=1', '/overlay/cage/2'])(
  '%s is the same for every outcome without spoilers',
  async (path) => {
    const leagues = [league(), league(1), league(1, 'JD', now - 333)]
    const seen = async (query: string) =>
      new Set(
        await Promise.all(
          leagues.map(
            async (each) =>
              (
                await read(
                  path + (path.includes('?') ? query.replace('?', '&') : query),
                  appOf(serviceOf(each, now), { basePath: '/api' }),
                )
              ).text,
          ),
        ),
      )
    expect((await seen('?spoilers=0')).size).toBe(1)
    expect((await seen('')).size).toBe(3)
  },
)
