import { describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { type Archive, noCages, updateArchive } from '../../../src/data/archive/archive.ts'
import { buildTournament } from '../../../src/data/league/build.ts'
import { cleanName } from '../../../src/data/league/cleanName.ts'
import type { TournamentRow } from '../../../src/data/source/rows.ts'
import { type BotSearch, searchSteps, updateSearch } from '../../../src/derived/search/botIndex.ts'
import { searchBots } from '../../../src/derived/search/search.ts'
import { wordTerm } from '../../../src/derived/search/terms.ts'
import {
  searchTournaments,
  tournamentSearchSteps,
} from '../../../src/derived/search/tournamentSearch.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import { buildArchive } from '../../buildArchive.ts'
import { archiveOf, deepFreeze } from '../../fixtures.ts'
import { fightRows, openFight, playersNamed, tournamentOf } from '../../rows.ts'

const names = [
  'Wynk',
  'WYNK!',
  'Toast Rafter',
  'Toast Soap',
  'JawGlaze',
  'Jawbreaker',
  'HyperSock',
  'The Waffle',
  'Waffle-7100',
  'Mk.4',
  'Turnip II',
  'Turnip 2',
  'R0b0cop',
  'Robot Rampage',
  'Ångström',
  'ドリル',
  'Q',
  'Son of Wolfgang',
  'Ditch Tailor',
  'W.A.S.P.',
  'Flipflop',
  'Flip Chart',
  'Flop',
]

const queries = [
  ...names,
  ...['j', 'ja', 'toast', 'rafter toast', 'toats rofter', 'wnyk', 'hypersok', 'sock'],
  ...['glaze', 'sow', 'dtch tlr', 'the waffle', 'waffle robot', 'turnip two', 'robocop', 'tayler'],
  ...['flop', 'ff', 'flip', 'art'],
]

/** Pairs of a tournament, by place in `names`. */
type Pairs = readonly (readonly [number, number])[]

/** A tournament in one of twelve months. */
const tournament = (id: string, pairs: Pairs, month = 0) => {
  const startTime = Date.UTC(2026, month, 7) / 1000
  return buildTournament(
    tournamentOf(
      { id, name: `Cup ${id}`, createTime: 1000 + id.length, startTime },
      [...new Set(pairs.flat())].map((at) => ({ id: `p${at}`, name: names[at] ?? '' })),
      pairs.map(([red, blue], at) =>
        fightRows(
          { id: `W-${at}`, startTime: startTime + 100 * at, stopTime: startTime + 100 * at + 50 },
          `p${red}`,
          `p${blue}`,
        ),
      ),
    ),
  )
}

const answers = (search: BotSearch) =>
  queries.map((query) => [
    query,
    ...searchBots(search, query, 8).map(
      ({ bot, score, cost }) => `${bot.name} ${bot.fights.length} ${score} ${cost}`,
    ),
  ])

const tournamentAnswers = ({ tournamentSearch, dataset }: Archive) =>
  ['cup', 'a', 'cup b', '30lb', 'featherweight', 'january', 'march 26'].map((query) =>
    searchTournaments(tournamentSearch, dataset, query, 5).map(
      ({ tournament: { info }, score }) => `${info.id} ${score}`,
    ),
  )

const pairs = fc.array(fc.tuple(fc.nat(names.length - 1), fc.nat(names.length - 1)), {
  minLength: 1,
  maxLength: 6,
})
const held = fc.record({ pairs, month: fc.nat(11) })
const changes = fc.array(
  fc.record({
    /** Number of versions between the latest one and the one that changes. */
    back: fc.integer({ min: 0, max: 2 }),
    held: fc.dictionary(fc.constantFrom('a', 'b', 'cc'), fc.option(held, { freq: 3 }), {
      minKeys: 1,
      noNullPrototype: true,
    }),
  }),
  { minLength: 1, maxLength: 6 },
)

describe('a search index that follows changes', () => {
  test('an updated search index answers like a new one, and so does the version before', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, changes, async (first, steps) => {
        const versions = [deepFreeze(buildArchive('0', [tournament('a', first)]))]
        for (const { back, held } of steps) {
          const before = versions.at(-1 - back) ?? versions[0]
          if (!before) continue
          const answersBefore = answers(before.botSearch)
          const changed = new Map(
            Object.entries(held).map(([id, of]) => [
              id,
              of ? tournament(id, of.pairs, of.month) : undefined,
            ]),
          )
          const archive = deepFreeze(
            await updateArchive(before, `${versions.length}`, changed, noCages),
          )
          versions.push(archive)
          const anew = buildArchive('anew', archive.dataset.tournaments)
          expect(answers(archive.botSearch)).toEqual(answers(anew.botSearch))
          expect(tournamentAnswers(archive)).toEqual(tournamentAnswers(anew))
          expect(archive.tournamentSearch).toEqual(anew.tournamentSearch)
          expect(answers(before.botSearch)).toEqual(answersBefore)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('a word of most tournaments finds none by itself', () => {
    const named = ['Robo Oil Cup', 'Robo Rust Cup', 'Robo Steel Cup', 'Open'].map((name) =>
      buildTournament(tournamentOf({ id: name.toLowerCase().replaceAll(' ', '-'), name }, [], [])),
    )
    const { tournamentSearch, dataset } = buildArchive('0', named)
    const found = (text: string) =>
      searchTournaments(tournamentSearch, dataset, text, 5).map(
        ({ tournament }) => tournament.info.name,
      )
    expect(found('robo rust')).toEqual(['Robo Rust Cup'])
    expect(found('robo nothing')).toEqual([])
    expect(found('robo')).toHaveLength(3)
    // A single letter begins too many words.
    expect([found('oi'), found('o')]).toEqual([['Robo Oil Cup'], []])
    // A wrong letter is tolerated in words of four letters and more.
    expect([found('rast'), found('opan'), found('oli')]).toEqual([['Robo Rust Cup'], ['Open'], []])
    // The end of a word finds nothing, but the whole name in one word does.
    expect([found('teel'), found('robooilcup')]).toEqual([[], ['Robo Oil Cup']])
    // Only eight words of a text are read.
    expect(found('rust 30lb b c the of in at d e f g')).toEqual(['Robo Rust Cup'])
  })

  test('tournaments with exactly the name come first, and the best match of a word counts', () => {
    const named = ['Rust', 'Rust Rusty', 'Rust', 'Rusty'].map((name, at) =>
      buildTournament(tournamentOf({ id: `t${at}`, name, createTime: 10 - at }, [], [])),
    )
    const { tournamentSearch, dataset } = buildArchive('0', named)
    const found = searchTournaments(tournamentSearch, dataset, 'rust', 5)
    expect(found.map(({ tournament, score }) => [tournament.info.id, score])).toEqual([
      ['t0', 1],
      ['t2', 1],
      ['t1', 1],
      ['t3', 0.8],
    ])
  })

  test('a whole name is first of any number of names that begin with it', () => {
    const others = Array.from({ length: 150 }, (_, at) => `Robo ${at}`)
    const fights = others.map((_, at) => fightRows({ id: `W-${at}` }, `p${at}`, `p${at + 1}`))
    const { botSearch } = archiveOf(
      tournamentOf({}, playersNamed(...others, 'Else', 'Robo'), fights),
    )
    expect(searchBots(botSearch, 'robo', 3)[0]).toMatchObject({ bot: { name: 'Robo' }, cost: 0 })
  })

  test('the 64 bots with most fights are compared if many names share as many letters', () => {
    // These digits resemble no letter.
    const number = (at: number) =>
      (at + 256).toString(4).replace(/./g, (digit) => '2689'.charAt(Number(digit)))
    const all = Array.from({ length: 150 }, (_, at) => `Zarkovine ${number(at)}`)
    // The last bots have two fights each, the others one.
    const pairs = [...all.keys()].flatMap((at) => (at < 86 ? [[at]] : [[at], [at]]))
    const fights = pairs.map(([at], index) => fightRows({ id: `W-${index}` }, `p${at}`, 'p150'))
    const { botSearch } = archiveOf(tournamentOf({}, playersNamed(...all, 'Other'), fights))
    const found = searchBots(botSearch, 'zorkovine', 150).map(({ bot }) => bot.fights.length)
    expect(found).toEqual(Array.from({ length: 64 }, () => 2))
  })

  const march = { startTime: Date.UTC(2026, 2, 7) / 1000 }
  test.each<[string, Partial<TournamentRow>, Partial<TournamentRow>, string, string]>([
    ['moved to another month', march, { startTime: Date.UTC(2026, 3, 7) / 1000 }, 'march', 'april'],
    [
      'moved to another class',
      { weightClass: 3 },
      { weightClass: 12 },
      'beetleweight',
      'hobbyweight',
    ],
    ['moved to 6 lb', { weightClass: 1 }, { weightClass: 6 }, 'antweight', 'mantisweight'],
    ['moved to 60 lb', { weightClass: 30 }, { weightClass: 60 }, 'featherweight', 'lightweight'],
    ['moved to 220 lb', { weightClass: 120 }, { weightClass: 220 }, 'middleweight', 'heavyweight'],
    [
      'moved to 250 lb',
      { weightClass: 340 },
      { weightClass: 250 },
      'superheavyweight',
      'heavyweight',
    ],
    ['renamed', { name: 'Rust Cup' }, { name: 'Oil Cup' }, 'rust', 'oil'],
    ['named after another month', march, { ...march, name: 'Cup April 2026' }, 'march', 'april'],
    [
      'moved to another named class',
      { weightClassName: 'Sportsman' },
      { weightClassName: 'Plastic' },
      'sportsman',
      'plastic',
    ],
  ])('an event that is %s is found only by its present words', async (_, old, now, by, byNow) => {
    const event = (over: Partial<TournamentRow>) =>
      buildTournament(tournamentOf({ id: 'a', name: 'Cup', ...over }, [], []))
    const before = buildArchive('0', [event(old)])
    const after = await updateArchive(before, '1', new Map([['a', event(now)]]), noCages)
    const found = (text: string) =>
      searchTournaments(after.tournamentSearch, after.dataset, text, 5).length
    expect([found(by), found(byNow)]).toEqual([0, 1])
  })

  test('the bot that fought last is first of two with equal fights', () => {
    const ranked = (constant: number, recent: number) => {
      const inMonths = [recent, constant, constant, recent].map((at, index) =>
        tournament('abcd'.charAt(index), [[at, index % 2]], 3 * index),
      )
      const { botSearch } = buildArchive('0', inMonths)
      return searchBots(botSearch, 'toast', 5).map(({ bot }) => bot.name)
    }
    expect(ranked(2, 3)).toEqual(['Toast Soap', 'Toast Rafter'])
    expect(ranked(3, 2)).toEqual(['Toast Rafter', 'Toast Soap'])
  })

  test('the terms of a bot that left are gone with the second update', async () => {
    const withWynk = buildArchive('0', [tournament('a', [[0, 2]])])
    const change = (pairs: Pairs) => new Map([['a', tournament('a', pairs)]])
    const left = await updateArchive(withWynk, '1', change([[2, 4]]), noCages)
    expect(left.botSearch.terms.find(wordTerm('wynk'))).toHaveLength(1)
    let last = left
    for (const version of [5, 6, 7, 8, 9]) {
      last = await updateArchive(last, `${version}`, change([[2, version]]), noCages)
      expect(last.botSearch.terms.find(wordTerm('wynk'))).toEqual([])
    }
    expect(last.botSearch.numbering.numberOf('wynk')).toBeUndefined()
    // The numbers of bots that left are used again.
    expect(last.botSearch.entries.length).toBeLessThanOrEqual(4)
  })

  test('unchanged bots in another league get its newest fight and words', () => {
    const { botSearch, bots } = buildArchive('0', [tournament('a', [[0, 2]])])
    const context = { newestUnix: 5, leagueWords: new Set(['cup']), idsByWord: new Map() }
    expect(atOnce(updateSearch(botSearch, bots, context))).toMatchObject(context)
  })

  test('joined words are found by the second one and by their initials', () => {
    const searchIn = (...pairs: Pairs) => {
      const { botSearch } = buildArchive('0', [tournament('a', pairs)])
      return (text: string) => searchBots(botSearch, text, 5).map(({ bot }) => bot.name)
    }
    const at = (name: string) => names.indexOf(name)
    const known = searchIn([at('Flipflop'), at('Flip Chart')], [at('Flop'), 0])
    expect(known('flop')).toEqual(['Flop', 'Flipflop'])
    expect(known('ff')).toEqual(['Flipflop'])
    const { botSearch } = buildArchive('0', [tournament('a', [[at('Flipflop'), at('Flip Chart')]])])
    const others = searchBots(botSearch, 'flop', 5, ({ name }) => name !== 'Flipflop')
    expect(others.map(({ bot }) => bot.name)).not.toContain('Flipflop')
    const withoutFlop = searchIn([at('Flipflop'), at('Flip Chart')])
    expect(withoutFlop('flop')[0]).toBe('Flipflop')
    expect(withoutFlop('lop')).toEqual([])
    expect(withoutFlop('ff')).toEqual([])
    expect(searchIn([at('Flipflop'), at('Flop')])('ff')).toEqual([])
  })

  test('a word that is whole elsewhere is not split into two joined ones', () => {
    const searchAmong = (...all: readonly string[]) => {
      const { botSearch } = archiveOf(tournamentOf({}, playersNamed(...all), []))
      return (text: string) => searchBots(botSearch, text, 5).map(({ bot }) => bot.name)
    }
    const parts = ['Gentle', 'Gen', 'Tle']
    const divided = searchAmong(...parts)
    expect([divided('tle'), divided('gt')]).toEqual([['Tle', 'Gentle'], ['Gentle']])
    const whole = searchAmong(...parts, 'Gentle Ben')
    expect([whole('tle'), whole('gt')]).toEqual([['Tle'], []])
  })

  test('two updates of one version answer independently', async () => {
    const before = buildArchive('0', [tournament('a', [[0, 2]])])
    // Each slice of time is over at once.
    let ms = 0
    const clock = spyOn(performance, 'now').mockImplementation(() => {
      ms += 1000
      return ms
    })
    const [one, other] = await Promise.all([
      updateArchive(before, '1', new Map([['b', tournament('b', [[4, 5]])]]), noCages),
      updateArchive(before, '2', new Map([['b', tournament('b', [[6, 7]])]]), noCages),
    ])
    clock.mockRestore()
    for (const archive of [one, other]) {
      const anew = buildArchive('anew', archive.dataset.tournaments)
      expect(answers(archive.botSearch)).toEqual(answers(anew.botSearch))
    }
  })

  test('indexing can pause at each name and at each tournament', () => {
    const players = Array.from({ length: 200 }, (_, at) => ({ id: `p${at}`, name: `Bot ${at}` }))
    const { bots, dataset } = archiveOf(
      ...Array.from({ length: 40 }, (_, at) => tournamentOf({ id: `t${at}` }, players, [])),
    )
    expect(
      [...searchSteps(bots, { newestUnix: 0, leagueWords: new Set(), idsByWord: new Map() })]
        .length,
    ).toBeGreaterThan(200)
    expect([...tournamentSearchSteps(dataset)]).toHaveLength(40)
  })

  test('a bot with a new display name and the same clean name is indexed again', async () => {
    const named = (name: string) =>
      buildTournament(
        tournamentOf(
          { id: 'a' },
          [
            { id: 'p', name },
            { id: 'q', name: 'Bulldozer' },
          ],
          [],
        ),
      )
    const before = buildArchive('0', [named('Golddigger')])
    const after = await updateArchive(before, '1', new Map([['a', named('Gold Digger')]]), noCages)
    const anew = buildArchive('anew', [named('Gold Digger')])
    for (const text of ['digger', 'digge', 'gold digger', 'digger gold']) {
      const found = searchBots(after.botSearch, text, 5)
      expect(found).toMatchObject([{ bot: { name: 'Gold Digger' } }])
      expect(found.map(({ score, cost }) => [score, cost])).toEqual(
        searchBots(anew.botSearch, text, 5).map(({ score, cost }) => [score, cost]),
      )
    }
  })
})

test('words in three of five tournament names are league words, except months and numbers', () => {
  const names = ['Rumble Oil May 3lb', 'Rumble Oil May 3lb', 'Rumble May 3lb', 'Cup', 'Open']
  const all = Array.from({ length: 4 }, () => names).flat()
  const tournaments = all.map((name, at) =>
    buildTournament(tournamentOf({ id: `t${at}`, name }, [], [])),
  )
  const { tournamentSearch } = buildArchive('0', tournaments)
  expect(tournamentSearch.leagueWords).toEqual(new Set(['rumble']))
})

test('names with the text inside a word are found after names that begin with it', () => {
  const bots = ['Cornichigast', 'Acorn Thistle', 'Acornster', 'Turnip']
  const rows = tournamentOf(
    { id: 'cup' },
    bots.map((name, index) => ({ id: `p${index}`, name })),
    [fightRows({ id: 'W-0' }, 'p0', 'p1'), fightRows({ id: 'W-1' }, 'p2', 'p3')],
  )
  const found = searchBots(archiveOf(rows).botSearch, 'corn', 10).map(({ bot }) => bot.cleanName)
  expect(found[0]).toBe('cornichigast')
  expect(found.slice(1).toSorted()).toEqual(['acornster', 'acornthistle'])
})

test('a filter applies to all names that begin with a text, even if more than are compared', () => {
  const names = Array.from({ length: 150 }, (_, index) => `Axe ${index}`)
  const fights = Array.from({ length: 120 }, (_, at) =>
    fightRows({ id: `W-${at}` }, `p${at}`, `p${at < 60 ? at + 60 : at + 30}`),
  )
  const { botSearch } = archiveOf(tournamentOf({ id: 'cup' }, playersNamed(...names), fights))
  const isThird = (name: string): boolean => Number(name.slice(4)) % 3 === 0
  const found = searchBots(botSearch, 'axe', 50, ({ name }) => isThird(name))
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(({ bot }) => !isThird(bot.name))).toEqual([])
})

test('a text within a word comes before one across words, even of a better known name', () => {
  const found = (text: string, famous: string, other: string) => {
    const fights = ['W-0', 'W-1', 'W-2'].map((id) => fightRows({ id }, 'p0', 'p2'))
    const last = fightRows({ id: 'W-3' }, 'p1', 'p2')
    const rows = tournamentOf({ id: 'cup' }, playersNamed(famous, other, 'Turnip'), [
      ...fights,
      last,
    ])
    return searchBots(archiveOf(rows).botSearch, text, 10).map(({ bot }) => bot.name)
  }
  const across = "Gladys's Pineapple"
  expect(found('spin', across, 'Paddlespinner')).toEqual(['Paddlespinner', across])
  // A match up to the end of a word counts as within it.
  expect(found('rand', 'Agrand Pineapple', 'Agrandis')).toEqual(['Agrand Pineapple', 'Agrandis'])
})

test('a fight with an end but no stop is as recent as one with a stop', () => {
  const day = 86_400
  const cup = (id: string, at: number, names: readonly string[], stopTime: number | null) =>
    tournamentOf(
      { id, name: id },
      names.map((name, number) => ({ id: `p${number}`, name })),
      [fightRows({ startTime: at, stopTime, endTime: at + 100 }, 'p0', 'p1')],
    )
  const { botSearch } = archiveOf(
    cup('old', 1000 * day, ['Gearbox Alpha', 'Wynk'], 1000 * day + 90),
    cup('new', 2000 * day, ['Gearbox Beta', 'Ditch'], null),
  )
  const found = searchBots(botSearch, 'gearbox', 5).map(({ bot }) => bot.name)
  expect(found).toEqual(['Gearbox Beta', 'Gearbox Alpha'])
})

test('the newest finished fight counts as most recent, even while another is under way', () => {
  const over = fightRows({ id: 'W-0', startTime: 1000, stopTime: 1090 }, 'p0', 'p1')
  const underWay = openFight({ id: 'W-1', state: 'active', startTime: 2000 }, 'p0', 'p1')
  const players = playersNamed('Axe', 'Bolt')
  const { botSearch } = archiveOf(tournamentOf({ active: true }, players, [over, underWay]))
  expect(botSearch.newestUnix).toBe(1090)
})

test('a whole part of a compound comes before a better known name with such a later word', () => {
  const { botSearch } = archiveOf(
    tournamentOf(
      {},
      ['FlipFlop', 'Turbo Floppy', 'Ditch'].map((name, number) => ({ id: `p${number}`, name })),
      [
        fightRows({ id: 'W-0' }, 'p0', 'p2'),
        fightRows({ id: 'W-1' }, 'p1', 'p2'),
        fightRows({ id: 'W-2' }, 'p1', 'p2'),
      ],
    ),
  )
  const found = searchBots(botSearch, 'flop', 5).map(({ bot }) => bot.name)
  expect(found).toEqual(['FlipFlop', 'Turbo Floppy'])
})

test('a text with one wrong letter also finds similar names, with two it does not', () => {
  const names = ['Bonfirezapper', 'Mini Bonfirezapper']
  const { botSearch } = archiveOf(
    tournamentOf({}, playersNamed(...names), [fightRows({ id: 'W-0' }, 'p0', 'p1')]),
  )
  const found = (text: string) => searchBots(botSearch, text, 5).map(({ bot }) => bot.name)
  expect(found('bonxirezapper')).toEqual(names)
  expect(found('bonxirvzapper')).toEqual(names.slice(0, 1))
})

test('the typed letters are marked in a name that is typed from its start', () => {
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })
  for (const name of [...names.slice(1), 'F.V.M.', "Don't", 'Müller & Söhne', '404']) {
    const { botSearch } = archiveOf(tournamentOf({}, playersNamed(name), []))
    for (const { index, segment } of graphemes.segment(name)) {
      const text = name.slice(0, index + segment.length)
      const marked = searchBots(botSearch, text, 1).map(({ bot, spans }) =>
        spans()
          .map(([from, to]) => bot.cleanName.slice(from, to))
          .join(''),
      )
      expect([text, marked]).toEqual([text, [cleanName(text)]])
    }
  }
})
