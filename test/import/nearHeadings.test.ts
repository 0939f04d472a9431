import { describe, expect, test } from 'bun:test'
import { sheetLeague } from './imports.ts'

const tournaments = 'tournament,weight,format\ncup,3,round_robin\n'
const sheet = (...lines: readonly string[]) => {
  const found = sheetLeague({ 'tournaments.csv': tournaments, 'fights.csv': lines })
  const list = (problems: typeof found.problems) =>
    problems.map(({ where, reason }) => `${where} ${reason}`)
  const [{ games = [], slots = [] } = {}] = found.league
  return {
    fights: games.map(({ id, winAnnotation, timerDuration }) => {
      const own = slots.filter(({ gameId }) => gameId === id)
      const bots = own.map(({ playerId, state }) => `${playerId} ${state}`)
      return [...bots, winAnnotation, timerDuration].join(', ')
    }),
    problems: list(found.problems),
    doubts: list(found.doubts),
    ignored: list(found.ignored),
    skipped: list(found.skipped),
  }
}
const readAs = (heading: string, column: string) =>
  `fights.csv:1 '${heading}' is read as the column '${column}': write '${column}'`

describe('a heading that is near a column', () => {
  test('headings of a German sheet are taken, and said', () => {
    const { fights, problems, doubts } = sheet(
      'Roboter Rot;Roboter Blau;Sieger des Kampfes;Art des Sieges;Dauer (s)',
      'Axe;Bolt;Axe;KO;94,5',
    )
    expect(problems).toEqual([])
    expect(fights).toEqual(['axe winner, bolt loser, KO, 95'])
    expect(doubts).toEqual([
      readAs('Roboter Rot', 'red'),
      readAs('Roboter Blau', 'blue'),
      readAs('Sieger des Kampfes', 'winner'),
      readAs('Art des Sieges', 'method'),
      readAs('Dauer (s)', 'length'),
    ])
  })

  test('a title above such headings is no line of headings', () => {
    for (const headings of ['Roboter Rot;Roboter Blau;Art des Sieges', 'Sieger;Verlierer;Art'])
      expect(sheet('Ergebnisse, alle', headings, 'Axe;Bolt;KO').problems).toEqual([])
  })

  test.each([
    ['How', 'method'],
    ['Win method', 'method'],
    ['How did it end', 'method'],
    ['Winning robot', 'winner'],
    ['YouTube link', 'video'],
    ['Time (sec)', 'length'],
    ['Link', 'video'],
    ['Film-Link', 'video'],
    ['Kampfdauer', 'length'],
    ['Duration (mm:ss)', 'length'],
    ['Siegerroboter', 'winner'],
    ['Fight winner', 'winner'],
    ['Cage No.', ''],
    ['Fight time', ''],
    ['Winner team', ''],
    ['Punkte Rot', ''],
    ['Referee', ''],
  ])('the heading %s is the column %j', (heading, column) => {
    const { doubts, ignored, problems } = sheet(`red,blue,${heading}`, 'Axe,Bolt,')
    expect(problems).toEqual([])
    expect(doubts).toEqual(column === '' ? [] : [readAs(heading, column)])
    expect(ignored.length).toBe(column === '' ? 1 : 0)
  })

  test('a column that is there, or that two headings can be, is not taken from one that is near', () => {
    const { doubts, ignored } = sheet('red,blue,winner,Winner of it,How,Win by', 'Axe,Bolt,Axe,,,')
    expect(doubts).toEqual([])
    expect(ignored).toEqual([
      expect.stringContaining(
        "'Winner of it', 'How' (or is it 'method'?), 'Win by' (or is it 'method'?)",
      ),
    ])
  })
})

describe('a sheet of winners and losers', () => {
  test.each(['winner,loser', 'Sieger,Verlierer', 'Winner name,Loser name', '勝者,敗者'])(
    'the headings %s without corners are red and blue',
    (headings) => {
      const [one = '', other = ''] = headings.split(',')
      const { fights, problems, doubts } = sheet(`${headings},method`, 'Axe,Bolt,KO', 'Bolt,Axe,JD')
      expect(problems).toEqual([])
      expect(fights).toEqual(['axe winner, bolt loser, KO, ', 'bolt winner, axe loser, JD, '])
      expect(doubts).toEqual([
        `fights.csv:1 '${one}' is taken for 'red', and '${other}' is taken for 'blue', as there are no columns of these names`,
      ])
    },
  )

  test('a loser beside corners is ignored', () => {
    const { fights, ignored } = sheet('red,blue,winner,loser', 'Axe,Bolt,Bolt,Axe')
    expect(fights).toEqual(['axe loser, bolt winner, , '])
    expect(ignored).toEqual([expect.stringContaining("'loser'; there are:")])
  })
})

test.each(['Bot A,Bot B', 'Fighter 1,Fighter 2', 'robot_a,robot_b'])(
  'the headings %s are the corners',
  (headings) => {
    const { fights, problems, doubts } = sheet(`${headings},winner`, 'Axe,Bolt,Axe')
    expect([fights, problems, doubts]).toEqual([['axe winner, bolt loser, , '], [], []])
  },
)

test('a bot whose name begins like a total is a bot', () => {
  const { fights, skipped } = sheet(
    'red,blue',
    'Total Destruction,Axe',
    'Total fights,1',
    'Total,Axe',
  )
  expect(fights.length).toBe(2)
  expect(skipped).toEqual(["fights.csv:3 'Total fights': a line of totals"])
})

test('lines above the headings, totals and cells without a heading are listed as ignored', () => {
  const { fights, ignored, skipped, problems } = sheet(
    'Spring Bash',
    'red,blue,,winner',
    'Axe,Bolt,ok,Axe',
    'Total,Bolt,ok,Total',
    'Total:,2 fights,,',
  )
  expect(problems).toEqual([])
  expect(fights).toEqual(['axe winner, bolt loser, , ', 'total winner, bolt loser, , '])
  expect(ignored).toEqual(["fights.csv:3 'ok' and other cells without a heading"])
  expect(skipped).toEqual([
    "fights.csv:1 'Spring Bash': a line above the headings",
    "fights.csv:5 'Total:': a line of totals",
  ])
})
