import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { migrate } from '../../scripts/migrate.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { appOf, get } from '../fixtures.ts'
import { followDatabase } from '../leagueDatabase.ts'
import { administer, freshDatabase } from '../postgres.ts'
import { projectFolder } from '../process.ts'
import { until } from '../until.ts'

/** What the API shows after each part of the page, by its heading. */
const shown: Readonly<Record<string, readonly (readonly [path: string, expected: object])[]>> = {
  'An event and its bots': [
    [
      '/tournaments/spring_30lb',
      { tournament: { tournamentName: 'Spring Cup 30lb', numPlayers: 4 } },
    ],
    ['/bots/axe', { bot: { botName: 'Axe', totalFights: 0 } }],
  ],
  'The draw': [
    ['/schedule', { matches: [{ player1: 'Axe', player2: 'Dozer' }, { player1: 'Bolt' }] }],
  ],
  'A fight is called': [
    ['/cages/2', { cage: { status: 'idle', queue: [{ gameID: 'W-0' }, { gameID: 'W-1' }] } }],
  ],
  'It comes into the cage': [
    [
      '/cages/2',
      { cage: { status: 'assigned', match: { gameID: 'W-0' }, player1: { isReady: 1 } } },
    ],
  ],
  'It begins': [['/cages/2', { cage: { status: 'active', queue: [{ gameID: 'W-1' }] } }]],
  'It is paused': [['/cages/2', { cage: { status: 'paused', pausedSince: expect.any(Number) } }]],
  'It goes on': [['/cages/2', { cage: { status: 'active', pausedSince: 0 } }]],
  'It is over': [
    ['/fights/recent', { fights: [{ gameID: 'W-0', winner: 'player2', winAnnotation: 'JD' }] }],
    ['/stats/fight/spring_30lb/W-0', { fightStats: { pauseCount: 1, winMethod: 'JD' } }],
    ['/bots/dozer/upcoming', { next: [{ gameID: 'W-2' }] }],
  ],
  'The result is corrected': [
    ['/fights/recent', { fights: [{ gameID: 'W-0', winner: 'player1' }] }],
    ['/bots/axe/upcoming', { next: [{ gameID: 'W-2' }] }],
  ],
  'A fight is removed': [['/tournaments/spring_30lb/fights', { fights: [{ gameID: 'W-0' }] }]],
  'The event is over': [
    ['/tournaments/spring_30lb/players/p1', { player: { placement: 1 } }],
    ['/cages/2', { cage: { status: 'idle', match: null } }],
  ],
}

test('the statements of WRITING.md, run by the writer, are served part by part', async () => {
  const page = await Bun.file(join(projectFolder, 'src/data/source/WRITING.md')).text()
  const parts = [...page.matchAll(/^## (.*)\n[\s\S]*?```sql\n([\s\S]*?)```/gm)]
  expect(parts.map(([, heading]) => heading ?? '')).toEqual(Object.keys(shown))
  const database = await freshDatabase()
  const writer = { name: `writer_${process.pid}`, password: 'writes' }
  await migrate(database.adminUrl, { writer })
  const url = new URL(database.adminUrl)
  const pool = openPool(
    Object.assign(url, { username: writer.name, password: writer.password }).href,
    { max: 1, connectSeconds: 10 },
  )
  const service = await followDatabase(database.readerUrl)
  const app = appOf(service)
  for (const [, heading = '', statements = ''] of parts) {
    await pool.unsafe(statements)
    for (const [path, expected] of shown[heading] ?? []) {
      const check = async (): Promise<void> =>
        expect([heading, path, (await get(app, path)).body]).toMatchObject([
          heading,
          path,
          expected,
        ])
      const isShown = () =>
        check().then(
          () => true,
          () => false,
        )
      await until(isShown, 5000).catch(check)
    }
  }
  await service.stop()
  await pool.end()
  await administer(database.adminUrl, `DROP ROLE ${writer.name}`)
  await database.drop()
})
