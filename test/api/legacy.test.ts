import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Archive, updateCages } from '../../src/data/archive/archive.ts'
import {
  appOf,
  archiveOf,
  archiveWithCages,
  contract,
  get,
  readBody,
  serviceOf,
} from '../fixtures.ts'
import { legacyBrackets, legacyRow } from '../legacyRow.ts'
import { cageRow, clipRow, fightRows, openFight, stillRow, tournamentOf } from '../rows.ts'

const start = 1_770_000_100
const unstopped = { winAnnotation: null, timerDuration: null, stopTime: null, endTime: null }
const players = [
  { id: 'a', name: "Mr. O'Clank" },
  { id: 'b', name: 'Blåde' },
  { id: 'c', name: '0-0!' },
]
const spring = tournamentOf(
  { active: true },
  players,
  [
    fightRows({ id: 'W-2', startTime: start, stopTime: start + 90 }, 'a', 'b'),
    fightRows({ id: 'W-10', startTime: start + 500, stopTime: start + 680 }, 'b', 'c', 1),
    openFight({ id: 'W-11', state: 'active', startTime: start + 900 }, 'a', 'c'),
    openFight({ id: 'W-12', state: 'called' }, 'b', 'a'),
    fightRows({ ...unstopped, id: 'W-13', state: 'done', startTime: start - 1 }, 'b', 'c', 0),
    fightRows({ ...unstopped, id: 'W-14', state: 'done', startTime: null }, 'b', 'c', 0),
  ],
  {
    clips: Array.from({ length: 30 }, (_, index) =>
      clipRow({
        token: `clip-${String(index).padStart(2, '0')}`,
        gameId: 'W-2',
        createdTime: start + index,
        isCurated: index % 2 === 0,
        isPublic: index !== 4,
      }),
    ),
    stills: [
      stillRow({ id: 1, playerId: 'b', isHero: true, isCurated: true, takenTime: start }),
      stillRow({ id: 2, playerId: 'b', isHero: true, isCurated: true, takenTime: start + 9 }),
      stillRow({ id: 3, playerId: 'b', isHero: true }),
      stillRow({ id: 4, playerId: 'b', isCurated: true }),
      stillRow({ id: 5, isHero: true, isCurated: true }),
      stillRow({ id: 6, playerId: 'a', isHero: true, isCurated: true, width: null, height: null }),
    ],
    stillTags: [
      { stillId: 1, tag: 'Blade' },
      { stillId: 2, tag: 'Hero-Bot' },
    ],
  },
)
/** Ids may be longer than typed text, and hold any character. */
const oddID = `a b/é'+&%=<${'x'.repeat(100)}>`
const odd = tournamentOf({ id: oddID, isFreestyle: true }, players, [
  fightRows({ id: 'EX/1 ü', startTime: start - 90, stopTime: start - 10 }, 'a', 'b'),
])
const archive = archiveWithCages(
  {
    cages: [cageRow({ number: 2, status: 'active', tournamentId: 'spring_30lb', gameId: 'W-11' })],
    cageQueue: [{ cage: 4, position: 0, tournamentId: 'spring_30lb', gameId: 'W-12' }],
  },
  spring,
  odd,
)
const app = appOf(archive)
const read = (path: string) => readBody(app, path)
const legacy = (path: string) => read(`/legacy/${path}`)

/** Every script with possible queries and its successor. */
const scripts: readonly (readonly [string, string, string | null])[] = [
  ['tournamentSource', 'function=getLocalTournaments', null],
  ['tournamentSource', 'function=getSingleTournament&params[tournamentId]=spring_30lb', null],
  ['matchJSON', 'gameID=W-2&tournamentID=spring_30lb', '/tournaments/spring_30lb/fights/W-2'],
  ['recentFights', '', '/fights/recent?limit=20'],
  ['recentFights', 'limit=2', '/fights/recent?limit=2'],
  ['fightsLast24Hours', '', '/fights/last24h'],
  ['getTournamentMatchesDataTables', 'tournamentID=spring_30lb', null],
  ['getLatestMatches', 'tournamentID=spring_30lb', '/tournaments/spring_30lb/fights'],
  ['botAutocomplete', 'q=cl+ank', '/autocomplete?q=cl%20ank'],
  ['botAutocomplete', 'q=b', '/autocomplete?q=b'],
  ['botAutocomplete', '', '/autocomplete'],
  ['fightsByBot', 'bot=Bl%C3%A5de', '/bots/blade/fights'],
  ['getBotPic', 'bot=Bl%C3%A5de&thumb', '/bots/blade/picture'],
  ['fightsByBot', 'bot=nobody', '/bots'],
  ['cageJSON', 'all', '/cages'],
  ['cageJSON', 'cage=2', '/cages/2'],
  ['recentClips', '', '/clips?limit=20'],
  ['recentClips', 'limit=3', '/clips?limit=3'],
  ['randomClips', '', null],
  ['herosGalleryAPI', '', null],
  ['scheduledMatches', '', '/schedule'],
]
const superseded = new Set(scripts.flatMap(([name, , by]) => (by === null ? [] : [name])))

describe('every script', () => {
  test.each(scripts)('%s?%s is there with and without .php', async (name, query) => {
    const [plain, suffixed] = [
      await get(app, `/legacy/${name}?${query}`),
      await get(app, `/legacy/${name}.php?${query}`),
    ]
    const success = name === 'getBotPic' ? 302 : 200
    expect([plain.status, suffixed.status]).toEqual([success, success])
    if (name !== 'randomClips') expect(suffixed.body).toEqual(plain.body)
    expect(suffixed.headers.get('link')).toBe(plain.headers.get('link'))
  })

  test.each(scripts)('%s?%s names its successor: %p', async (name, query, path) => {
    for (const basePath of ['', '/x/api.php']) {
      const based = appOf(archive, { basePath })
      const ask = () => based(new Request(`http://localhost/legacy/${name}?${query}`))
      const expected = path && `<${basePath}${path}>; rel="successor-version"`
      expect((await ask()).headers.get('link')).toBe(expected)
      // The second request may be answered from the cache.
      expect((await ask()).headers.get('link')).toBe(expected)
      if (path === null) continue
      const successor = await based(new Request(`http://localhost${basePath}${path}`))
      expect(successor.status).toBe(name === 'getBotPic' ? 302 : 200)
    }
  })

  test('every script is documented once, as legacy, and as deprecated if it has a successor', async () => {
    const own = contract.operations.filter(({ template }) => template.startsWith('/legacy/'))
    const names = [...new Set(scripts.map(([name]) => name))]
    expect(own.map(({ template }) => template).toSorted()).toEqual(
      names.map((name) => `/legacy/${name}`).toSorted(),
    )
    for (const { template, operation } of own) {
      expect(operation.tags).toEqual(['legacy'])
      expect(operation.deprecated).toBe(superseded.has(template.replace('/legacy/', '')))
    }
  })

  const nonsense = [
    '',
    '=&&=',
    'limit=-1&q=&bot=&cage=&function=&tournamentID=&gameID=&draw=&start=&length=',
    'limit=1e3&q=%00&bot=%00&cage=0x1&function=__proto__&tournamentID=__proto__&draw=NaN',
    'limit=<script>&q=<script>&bot=<script>&cage=<script>&tournamentID=<script>&draw=<script>',
    'bot[]=a&q[]=a&limit[]=1&params=1&params[]=1&order=1&columns=1&search=1',
    'order[0]=1&order[0][column]=%&columns[0][data]=%E0%A4&columns[__proto__][data]=a',
    `q=${'x'.repeat(1000)}&bot=${'é'.repeat(900)}&tournamentID=${'y'.repeat(1000)}`,
    'params[tournamentId]=nowhere&function=getSingleTournament&all=no&cage=99999999999999999999',
  ]
  test.each([...new Set(scripts.map(([name]) => name))])(
    '%s answers nonsense in JSON, and says little',
    async (name) => {
      for (const query of nonsense) {
        for (const suffix of ['', '.php']) {
          const { status, body } = await get(app, `/legacy/${name}${suffix}?${query}`)
          expect([200, 400, 404]).toContain(status)
          if (status === 200) continue
          expect(body.error).toMatch(
            name === 'tournamentSource' && status === 400
              ? /^function must be getLocalTournaments or getSingleTournament$/
              : /^(tournament|fight|cage|bot) not found$/,
          )
        }
      }
    },
  )

  test('scripts with other names are not found', async () => {
    for (const name of ['', 'matchjson', 'matchJSON.html', 'matchJSON.php.php', 'x/matchJSON']) {
      expect((await get(app, `/legacy/${name}`)).status).toBe(404)
    }
  })
})

describe('the two bases', () => {
  test.each([
    ['', '/legacy'],
    ['/x/api.php', '/x/backend'],
    ['/x', ''],
    ['/x', '/x/backend'],
    ['/x/backend', '/x'],
    ['', '/tournaments'],
    ['', '/tournaments/spring_30lb'],
    ['', '/fights'],
    ['/api', '/api/bots'],
    ['/api/matchJSON', '/api'],
  ])('BASE_PATH=%s and LEGACY_BASE=%s do not get into each other', async (basePath, legacyBase) => {
    const based = appOf(archive, { basePath, legacyBase })
    const ask = async (path: string) => {
      const response = await based(new Request(`http://localhost${path}`))
      expect({ path, status: response.status }).toEqual({ path, status: 200 })
      const body = await response.json()
      return body
    }
    for (const path of [
      '/tournaments',
      '/tournaments/spring_30lb',
      '/tournaments/spring_30lb/fights/W-2',
      '/fights/recent',
      '/bots/blade',
      '/cages/2',
    ]) {
      expect(await ask(`${basePath}${path}`)).toEqual(await read(path))
    }
    for (const [name, query] of scripts) {
      if (name === 'randomClips' || name === 'getBotPic') continue
      const expected = await legacy(`${name}?${query}`)
      expect(await ask(`${legacyBase}/${name}?${query}`)).toEqual(expected)
      expect(await ask(`${legacyBase}/${name}.php?${query}`)).toEqual(expected)
    }
    const { paths } = Object(await ask(`${basePath}/openapi`))
    const described = Object.keys(paths).filter((path) => path.endsWith('getBotPic'))
    expect(described).toEqual([`${legacyBase}/getBotPic`])
  })

  test('a request for one cage and all cages gives all cages', async () => {
    expect(await legacy('cageJSON?all=1&cage=2')).toEqual(await legacy('cageJSON'))
  })

  test('nothing answers outside the two bases', async () => {
    const based = appOf(archive, { basePath: '/x/api.php', legacyBase: '/x/backend' })
    for (const path of [
      '/legacy/recentFights',
      '/recentFights.php',
      '/x/recentFights.php',
      '/x/api.php/recentFights.php',
      '/x/api.php/legacy/recentFights',
      '/x/backend',
      '/x/backend/tournaments',
      '/x/backend/fights/recent',
      '/x/backendrecentFights',
    ]) {
      expect((await based(new Request(`http://localhost${path}`))).status).toBe(404)
    }
  })
})

describe('tournamentSource', () => {
  const single = (id: string, parameter = 'params[tournamentId]') =>
    `tournamentSource?function=getSingleTournament&${parameter}=${encodeURIComponent(id)}`

  test.each(['params[tournamentId]', 'params%5BtournamentId%5D', 'params%5btournamentId%5d'])(
    'tournamentSource takes the id from %s',
    async (parameter) => {
      const body = await legacy(single('spring_30lb', parameter))
      const { brackets, players, format } = legacyBrackets(
        await read('/tournaments/spring_30lb/brackets'),
      )
      expect(body).toEqual({
        ...(await read('/tournaments/spring_30lb')),
        players,
        brackets,
        games: brackets.flatMap(({ bracketID, games }: { bracketID: string; games: object[] }) =>
          games.map((game) => ({ ...game, bracketID })),
        ),
        format,
      })
      expect(body.games).toHaveLength(6)
    },
  )

  test.each(['', 'function', 'function=', 'function=getlocaltournaments', 'function=toString'])(
    '?%s is no function that it has',
    async (query) => {
      const { status, body } = await get(app, `/legacy/tournamentSource.php?${query}`)
      expect(status).toBe(400)
      expect(body).toEqual({
        error: 'function must be getLocalTournaments or getSingleTournament',
      })
    },
  )
})

describe('matchJSON', () => {
  test.each(['gameID=W-2', 'tournamentID=spring_30lb', 'tournamentID=spring_30lb&gameID=W-99'])(
    '?%s is no fight',
    async (query) => {
      const { status, body, headers } = await get(app, `/legacy/matchJSON?${query}`)
      expect({ status, body }).toEqual({ status: 404, body: { error: 'fight not found' } })
      expect(headers.get('link')).toBeNull()
    },
  )
})

describe('fightsByBot', () => {
  test.each([
    ['clean name', 'mroclank'],
    ['display name', "Mr. O'Clank"],
    ['other case', "MR. o'clank"],
    ['accents', 'Mr. Ó’Clänk'],
  ])('fightsByBot knows a bot by %s', async (_, name) => {
    for (const encoded of [
      encodeURIComponent(name),
      encodeURIComponent(name).replaceAll('%20', '+'),
    ]) {
      const { fights } = await legacy(`fightsByBot?bot=${encoded}`)
      const { fights: modern } = await read('/bots/mroclank/fights')
      expect(fights).toHaveLength(2)
      expect(fights.map(({ id }: { id: string }) => id)).toEqual(['W-2', 'EX/1 ü'])
      expect(fights).toMatchObject(modern.map(legacyRow))
    }
  })

  test.each(['', 'bot', 'bot=', 'bot=%20', 'bot=nobody', 'bot=(Bye)', 'bot=ロボット'])(
    'fightsByBot?%s has no fights',
    async (query) => {
      expect(await legacy(`fightsByBot?${query}`)).toEqual({ fights: [] })
    },
  )
})

test('DataTables have a done fight without a result if it began', async () => {
  const closed = { winAnnotation: null, stopTime: null, endTime: null } as const
  const own = appOf(
    archiveOf(
      tournamentOf(
        { id: 'cup' },
        [{ id: 'a' }, { id: 'b' }],
        [
          fightRows({ ...closed, id: 'W-1', startTime: start }, 'a', 'b', null),
          fightRows({ ...closed, id: 'W-2', startTime: null }, 'a', 'b', null),
        ],
      ),
    ),
  )
  const { body } = await get(own, '/legacy/getTournamentMatchesDataTables?tournamentID=cup')
  expect(body.data).toMatchObject([{ id: 'W-1', winner: '', stopTime: '' }])
})

test('herosGalleryAPI has curated hero stills, under the tag that spells the robot', async () => {
  const hero = (id: number, playerId: string, over = {}) =>
    stillRow({ id, playerId, isHero: true, isCurated: true, ...over })
  const players = [
    { id: 'a', name: 'Mr. Axe' },
    { id: 'b', name: 'Bolt' },
    { id: 'c', name: 'Claw' },
  ]
  const stills = [hero(1, 'a'), hero(2, 'b'), hero(3, 'c', { isCurated: false })]
  const stillTags = [
    { stillId: 1, tag: 'Hero' },
    { stillId: 1, tag: 'mr-axe' },
    { stillId: 2, tag: 'Hero' },
  ]
  const own = appOf(archiveOf(tournamentOf({}, players, [], { stills, stillTags })))
  const { body } = await get(own, '/legacy/herosGalleryAPI')
  expect(body.robots.map(({ tag, name }: Record<string, string>) => [tag, name])).toEqual([
    ['Bolt', 'Bolt'],
    ['mr-axe', 'Mr. Axe'],
  ])
})

test('DataTables have the fights of the newest data at each request', async () => {
  const archiveWith = (fights: number) =>
    archiveOf(
      tournamentOf(
        { id: 'cup' },
        [{ id: 'a' }, { id: 'b' }],
        Array.from({ length: fights }, (_, index) => fightRows({ id: `W-${index}` }, 'a', 'b')),
      ),
    )
  let archive = archiveWith(1)
  const own = appOf({ ...serviceOf(archive), archive: () => archive })
  const totalOf = async (draw: number) =>
    (await get(own, `/legacy/getTournamentMatchesDataTables?tournamentID=cup&draw=${draw}`)).body
      .recordsTotal
  expect(await totalOf(2)).toBe(1)
  archive = archiveWith(2)
  expect(await totalOf(3)).toBe(2)
})

describe('getTournamentMatchesDataTables', () => {
  const table = (query: string) =>
    legacy(`getTournamentMatchesDataTables?tournamentID=spring_30lb&${query}`)
  const ids = async (query: string) => (await table(query)).data.map(({ id }: { id: string }) => id)

  test('getTournamentMatchesDataTables answers each draw of one table with its own number, in every coding', async () => {
    const path = '/legacy/getTournamentMatchesDataTables?tournamentID=spring_30lb'
    const all = (await get(app, path)).body
    const etags = new Set<string | null>()
    for (const draw of [1, 2, 2_147_483_647, 1]) {
      const { body, headers } = await get(app, `${path}&draw=${draw}`)
      expect(body).toEqual({ ...all, draw })
      etags.add(headers.get('etag'))
      for (const [coding, decode] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
        ['zstd', (bytes: Uint8Array) => Bun.zstdDecompressSync(bytes)],
      ] as const) {
        const encoded = await get(app, `${path}&draw=${draw}`, { 'accept-encoding': coding })
        expect(encoded.headers.get('content-encoding')).toBe(coding)
        expect(encoded.headers.get('content-length')).toBe(String(encoded.bytes.length))
        expect(JSON.parse(decode(encoded.bytes).toString())).toEqual({ ...all, draw })
      }
      const tag = headers.get('etag') ?? ''
      const unchanged = await get(app, `${path}&draw=${draw}`, { 'if-none-match': tag })
      expect(unchanged.status).toBe(304)
    }
    expect(etags.size).toBe(3)
  })

  test('getTournamentMatchesDataTables lists current and past fights, newest first', async () => {
    const { draw, recordsTotal, recordsFiltered, data } = await table('')
    expect({ draw, recordsTotal, recordsFiltered }).toEqual({
      draw: 0,
      recordsTotal: 5,
      recordsFiltered: 5,
    })
    expect(data.map(({ id, winner }: Record<string, string>) => [id, winner])).toEqual([
      ['W-11', ''],
      ['W-10', 'Blue'],
      ['W-2', 'Red'],
      ['W-13', 'Red'],
      ['W-14', 'Red'],
    ])
    const { fights } = await legacy('fightsByBot?bot=mroclank')
    expect(data[2]).toEqual({ ...fights[0], winner: 'Red' })
  })

  test.each([
    ['7', 7],
    ['007', 7],
    ['-3', 0],
    ['', 0],
    ['1.5', 0],
    ['<script>alert(1)</script>', 0],
    ['7<script>', 0],
    ['99999999999999999999', 2_147_483_647],
  ])('draw=%s is %i', async (given, draw) => {
    expect((await table(`draw=${encodeURIComponent(given)}`)).draw).toBe(draw)
  })

  test('getTournamentMatchesDataTables pages, orders and searches', async () => {
    expect(await ids('start=1&length=1')).toEqual(['W-10'])
    expect(await ids('start=0&length=-1')).toEqual(['W-11', 'W-10', 'W-2', 'W-13', 'W-14'])
    expect(await ids('start=5&length=10')).toEqual([])
    const columns =
      'columns[0][data]=id&columns%5B1%5D%5Bdata%5D=matchLength&columns[2][data]=winner'
    const by = (column: number, dir: string, index = 0) =>
      `order[${index}][column]=${column}&order[${index}][dir]=${dir}`
    expect(await ids(`${columns}&${by(0, 'asc')}`)).toEqual(['W-2', 'W-10', 'W-11', 'W-13', 'W-14'])
    expect(await ids(`${columns}&${by(1, 'asc')}`)).toEqual(['W-11', 'W-13', 'W-14', 'W-2', 'W-10'])
    expect(await ids(`${columns}&${by(1, 'desc')}`)).toEqual('W-10 W-2 W-11 W-13 W-14'.split(' '))
    expect(await ids(`${columns}&${by(2, 'asc')}`)).toEqual(['W-11', 'W-10', 'W-2', 'W-13', 'W-14'])
    expect(await ids('search[value]=clank')).toEqual(['W-11', 'W-2'])
    expect(await ids('search%5Bvalue%5D=clank&length=1')).toEqual(['W-11'])
    expect(await ids(`${columns}&search[value]=blue`)).toEqual(['W-10'])
    expect(await ids(`${columns}&columns[0][search][value]=W-2`)).toEqual(['W-2'])
  })

  test('an unknown tournament has an empty table', async () => {
    for (const query of [
      '',
      '?tournamentID=',
      '?tournamentID=nowhere',
      '?tournamentID=SPRING_30LB',
    ]) {
      expect(await legacy(`getTournamentMatchesDataTables${query}`)).toEqual({
        draw: 0,
        recordsTotal: 0,
        recordsFiltered: 0,
        data: [],
      })
    }
  })
})

describe('getLatestMatches', () => {
  test.each([
    ['W-11', { startTime: String(start + 900), stopTime: '', endTime: '' }],
    ['W-12', { startTime: '', stopTime: '', calledSince: '', availableSince: '' }],
  ])(
    'the fight %s has an empty text for an unset time, and 0 for no length',
    async (gameID, times) => {
      const rows: { id: string }[] = await legacy('getLatestMatches?tournamentID=spring_30lb')
      expect(rows.find(({ id }) => id === gameID)).toMatchObject({ ...times, matchLength: '0' })
    },
  )

  test.each(['', 'tournamentID=', 'tournamentID=nowhere', 'tournamentID=SPRING_30LB'])(
    'getLatestMatches?%s is 404',
    async (query) => {
      const { status, body } = await get(app, `/legacy/getLatestMatches?${query}`)
      expect({ status, body }).toEqual({ status: 404, body: { error: 'tournament not found' } })
    },
  )
})

describe('botAutocomplete', () => {
  test('botAutocomplete answers from one character on', async () => {
    expect(await legacy('botAutocomplete?q=b')).toEqual([
      { label: 'Blåde', value: 'Blåde', cleanName: 'blade' },
    ])
    for (const query of ['', '?q', '?q=', '?q=%20', '?q=!']) {
      expect(await legacy(`botAutocomplete${query}`)).toEqual([])
    }
  })
})

describe('clips and stills', () => {
  const tokens = ({ clips }: { clips: { token: string }[] }) => clips.map(({ token }) => token)

  test('randomClips gives ten curated clips, others each time, never cached', async () => {
    const curated = tokens(await read('/clips?limit=100')).filter(
      (token) => Number(token.slice(-2)) % 2 === 0,
    )
    expect(curated).toHaveLength(14)
    const seen = new Map<string, number>()
    const draws = new Set<string>()
    const rounds = 400
    for (let round = 0; round < rounds; round += 1) {
      const { body, headers } = await get(app, '/legacy/randomClips')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body.success).toBe(true)
      const drawn = tokens(body)
      expect(new Set(drawn).size).toBe(10)
      draws.add(drawn.join())
      for (const token of drawn) seen.set(token, (seen.get(token) ?? 0) + 1)
    }
    expect([...seen.keys()].toSorted()).toEqual(curated.toSorted())
    expect(draws.size).toBe(rounds)
    // Ten of fourteen are drawn, within six standard deviations.
    const [expected, deviation] = [(rounds * 10) / 14, Math.sqrt((rounds * 10 * 4) / 14 ** 2)]
    for (const count of seen.values())
      expect(Math.abs(count - expected)).toBeLessThan(6 * deviation)
  })

  test('randomClips gives all curated clips if they are few, and an empty list if there are none', async () => {
    const few = appOf(
      archiveOf(
        tournamentOf({}, players, [fightRows({}, 'a', 'b')], {
          clips: [clipRow({ token: 'x', isCurated: true }), clipRow({ token: 'y' })],
        }),
      ),
    )
    expect(tokens((await get(few, '/legacy/randomClips')).body)).toEqual(['x'])
    const none = await get(appOf(archiveOf()), '/legacy/randomClips.php')
    expect(none.body).toEqual({ success: true, clips: [] })
  })
})

describe('headers and caching of the scripts', () => {
  const archived = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'
  const live = 'public, max-age=0, s-maxage=2, stale-if-error=60'
  test.each([
    ['tournamentSource?function=getLocalTournaments', archived],
    ['matchJSON.php?tournamentID=spring_30lb&gameID=W-2', archived],
    ['getTournamentMatchesDataTables?tournamentID=spring_30lb', archived],
    ['getTournamentMatchesDataTables?tournamentID=spring_30lb&draw=3', archived],
    ['botAutocomplete?q=a', archived],
    ['fightsByBot?bot=blade', archived],
    ['recentClips', archived],
    ['herosGalleryAPI', archived],
    ['recentFights', live],
    ['fightsLast24Hours', live],
    ['cageJSON?cage=1', live],
    ['scheduledMatches', live],
    ['randomClips', 'no-store'],
    ['matchJSON', 'no-store'],
    ['tournamentSource', 'no-store'],
  ])('%s has the Cache-Control %s', async (path, expected) => {
    for (const _ of [1, 2]) {
      const { headers } = await get(app, `/legacy/${path}`)
      expect(headers.get('cache-control')).toBe(expected)
    }
  })

  /** Counts how often an answer is made from the archive instead of the cache. */
  const counting = (paths: readonly string[]) => {
    let made = 0
    const watch = <T extends object>(part: T): T =>
      new Proxy(part, {
        get: (target, key, receiver) => {
          made += 1
          return Reflect.get(target, key, receiver)
        },
      })
    const watched: Archive = {
      ...archive,
      dataset: watch({ ...archive.dataset }),
      bots: watch([...archive.bots]),
      clips: watch({ ...archive.clips }),
    }
    let current = watched
    const changing = appOf({ ...serviceOf(archive), archive: () => current })
    const ask = async () => {
      made = 0
      const bodies = []
      for (const path of paths) bodies.push((await get(changing, `/legacy/${path}`)).body)
      return { made, bodies }
    }
    return {
      ask,
      changeCages: () => {
        current = updateCages(current, 'cages-2', { cages: [], cageQueue: [] })
      },
    }
  }

  test('equivalent requests share one cached response, which changes of the cages leave', async () => {
    for (const spellings of [
      [
        'fightsByBot?bot=mroclank',
        "fightsByBot?bot=Mr.+O'Clank&_=17",
        'fightsByBot?x&bot=MrOClank',
      ],
      ['recentClips', 'recentClips?limit=20', 'recentClips?limit=020&_=1'],
      [
        'matchJSON?tournamentID=spring_30lb&gameID=W-2',
        'matchJSON?gameID=W-2&tournamentID=spring_30lb&_=5',
      ],
      [
        'tournamentSource?function=getSingleTournament&params[tournamentId]=spring_30lb',
        'tournamentSource?params%5BtournamentId%5D=spring_30lb&function=getSingleTournament',
      ],
      [
        'getTournamentMatchesDataTables?tournamentID=spring_30lb',
        'getTournamentMatchesDataTables?_=1&tournamentID=spring_30lb',
      ],
      [
        'getTournamentMatchesDataTables?tournamentID=spring_30lb&draw=1',
        'getTournamentMatchesDataTables?draw=1&_=1&tournamentID=spring_30lb',
      ],
    ]) {
      const { ask: first } = counting(spellings.slice(0, 1))
      const { made: once } = await first()
      const { ask, changeCages } = counting(spellings)
      const { made, bodies } = await ask()
      expect(once).toBeGreaterThan(0)
      expect(made).toBe(once)
      for (const body of bodies) expect(body).toEqual(bodies[0])
      changeCages()
      expect((await ask()).made).toBe(0)
    }
  })
})
