import { describe, expect, test } from 'bun:test'
import { readMethod } from '../../scripts/import/csv/words.ts'
import { sheetLeague } from './imports.ts'

/** Doubts about fights with these methods, with the code in statistics. */
const withMethods = (...methods: readonly string[]) => {
  const { league, doubts, problems } = sheetLeague({
    'tournaments.csv': 'tournament,weight,format\ncup,3,round_robin\n',
    'fights.csv': `red,blue,winner,method\n${methods
      .map((method, at) => `Axe,Bolt ${at},Axe,"${method}"\n`)
      .join('')}`,
  })
  expect(problems).toEqual([])
  return {
    codes: league.flatMap(({ games = [] }) => games.map(({ winAnnotation }) => winAnnotation)),
    doubts: doubts.map(({ where, reason }) => `${where} ${reason}`),
  }
}

describe('a method that is not written as a known word', () => {
  test.each([
    ['TAPUOT', 'TO'],
    ['Punktseig', 'JD'],
    ['Knokout', 'KO'],
    ['Descalifcado', 'DQ'],
    ['Abbandonno', 'TO'],
    ['Forfiet', 'FF'],
    ['JUDGES 2-1', 'JD'],
    ['Judges (2:1)', 'JD'],
    ['win by KO', 'KO'],
    ['KO, round 2', 'KO'],
    ['technical K.O. 1:35', 'TKO'],
    ['Sieg nach Punkten', 'JD'],
    ['判定 3-0', 'JD'],
  ])('the method %s is read as %s, which is said', (cell, code) => {
    const { codes, doubts } = withMethods(cell)
    expect(codes).toEqual([code])
    expect(doubts).toEqual([`fights.csv:2 the method '${cell}' is read as ${code}: write ${code}`])
  })

  test.each(['Pin', 'No contest', 'KO or TKO', '2-1', 'Kx', 'tko ko'])(
    'the method %s stays, and is doubted',
    (cell) => {
      const { codes, doubts } = withMethods(cell)
      expect(codes).toEqual([cell.toUpperCase()])
      expect(doubts).toEqual([
        `fights.csv:2 the method '${cell}' is not known, and counts as one of its own: ` +
          'write KO, TKO, TO, JD, FF or DQ if it is one of these',
      ])
    },
  )

  test('each spelling is listed once, with the number of its lines', () => {
    const { doubts } = withMethods('KO', 'Pin', 'TAPUOT', 'Pin', 'Pin', 'Punktsieg')
    expect(doubts).toEqual([
      expect.stringMatching(/^fights.csv:3 .*'Pin'.* \(3 lines in all\)$/),
      expect.stringMatching(/^fights.csv:4 .*'TAPUOT'.*write TO$/),
    ])
  })
})

test('a dash is an empty cell, except for a bot that is not known yet', () => {
  const { league, problems, doubts } = sheetLeague({
    'tournaments.csv': 'tournament,weight,active\ncup,3,yes\n',
    'fights.csv':
      'red,blue,winner,method,score,length\nAxe,Bolt,-,–,—,-\nAxe,Club,Axe,-,-,-\nAxe,-,-,-,-,-\n',
  })
  expect([problems, doubts]).toEqual([[], []])
  const games = league[0]?.games ?? []
  expect(games.map(({ state, winAnnotation }) => `${state} ${winAnnotation}`)).toEqual([
    'available null',
    'done null',
    'unavailable null',
  ])
})

test('known words with other signs are exact', () => {
  for (const cell of ['k.o.', 'T.K.O', 'Tap-Out', "judges' decision", 'W.O.'])
    expect([cell, withMethods(cell).doubts]).toEqual([cell, []])
  expect(readMethod('')).toBeNull()
})

test('a method that is a bot of the fight is an error, as its column has the winners', () => {
  const { problems } = sheetLeague({
    'tournaments.csv': 'tournament,weight\ncup,3\n',
    'fights.csv': 'red,blue,Result\nAxe,Bolt,bolt\n',
  })
  expect(problems).toMatchObject([
    {
      where: 'fights.csv:2',
      reason: "'bolt' is a bot of this fight and no method: head its column 'winner'",
    },
  ])
})
