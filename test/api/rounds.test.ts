import { expect, test } from 'bun:test'
import { GameSlot } from '../../src/api/tournaments/schema.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { maxComers } from '../../src/derived/live/rounds.ts'
import { bracketOf, doubleOfFour, type GameSpec } from '../brackets.ts'
import { appOf, archiveOf, archiveWithCages, readBody, readText, serviceOf } from '../fixtures.ts'
import { sampleLeague } from '../smallLeague.ts'

const now = 1_770_003_600
const app = appOf(serviceOf(archiveOf(bracketOf(4, doubleOfFour)), now))

test('games to come list the possible players of open slots, without times if no pace is known', async () => {
  const { brackets } = await readBody(app, '/tournaments/spring_30lb/brackets')
  expect(brackets[0].games[2]).toMatchObject({
    id: 'W-2',
    notBefore: 0,
    slots: [{ mayBe: ['Bot 0', 'Bot 3'] }, { mayBe: ['Bot 1', 'Bot 2'] }],
  })
  expect(brackets[0].games[0].slots[0]).not.toHaveProperty('mayBe')
})

test('the next games of a bot are in its upcoming fights and on its page', async () => {
  const { next } = await readBody(app, '/bots/bot0/upcoming')
  const mayMeet = ['Bot 1', 'Bot 2']
  const common = { tournamentID: 'spring_30lb', afterGameID: 'W-0', mayMeet, notBefore: 0 }
  expect(next).toEqual([
    { ...common, gameID: 'W-2', name: 'W-2', result: 'win' },
    { ...common, gameID: 'L-0', name: 'L-0', result: 'loss' },
  ])
  const { text } = await readText(app, '/b/bot0')
  expect(text).toContain(
    'Then, if it wins: Round 2, fight 2 v the winner of Round 1, fight 1 (Bot 1 or Bot 2)',
  )
  expect(text).toContain(
    'Then, if it loses: Losers, Round 1, fight 0 v the loser of Round 1, fight 1 (Bot 1 or Bot 2)',
  )
  expect((await readText(app, '/b/bot0?spoilers=0')).text).not.toContain('Then, if')
})

test('a game that a bot waits in for an opponent follows none of its fights', async () => {
  const specs: readonly GameSpec[] = [
    ['W-0', 0, 'p0', 'p3', { won: 0 }],
    ['W-1', 0, 'p1', 'p2'],
    ['W-2', 1, 'W-0 p0', 'W-1'],
  ]
  const waiting = appOf(serviceOf(archiveOf(bracketOf(4, specs)), now))
  const { next } = await readBody(waiting, '/bots/bot0/upcoming')
  expect(next[0]).toMatchObject({
    gameID: 'W-2',
    afterGameID: '',
    result: '',
    mayMeet: ['Bot 1', 'Bot 2'],
  })
})

test('a round lists at most as many bots as the schema allows', () => {
  expect(GameSlot.properties.mayBe.maxItems).toBe(maxComers)
})

test('the sample has earliest starts', async () => {
  const league = sampleLeague
  const archive = archiveWithCages(
    { cages: league.cages, cageQueue: league.cageQueue },
    ...[...league.tournaments].filter(({ tournament }) => isPublic(tournament)),
  )
  const sample = appOf(serviceOf(archive, league.capturedAt))
  const times: number[] = []
  for (const { info } of archive.dataset.tournaments) {
    if (!info.active) continue
    const { brackets } = await readBody(sample, `/tournaments/${info.id}/brackets`)
    for (const { games } of brackets) {
      for (const { notBefore } of games) if (notBefore > 0) times.push(notBefore)
    }
  }
  expect(times.length).toBeGreaterThan(20)
  expect(Math.min(...times)).toBeGreaterThanOrEqual(league.capturedAt)
})

test('a fight on its way into a cage has an expected start even if no fight is queued', async () => {
  const { tournaments, cages, cageQueue, capturedAt } = sampleLeague
  const [first] = cageQueue
  if (!first) throw new Error('no fight is queued')
  const { cage: number, tournamentId, gameId } = first
  const archive = archiveWithCages(
    {
      cages: cages.map((row) =>
        row.number === number ? { ...row, status: 'assigned', tournamentId, gameId } : row,
      ),
      cageQueue: [],
    },
    ...[...tournaments].filter(({ tournament }) => isPublic(tournament)),
  )
  const { cage } = await readBody(appOf(serviceOf(archive, capturedAt)), `/cages/${number}`)
  expect(cage).toMatchObject({ status: 'assigned', queue: [], match: { state: 'pending' } })
  expect(cage.match.expectedStart).toBeGreaterThanOrEqual(capturedAt)
})
