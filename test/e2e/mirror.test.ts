import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bulkNames } from '../../src/companions/bulk/tables.ts'
import type { OpenedService } from '../../src/data/archive/archive.ts'
import { openMirror } from '../../src/data/mirror/openMirror.ts'
import { createLog } from '../../src/runtime/log.ts'
import { answerAt } from '../addresses.ts'
import { someAddressesOf } from '../everyAddress.ts'
import { appOf } from '../fixtures.ts'
import { followDatabase, openDatabase } from '../leagueDatabase.ts'
import { operationsOn } from '../operations.ts'
import { present } from '../present.ts'
import { temporaryFolder } from '../process.ts'
import { capturedAt, smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

/** Number of random changes that the mirror follows; URLs of every route are compared after each. */
const changeCount = Number(process.env.MIRROR_CHANGES ?? 3)
/** Changes after which the mirror is restarted. */
const restartEvery = changeCount < 10 ? 2 : 10

const log = createLog('silent')
const { database, admin } = await openDatabase(smallLeague)
let origin: OpenedService
let server: Bun.Server<undefined>
let mirrored: OpenedService
let dataDir: string
const now = capturedAt

/** Changes of the origin that test/http does not cover. */
const basePath = '/x/api.php'
const openService = (service: OpenedService) => appOf({ ...service, now: () => now })
const follow = async (): Promise<OpenedService> => {
  const service = openMirror(`http://127.0.0.1:${server.port}${basePath}/snapshot`, {
    refreshMs: 10,
    minRefreshMs: 10,
    dataDir,
    log,
  })
  await service.firstLoad
  return service
}
/** Waits for two refreshes that began from now on. */
const refreshed = async (service: OpenedService): Promise<void> => {
  for (let look = 0; look < 2; look += 1) {
    const { lastRefresh } = service.status()
    await until(() => service.status().lastRefresh !== lastRefresh)
    expect(service.status().lastRefresh.error).toBeNull()
  }
}

beforeAll(async () => {
  dataDir = await temporaryFolder()
  origin = await followDatabase(database.readerUrl)
  const app = appOf({ ...origin, now: () => now }, { basePath })
  server = Bun.serve({ port: 0, fetch: (request) => app(request) })
  mirrored = await follow()
})
afterAll(async () => {
  await mirrored.stop()
  await server.stop(true)
  await origin.stop()
})

describe('a mirror of a server on Postgres', () => {
  test('a mirror has equal bytes at URLs of every route after each of many random changes', async () => {
    const operations = operationsOn(capturedAt)
    const steps = fc.sample(
      fc.record({ operation: fc.nat(operations.length - 1), n: fc.nat(997) }),
      {
        numRuns: changeCount,
        seed: Number(process.env.MIRROR_SEED ?? 7),
      },
    )
    const apps = { origin: openService(origin), mirror: openService(mirrored) }
    const versions = new Set<string>()
    for (const [index, { operation, n }] of steps.entries()) {
      const statement = operations[operation]?.(n) ?? ''
      // A violated constraint changes nothing.
      await admin.unsafe(statement).catch(() => undefined)
      await refreshed(origin)
      if (index % restartEvery === restartEvery - 1) {
        await mirrored.stop()
        mirrored = await follow()
        apps.mirror = openService(mirrored)
      }
      await refreshed(mirrored)
      const archive = present(origin.archive())
      versions.add(archive.version)
      expect(present(mirrored.archive()).version).toBe(archive.version)
      for (const path of someAddressesOf(archive, 20, index)) {
        const [expected, found] = [
          await answerAt(apps.origin, path),
          await answerAt(apps.mirror, path),
        ]
        if (found !== expected) expect(`${statement} ${path} ${found}`).toBe(`${path} ${expected}`)
      }
      const bytesAt = async (app: typeof apps.origin, path: string) =>
        Bun.hash(await (await app(new Request(`http://localhost${path}`))).bytes())
      for (const path of ['/snapshot', ...bulkNames.map((name) => `/bulk/${name}`)]) {
        expect(`${path} ${await bytesAt(apps.mirror, path)}`).toBe(
          `${path} ${await bytesAt(apps.origin, path)}`,
        )
      }
    }
    expect(versions.size).toBeGreaterThan(changeCount / 4)
  })
})
