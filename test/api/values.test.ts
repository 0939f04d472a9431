import { describe, expect, test } from 'bun:test'
import { createChanges } from '../../src/companions/changes/changes.ts'
import { everyAddressOf, everyPageOf } from '../everyAddress.ts'
import {
  appOf,
  archiveOf,
  archiveWithCages,
  contract,
  get,
  readBody as read,
  readText,
  serviceOf,
} from '../fixtures.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  playersAs,
  recordingRow,
  stillRow,
  tournamentOf,
} from '../rows.ts'
import { cpuMs } from './cpuTime.ts'

/** Odd but legal rows, in every payload that shows them. */

const now = 1_770_003_600
const players = playersAs({ a: 'Axe', b: 'Blade' })
type App = ReturnType<typeof appOf>
const byID = (gameID: string) => (row: { gameID?: string; id?: string }) =>
  (row.gameID ?? row.id) === gameID

/** Every row of a fight in the API, each by its path. */
const rowsOf = async (app: App, gameID: string): Promise<Map<string, Record<string, unknown>>> => {
  const rows = new Map<string, Record<string, unknown>>()
  const add = (path: string, row: Record<string, unknown> | undefined) => {
    if (row) rows.set(path, row)
  }
  add('fights', (await read(app, '/fights')).fights.find(byID(gameID)))
  const base = '/tournaments/spring_30lb'
  add('tournament', (await read(app, `${base}/fights`)).fights.find(byID(gameID)))
  add('schedule', (await read(app, '/schedule')).matches.find(byID(gameID)))
  add('upcoming', (await read(app, '/bots/axe/upcoming')).matches.find(byID(gameID)))
  add('cage', (await read(app, '/cages/2')).cage.match ?? undefined)
  const { data } = await read(
    app,
    '/legacy/getTournamentMatchesDataTables?tournamentID=spring_30lb',
  )
  add('table', data.find(byID(gameID)))
  return rows
}

describe('the state decides', () => {
  const stale = {
    startTime: now - 300,
    stopTime: now + 180,
    endTime: now + 200,
    winAnnotation: 'KO',
    timerDuration: 90,
  }
  const appWith = (state: 'active' | 'called' | 'available' | 'unavailable' | 'hold' | 'done') =>
    appOf(
      serviceOf(
        archiveWithCages(
          {
            cages: [
              cageRow({ number: 2, status: 'active', tournamentId: 'spring_30lb', gameId: 'W-0' }),
            ],
          },
          tournamentOf(
            { active: true, endTime: now + 9 },
            players,
            [fightRows({ ...stale, state }, 'a', 'b', 0)],
            {
              judgeLines: [{ gameId: 'W-0', idx: 0, line: 'Judge: Damage 3-2' }],
              recordings: [recordingRow({ id: 1 })],
            },
          ),
        ),
        now,
      ),
    )

  test.each(['active', 'called', 'available', 'unavailable', 'hold'] as const)(
    'a fight that is %s has no outcome, even if its row has one',
    async (state) => {
      const app = appWith(state)
      const startTime = state === 'active' ? now - 300 : 0
      const open = {
        startTime,
        stopTime: 0,
        endTime: 0,
        matchLength: 0,
        player1wins: 0,
        player2wins: 0,
        winAnnotation: '',
      }
      const rows = await rowsOf(app, 'W-0')
      expect(rows.size).toBe(state === 'active' ? 6 : 5)
      for (const [path, row] of rows) {
        const numbers = Object.fromEntries(
          Object.keys(open).map((name) => [
            name,
            name === 'winAnnotation' ? row[name] : Number(row[name]),
          ]),
        )
        expect({ path, ...numbers }).toEqual({ path, ...open })
      }
      const { fight } = await read(app, '/tournaments/spring_30lb/fights/W-0')
      for (const player of [fight.player1, fight.player2]) {
        expect(player).toMatchObject({
          isWinner: '0',
          winAnnotation: '',
          startTime: String(startTime),
          stopTime: '0',
          duration: '0',
          judgesString: '',
          wins: '0',
          losses: '0',
        })
      }
      const { fightStats } = await read(app, '/stats/fight/spring_30lb/W-0')
      expect(fightStats).toMatchObject({
        matchDurationSeconds: 0,
        timerDuration: null,
        winMethod: '',
        judgesScorecard: [],
        players: [{ isWinner: 0 }, { isWinner: 0 }],
      })
      const [game] = (await read(app, '/tournaments/spring_30lb/brackets')).brackets[0].games
      expect(game).toMatchObject({ startTime, stopTime: 0, winAnnotation: '' })
      for (const slot of game.slots)
        expect(slot).toMatchObject({ isWinner: 0, slotState: 'pending' })
      expect((await read(app, '/video-feeds/1')).videoFeed).toMatchObject({
        result: '',
        matchStart: startTime,
      })
      const { cage } = await read(app, '/cages/2')
      expect(cage).toMatchObject({ startTime, stopTime: 0 })
      expect((await read(app, '/fights/recent')).fights).toEqual([])
      expect((await read(app, '/fights/last24h')).count).toBe(0)
      expect((await read(app, '/bots/axe')).bot).toMatchObject({ totalFights: 0, totalWins: 0 })
      const { tournament } = await read(app, '/tournaments/spring_30lb')
      expect(tournament).toMatchObject({ endTime: '0000-00-00 00:00:00' })
    },
  )

  test('a fight that is done has an outcome', async () => {
    const app = appWith('done')
    for (const path of ['/fights/recent', '/fights/last24h', '/bots/axe/fights']) {
      expect((await read(app, path)).fights).toMatchObject([{ id: 'W-0', stopTime: now + 180 }])
    }
  })
})

describe('a decided fight without a stop time', () => {
  const timeless = { startTime: null, stopTime: null, endTime: null, winAnnotation: 'FF' }
  const app = appOf(
    serviceOf(
      archiveOf(
        tournamentOf({ startTime: now - 950, endTime: now - 50 }, players, [
          fightRows({ id: 'W-0', startTime: now - 900, stopTime: now - 800 }, 'a', 'b', 1),
          fightRows({ ...timeless, id: 'W-1', endTime: now - 700 }, 'a', 'b', 0),
          fightRows({ ...timeless, id: 'W-2', startTime: now - 600 }, 'a', 'b', 0),
          fightRows({ ...timeless, id: 'W-3' }, 'b', 'a', 1),
          fightRows({ ...timeless, id: 'W-4', winAnnotation: null }, 'b', 'a', null),
        ]),
      ),
      now,
    ),
  )
  const order = ['W-3', 'W-2', 'W-1', 'W-0']
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

  test('a decided fight without a stop time counts in every record and in no duration', async () => {
    const { bot } = await read(app, '/bots/axe')
    expect(bot).toMatchObject({
      totalFights: 4,
      totalWins: 3,
      totalLosses: 1,
      currentStreak: { type: 'W', length: 3 },
      durationStats: { fightsMeasured: 1, totalFightTimeSeconds: 100 },
      winMethodBreakdown: { FF: 3 },
      lastFightTime: now - 600,
      firstFightTime: now - 800,
    })
    const { headToHead } = await read(app, '/stats/head-to-head/axe/blade')
    expect(headToHead).toMatchObject({
      bot1: { wins: 3 },
      bot2: { wins: 1 },
      totalFights: 4,
      averageMatchDurationSeconds: 100,
      firstMeeting: now - 800,
      lastMeeting: now - 600,
    })
    expect(ids(headToHead.fights)).toEqual(order)
    expect((await read(app, '/stats/tournament/spring_30lb')).tournamentStats).toMatchObject({
      totalFights: 5,
      completedFights: 4,
      totalFightTimeSeconds: 100,
    })
    const { player } = await read(app, '/tournaments/spring_30lb/players/a')
    expect(player).toMatchObject({
      wins: 3,
      losses: 1,
      mostRecentGameID: 'W-3',
      lastPlayTime: now - 600,
    })
    const { entries } = (await read(app, '/stats/leaderboard')).leaderboard
    expect(entries[0]).toMatchObject({ cleanName: 'axe', totalWins: 3, totalFights: 4 })
  })

  test('a fight is sorted in every list by its end, else its start, else after the fight that it follows', async () => {
    for (const path of ['/fights/recent', '/bots/axe/fights', '/legacy/fightsByBot?bot=axe']) {
      expect([path, ids((await read(app, path)).fights)]).toEqual([path, order])
    }
    for (const path of ['/fights', '/tournaments/spring_30lb/fights']) {
      expect([path, ids((await read(app, path)).fights)]).toEqual([path, ['W-4', ...order]])
    }
    const { data } = await read(
      app,
      '/legacy/getTournamentMatchesDataTables?tournamentID=spring_30lb',
    )
    expect(ids(data)).toEqual(['W-2', 'W-0', 'W-3', 'W-1'])
    expect(data.at(-2)).toMatchObject({ winner: 'Blue' })
    expect((await read(app, '/fights/last24h')).count).toBe(4)
    for (const path of ['/', '/b/axe', '/results.atom', '/b/axe/results.atom']) {
      const { text } = await readText(app, path, { accept: 'text/html' })
      const places = order.map((id) => text.indexOf(`/w/spring_30lb/${id}`))
      expect([path, places]).toEqual([path, places.toSorted((a, b) => a - b)])
      expect([path, places]).not.toEqual([path, expect.arrayContaining([-1])])
    }
  })
})

describe('cages beyond the standard five', () => {
  const app = appOf(
    archiveWithCages(
      {
        cages: [
          cageRow({ number: 3, status: 'active', tournamentId: 'spring_30lb', gameId: 'W-0' }),
        ],
        cageQueue: [{ cage: 7, position: 0, tournamentId: 'spring_30lb', gameId: 'W-1' }],
      },
      tournamentOf({ active: true }, players, [
        fightRows({ state: 'active' }, 'a', 'b', null),
        fightRows({ id: 'W-1', state: 'called' }, 'a', 'b', null),
      ]),
    ),
  )
  test('cages beyond the standard five are listed and have a path', async () => {
    const { cages } = await read(app, '/cages')
    expect(Object.keys(cages).toSorted()).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => `cage${number}`),
    )
    expect(cages.cage3).toMatchObject({ cage: 'Cage 3', cageNumber: 3, match: { gameID: 'W-0' } })
    expect(cages.cage7.queue).toMatchObject([{ gameID: 'W-1' }])
    expect((await read(app, '/cages/3')).cage).toEqual(cages.cage3)
    expect(await read(app, '/legacy/cageJSON?cage=3')).toEqual(cages.cage3)
    expect(Object.keys(await read(app, '/legacy/cageJSON?all'))).toEqual(
      [1, 2, 4, 5, 6].map((number) => `cage${number}`),
    )
  })
  test.each(['8', '03', '0', '10000', '3.0'])(
    '%s is no cage beyond the standard five',
    async (number) => {
      const { status, body } = await get(app, `/cages/${number}`)
      expect([status, body.error]).toEqual([
        400,
        'the cage number must be one of 1, 2, 3, 4, 5, 6, 7',
      ])
    },
  )
})

describe('GET /bots/:bot/upcoming', () => {
  const app = appOf(
    serviceOf(
      archiveWithCages(
        {
          cages: [
            cageRow({ number: 1, status: 'assigned', tournamentId: 'now', gameId: 'loading' }),
          ],
        },
        tournamentOf({ id: 'now', active: true }, players, [
          fightRows({ id: 'done' }, 'a', 'b'),
          openFight({ id: 'some-time' }, 'a', 'b'),
          openFight({ id: 'later', scheduledTime: now + 900 }, 'b', 'a'),
          openFight({ id: 'sooner', scheduledTime: now + 60 }, 'a', 'b'),
          openFight({ id: 'called', state: 'called', calledSince: now }, 'a', 'b'),
          openFight({ id: 'loading', state: 'called', calledSince: now }, 'a', 'b'),
          openFight({ id: 'active', state: 'active', startTime: now }, 'a', 'b'),
          openFight({ id: 'others', state: 'active', startTime: now }, 'b', 'b'),
          openFight({ id: 'half', state: 'unavailable' }, 'a', null),
        ]),
        tournamentOf({ id: 'over' }, players, [
          fightRows({ id: 'last' }, 'a', 'b'),
          openFight({ id: 'needless' }, 'a', 'b'),
        ]),
        tournamentOf({ id: 'next' }, players, [
          openFight({ id: 'planned', scheduledTime: now + 99_000 }, 'a', 'b'),
        ]),
      ),
      now,
    ),
  )

  test('/bots/:bot/upcoming lists current and coming fights, soonest first', async () => {
    const { botName, matches, count } = await read(app, '/bots/AXE/upcoming')
    expect({ botName, count }).toEqual({ botName: 'Axe', count: 7 })
    expect(matches.map(({ gameID, status }: Record<string, string>) => [gameID, status])).toEqual([
      ['active', 'In Cage'],
      ['loading', 'Load In'],
      ['called', 'Called'],
      ['sooner', 'Starting Soon'],
      ['later', 'Starting Soon'],
      ['planned', 'Available'],
      ['some-time', 'Available'],
    ])
    const { matches: schedule } = await read(app, '/schedule')
    for (const match of matches) {
      if (match.tournamentID === 'now') expect(schedule).toContainEqual(match)
    }
  })
  test('/bots/:bot/upcoming may be cached for 2 seconds; an unknown bot is 404', async () => {
    const { headers } = await get(app, '/bots/axe/upcoming')
    expect(headers.get('cache-control')).toMatch(/s-maxage=2\b/)
    expect((await get(app, '/bots/nobody/upcoming')).status).toBe(404)
  })
})

describe('pictures of bots', () => {
  const withStills = (...stills: Parameters<typeof stillRow>[0][]) =>
    appOf(archiveOf(tournamentOf({}, players, [], { stills: stills.map(stillRow) })))
  const app = withStills(
    { id: 1, playerId: 'a', isHero: true, takenTime: 10 },
    { id: 2, playerId: 'a', isHero: true, takenTime: 30 },
    { id: 3, playerId: 'a', takenTime: 50 },
    { id: 4, playerId: 'b', takenTime: 50 },
  )
  const paths = [
    '/bots/AXE/picture',
    '/legacy/getBotPic?bot=Axe',
    '/legacy/getBotPic.php?bot=axe&thumb',
    '/getBotPic?bot=Axe&thumb',
    '/getBotPic.php?bot=axe',
    '/robots-thumb/axe.png',
    '/robots-thumb/AXE.PNG',
    '/robots-thumb/%C3%81xe.png?thumb',
  ]

  test('the picture of a bot is its newest hero still', async () => {
    expect((await read(app, '/bots/axe')).bot.picture).toBe('https://media.example/still-2.jpg')
    expect((await read(app, '/stats/bot/axe')).botStats.picture).toBe(
      'https://media.example/still-2.jpg',
    )
    for (const path of paths) {
      const response = await app(new Request(`http://localhost${path}`))
      expect([path, response.status, response.headers.get('location')]).toEqual([
        path,
        302,
        'https://media.example/still-2.jpg',
      ])
    }
  })
  test.each([
    ['/api', '/old/legacy', ['/old/getBotPic', '/old/getBotPic.php'], ['/getBotPic']],
    ['', '/legacy', ['/getBotPic'], ['/old/getBotPic']],
    ['/api', '', ['/getBotPic'], []],
  ])(
    'pictures are one folder above LEGACY_BASE, with %p and %p',
    async (basePath, legacyBase, has, lacks) => {
      const own = appOf(
        archiveOf(
          tournamentOf({}, players, [], {
            stills: [stillRow({ id: 2, playerId: 'a', isHero: true })],
          }),
        ),
        { basePath, legacyBase },
      )
      const at = (path: string) => own(new Request(`http://localhost${path}`))
      for (const path of [...has.map((script) => `${script}?bot=axe`), '/robots-thumb/axe.png']) {
        const { status, headers } = await at(path)
        expect([path, status, headers.get('link')]).toEqual([
          path,
          302,
          `<${basePath}/bots/axe/picture>; rel="successor-version"`,
        ])
      }
      for (const path of lacks) expect((await at(`${path}?bot=axe`)).status).toBe(404)
    },
  )
  test('the picture of an unknown bot, or of one without a hero still, is 404', async () => {
    expect((await read(app, '/bots/blade')).bot.picture).toBeNull()
    for (const path of [
      '/bots/blade/picture',
      '/legacy/getBotPic?bot=blade',
      '/getBotPic?bot=blade',
      '/robots-thumb/blade.png',
    ]) {
      const { status, body } = await get(app, path)
      expect([path, status, body]).toEqual([path, 404, { error: 'picture not found' }])
    }
    for (const path of [
      '/bots/nobody/picture',
      '/legacy/getBotPic?bot=',
      '/legacy/getBotPic',
      '/getBotPic.php',
      '/robots-thumb/nobody.png',
      '/robots-thumb/axe',
      '/robots-thumb/.png',
    ]) {
      const { status, body } = await get(app, path)
      expect([path, status, body]).toEqual([path, 404, { error: 'bot not found' }])
    }
  })
  test.each(['javascript:alert(1)', '//evil.example/a', 'file:///etc/passwd', 'no address', ''])(
    'the picture of a bot never redirects to %p',
    async (url) => {
      const app = withStills({ id: 1, playerId: 'a', isHero: true, url })
      expect((await read(app, '/bots/axe')).bot.picture).toBeNull()
      for (const path of paths) {
        const { status, headers } = await get(app, path)
        expect([path, status, headers.get('link')]).toEqual([path, 404, null])
      }
    },
  )
  test('statistics and redirect have the same picture', async () => {
    const url = 'https://media.example/Żółw 1.jpg'
    const app = withStills({ id: 1, playerId: 'a', isHero: true, url })
    const { picture } = (await read(app, '/bots/axe')).bot
    expect(picture).toBe('https://media.example/%C5%BB%C3%B3%C5%82w%201.jpg')
    const { headers } = await app(new Request('http://localhost/bots/axe/picture'))
    expect(headers.get('location')).toBe(picture)
  })
})

describe('texts that are property names of every object', () => {
  const words = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
  const league = archiveWithCages(
    {
      cages: [
        cageRow({ number: 2, status: 'active', tournamentId: 'constructor', gameId: 'toString' }),
      ],
    },
    ...words.map((word, index) => {
      const id = (at: number): string => words[(index + at) % words.length] ?? ''
      const text = { name: word, cage: word, notice: word }
      return tournamentOf(
        {
          ...{ id: word, name: word, weightClassName: word, active: index === 0, city: word },
          ...{ allowedWinAnnotations: words, eventId: word, eventName: word },
        },
        words.map((each) => ({
          ...{ id: each, name: each, team: each, driver: each },
          country: each,
        })),
        [
          fightRows({ ...text, id: id(0), bracketId: word, winAnnotation: word }, id(0), id(1)),
          openFight(
            { ...text, id: id(1), bracketId: word, state: 'active', startTime: now - 60 },
            id(2),
            id(3),
          ),
        ],
        {
          brackets: [{ id: word, position: 0, name: word, isExhibition: false, formatType: null }],
          rounds: [{ bracketId: word, idx: 0, name: word, scoreToWin: 1 }],
          judgeLines: [{ gameId: id(0), idx: 0, line: `${word}: ${word} 3-2` }],
          recordings: [recordingRow({ id: index + 1, gameId: id(0), cage: word, camera: word })],
          clips: [clipRow({ token: word, name: word, gameId: id(0) })],
          stills: [
            stillRow({ id: index + 1, token: word, source: word, playerId: word, isHero: true }),
          ],
          stillTags: [{ stillId: index + 1, tag: word }],
        },
      )
    }),
  )

  test('constructor and toString are plain texts in every response, page and parameter', async () => {
    const changes = createChanges()
    changes.feed.begin(league)
    const app = appOf(serviceOf(league, now), { changes })
    const addresses = [...everyAddressOf(league), ...everyPageOf(league)]
    const asked = [...new Set(addresses.map((address) => address.split('?')[0] ?? ''))]
    const parameters = contract.operations.flatMap(({ template, operation: { parameters } }) =>
      template.includes('{')
        ? []
        : parameters.flatMap(({ in: place, name }) =>
            place === 'query'
              ? words.map(
                  (word) => `${template}?${new URLSearchParams({ [name]: word, [word]: word })}`,
                )
              : [],
          ),
    )
    const broken: string[] = []
    for (const path of [...addresses, ...asked, ...parameters]) {
      if (/^\/changes\/stream|^\/usage/.test(path)) continue
      const { status } = await app(
        new Request(`http://localhost${path}`, { headers: { accept: 'text/html,*/*' } }),
      )
      if (status >= 500) broken.push(path)
    }
    expect(broken).toEqual([])
    expect(addresses.length).toBeGreaterThan(300)
    const { bot } = await read(app, '/bots/constructor')
    expect(bot.winMethodBreakdown).toMatchObject({ constructor: 1 })
  })
})

test.each(['/stills/tags', '/schedule'])(
  '40,000 tags of a still, rounds of a bracket and fights in a queue take linear time: %s',
  async (path) => {
    const numbers = Array.from({ length: 40_000 }, (_, n) => n)
    const waiting = { state: 'available', startTime: null, stopTime: null, endTime: null } as const
    const fights = numbers.map((n) =>
      fightRows({ ...waiting, id: `W-${n + 100_000}`, roundIdx: n }, 'a', 'b'),
    )
    const isTags = path === '/stills/tags'
    const rows = tournamentOf({ active: true }, players, isTags ? [] : fights, {
      brackets: [{ id: 'W', position: 0, name: 'W', isExhibition: false, formatType: null }],
      rounds: numbers.map((idx) => ({ bracketId: 'W', idx, name: '', scoreToWin: 1 })),
      stills: [stillRow({ id: 1 })],
      stillTags: isTags ? numbers.map((n) => ({ stillId: 1, tag: `${n + 100_000}` })) : [],
    })
    const cageQueue = fights.map(({ games: [{ id: gameId }] }, position) => ({
      ...{ cage: 1, position, tournamentId: rows.tournament.id, gameId },
    }))
    const app = appOf(archiveWithCages({ cageQueue }, rows))
    const ask = async () => {
      expect((await app(new Request(`http://localhost${path}`))).status).toBe(200)
    }
    expect(await cpuMs(ask)).toBeLessThan(5000)
  },
)

test('no page shows a length for fights without times', async () => {
  const unset = { startTime: null, stopTime: null, endTime: null, timerDuration: null }
  const fight = { tournamentId: 'spring_30lb', gameId: 'W-0' }
  const archive = archiveWithCages(
    { cages: [cageRow({ number: 2, status: 'completed', ...fight })] },
    tournamentOf({}, players, [fightRows(unset, 'a', 'b')]),
  )
  const app = appOf(serviceOf(archive, now))
  for (const path of everyPageOf(archive)) {
    const { text } = await readText(app, path, { accept: 'text/html' })
    expect([path, text.match(/.*\b0:00\b.*/)?.[0]]).toEqual([path, undefined])
  }
})
