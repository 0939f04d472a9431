import { expect, test } from 'bun:test'
import { buildTournament } from '../../../src/data/league/build.ts'
import { feedsOf } from '../../../src/data/league/progression.ts'
import type { Game } from '../../../src/data/league/types.ts'
import { bracketOf, doubleOfFour, fourBots } from '../../brackets.ts'
import { sampleLeague } from '../../smallLeague.ts'

const { tournaments } = sampleLeague

/** Each link whose bot has arrived: how it left the game before, and what its structure says. */
const arrivals = [...tournaments].flatMap((rows) => {
  const games: readonly Game[] = [...buildTournament(rows).games.values()]
  return feedsOf(games).flatMap(({ source, target, corner, takes }) => {
    const { player } = corner === 0 ? target.red : target.blue
    const from = [source.red, source.blue].find((each) => each.player === player)
    const isDecided = source.red.isWinner || source.blue.isWinner
    if (!player?.isBot || !from || !isDecided) return []
    const isSecondFinal = target.red.prevGameID === target.blue.prevGameID
    return isSecondFinal ? [] : [{ source, takes, real: from.isWinner ? 'winner' : 'loser' }]
  })
})

test('every link says whether the winner or the loser takes it, in qualifying too', () => {
  const [qualifying, elimination] = [true, false].map((isExhibition) =>
    arrivals.filter(({ source }) => source.round < 0 === isExhibition),
  )
  for (const links of [qualifying, elimination]) {
    expect(links?.length).toBeGreaterThan(500)
    expect(links?.filter(({ takes, real }) => takes !== real)).toEqual([])
  }
})

test('links of undecided qualifying say the same', () => {
  for (const rows of tournaments) {
    const open = {
      ...rows,
      games: rows.games.map((game) => ({ ...game, state: 'unavailable' as const })),
    }
    const [said, before] = [rows, open].map((each) =>
      feedsOf([...buildTournament(each).games.values()]).map(({ takes }) => takes),
    )
    expect(before).toEqual(said ?? [])
  }
})

test('the order of the list decides if neither places nor names do', () => {
  /** A final and a fight for third place in one bracket, by default without the places that tell them apart. */
  const takesFrom = (
    round: number,
    places: Readonly<Record<string, number>> = {},
    names: Readonly<Record<string, string>> = {},
  ) => {
    const specs = fourBots.map(([first, , red, blue]) => {
      const id = first.replace('T-0', 'W-3')
      const loserPlacement = places[id]
      const name = names[id] ?? id
      const own = loserPlacement === undefined ? { name } : { name, loserPlacement }
      return [id, round, red, blue, own] as const
    })
    const { games } = buildTournament(bracketOf(4, specs))
    return feedsOf([...games.values()]).map(({ target, takes }) => `${target.id} ${takes}`)
  }
  const firstWins = ['W-2 winner', 'W-2 winner', 'W-3 loser', 'W-3 loser']
  expect(takesFrom(-1)).toEqual(firstWins)
  const secondWins = ['W-2 loser', 'W-2 loser', 'W-3 winner', 'W-3 winner']
  expect(takesFrom(-1, { 'W-2': 4, 'W-3': 2 })).toEqual(secondWins)
  expect(takesFrom(0, { 'W-3': 2 })).toEqual(secondWins)
  expect(takesFrom(0)).toEqual(firstWins)
  expect(takesFrom(0, {}, { 'W-2': '3rd place' })).toEqual(secondWins)
})

test('the winner of the first final is red in a second grand final', () => {
  const second = ['W-4', 3, 'W-3', 'W-3', { loserPlacement: 2 }] as const
  const { games } = buildTournament(bracketOf(4, [...doubleOfFour, second]))
  const feeds = feedsOf([...games.values()]).filter(({ target }) => target.id === 'W-4')
  expect(feeds.map(({ corner, takes }) => [corner, takes])).toEqual([
    [0, 'winner'],
    [1, 'loser'],
  ])
})

test('a game listed as its own feeder feeds nothing', () => {
  const { games } = buildTournament(bracketOf(2, [['W-0', 0, 'W-0 p0', 'p1']]))
  expect(feedsOf([...games.values()])).toEqual([])
})
