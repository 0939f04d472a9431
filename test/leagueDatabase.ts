import { afterAll } from 'bun:test'
import { insertLeague } from '../scripts/load.ts'
import type { OpenedService } from '../src/data/archive/archive.ts'
import { openPostgres, type PostgresOptions } from '../src/data/following/fromPostgres.ts'
import { connect, openPool } from '../src/data/source/connection.ts'
import type { CageRows, TournamentRows } from '../src/data/source/rows.ts'
import { createLog } from '../src/runtime/log.ts'
import { freshDatabase } from './postgres.ts'
import { temporaryFolder } from './process.ts'

export type Pool = ReturnType<typeof openPool>

export interface LeagueRows extends Partial<CageRows> {
  readonly tournaments: Iterable<TournamentRows>
}

/** Inserts a league, without cages unless they are given. */
export const insertRows = (url: string, league: LeagueRows): Promise<void> =>
  insertLeague(url, { cages: [], cageQueue: [], ...league })

/**
 * A migrated database with a league, its administrator's pool and the reader's source. Called at the top level of a
 * test file, or in `beforeAll`; dropped after the last test of the file or block.
 */
export const openDatabase = async (league?: LeagueRows) => {
  const database = await freshDatabase()
  const admin = openPool(database.adminUrl, { max: 4, connectSeconds: 10 })
  const source = connect(database.readerUrl)
  afterAll(async () => {
    await Promise.all([source.close(), admin.end({ timeout: 1 })])
    await database.drop()
  })
  if (league) await insertRows(database.adminUrl, league)
  return { database, admin, source }
}

export type Follower = OpenedService & AsyncDisposable

/** A service over a database, with its own folder unless one is given; it may still be loading. */
export const openFollower = async (
  url: string,
  options: Partial<PostgresOptions> = {},
): Promise<Follower> => {
  const service = openPostgres(url, {
    refreshMs: 20,
    dataDir: await temporaryFolder(),
    log: createLog('silent'),
    ...options,
  })
  return { ...service, [Symbol.asyncDispose]: service.stop }
}

/** A loaded service over a database. */
export const followDatabase = async (
  url: string,
  options: Partial<PostgresOptions> = {},
): Promise<Follower> => {
  const service = await openFollower(url, options)
  await service.firstLoad
  return service
}
