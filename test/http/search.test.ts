import { describe, expect, test } from 'bun:test'
import { noCages, updateArchive } from '../../src/archive.ts'
import { buildTournament } from '../../src/dataset/build.ts'
import { appOf, archiveOf, get, serviceOf } from '../fixtures.ts'
import { fightRows, tournamentOf } from '../rows.ts'

const names = [
  'Wynk',
  'Gondola',
  'Norma L. Kurv',
  'Yolk',
  'Robo',
  'Robot',
  'Robot Rampage',
  'R0b0cop',
  'Ångström',
  'X',
  'Q2',
  '404',
  'Müller & Söhne',
  'Lazy Bagel',
  'Bagel King',
  'The Waffle',
  'Waffle-7100',
]
const players = names.map((name, index) => ({ id: `p${index}`, name }))
const id = (name: string) => `p${names.indexOf(name)}`
let clock = 0
const fight = (red: string, blue: string) => {
  clock += 1000
  return fightRows({ id: `W-${clock}`, startTime: clock, stopTime: clock + 60 }, id(red), id(blue))
}
const rows = tournamentOf({ id: 'cg_march', name: 'Cageside March 2026 30lb' }, players, [
  fight('Wynk', 'Gondola'),
  fight('Gondola', 'Wynk'),
  fight('Norma L. Kurv', 'Yolk'),
  fight('Robot', 'Yolk'),
  fight('Robot', 'Wynk'),
])
const archive = archiveOf(
  rows,
  tournamentOf({ id: 'cg_april', name: 'Cageside April 2026 12lb' }, [], []),
)
const app = appOf(archive)
const search = async (q: string) => (await get(app, `/search?q=${encodeURIComponent(q)}`)).body
const botNames = async (q: string): Promise<string[]> =>
  (await search(q)).bots.map(({ name }: { name: string }) => name)
const suggest = async (q: string, limit = 8) =>
  (await get(app, `/autocomplete?q=${encodeURIComponent(q)}&limit=${limit}`)).body

describe('two names', () => {
  test.each(['wynk gondola', 'gondola wynk', 'wnyk gondla', 'robot yolk', 'robot robo'])(
    '%s: each bot is listed once',
    async (q) => {
      const found = await botNames(q)
      expect(found.length).toBeGreaterThanOrEqual(2)
      expect(found).toEqual([...new Set(found)])
    },
  )

  test('of several ways to part them, the two that met are meant', async () => {
    const bots = ['Iron', 'Fist Bump', 'Iron Fist', 'Bump'].map((name) => ({ id: name, name }))
    for (const [red, blue] of [
      ['Iron', 'Fist Bump'],
      ['Iron Fist', 'Bump'],
    ] as const) {
      const here = appOf(archiveOf(tournamentOf({}, bots, [fightRows({}, red, blue)])))
      const { body } = await get(here, '/search?q=iron%20fist%20bump')
      expect(body.fights).toMatchObject([{ player1: red, player2: blue }])
    }
  })
})

describe('GET /search', () => {
  test.each([
    ['Wynk', 'Wynk'],
    ['wynk', 'Wynk'],
    ['wnyk', 'Wynk'],
    ['wynkk', 'Wynk'],
    ['wyn', 'Wynk'],
    ['gondla', 'Gondola'],
    ['gnodola', 'Gondola'],
    ['gond', 'Gondola'],
    ['norma l kurv', 'Norma L. Kurv'],
    ['normalkurv', 'Norma L. Kurv'],
    ['normalkunv', 'Norma L. Kurv'],
    ['kurv', 'Norma L. Kurv'],
    ['rampage', 'Robot Rampage'],
    ['robocop', 'R0b0cop'],
    ['r0b0t', 'Robot'],
    ['angstrom', 'Ångström'],
    ['ångström', 'Ångström'],
    ['q2', 'Q2'],
    ['404', '404'],
    ['muller sohne', 'Müller & Söhne'],
  ])('%s finds %s first', async (q, name) => {
    expect((await botNames(q))[0]).toBe(name)
  })

  test('the spaces and punctuation that were typed count', async () => {
    expect((await botNames('waffle'))[0]).toBe('The Waffle')
    expect((await botNames('waffle-'))[0]).toBe('Waffle-7100')
  })

  test('the exact name is first, then what begins so, better known ones before others', async () => {
    expect(await botNames('robo')).toEqual(['Robo', 'Robot', 'Robot Rampage', 'R0b0cop'])
    const { bots } = await search('robot')
    expect(bots[0]).toMatchObject({ name: 'Robot', score: 1, totalFights: 2, winRate: 1 })
    expect(bots[1]).toMatchObject({ name: 'Robot Rampage', score: 0.9 })
  })

  test.each(['wynk gondola', 'wnyk gondla', 'gondola  WYNK', 'Wynk vs Gondola', 'wynk v. gondla'])(
    '%s finds their fights',
    async (q) => {
      const { fights, bots } = await search(q)
      expect(fights).toHaveLength(2)
      for (const { player1clean, player2clean } of fights) {
        expect([player1clean, player2clean].toSorted()).toEqual(['gondola', 'wynk'])
      }
      expect(
        bots
          .map(({ name }: { name: string }) => name)
          .toSorted()
          .slice(0, 2),
      ).toEqual(['Gondola', 'Wynk'])
    },
  )
  test.each(['norma l kurv yolk', 'yolk norma l. kurv', 'Norma L Kurv vs Yolk'])(
    '%s finds names of several words',
    async (q) => {
      const { fights } = await search(q)
      expect(fights).toHaveLength(1)
      expect(fights[0]).toMatchObject({ player1: 'Norma L. Kurv', player2: 'Yolk' })
    },
  )
  test('the name of one bot is not taken for two', async () => {
    expect(await search('lazy bagel')).toMatchObject({ bots: [{ name: 'Lazy Bagel' }], fights: [] })
    expect((await search('wynk')).fights).toEqual([])
  })

  test('finds tournaments by their words', async () => {
    const found = async (q: string) =>
      (await search(q)).tournaments.map(
        ({ tournamentID, score }: { tournamentID: string; score: number }) =>
          `${tournamentID} ${score}`,
      )
    expect(await found('march')).toEqual(['cg_march 1'])
    expect(await found('March 2026')).toEqual(['cg_march 1', 'cg_april 0.5'])
    expect(await found('aprl')).toEqual(['cg_april 0.6'])
    expect(await found('cg_april')).toEqual(['cg_april 1', 'cg_march 0.5'])
    expect(await found('zebra')).toEqual([])
  })

  test.each(['', '?', '?q', '?q=', '?q=a', '?q=%20a%20', '?q=%CC%81a', '?q=ab&q=c'])(
    '%s is refused',
    async (query) => {
      const { status, body } = await get(app, `/search${query}`)
      expect(status).toBe(400)
      expect(body).toEqual({ error: 'q must have at least 2 characters' })
    },
  )

  test.each([
    '!!',
    '🤖🤖',
    '__proto__',
    'constructor prototype',
    "' OR 1=1; DROP TABLE bots --",
    '.*(a+)+$',
    '\u0000\u0000',
    '%%',
    'x'.repeat(8000),
    'a b '.repeat(900),
    'wynk '.repeat(900),
    'ﷺ'.repeat(800),
    '１２',
  ])('takes a strange text (%#)', async (q) => {
    const { query } = await search(q)
    expect(query.length).toBeLessThanOrEqual(64)
  })
})

test('half characters and broken escapes are read as they come', async () => {
  for (const query of ['%ED%A0%80%ED%A0%80', '%E0%A4%E0%A4', '%%%', '%zz']) {
    expect((await get(app, `/search?q=${query}`)).status).toBe(200)
    expect((await get(app, `/autocomplete?q=${query}`)).status).toBe(200)
  }
})

describe('GET /autocomplete', () => {
  test('suggests from one character on', async () => {
    const namesFor = async (q: string) =>
      (await suggest(q)).suggestions.map(({ name }: { name: string }) => name)
    expect(await namesFor('r')).toEqual(['Robot', 'R0b0cop', 'Robo', 'Robot Rampage'])
    expect(await namesFor('l')).toEqual(['Lazy Bagel', 'Norma L. Kurv'])
    expect(await suggest('x')).toEqual({
      query: 'x',
      suggestions: [{ cleanName: 'x', name: 'X', score: 1, totalFights: 0, weightClasses: [] }],
    })
    expect(await suggest('')).toEqual({ query: '', suggestions: [] })
    expect(await suggest('!?')).toEqual({ query: '', suggestions: [] })
    expect((await suggest('r', 2)).suggestions).toHaveLength(2)
    expect((await suggest('r', 99)).suggestions.length).toBeLessThanOrEqual(20)
  })

  test('gives the same bytes and tag for all that cleans to the same text', async () => {
    const first = await get(app, '/autocomplete?q=normal')
    for (const q of ['Norma%20L', 'NORMA.L.', 'n%C3%B3rmal', 'normal&limit=8', 'normal&limit=x']) {
      const other = await get(app, `/autocomplete?q=${q}`)
      expect(Buffer.from(other.bytes).equals(first.bytes)).toBe(true)
      expect(other.headers.get('etag')).toBe(first.headers.get('etag'))
    }
    const long = 'abcdefghijklmnopqrstuvwx'
    expect(await suggest(long)).toEqual(await suggest(`${long}yz${'q'.repeat(500)}`))
    expect(first.bytes.length).toBeLessThan(1500)
  })

  test('searches once for all that cleans to the same text', async () => {
    let reads = 0
    const counting = {
      ...archive,
      get bots() {
        reads += 1
        return archive.bots
      },
    }
    const counted = appOf(serviceOf(counting))
    const ask = async (query: string): Promise<number> => {
      const before = reads
      await get(counted, `/autocomplete${query}`)
      return reads - before
    }
    expect(await ask('?q=norma+l')).toBe(1)
    expect(await ask('?q=norma+l')).toBe(0)
    expect(await ask('?limit=8&q=%20Norma%20L.')).toBe(0)
    expect(await ask('?q=normal&limit=5')).toBe(1)
    expect(await ask('')).toBe(1)
    expect(await ask('?q=.')).toBe(0)
  })
})

describe('a change', () => {
  test('is found at the next version, by the same index', async () => {
    let current = archive
    const following = appOf({ ...serviceOf(archive), archive: () => current })
    const first = async (q: string) => (await get(following, `/search?q=${q}`)).body.bots[0]?.name
    expect(await first('wynk')).toBe('Wynk')
    const change = async (...players: { id: string; name: string }[]) => {
      const version = `${current.version}-next`
      const tournament = buildTournament(
        tournamentOf({ ...rows.tournament, name: 'Renamed Cup' }, players, []),
      )
      current = await updateArchive(current, version, new Map([['cg_march', tournament]]), noCages)
    }
    await change({ id: 'a', name: 'Zephyr' }, { id: 'b', name: 'WYNK!' })
    expect(await first('zephir')).toBe('Zephyr')
    expect(await first('wynk')).toBe('WYNK!')
    expect(await first('gondola')).toBeUndefined()
    const tournaments = (await get(following, '/search?q=renamed')).body.tournaments
    expect(tournaments).toMatchObject([{ tournamentName: 'Renamed Cup' }])
    expect((await get(following, '/search?q=march')).body.tournaments).toMatchObject([
      { tournamentID: 'cg_march', score: 1 },
    ])
    await change({ id: 'a', name: 'Gondola' })
    expect(await first('gondola')).toBe('Gondola')
    expect(await first('zephyr')).toBeUndefined()
    current = await updateArchive(current, 'last', new Map([['cg_march', undefined]]), noCages)
    expect(await first('gondola')).toBeUndefined()
    expect((await get(following, '/search?q=renamed')).body.tournaments).toEqual([])
  })
})
