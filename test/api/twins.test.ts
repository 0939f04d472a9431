import { expect, test } from 'bun:test'
import { appOf, archiveOf, get } from '../fixtures.ts'
import { fightRows, playersAs, tournamentOf } from '../rows.ts'

test('two entries of one clean name in a tournament are one bot, with the fights of both', async () => {
  const fight = (id: string, red: string, blue: string, stopTime: number) =>
    fightRows({ id, startTime: stopTime - 90, stopTime, endTime: stopTime }, red, blue)
  const app = appOf(
    archiveOf(
      tournamentOf({}, playersAs({ p1: 'Axe', p2: 'AXE!', p3: 'Blade' }), [
        fight('W-0', 'p1', 'p3', 1_770_000_100),
        fight('W-1', 'p3', 'p2', 1_770_000_200),
        fight('W-2', 'p1', 'p2', 1_770_000_300),
      ]),
    ),
  )
  const ids = ({ id }: { id: string }) => id
  expect((await get(app, '/bots')).body.bots).toMatchObject([
    { cleanName: 'axe', name: 'AXE!', totalFights: 3, totalTournaments: 1 },
    { cleanName: 'blade', totalFights: 2, totalTournaments: 1, totalWins: 1, totalLosses: 1 },
  ])
  expect((await get(app, '/bots/axe/fights')).body.fights.map(ids)).toEqual(['W-2', 'W-1', 'W-0'])
  expect((await get(app, '/bots/axe')).body.bot).toMatchObject({
    totalFights: 3,
    totalWins: 2,
    totalLosses: 2,
    winRate: 0.5,
    totalTournaments: 1,
    weightClasses: [30],
  })
  const { headToHead } = (await get(app, '/stats/head-to-head/axe/blade')).body
  expect(headToHead.fights.map(ids)).toEqual(['W-1', 'W-0'])
  expect(headToHead).toMatchObject({ totalFights: 2, bot1: { wins: 1 }, bot2: { wins: 1 } })
  for (const { playerID, gameIDs } of [
    { playerID: 'p1', gameIDs: ['W-0', 'W-2'] },
    { playerID: 'p2', gameIDs: ['W-1', 'W-2'] },
  ]) {
    const path = `/tournaments/spring_30lb/players/${playerID}`
    expect((await get(app, path)).body.player.gameIDs).toEqual(gameIDs)
  }
})
