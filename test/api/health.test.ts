import { describe, expect, test } from 'bun:test'
import { createChanges } from '../../src/companions/changes/changes.ts'
import type { Archive, SourceStatus } from '../../src/data/archive/archive.ts'
import type { LogCounts } from '../../src/http/usage/log.ts'
import { createUsage } from '../../src/http/usage/usage.ts'
import { appOf, archiveOf, get, serviceOf } from '../fixtures.ts'
import { fightRows, openFight, recordingRow, tournamentOf } from '../rows.ts'

const archive = archiveOf(
  tournamentOf({}, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')]),
)

const healthOf = async ({
  source = {},
  log = {},
  isLoaded = true,
  loaded = archive,
}: {
  source?: Partial<SourceStatus>
  log?: Partial<LogCounts>
  isLoaded?: boolean
  loaded?: Archive
}) => {
  const service = serviceOf(isLoaded ? loaded : undefined)
  const status = (): SourceStatus => ({ ...service.status(), ...source })
  const usage = createUsage()
  const logCounts = (): LogCounts => ({ ...usage.logCounts(), ...log })
  const app = appOf({ ...service, status }, { usage: { ...usage, logCounts } })
  return (await get(app, '/health')).body
}

describe('GET /ready', () => {
  test('/ready is 503 until changes can be read', async () => {
    const changes = createChanges({ basePath: '' })
    const app = appOf(archive, { changes })
    const { status, headers } = await get(app, '/ready')
    expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    changes.feed.begin(archive)
    await changes.feed.ready
    expect((await get(app, '/ready')).status).toBe(200)
    expect((await get(app, '/changes')).status).toBe(200)
  })
})

describe('GET /health', () => {
  test('/health is ok without problems', async () => {
    expect(await healthOf({})).toMatchObject({
      status: 'ok',
      problems: [],
      usageLog: { written: 0, dropped: 0, badLines: 0, bytes: 0, removedBytes: 0 },
    })
    expect(await healthOf({ source: { badRows: 10 } })).toMatchObject({ status: 'ok' })
  })

  test('/health counts fights and completed fights', async () => {
    const service = serviceOf(
      archiveOf(
        tournamentOf(
          {},
          [{ id: 'p1' }, { id: 'p2' }],
          [fightRows({}, 'p1', 'p2'), openFight({ id: 'W-1' }, 'p1', 'p2')],
        ),
      ),
    )
    const { counts } = (await get(appOf(service), '/health')).body
    expect(counts).toMatchObject({ tournaments: 1, fights: 2, completedFights: 1, players: 2 })
  })

  test('/health is ok with one bad row in a thousand players, fights and recordings', async () => {
    const ids = Array.from({ length: 3667 }, (_, index) => index + 1)
    const loaded = archiveOf(
      tournamentOf(
        {},
        ids.map((id) => ({ id: `p${id}`, name: `Bot ${id}` })),
        ids.map((id) => fightRows({ id: `W-${id}` }, 'p1', 'p2')),
        { recordings: ids.map((id) => recordingRow({ id, gameId: 'W-1' })) },
      ),
    )
    for (const [badRows, status] of [
      [11, 'ok'],
      [12, 'degraded'],
    ] as const)
      expect(await healthOf({ source: { badRows }, loaded })).toMatchObject({ status })
  })

  test('/health is degraded while the log of changes cannot be written', async () => {
    const changes = { ...createChanges(), problems: () => ['changes are not kept'] }
    const app = appOf(archive, { changes })
    expect((await get(app, '/health')).body).toMatchObject({
      status: 'degraded',
      problems: ['changes are not kept'],
    })
  })

  test.each([
    [{ isLoaded: false }, 'no data is loaded'],
    [
      { source: { lastRefresh: { at: 1, ms: 1, changedRows: 0, error: 'it is gone' } } },
      'the last refresh failed: it is gone',
    ],
    [{ source: { badRows: 11 } }, '11 rows are left out, as they break their schema'],
    [{ source: { problems: ['a tournament is held back'] } }, 'a tournament is held back'],
    [{ log: { problems: ['usage events were dropped'] } }, 'usage events were dropped'],
  ])('/health is degraded with %p', async (given, problem) => {
    expect(await healthOf(given)).toMatchObject({ status: 'degraded', problems: [problem] })
  })
})
