import { describe, expect, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import type { StillRow, TournamentRow, TournamentRows } from '../../src/data/source/rows.ts'
import { appOf, archiveOf, get } from '../fixtures.ts'
import { stillRow, tournamentOf } from '../rows.ts'

const players = [
  { id: 'a', name: 'Wynk' },
  { id: 'b', name: "Blåde's Edge" },
  { id: 'bye', name: '(Bye)', isBye: true },
  { id: 'robo', name: 'ロボ' },
  { id: 'marks', name: '!?' },
]

const league = (
  stills: readonly (StillRow & { tags?: readonly string[] })[],
  tournament: Partial<TournamentRow> = {},
): TournamentRows =>
  tournamentOf(tournament, players, [], {
    stills: stills.map(({ tags: _, ...row }) => row),
    stillTags: stills.flatMap(({ id, tags = [] }) =>
      tags.toSorted().map((tag) => ({ stillId: id, tag })),
    ),
  })
const idsOf = (body: { stills: { stillID: number }[] }) => body.stills.map(({ stillID }) => stillID)
const idsAt = async (app: App, query: string) => idsOf((await get(app, `/stills?${query}`)).body)

const still = (id: number, over: Partial<StillRow> & { tags?: readonly string[] } = {}) => ({
  ...stillRow({ id, takenTime: 1000 + id }),
  ...over,
})

describe('GET /stills', () => {
  const app = appOf(
    archiveOf(
      league([
        still(1, { playerId: 'a', isHero: true, tags: ['Hero-Bot', 'Wynk'] }),
        still(2, { playerId: 'a', isHero: true, tags: ['Hero-Bot', 'Wynk'] }),
        still(3, { playerId: 'a', tags: ['Action'], source: 'CageCam' }),
        still(4, { playerId: 'b', isHero: true, tags: ['Hero-Bot'], width: null, height: null }),
        still(5, { tags: ['Àction', 'action'], source: 'cagecam' }),
        still(6, { playerId: 'bye', tags: [' '] }),
      ]),
      league([still(8, { playerId: 'robo', takenTime: 100 })], { id: 'robo', name: 'Robo' }),
      league([still(10, { playerId: 'a', takenTime: 900, tags: ['Hero-Bot'] })], {
        id: 'Winter_Ünder_12lb',
        name: 'Der Große Wintercup 12lb',
      }),
      league([still(20, { playerId: 'a', tags: ['Secret'] })], { id: 's', privacy: 'private' }),
    ),
  )

  test.each([
    ['bot=bladesedge', [4]],
    ['bot=Bl%C3%A5de%27s%20Edge', [4]],
    ['bot=BLADES-EDGE', [4]],
    ['bot=bye', []],
    ['bot=!!!', []],
    ['bot=nobody', []],
    ['bot=', [6, 5, 4, 3, 2, 1, 10, 8]],
    ['tag=ACTION', [5, 3]],
    ['tag=%C3%A0ction', [5, 3]],
    ['tag=Act', []],
    ['tag=Secret', []],
    ['heroesOnly', [4, 2, 1]],
    ['heroesOnly=1', [4, 2, 1]],
    ['heroesOnly=TRUE', [4, 2, 1]],
    ['heroesOnly=yes', [4, 2, 1]],
    ['heroesOnly=0', [6, 5, 4, 3, 2, 1, 10, 8]],
    ['heroesOnly=false', [6, 5, 4, 3, 2, 1, 10, 8]],
    ['heroesOnly=maybe', [6, 5, 4, 3, 2, 1, 10, 8]],
    ['event=spring_30lb', [6, 5, 4, 3, 2, 1]],
    ['event=SPRING', [6, 5, 4, 3, 2, 1]],
    ['event=winter_%C3%BCnder_12lb', [10]],
    ['event=grosse', []],
    ['event=GRO%C3%9FE%20winter', [10]],
    ['event=winter_', []],
    ['event=lb', [6, 5, 4, 3, 2, 1, 10]],
    ['event=robo', [8]],
    ['event=s', [6, 5, 4, 3, 2, 1]],
    ['event=s&tag=Secret', []],
    ['source=CAGECAM', [5, 3]],
    ['source=cage', []],
    ['bot=wynk&source=cagecam', [3]],
    ['bot=wynk&event=spring&heroesOnly&tag=wynk&source=media-team', [2, 1]],
  ])('?%s finds %j', async (query, ids) => {
    expect(await idsAt(app, query)).toEqual(ids)
  })

  test('a bye and a name that cleans to nothing are no bots', async () => {
    const here = appOf(
      archiveOf(league(['a', 'bye', 'marks'].map((playerId, at) => still(at + 1, { playerId })))),
    )
    const { stills } = (await get(here, '/stills')).body
    const bot = { name: 'Wynk', cleanName: 'wynk' }
    expect(stills).toMatchObject([{ bot: null }, { bot: null }, { bot }])
  })

  test('a filter is part of every link', async () => {
    const { headers } = await get(app, '/stills?limit=1&bot=Wynk&heroesOnly&page=1')
    expect(headers.get('link')).toContain(
      '</stills?bot=Wynk&heroesOnly=1&page=2&limit=1>; rel="next"',
    )
  })

  test.each([
    `tag=${'x'.repeat(8000)}`,
    `tag=${'%F0%9F%A4%96'.repeat(600)}`,
    `bot=${'%00'.repeat(2000)}`,
    'tag=__proto__',
    'bot=constructor',
    'source=toString&event=hasOwnProperty',
    'event=%27%20OR%201=1--',
    'tag=%ED%A0%80',
    'tag=%EF%BF%BD',
  ])('a hostile filter (%#) finds nothing', async (query) => {
    const { status, body, headers } = await get(app, `/stills?${query}`)
    expect(status).toBe(200)
    expect(body.stills).toEqual([])
    expect(headers.get('link')?.length).toBeLessThan(8000)
  })

  test('each tag has the number of stills it finds; spellings of one tag count as one', async () => {
    const { tags } = (await get(app, '/stills/tags')).body
    expect(tags).toEqual(
      [
        { tag: 'Hero-Bot', count: 4 },
        { tag: 'action', count: 2 },
        { tag: 'Wynk', count: 2 },
      ].sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1)),
    )
  })
})

describe('GET /stills/:stillID', () => {
  const app = appOf(
    archiveOf(
      league([
        still(7, { token: 'abc' }),
        still(8, { token: '9', width: null, height: null }),
        still(9, { token: '99' }),
      ]),
    ),
  )
  test.each([
    ['7', 7],
    ['abc', 7],
    ['8', 8],
    ['9', 9],
    ['99', 9],
  ])('/stills/%s is still %i', async (id, stillID) => {
    expect((await get(app, `/stills/${id}`)).body.still.stillID).toBe(stillID)
  })
  test.each(['07', '7.0', '7e0', '0x7', '-7', '%207', 'ABC', '10', '9007199254740993', '1e3'])(
    '/stills/%s is no still',
    async (id) => {
      expect((await get(app, `/stills/${id}`)).status).toBe(404)
    },
  )
})

describe('GET /stills/:stillID of a picture whose size the league does not have', () => {
  const archive = archiveOf(
    league([
      still(1, { width: null, height: null }),
      still(2, { width: 6000, height: null }),
      still(3, { width: 0, height: 0 }),
      still(4),
    ]),
  )
  const size = { width: 640, height: 427 }
  const isKept = 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400'

  test('/stills/:stillID reads an unknown size from the picture and keeps the answer', async () => {
    const asked: string[] = []
    const app = appOf(archive, {
      pictureSizes: async (url) => {
        asked.push(url)
        return size
      },
    })
    for (const id of [1, 2, 3]) {
      const { body, headers } = await get(app, `/stills/${id}`)
      expect(body.still).toMatchObject({ stillID: id, ...size })
      expect(headers.get('cache-control')).toBe(isKept)
      const again = await get(app, `/stills/${id}`)
      expect(again.body).toEqual(body)
      expect(again.headers.get('etag')).toBe(headers.get('etag'))
    }
    expect(asked).toEqual([1, 2, 3].map((id) => `https://media.example/still-${id}.jpg`))
  })

  test('an answer without a size is neither stored nor cached', async () => {
    let found: typeof size | undefined
    const app = appOf(archive, { pictureSizes: async () => found })
    const before = await get(app, '/stills/1')
    expect(before.body.still).toMatchObject({ width: null, height: null })
    expect(before.headers.get('cache-control')).toBe('no-store')
    const tag = before.headers.get('etag') ?? ''
    expect((await get(app, '/stills/1', { 'if-none-match': tag })).status).toBe(304)

    found = size
    const after = await get(app, '/stills/1', { 'if-none-match': tag })
    expect(after.status).toBe(200)
    expect(after.body.still).toMatchObject(size)
    found = undefined
    expect((await get(app, '/stills/1')).body.still).toMatchObject(size)
    expect((await get(app, '/stills/still-1')).body.still).toMatchObject({ width: null })
  })

  test('no picture is read for a list, the description, or a size that the league has', async () => {
    const app = appOf(archive, {
      pictureSizes: () => {
        throw new Error('a picture was read')
      },
    })
    const { stills } = (await get(app, '/stills')).body
    expect(stills.map(({ width, height }: Record<string, unknown>) => [width, height])).toEqual([
      [6000, 4000],
      [null, null],
      [null, null],
      [null, null],
    ])
    expect((await get(app, '/stills/4')).body.still).toMatchObject({ width: 6000, height: 4000 })
    expect((await get(app, '/stills/5')).status).toBe(404)
    const { parameters } = (await get(app, '/openapi')).body.components
    expect(parameters.stillID.example).toBe('4')
  })

  test('a list says the same before and after a size was read', async () => {
    const app = appOf(archive, { pictureSizes: async () => size })
    const before = await get(app, '/stills')
    await get(app, '/stills/1')
    expect((await get(app, '/stills?limit=20')).bytes).toEqual(before.bytes)
  })
})
