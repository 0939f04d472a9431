import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { insertLeague } from '../../scripts/load.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { writeSnapshot } from '../../src/data/source/snapshot.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { buildArchive } from '../buildArchive.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import {
  projectFolder,
  startCommand,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { cores, pin } from './machine.ts'

/** A league of one size as a file, in a folder that is removed at the end. */
export interface SnapshotStage extends AsyncDisposable {
  readonly scale: Scale
  readonly folder: string
  readonly snapshotPath: string
}

/** A league of one size in a Postgres. */
export interface DatabaseStage extends AsyncDisposable {
  readonly database: TestDatabase
  readonly admin: ReturnType<typeof openPool>
}

/** The same league in both. */
export type Stage = SnapshotStage & DatabaseStage

export const openSnapshotStage = async (scale: Scale): Promise<SnapshotStage> => {
  const folder = await temporaryFolder()
  const snapshotPath = join(folder, 'league.cageside')
  await writeSnapshot(snapshotPath, generateLeague({ seed: 1, scale }))
  return {
    scale,
    folder,
    snapshotPath,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

export const openDatabaseStage = async (scale: Scale): Promise<DatabaseStage> => {
  const database = await freshDatabase()
  await insertLeague(database.adminUrl, generateLeague({ seed: 1, scale }))
  const admin = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  // Otherwise the server would do it a minute later, during a measurement.
  await admin`VACUUM ANALYZE`
  return {
    database,
    admin,
    [Symbol.asyncDispose]: async () => {
      await admin.end({ timeout: 1 })
      await database.drop()
    },
  }
}

export const openStage = async (scale: Scale): Promise<Stage> => {
  const files = await openSnapshotStage(scale)
  const tables = await openDatabaseStage(scale)
  return {
    ...files,
    ...tables,
    [Symbol.asyncDispose]: async () => {
      await tables[Symbol.asyncDispose]()
      await files[Symbol.asyncDispose]()
    },
  }
}

/** The archive of a league of one size. */
export const archiveOfScale = (scale: Scale): Archive => {
  const { tournaments } = generateLeague({ seed: 1, scale })
  return buildArchive(
    'bench',
    [...tournaments].filter(({ tournament }) => isPublic(tournament)).map(buildTournament),
  )
}

/** A running service; its end throws unless the exit code is 0. */
export interface Service extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

const start = async (
  settings: Readonly<Record<string, string>>,
  preload: readonly string[] = [],
): Promise<Service> => {
  const command = await startCommand(projectFolder, preload)
  const running = await startService({ LOG_LEVEL: 'error', ...settings }, command)
  return {
    url: running.url,
    pid: running.process.pid,
    [Symbol.asyncDispose]: async () => {
      const code = await stopService(running)
      if (code !== 0) throw new Error(`the service ended with ${code}: ${await running.stderr()}`)
    },
  }
}

/** Starts the service and requests `/tournaments`; returns the times of both, too. */
export const startTimed = async (settings: Readonly<Record<string, string>>) => {
  const started = performance.now()
  const service = await start(settings)
  await (await fetch(`${service.url}/tournaments`)).bytes()
  return { service, ms: performance.now() - started }
}

let started = 0

/** The service on the core for servers, with its own data folder on the stage. */
export const startPinned = async (
  { folder }: Pick<SnapshotStage, 'folder'>,
  settings: Readonly<Record<string, string>>,
  preload?: readonly string[],
): Promise<Service> => {
  started += 1
  const service = await start({ DATA_DIR: join(folder, `data-${started}`), ...settings }, preload)
  pin(service.pid, cores.server)
  return service
}

const refreshMs = 2000

export const startOnPostgres = (stage: Stage): Promise<Service> =>
  startPinned(stage, {
    DATABASE_URL: stage.database.readerUrl,
    REFRESH_MS: String(refreshMs),
  })

/** Changes a fight and the cages now and every two seconds until disposed. */
export const startChanges = async ({ admin: sql }: DatabaseStage): Promise<AsyncDisposable> => {
  const [fight] = await sql<{ tournament_id: string; id: string }[]>`
    SELECT g.tournament_id, g.id FROM cageside.games g
    JOIN cageside.tournaments t ON t.id = g.tournament_id
    WHERE t.privacy = 'public' AND NOT t.is_test AND g.state = 'done' AND g.stop_time IS NOT NULL
    ORDER BY g.stop_time DESC LIMIT 1`
  if (!fight) throw new Error('the league has no fight')
  let change = 0
  const write = async (): Promise<void> => {
    change += 1
    await sql`UPDATE cageside.games SET notice = ${`change ${change}`}
              WHERE tournament_id = ${fight.tournament_id} AND id = ${fight.id}`
    await sql`UPDATE cageside.cages SET update_time = update_time + interval '1 second'`
  }
  let current = write()
  const timer = setInterval(() => {
    current = current.then(write)
  }, refreshMs)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await current
    },
  }
}
