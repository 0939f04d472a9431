import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertLeague } from '../../scripts/load.ts'
import { migrate } from '../../scripts/migrate.ts'
import { emptyLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { connect } from '../../src/data/source/connection.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { administer } from '../postgres.ts'
import { sampleLeague } from '../smallLeague.ts'
import { type Cluster, runPostgres, startCluster } from './debianPostgres.ts'

const tournaments = sampleLeague.tournaments
  .filter(({ tournament }) => isPublic(tournament))
  .sort((a, b) => a.recordings.length - b.recordings.length)
  .slice(0, 4)

describe('a dump', () => {
  let from: Cluster
  let to: Cluster
  const path = join(tmpdir(), `cageside-${process.pid}.dump`)
  beforeAll(async () => {
    from = await startCluster()
    to = await startCluster()
    await migrate(from.url)
    // The old cluster is far ahead of the new one.
    await administer(
      from.url,
      `DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$`,
    )
    await insertLeague(from.url, { cages: [], cageQueue: [], tournaments })
    await runPostgres('pg_dump', '-Fc', '-f', path, from.url)
  })
  afterAll(() => Promise.all([from.crash(), to.crash()]))

  test('a dump that is restored into a new cluster is read once, and followed', async () => {
    await administer(to.url, 'CREATE ROLE cageside_reader; CREATE ROLE cageside_writer')
    await runPostgres('pg_restore', '-d', to.url, path)
    const source = connect(to.url)
    let { league } = await refreshLeague(source, emptyLeague)
    expect(league.entries.size).toBe(tournaments.length)
    const again = await refreshLeague(source, league)
    expect(again.changedRows).toBe(0)
    league = again.league
    await administer(to.url, `UPDATE cageside.tournaments SET name = 'Followed'`)
    const followed = await refreshLeague(source, league, { compareShare: 0 })
    expect(followed.unmarked).toEqual([])
    expect(
      followed.league.archive?.dataset.tournaments.every(({ info }) => info.name === 'Followed'),
    ).toBe(true)
    await source.close()
  })

  test('a dump that is restored without its roles and rights gets them from migrate', async () => {
    const bare = await startCluster()
    await runPostgres('pg_restore', '--no-privileges', '-d', bare.url, path)
    const reader = { name: 'reader', password: 'only reads' }
    await migrate(bare.url, { reader })
    const url = new URL(bare.url)
    url.username = reader.name
    const source = connect(url.href)
    const { league, head } = await refreshLeague(source, emptyLeague)
    expect(league.entries.size).toBe(tournaments.length)
    expect(head.mayReadPrivate).toBe(false)
    await source.close()
    await bare.crash()
  })

  test('a dump of only the data, restored with the triggers off, is found', async () => {
    const source = connect(from.url)
    const { league: before } = await refreshLeague(source, emptyLeague)
    await administer(from.url, `UPDATE cageside.games SET notice = 'After the dump'`)
    const { league: changed } = await refreshLeague(source, before)
    expect(changed.archive?.version).not.toBe(before.archive?.version)
    // An operator restores like this: triggers off, rows out, rows of the dump in.
    await runPostgres(
      'psql',
      '-q',
      '-d',
      from.url,
      '-c',
      'SET session_replication_role = replica',
      '-c',
      'ALTER TABLE cageside.games DISABLE TRIGGER ALL',
      '-c',
      'DELETE FROM cageside.games',
    )
    await runPostgres('pg_restore', '-a', '--disable-triggers', '-t', 'games', '-d', from.url, path)
    const { league, unmarked } = await refreshLeague(source, changed)
    expect(unmarked.length).toBeGreaterThan(0)
    expect(league.archive?.version).toBe(before.archive?.version)
    await source.close()
  })
})
