import { join } from 'node:path'
import { openSnapshotTarget } from '../scripts/import/target/snapshotTarget.ts'
import type { App } from '../src/app.ts'
import { openSnapshot } from '../src/archive/fromSnapshot.ts'
import { createLog } from '../src/log.ts'
import { appOf, get } from './fixtures.ts'
import { temporaryFolder } from './process.ts'

/** A snapshot file in a folder of its own, and how an import opens it. */
export const newFile = async (capturedAt = 1_770_000_000) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  return { path, toFile: () => openSnapshotTarget(path, { now: () => capturedAt }) }
}

/** Options of an update of a target. */
export const ofNoSource = { onBadRow: () => undefined, isOfSource: () => false }

type Body = Awaited<ReturnType<typeof get>>['body']

/** Reads the API over a snapshot file. */
export const reading = async <T>(
  path: string,
  read: (bodyOf: (address: string) => Promise<Body>, app: App) => Promise<T>,
  now?: number,
): Promise<T> => {
  const service = openSnapshot(path, createLog('silent'))
  await service.firstLoad
  const app = appOf(now === undefined ? service : { ...service, now: () => now })
  try {
    return await read(async (address) => (await get(app, address)).body, app)
  } finally {
    await service.stop()
  }
}
