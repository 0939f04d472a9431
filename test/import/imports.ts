import { spyOn } from 'bun:test'
import { join } from 'node:path'
import { runCommand } from '../../scripts/command.ts'
import { readLeague } from '../../scripts/import/csv/folder.ts'
import { openSnapshotTarget } from '../../scripts/import/target/snapshotTarget.ts'
import { main } from '../../scripts/import.ts'
import type { App } from '../../src/app.ts'
import { openSnapshot } from '../../src/data/following/fromSnapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { appOf, get } from '../fixtures.ts'
import { temporaryFolder } from '../process.ts'

/** Runs the import command in this process, in 20 ms of CPU time: a separate one takes 150. */
export const importHere = async (...args: string[]) => {
  const [out, err]: [string[], string[]] = [[], []]
  using _out = spyOn(console, 'log').mockImplementation((line) => void out.push(`${line}\n`))
  using _err = spyOn(console, 'error').mockImplementation((line) => void err.push(`${line}\n`))
  // Confirmations are never asked for.
  Object.assign(process.stdin, { isTTY: false })
  process.exitCode = 0
  await runCommand(main, args)
  const status = process.exitCode
  process.exitCode = 0
  return { status, out: out.join(''), err: err.join('') }
}

/** A snapshot file in its own folder, and how an import opens it. */
export const newFile = async (capturedAt = 1_770_000_000) => {
  const path = join(await temporaryFolder(), 'league.cageside')
  return { path, toFile: () => openSnapshotTarget(path, { now: () => capturedAt }) }
}

/** The league in the files of a folder, given as lines or bytes. */
export const sheetLeague = (
  files: Readonly<Record<string, readonly string[] | string | Uint8Array>>,
  values: Parameters<typeof readLeague>[1] = {},
) => {
  const textOf = (content: readonly string[] | string): string =>
    typeof content === 'string' ? content : `${content.join('\n')}\n`
  const contents = Object.entries(files).map(
    ([name, content]) =>
      [name, content instanceof Uint8Array ? content : Buffer.from(textOf(content))] as const,
  )
  return readLeague(new Map(contents), values)
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
