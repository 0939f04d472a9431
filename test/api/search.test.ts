import { describe, expect, test } from 'bun:test'
import { cleanTyped } from '../../src/api/search/routes.ts'
import { appOf, archiveOf, get, readText, serviceOf } from '../fixtures.ts'
import { present } from '../present.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from '../rows.ts'

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
  test.each([
    'wynk gondola',
    'wnyk gondla',
    'gondola yolk',
    'robo yolk',
    'robot r',
    // One of the two also fits the whole text.
    'wynk go',
    'wynk vs w',
    'robo vs r',
  ])('%s: each bot is listed once, and scores never rise', async (q) => {
    const { bots }: { bots: { name: string; score: number }[] } = await search(q)
    expect(bots.length).toBeGreaterThanOrEqual(2)
    expect(new Set(bots.map(({ name }) => name)).size).toBe(bots.length)
    expect(bots).toEqual(bots.toSorted((a, b) => b.score - a.score))
  })

  test('the pair that has met is found if two names can be split in several ways', async () => {
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

  test.each([
    ['in the middle', 'Bump Two', 'Iron Fist'],
    ['into two whole names', 'Bump Two Three', 'Iron'],
  ])('the pair that is split %s is found among several pairs that met', async (_, last, red) => {
    const bots = playersNamed('Iron', 'Fist Bump Two', 'Iron Fist', last)
    const fights = [fightRows({ id: 'W-0' }, 'p0', 'p1'), fightRows({ id: 'W-1' }, 'p2', 'p3')]
    const here = appOf(archiveOf(tournamentOf({}, bots, fights)))
    const { body } = await get(here, '/search?q=iron%20fist%20bump%20two')
    expect(body.fights).toMatchObject([{ player1: red }])
  })

  test('a text with many `vs` is parted at the first ones', async () => {
    const bots = playersNamed('Axe', 'Ovsovsovsovso')
    const here = appOf(archiveOf(tournamentOf({}, bots, [fightRows({}, 'p0', 'p1')])))
    const { body } = await get(here, '/search?q=axevsovsovsovsovso')
    expect(body.fights).toMatchObject([{ player1: 'Axe' }])
  })

  test('a bot that fought itself is none of its opponents', async () => {
    const bots = playersNamed('Axe', 'Bolt')
    const fights = [fightRows({ id: 'W-0' }, 'p0', 'p0'), fightRows({ id: 'W-1' }, 'p0', 'p1')]
    const here = appOf(archiveOf(tournamentOf({}, bots, fights)))
    const { pairs } = (await get(here, '/autocomplete?q=axe+vs&kind=pair')).body
    expect(pairs).toMatchObject([{ bot2: { name: 'Bolt' }, totalFights: 1 }])
  })

  test('the better known bot is found among equally good names, on either side', async () => {
    const bots = ['Wynk', 'Toast Sand', 'Toast Soap', 'Gondola'].map((name) => ({ id: name, name }))
    const fights = [
      fightRows({ id: 'W-0' }, 'Wynk', 'Toast Sand'),
      fightRows({ id: 'W-1' }, 'Wynk', 'Toast Soap'),
      fightRows({ id: 'W-2' }, 'Toast Soap', 'Gondola'),
    ]
    const here = appOf(archiveOf(tournamentOf({}, bots, fights)))
    for (const q of ['wynk+vs+toast', 'toast+vs+wynk'])
      expect((await get(here, `/search?q=${q}`)).body.fights).toMatchObject([{ id: 'W-1' }])
  })
})

describe('a text that is cut', () => {
  test('a text that is cut within a character loses all of it', async () => {
    const { query } = await search(`${'a'.repeat(63)}😀`)
    expect(query.startsWith('a'.repeat(63))).toBe(true)
    expect(query.isWellFormed()).toBe(true)
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

  test('the exact name is first, then names that begin with it, better known ones before others', async () => {
    expect(await botNames('robo')).toEqual(['Robo', 'Robot', 'Robot Rampage', 'R0b0cop'])
    const { bots } = await search('robot')
    expect(bots[0]).toMatchObject({ name: 'Robot', score: 1, totalFights: 2, winRate: 1 })
    expect(bots[1]).toMatchObject({ name: 'Robot Rampage', totalFights: 0 })
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

  test('/search finds tournaments by their words', async () => {
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
    '/search refuses %s',
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
  ])('/search takes a strange text (%#)', async (q) => {
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

test('a search lists at most 10 bots, 5 tournaments, 5 teams and 20 fights', async () => {
  const bots = Array.from({ length: 12 }, (_, at) => ({
    ...{ id: `p${at}`, name: `Axle ${at}`, team: `Axle Team ${at}` },
  }))
  const fights = Array.from({ length: 21 }, (_, at) => fightRows({ id: `W-${at}` }, 'p1', 'p2'))
  const cups = bots.map(({ id, name }) => tournamentOf({ id, name: `${name} Cup` }, bots, fights))
  const { body } = await get(appOf(archiveOf(...cups)), '/search?q=axle')
  const pair = await get(appOf(archiveOf(...cups)), '/search?q=axle+1+vs+axle+2')
  const { length } = pair.body.fights
  expect([body.bots.length, body.tournaments.length, body.teams.length, length]).toEqual([
    10, 5, 5, 20,
  ])
})

describe('GET /autocomplete', () => {
  test('/autocomplete reads 48 characters without a trailing space', () => {
    const [most, cut] = ['x'.repeat(48), `${'x'.repeat(47)} y`]
    expect([`${most}y`, cut].map(cleanTyped)).toEqual([most, cut.slice(0, 47)])
  })

  test('/autocomplete suggests from one character on', async () => {
    const namesFor = async (q: string) =>
      (await suggest(q)).suggestions.map(({ name }: { name: string }) => name)
    expect(await namesFor('r')).toEqual(['Robot', 'R0b0cop', 'Robo', 'Robot Rampage'])
    expect(await namesFor('l')).toEqual(['Lazy Bagel', 'Norma L. Kurv'])
    expect(await suggest('x')).toEqual({
      query: 'x',
      suggestions: [
        {
          cleanName: 'x',
          name: 'X',
          score: 1,
          totalFights: 0,
          weightClasses: [],
          weightClassNames: [],
          match: [[0, 1]],
        },
      ],
    })
    expect(await suggest('')).toEqual({ query: '', suggestions: [] })
    expect(await suggest('!?')).toEqual({ query: '', suggestions: [] })
    expect((await suggest('r', 2)).suggestions).toHaveLength(2)
    expect((await suggest('r', 99)).suggestions.length).toBeLessThanOrEqual(20)
  })

  test('/autocomplete gives equal bytes and ETag for equal words in equal order', async () => {
    const first = await get(app, '/autocomplete?q=norma+l')
    const spellings = 'Norma%20L NORMA.L. n%C3%B3rma-l norma+l&limit=8 norma+l&limit=x'.split(' ')
    for (const q of [...spellings, 'norma+l&kind=bot', 'norma+l&kind=x', 'norma+l&weightClass=x']) {
      const other = await get(app, `/autocomplete?q=${q}`)
      expect(Buffer.from(other.bytes).equals(first.bytes)).toBe(true)
      expect(other.headers.get('etag')).toBe(first.headers.get('etag'))
    }
    const long = 'abcdefghijklmnop'.repeat(3)
    expect(await suggest(long)).toEqual(await suggest(`${long}yz${'q'.repeat(500)}`))
    expect(first.bytes.length).toBeLessThan(1500)
  })

  test('/autocomplete searches once for the same words in the same order', async () => {
    let reads = 0
    const counting = {
      ...archive,
      get botSearch() {
        reads += 1
        return archive.botSearch
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
    expect(await ask('?limit=8&q=%20Norma%20L.&kind=pair,bot')).toBe(1)
    expect(await ask('?limit=8&q=%20Norma%20L.&kind=bot,pair')).toBe(0)
    expect(await ask('?q=norma+l&limit=5')).toBe(1)
    expect(await ask('')).toBe(1)
    expect(await ask('?q=.')).toBe(0)
  })
})

describe('names of words', () => {
  /** Names with their numbers of fights. */
  const league = {
    Tombmaker: 40,
    SawCutter: 60,
    'Rusty Saw': 3,
    Sawhorse: 2,
    'Toast Lantern': 30,
    'Toast Kettle': 5,
    HyperKettle: 20,
    Kettle: 4,
    'Picnic Button': 24,
    K1: 20,
    Brisk: 36,
    'Son of Wolfgang': 12,
    'Wizard Tailor': 44,
    'Turnip II': 10,
    'Turnip 259': 9,
    'The Pale Lance': 8,
    'Ümläut Rex': 4,
    ドリル: 4,
    Opponent: 0,
    'Toast Kettle Reborn': 1,
  }
  const all = Object.keys(league).map((name, at) => ({ id: `p${at}`, name }))
  const player = (name: string) => all.find((each) => each.name === name)?.id ?? ''
  let time = 1_770_000_000
  const fights = Object.entries(league).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, at) => {
      time += 300
      const id = `W-${player(name)}-${at}`
      return fightRows(
        { id, startTime: time, stopTime: time + 60 },
        player(name),
        player('Opponent'),
      )
    }),
  )
  const met = fightRows({ id: 'W-met', startTime: 10, stopTime: 20 }, player('Brisk'), player('K1'))
  const light = tournamentOf(
    {
      id: 'cup_dec25',
      name: 'Clang Cup December 2025 3lb',
      weightClass: 3,
      startTime: 1_765_000_000,
    },
    [{ id: 'x', name: 'Brisk' }],
    [],
  )
  const old = tournamentOf(
    { id: 'cup_mar25', name: 'Clang Cup March 2025 30lb', startTime: 1_742_000_000 },
    [],
    [],
  )
  const finals = tournamentOf(
    { id: 'finals', name: 'Clang Cup March 2025 30lb Finals', startTime: 1_743_000_000 },
    [],
    [],
  )
  const main = tournamentOf(
    { id: 'cup_mar26', name: 'Clang Cup March 2026 30lb', startTime: 1_773_000_000 },
    all,
    [...fights, met],
  )
  const words = appOf(archiveOf(main, light, old, finals))
  const ask = async (path: string) => (await get(words, path)).body
  const found = async (q: string): Promise<string[]> =>
    (await ask(`/search?q=${encodeURIComponent(q)}`)).bots.map(({ name }: { name: string }) => name)
  const suggested = async (q: string, more = '') =>
    (await ask(`/autocomplete?q=${encodeURIComponent(q)}${more}`)).suggestions
  const names = (list: { name: string }[]) => list.map(({ name }) => name)

  test.each([
    ['lantern toast', 'Toast Lantern'],
    ['toast lantren', 'Toast Lantern'],
    ['lantren', 'Toast Lantern'],
    ['toa lan', 'Toast Lantern'],
    ['button', 'Picnic Button'],
    ['cutter', 'SawCutter'],
    ['saw cutter', 'SawCutter'],
    ['kettle hyper', 'HyperKettle'],
    ['maker', 'Tombmaker'],
    ['tombmaker robot', 'Tombmaker'],
    ['team hyperkettle', 'HyperKettle'],
    ['the brisk', 'Brisk'],
    ['brisk 30lb', 'Brisk'],
    ['brisk beetleweight', 'Brisk'],
    ['clang brisk', 'Brisk'],
    ['tombmaker march 2026', 'Tombmaker'],
    ['pale lance', 'The Pale Lance'],
    ['k one', 'K1'],
    ['sow', 'Son of Wolfgang'],
    ['turnip 2', 'Turnip II'],
    ['turnip two', 'Turnip II'],
    ['wzrd tlr', 'Wizard Tailor'],
    ['wisard taylor', 'Wizard Tailor'],
    ['tpmbmaker', 'Tombmaker'],
    ['ドリル', 'ドリル'],
    ['doriru', 'ドリル'],
    ['umlaut', 'Ümläut Rex'],
  ])('%s finds %s first, in both', async (q, name) => {
    expect((await found(q))[0]).toBe(name)
    expect(names(await suggested(q))[0]).toBe(name)
  })

  test('fame decides between names that fit alike, not between fits', async () => {
    expect((await found('saw')).slice(0, 2)).toEqual(['SawCutter', 'Sawhorse'])
    expect((await found('toast')).slice(0, 2)).toEqual(['Toast Lantern', 'Toast Kettle'])
    expect((await found('kettle'))[0]).toBe('Kettle')
    expect((await found('toast kettl'))[0]).toBe('Toast Kettle')
  })

  test('strangers are left out, and gibberish has no answer', async () => {
    expect(await found('tomb')).toEqual(['Tombmaker'])
    expect(await found('picnic')).toEqual(['Picnic Button'])
    expect(await found('toast lanterm')).toEqual(['Toast Lantern'])
    for (const q of ['qzxvj', 'wqkpf', 'zzzzzz', 'xkcdq qqwpz']) expect(await found(q)).toEqual([])
  })

  test.each([
    'brisk vs k1',
    'Brisk v K1',
    'brisk versus k1',
    'brisk against k1',
    'briskvsk1',
    'BriskVsK1',
    'brisk k1',
    'k1 brisk',
    'brisk vs k1 fight',
    'fight between brisk and k1',
    'brisk - k1',
    'brisk/k1',
    'brisk & k1',
    'brisk x k1',
    ...['or', 'and', 'meets', '×', '–', '—', '+', ',', '|', '@'].map((by) => `brisk ${by} k1`),
    ...['fight', 'match', 'battle', 'video', 'record', 'h2h', 'head to head', 'rematch'].map(
      (about) => `brisk vs k1 ${about}`,
    ),
    'the fight of brisk and k1',
    'between k1 and brisk',
    'brissk vs k1',
  ])('%s names two bots', async (q) => {
    const { bots, fights } = await ask(`/search?q=${encodeURIComponent(q)}`)
    expect(names(bots).slice(0, 2).toSorted()).toEqual(['Brisk', 'K1'])
    expect(fights).toMatchObject([{ id: 'W-met' }])
  })

  test('the fights of two bots are newest first, with fights under way and to come', async () => {
    const bots = playersNamed('Axe', 'Bolt', 'Cog')
    const states = [
      openFight({ id: 'W-next' }, 'p0', 'p1'),
      fightRows({ id: 'W-past' }, 'p1', 'p0'),
      openFight({ id: 'W-now', state: 'active', startTime: 1_770_000_100 }, 'p1', 'p0'),
      openFight({ id: 'W-else', state: 'active', startTime: 1_770_000_100 }, 'p0', 'p2'),
    ]
    const here = appOf(archiveOf(tournamentOf({ id: 'cup', active: true }, bots, states)))
    for (const q of ['axe+bolt', 'bolt+vs+axe']) {
      const { fights } = (await get(here, `/search?q=${q}`)).body
      expect(fights.map(({ id }: { id: string }) => id)).toEqual(['W-now', 'W-past', 'W-next'])
    }
    expect((await get(here, '/search?q=axe+vs+cog')).body.fights).toMatchObject([{ id: 'W-else' }])
    const autocomplete = (await get(here, '/autocomplete?q=axe+bolt&kind=pair')).body
    expect(autocomplete.pairs).toMatchObject([{ totalFights: 1 }])
  })

  test('two words that are names find the fights, even if one is filler or part of the other', async () => {
    const bots = playersNamed('Robot', 'Brisk', 'Moth', 'Super Moth', 'Fights')
    const fights = [
      fightRows({ id: 'W-1' }, 'p0', 'p1'),
      fightRows({ id: 'W-2' }, 'p2', 'p3'),
      fightRows({ id: 'W-3' }, 'p1', 'p4'),
    ]
    const here = appOf(archiveOf(tournamentOf({}, bots, fights)))
    const found = async (q: string) =>
      (await get(here, `/search?q=${q}`)).body.fights.map(({ id }: { id: string }) => id)
    expect(await found('robot+brisk')).toEqual(['W-1'])
    expect(await found('Brisk+ROBOT')).toEqual(['W-1'])
    expect(await found('moth+supermoth')).toEqual(['W-2'])
    expect(await found('brisk+fights')).toEqual(['W-3'])
    expect(await found('super+moth')).toEqual([])
    expect(await found('moth+robot')).toEqual([])
  })

  test('a bot is listed once, never paired with itself, and scores never rise', async () => {
    for (const q of [
      'toast lantren',
      'brisk brisk',
      'brisk vs brisk',
      'k1 brisk toast',
      'lantern toast vs brisk',
    ]) {
      const { bots } = await ask(`/search?q=${encodeURIComponent(q)}`)
      expect(new Set(names(bots)).size).toBe(bots.length)
      const scores = bots.map(({ score }: { score: number }) => score)
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    }
    expect((await ask('/search?q=brisk+vs+brisk')).fights).toEqual([])
  })

  test.each([
    ['3 lb', 'cup_dec25'],
    ['3lbs', 'cup_dec25'],
    ['beetleweight', 'cup_dec25'],
    ['feathers', 'cup_mar26'],
    ['30 pounds', 'cup_mar26'],
    ['march', 'cup_mar26'],
    ['march 26', 'cup_mar26'],
    ['mar 25', 'finals'],
    ['mar25', 'finals'],
    ['mar2025', 'finals'],
    ['Clang Cup March 2025 30lb', 'cup_mar25'],
    ['cup_mar25', 'cup_mar25'],
    ['cup dec 2025', 'cup_dec25'],
    ['clang 30lb march', 'cup_mar26'],
  ])('%s finds the tournament %s first', async (q, id) => {
    const { tournaments } = await ask(`/search?q=${encodeURIComponent(q)}`)
    expect(tournaments[0]).toMatchObject({ tournamentID: id, score: 1 })
  })

  test.each([
    ['saw', 'SawCutter', [[0, 3]]],
    ['saw cut', 'SawCutter', [[0, 6]]],
    ['cutter', 'SawCutter', [[3, 9]]],
    [
      'lantern toa',
      'Toast Lantern',
      [
        [0, 3],
        [6, 13],
      ],
    ],
    ['toast lantern', 'Toast Lantern', [[0, 13]]],
    ['toats', 'Toast Lantern', [[0, 5]]],
    [
      'sow',
      'Son of Wolfgang',
      [
        [0, 1],
        [4, 5],
        [7, 8],
      ],
    ],
    ['pale', 'The Pale Lance', [[4, 8]]],
    ['turnip 2', 'Turnip II', [[0, 9]]],
    ['umlaut', 'Ümläut Rex', [[0, 6]]],
    ['dori', 'ドリル', [[0, 2]]],
    ['brisk robot', 'Brisk', [[0, 5]]],
  ])('%s highlights in %s %j', async (q, name, match) => {
    const [first] = await suggested(q)
    expect(first).toMatchObject({ name, match })
  })

  test('/autocomplete suggests only bots of a weight class on request', async () => {
    expect(names(await suggested('brisk', '&weightClass=30'))).toEqual(['Brisk'])
    expect(await suggested('brisk', '&weightClass=3')).toEqual([])
    expect(names(await suggested('toa', '&weightClass=nonsense')).length).toBeGreaterThan(1)
  })

  test('/autocomplete suggests tournaments and pairs on request', async () => {
    expect(Object.keys(await ask('/autocomplete?q=brisk'))).toEqual(['query', 'suggestions'])
    expect(await ask('/autocomplete?q=march&kind=tournament')).toMatchObject({
      suggestions: [],
      tournaments: [
        { tournamentID: 'cup_mar26', tournamentName: 'Clang Cup March 2026 30lb', weightClass: 30 },
        { tournamentID: 'finals' },
        { tournamentID: 'cup_mar25' },
      ],
    })
    const pairsOf = async (q: string) => (await ask(`/autocomplete?q=${q}&kind=bot,+Pair`)).pairs
    const pair = {
      bot1: { name: 'Brisk', cleanName: 'brisk' },
      bot2: { name: 'K1', cleanName: 'k1' },
      totalFights: 1,
    }
    expect(await pairsOf('brisk+vs')).toEqual([
      { ...pair, bot2: { name: 'Opponent', cleanName: 'opponent' }, totalFights: 36 },
      pair,
    ])
    expect(await pairsOf('brisk+vs+k')).toEqual([pair])
    expect(await pairsOf('brisk+k1')).toEqual([pair])
    expect(await pairsOf('brisk+vs+bris')).toEqual([])
    expect(await pairsOf('brisk')).toEqual([])
  })
})

describe('search among names that are easily confused', () => {
  const counts = {
    'Final Fudge': 3,
    'Sgt. Oyster v3': 2,
    X9: 2,
    'X-Ray Nemo': 20,
    'F.V.M.': 2,
    'Firefly Mower': 30,
    'The Sad Hawk': 8,
    'Salad Anvil': 30,
    'Mildred S. Tork': 4,
    'Mildred S. Tork III': 4,
    Jäger: 3,
    'Jaeger Bombardon': 9,
    どんぐり: 2,
    'Donkey Tuesday': 9,
    Hoodwinker: 3,
    'Hoodwinker II': 9,
    'Koala Without a Cause': 2,
    'Quake Hazard': 60,
    Opponent: 0,
  }
  const players = Object.keys(counts).map((name, at) => ({ id: `p${at}`, name }))
  const fights = Object.values(counts).flatMap((count, bot) =>
    Array.from({ length: count }, (_, at) =>
      fightRows(
        { id: `W-${bot}-${at}`, startTime: 1_770_000_000, stopTime: 1_770_000_060 },
        `p${bot}`,
        `p${players.length - 1}`,
      ),
    ),
  )
  const at = (name: string) => `p${players.findIndex((player) => player.name === name)}`
  const met = fightRows({ id: 'W-met' }, at('Firefly Mower'), at('Mildred S. Tork III'))
  const app = appOf(archiveOf(tournamentOf({ id: 'cup' }, players, [...fights, met])))

  test.each([
    ['dinal', 'Final Fudge', 'a neighbouring key for the first letter of a word'],
    ['sergeant oyster', 'Sgt. Oyster v3', 'a title in full'],
    ['f.v.m. 3lb', 'F.V.M.', 'a `v` that is an initial'],
    ['x nine', 'X9', 'a single letter that is no number'],
    ['the sa', 'The Sad Hawk', 'an article that was typed'],
    ['mildred tork', 'Mildred S. Tork', 'fewer words that were not typed'],
    ['jaeger', 'Jäger', 'an umlaut as two letters'],
    ['どん', 'どんぐり', 'the beginning in its own script'],
    ['hdwnkr', 'Hoodwinker', 'all consonants, and no number'],
    ['kwac', 'Koala Without a Cause', 'four initials'],
  ])('%s finds %s: %s', async (q, name) => {
    for (const path of ['/search', '/autocomplete']) {
      const { body } = await get(app, `${path}?q=${encodeURIComponent(q)}`)
      const [first] = path === '/search' ? body.bots : body.suggestions
      expect(first?.name).toBe(name)
    }
  })
})

test.each([
  ['á1\u0301 !\u0301', 'a1 !'],
  ['\u0301axe', 'axe'],
  ['йボ', 'йボ'],
])('marks on Latin letters, digits and signs are left out: %j is %j', async (q, query) => {
  expect(await search(q)).toMatchObject({ query })
})

test('1,024 characters of a text of combining marks are read', async () => {
  const textWith = (marks: number): string => `ax${'\u0301'.repeat(marks)}b`
  expect(await search(textWith(1021))).toMatchObject({ query: 'axb' })
  expect(await search(textWith(1022))).toMatchObject({ query: 'ax' })
})

describe('words between and around two names', () => {
  const here = appOf(
    archiveOf(
      tournamentOf({}, playersNamed('Axe', 'Bolt'), [fightRows({ id: 'W-1' }, 'p0', 'p1')]),
    ),
  )
  const whole = { bots: [{ score: 1 }, { score: 1 }], fights: [{ id: 'W-1' }] }
  test.each([
    ...['v', 'vs', 'VS.', 'v:', 'versus', 'against', 'x', 'and', 'meets', 'or', '-', '–', '—'],
    ...['/', '&', '+', ',', '|', '×', '@'],
  ])('/search for "axe %s bolt" finds both bots and their fight', async (word) => {
    const { body } = await get(here, `/search?q=${encodeURIComponent(`axe ${word} bolt`)}`)
    expect(body).toMatchObject(whole)
  })
  test.each(['axevsbolt', 'axeversusbolt', 'AxeVsBolt'])(
    '/search for %s finds the fight of two bots',
    async (q) => {
      expect((await get(here, `/search?q=${q}`)).body).toMatchObject({ fights: whole.fights })
    },
  )
  test.each([
    ...['fight of %', 'the fights of %', 'fights between %', 'between %', '% fight', '%: fights'],
    ...['% match', '% matches', '% battle', '% battles', '% rematch', '% video', '% videos'],
    ...['% record', '% history', '% h2h', '% head to head'],
  ])('/search finds two bots and their fight with the words around %j', async (around) => {
    const q = encodeURIComponent(around.replace('%', 'axe vs bolt'))
    expect((await get(here, `/search?q=${q}`)).body).toMatchObject(whole)
  })
})

test.each([
  [1, ['antweight', 'antweights', 'ants']],
  [
    3,
    [
      'beetleweight',
      'beetles',
      '3 lb',
      '3lbs',
      '3 pounds',
      '3 pound',
      '3pounds',
      '3pounder',
      '3 pounders',
      '03lb',
    ],
  ],
  [6, ['mantisweight', 'mantisweights']],
  [12, ['hobbyweight', 'hobbyweights']],
  [30, ['featherweight', 'feathers']],
  [60, ['lightweight', 'lightweights']],
  [120, ['middleweight', 'middleweights', '120 lb']],
  [220, ['heavyweight', 'heavys']],
  [250, ['heavyweights']],
  [340, ['superheavyweight', 'superheavyweights']],
])('a tournament of %d lb is found by each of %j', async (weightClass, texts) => {
  const others = tournamentOf({ id: 'other', name: 'Other', weightClass: 77 }, [], [])
  const here = appOf(
    archiveOf(tournamentOf({ id: 'own', name: 'Own', weightClass }, [], []), others),
  )
  for (const text of texts) {
    const { tournaments } = (await get(here, `/search?q=${encodeURIComponent(text)}`)).body
    expect([text, tournaments]).toMatchObject([text, [{ tournamentID: 'own', score: 1 }]])
  }
})

describe('tournaments by their attributes', () => {
  const event = (over: Parameters<typeof tournamentOf>[0]) =>
    tournamentOf({ weightClass: 77, ...over }, [], [])
  const of = async (app: ReturnType<typeof appOf>, q: string) =>
    (await get(app, `/search?q=${encodeURIComponent(q)}`)).body.tournaments.map(
      ({ tournamentID, score }: { tournamentID: string; score: number }) => [tournamentID, score],
    )

  test('the month of a tournament follows its actual or planned start in the time zone of events', async () => {
    const march31 = Date.UTC(2026, 2, 31, 23, 30) / 1000
    const rows = archiveOf(
      event({ id: 'planned', name: 'Steel', scheduledStartTime: march31 }),
      event({ id: 'begun', name: 'Rust', startTime: march31 }),
      event({ id: 'named', name: 'Rust May 2025', startTime: march31 }),
    )
    const [berlin, utc] = ['Europe/Berlin', 'UTC'].map((timeZone) => appOf(rows, { timeZone }))
    for (const q of ['april 2026', 'apr 26', 'April']) {
      expect([q, (await of(present(berlin), q)).sort()]).toEqual([
        q,
        [
          ['begun', 1],
          ['planned', 1],
        ],
      ])
      expect(
        (await of(present(utc), q)).filter(([, score]: [string, number]) => score === 1),
      ).toEqual([])
    }
    expect(await of(present(utc), 'steel march 2026')).toContainEqual(['planned', 1])
    const page = await readText(present(berlin), '/?q=steel+april', { accept: 'text/html' })
    expect(page.text).toContain('/e/planned')
  })

  test('a class with another name or fewer grams does not match the class name of its pounds', async () => {
    const app = appOf(
      archiveOf(
        event({ id: 'ant', name: 'A', weightClass: 1 }),
        event({ id: 'fairy', name: 'B', weightClass: 1, weightClassName: 'Fairyweight' }),
        event({ id: 'flea', name: 'Flea weight Cup', weightClass: 1, weightClassName: 'Flea' }),
        event({
          id: 'grams',
          name: 'D',
          weightClass: 1,
          weightClassName: '150 g',
          weightGrams: 150,
        }),
        event({ id: 'beetle', name: 'E', weightClass: 3, weightClassName: 'Beetle' }),
      ),
    )
    const sure = async (q: string) =>
      (await of(app, q)).filter(([, score]: [string, number]) => score === 1)
    expect(await sure('antweight')).toEqual([['ant', 1]])
    expect(await sure('fairyweight')).toEqual([['fairy', 1]])
    expect(await sure('fleaweights')).toEqual([['flea', 1]])
    expect(await sure('beetleweight')).toEqual([['beetle', 1]])
  })

  test.each(['日本', '日本ロボット', 'ロボット'])('%s is found within a name', async (q) => {
    const app = appOf(
      archiveOf(
        event({ id: 'jp', name: '全日本ロボット選手権 2026' }),
        event({ id: 'no', name: '大会' }),
      ),
    )
    expect((await of(app, q)).map(([id]: [string]) => id)).toEqual(['jp'])
    const { body } = await get(app, `/autocomplete?kind=tournament&q=${encodeURIComponent(q)}`)
    expect(body.tournaments).toMatchObject([{ tournamentID: 'jp' }])
  })
})

describe('bot names that read as two other names', () => {
  const named = [
    'Flip',
    'Flop',
    'FlipFlop',
    'Alien',
    'Edge',
    'Alien vs Editor',
    'Us Against Them',
    'Thunder',
    'Usher',
  ]
  const bout = (red: string, blue: string, n: number) =>
    fightRows({ id: `W-${n}`, position: n }, `p${named.indexOf(red)}`, `p${named.indexOf(blue)}`)
  const here = appOf(
    archiveOf(
      tournamentOf(
        {},
        named.map((name, n) => ({ id: `p${n}`, name })),
        [
          bout('Flip', 'Flop', 0),
          bout('Alien', 'Edge', 1),
          bout('Usher', 'Thunder', 2),
          bout('FlipFlop', 'Alien vs Editor', 3),
          bout('Us Against Them', 'Edge', 4),
        ],
      ),
    ),
  )
  test.each([
    ['alien vs ed', ['Alien vs Editor', 'Alien', 'Edge'], ['W-1']],
    ['us against th', ['Us Against Them'], undefined],
    ['flip flop', ['FlipFlop', 'Flip', 'Flop'], ['W-0']],
    ['flip vs flop', ['Flip', 'Flop'], ['W-0']],
    ['alien vs editor', ['Alien vs Editor'], []],
  ])('/search for %s begins with %j and has the fights %j', async (q, first, fights) => {
    const { body } = await get(here, `/search?q=${encodeURIComponent(q)}`)
    const found = body.bots.map(({ name }: { name: string }) => name)
    expect(found.slice(0, first.length)).toEqual(first)
    if (fights) expect(body.fights.map(({ id }: { id: string }) => id)).toEqual(fights)
    const { body: typed } = await get(here, `/autocomplete?q=${encodeURIComponent(q)}`)
    expect(typed.suggestions[0].name).toBe(first[0])
  })
})
