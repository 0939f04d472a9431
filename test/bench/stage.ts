import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { insertLeague } from '../../scripts/load.ts'
import { openPool } from '../../src/source/connection.ts'
import { writeSnapshot } from '../../src/source/snapshot.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { type Running, startService, stopService, temporaryFolder } from '../process.ts'
import { cores, pin } from './machine.ts'

/** A league of one size as a file. */
export interface SnapshotStage {
  readonly scale: Scale
  /** Empty but for the snapshot; removed with the stage. */
  readonly folder: string
  readonly snapshotPath: string
  readonly close: () => Promise<void>
}

/** The same league in a Postgres, too. */
export interface Stage extends SnapshotStage {
  readonly database: TestDatabase
}

export const openSnapshotStage = async (scale: Scale): Promise<SnapshotStage> => {
  const folder = await temporaryFolder()
  const snapshotPath = join(folder, 'league.cageside')
  await writeSnapshot(snapshotPath, generateLeague({ seed: 1, scale }))
  return { scale, folder, snapshotPath, close: () => rm(folder, { recursive: true }) }
}

export const openStage = async (scale: Scale): Promise<Stage> => {
  const files = await openSnapshotStage(scale)
  const database = await freshDatabase()
  await insertLeague(database.adminUrl, generateLeague({ seed: 1, scale }))
  const close = async (): Promise<void> => {
    await database.drop()
    await files.close()
  }
  return { ...files, database, close }
}

let started = 0

/** The service on the core for servers, with an own data folder on the stage. */
export const startPinned = async (
  { folder }: Pick<SnapshotStage, 'folder'>,
  settings: Readonly<Record<string, string>>,
): Promise<Running> => {
  started += 1
  const DATA_DIR = join(folder, `data-${started}`)
  const running = await startService({ DATA_DIR, LOG_LEVEL: 'error', ...settings })
  pin(running.process.pid, cores.server)
  return running
}

export const refreshMs = 2000

/** Serves the stage's Postgres, looking for changes every two seconds. */
export const startOnPostgres = (stage: Stage): Promise<Running> =>
  startPinned(stage, {
    DATABASE_URL: stage.database.readerUrl,
    REFRESH_MS: String(refreshMs),
  })

/** What writes a change of a fight and of a cage every two seconds, as at an event, until it is ended. */
export const startChanges = async ({ database }: Stage): Promise<() => Promise<void>> => {
  const sql = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  const [fight] = await sql<{ tournament_id: string; id: string }[]>`
    SELECT g.tournament_id, g.id FROM cageside.games g
    JOIN cageside.tournaments t ON t.id = g.tournament_id
    WHERE t.privacy = 'public' AND NOT t.is_test AND g.state = 'done' AND g.stop_time IS NOT NULL
    ORDER BY g.stop_time DESC LIMIT 1`
  if (!fight) throw new Error('the league has no fight')
  let change = 0
  let current: Promise<unknown> = Promise.resolve()
  const write = async (): Promise<void> => {
    change += 1
    await sql`UPDATE cageside.games SET notice = ${`change ${change}`}
              WHERE tournament_id = ${fight.tournament_id} AND id = ${fight.id}`
    await sql`UPDATE cageside.cages SET update_time = update_time + interval '1 second'`
  }
  const timer = setInterval(() => {
    current = current.then(write)
  }, refreshMs)
  return async () => {
    clearInterval(timer)
    await current
    await sql.end({ timeout: 1 })
  }
}

/** Ends a service; throws when it does not end well. */
export const endService = async (running: Running): Promise<void> => {
  const code = await stopService(running)
  if (code !== 0) throw new Error(`the service ended with ${code}: ${await running.stderr()}`)
}
