import { afterAll, describe, expect, test } from 'bun:test'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insertLeague } from '../../scripts/load.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { administer, freshDatabase } from '../postgres.ts'
import { type Running, startService, stopService, temporaryFolder } from '../process.ts'
import { ask, readEvents, readLog, readUsage } from '../runningUsage.ts'
import { sampleLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

/**
 * Files of the process on small file systems of its own. Only root may mount those, so this file is not among
 * those that `bun run test` finds.
 */
describe('a disk that fails', () => {
  const mounted: string[] = []
  afterAll(() => {
    for (const folder of mounted) Bun.spawnSync(['umount', '-l', folder])
  })

  const small = async (...options: readonly string[]): Promise<string> => {
    const folder = await temporaryFolder()
    const all = ['size=256k', ...options].join()
    expect(Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', all, 'tmpfs', folder]).exitCode).toBe(0)
    mounted.push(folder)
    return folder
  }
  const median = (times: readonly number[]): number => times[Math.floor(times.length / 2)] ?? 0

  test('a full disk fails or slows no request, drops are shown, and writing resumes', async () => {
    const folder = await small()
    const running = await startService({ DATA_DIR: join(folder, 'data') })
    await ask(running, 200)
    const before = median(await ask(running, 500))
    const filler = join(folder, 'filler')
    await writeFile(filler, Buffer.alloc(1 << 20)).catch(() => undefined)
    await ask(running, 500)
    await until(async () => (await readLog(running)).dropped > 0)
    const during = await ask(running, 500)
    expect(median(during)).toBeLessThan(before * 3 + 2)
    const { dropped, written } = await readLog(running)
    expect(dropped).toBeGreaterThan(100)
    await rm(filler)
    await until(async () => (await readLog(running)).written > written)
    await ask(running, 100)
    await until(async () => (await readLog(running)).written > written + 100)
    const { totalRequests } = await readUsage(running)
    expect(await stopService(running)).toBe(0)
    await readEvents(join(folder, 'data'))
    const again = await startService({ DATA_DIR: join(folder, 'data') })
    // Lines that the disk refused are in the aggregate. The request for the report is one more.
    expect((await readUsage(again)).totalRequests).toBe(totalRequests + 1)
    await stopService(again)
  })

  test('a read-only disk fails or slows no request, and writing resumes', async () => {
    const folder = await small('ro')
    const running = await startService({ DATA_DIR: folder })
    await ask(running, 300)
    await until(async () => (await readLog(running)).dropped >= 300)
    expect((await readLog(running)).written).toBe(0)
    expect((await readUsage(running)).totalRequests).toBeGreaterThan(300)
    expect(Bun.spawnSync(['mount', '-o', 'remount,rw', folder]).exitCode).toBe(0)
    await ask(running, 10)
    await until(async () => (await readLog(running)).written >= 10)
    expect(await stopService(running)).toBe(0)
  })

  test('a tournament hidden on a full disk stays hidden without the database', async () => {
    const folder = await small()
    const database = await freshDatabase()
    const tournaments = sampleLeague.tournaments
      .filter(({ tournament }) => isPublic(tournament))
      .sort((a, b) => a.recordings.length - b.recordings.length)
      .slice(0, 3)
    await insertLeague(database.adminUrl, { cages: [], cageQueue: [], tournaments })
    const settings = { DATA_DIR: join(folder, 'data'), REFRESH_MS: '100' }
    const idsAt = async ({ url }: Running): Promise<string[]> => {
      const text = await (await fetch(`${url}/tournaments`)).text()
      return tournaments.flatMap(({ tournament: { id } }) => (text.includes(`"${id}"`) ? [id] : []))
    }
    const [hidden = '', ...others] = tournaments.map(({ tournament }) => tournament.id)
    const running = await startService({ ...settings, DATABASE_URL: database.readerUrl })
    await until(() => Bun.file(join(folder, 'data/last-good.cageside')).exists())
    await writeFile(join(folder, 'filler'), Buffer.alloc(1 << 20)).catch(() => undefined)
    await administer(
      database.adminUrl,
      `UPDATE cageside.tournaments SET privacy = 'private' WHERE id = '${hidden}'`,
    )
    await until(async () => !(await idsAt(running)).includes(hidden))
    await Bun.sleep(500)
    running.process.kill('SIGKILL')
    await running.process.exited
    const degraded = await startService({
      ...settings,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nowhere',
    })
    expect(await idsAt(degraded)).toEqual(others)
    const health = async () => JSON.stringify(await (await fetch(`${degraded.url}/health`)).json())
    await ask(degraded, 100)
    await until(async () => (await health()).includes('the disk is full ('))
    await stopService(degraded)
    await database.drop()
  })
})
