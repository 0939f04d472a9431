import { describe, expect, test } from 'bun:test'
import { buildTournament } from '../../../src/data/league/build.ts'
import { buildBots, findBot, updateBots } from '../../../src/derived/careers/bots.ts'
import { fightsBetween, opponentsOf } from '../../../src/derived/careers/headToHead.ts'
import { buildLeaderboard, type Metric } from '../../../src/derived/careers/leaderboard.ts'
import { findTeam, searchTeams } from '../../../src/derived/careers/teams.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import { present } from '../../present.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
const bots = [...'abcdef'].map((id) => ({ id }))
const fought = (at: number, red: string, blue: string, seconds = 60) => {
  const startTime = start + 1000 * at
  return fightRows({ id: `W-${at}`, startTime, stopTime: startTime + seconds }, red, blue)
}

describe('a leaderboard', () => {
  const fights = (count: number, seconds?: number) =>
    Array.from({ length: count }, (_, at) => fought(at, 'a', 'b', seconds))
  const namesBy = (metric: Metric, ...given: Parameters<typeof fights>) =>
    buildLeaderboard(
      buildBots([buildTournament(tournamentOf({}, bots, fights(...given)))]),
      metric,
      undefined,
      10,
    ).map(({ bot }) => bot.name)

  test.each(['winRate', 'koRate', 'avgMatchDuration'] as const)(
    'a leaderboard by %s has only bots with five fights',
    (metric) => {
      expect(namesBy(metric, 4)).toEqual([])
      expect(namesBy(metric, 5)).toEqual(['a', 'b'])
    },
  )
  test('a leaderboard by wins has bots with one fight', () => {
    expect(namesBy('wins', 1)).toEqual(['a', 'b'])
  })
  test('a leaderboard by duration has no bot whose fights took no time', () => {
    expect(namesBy('avgMatchDuration', 6, 0)).toEqual([])
  })
})

describe('fights between two bots', () => {
  const rows = [
    ...[fought(0, 'a', 'b'), fought(1, 'b', 'a'), fought(2, 'a', 'c'), fought(3, 'a', 'a')],
    openFight({ id: 'W-4' }, 'b', 'a'),
    openFight({ id: 'W-5' }, 'b', 'c'),
    openFight({ id: 'W-6', state: 'active', startTime: start + 9000 }, 'a', 'b'),
  ]
  const league = buildBots([buildTournament(tournamentOf({ active: true }, bots, rows))])
  const [a, b] = ['a', 'b'].map((name) => present(findBot(league, name)))

  test('fights between two bots are only their own: under way, then done, then to come', () => {
    const ids = fightsBetween(present(a), present(b)).map(({ id }) => id)
    expect(ids).toEqual(['W-6', 'W-1', 'W-0', 'W-4'])
  })
  test('fights are counted by opponent, and a bot is not its own opponent', () => {
    expect(opponentsOf(present(a))).toEqual(
      new Map([
        ['b', 2],
        ['c', 1],
      ]),
    )
  })
})

test('teams found by their beginning are sorted by number of bots, up to a limit', () => {
  const teams = ['Ironworks', 'Iron Men', 'Iron Men', 'The Irons', '', null]
  const players = bots.map((bot, index) => ({ ...bot, team: teams[index] ?? null }))
  const league = buildBots([buildTournament(tournamentOf({}, players, []))])
  const found = (limit: number) => searchTeams(league, 'iron', limit).map(({ name }) => name)
  expect(found(5)).toEqual(['Iron Men', 'Ironworks', 'The Irons'])
  expect(found(2)).toEqual(['Iron Men', 'Ironworks'])
  expect(findTeam(league, '')).toBeUndefined()
})

test('a changed bot has the fights of its remaining tournaments, and disappears without any', () => {
  const tournament = (id: string, names: string, won: string) =>
    buildTournament(
      tournamentOf(
        { id },
        [...names].map((name) => ({ id: name })),
        [fought(0, won, names.replace(won, '').charAt(0))],
      ),
    )
  const [kept, removed, added] = [
    tournament('kept', 'ab', 'a'),
    tournament('changed', 'abc', 'c'),
    tournament('changed', 'abd', 'd'),
  ]
  const before = buildBots([kept, removed])
  expect(atOnce(updateBots(before, [removed], [added]))).toEqual(buildBots([kept, added]))
  expect(atOnce(updateBots(before, [removed], []))).toEqual(buildBots([kept]))
})
