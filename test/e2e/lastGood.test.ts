import { beforeAll, describe, expect, test } from 'bun:test'
import { cp, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { leagueOfSnapshot } from '../../src/data/archive/savedLeague.ts'
import type { PostgresOptions } from '../../src/data/following/fromPostgres.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { appOf, get } from '../fixtures.ts'
import { followDatabase, openDatabase, openFollower } from '../leagueDatabase.ts'
import { administer } from '../postgres.ts'
import { present } from '../present.ts'
import { projectFolder, startService, stopService, temporaryFolder } from '../process.ts'
import { runs } from '../runs.ts'
import { smallLeague } from '../smallLeague.ts'
import { until } from '../until.ts'
import { openRelay } from './relay.ts'

const { database } = await openDatabase(smallLeague)
const open = (url: string, options: Partial<PostgresOptions> = {}) =>
  openFollower(url, { refreshMs: 100, deadlineMs: 1000, ...options })
const load = (options: Partial<PostgresOptions> = {}, url = database.readerUrl) =>
  followDatabase(url, { refreshMs: 100, deadlineMs: 1000, ...options })

describe('a start without the database', () => {
  const nowhere = 'postgres://nobody@127.0.0.1:1/nowhere'
  const lastGood = (dataDir: string) => join(dataDir, 'last-good.cageside')

  const savedFiles = async (dataDir: string): Promise<string[]> => (await readdir(dataDir)).sort()

  let left: string
  beforeAll(async () => {
    left = await temporaryFolder()
    const service = await open(database.readerUrl, { dataDir: left })
    await service.firstLoad
    await service.stop()
  })
  /** A folder with the last good archive of a service. */
  const usedFolder = async (): Promise<string> => {
    const dataDir = await temporaryFolder()
    await cp(left, dataDir, { recursive: true })
    expect(await savedFiles(dataDir)).toEqual([
      'last-good.cageside',
      'last-good.hidden',
      'last-good.timeline',
    ])
    return dataDir
  }

  test('a start without the database serves the last good archive, says so, and recovers', async () => {
    const dataDir = await usedFolder()
    await using healthy = await load()
    const degraded = await load({ dataDir }, nowhere)
    expect((await get(appOf(degraded), '/health')).body).toMatchObject({ status: 'degraded' })
    await until(() => degraded.status().lastRefresh.error === 'the database cannot be reached')
    for (const path of ['/tournaments', '/fights', '/fights/recent']) {
      const [one, other] = [await get(appOf(degraded), path), await get(appOf(healthy), path)]
      expect(one.body).toEqual(other.body)
      expect(one.headers.get('etag')).toBe(other.headers.get('etag'))
    }
    expect((await get(appOf(degraded), '/health')).body).toMatchObject({
      status: 'degraded',
      ageSeconds: expect.any(Number),
      lastRefresh: { error: 'the database cannot be reached' },
    })
    await degraded.stop()

    // The database is back: the file is served first, then the database.
    await using recovered = await load({ dataDir })
    await until(() => recovered.status().lastRefresh.error === null)
    expect((await get(appOf(recovered), '/health')).body.status).toBe('ok')
  })

  test('a start with the database serves nothing older than it', async () => {
    const dataDir = await usedFolder()
    await administer(database.adminUrl, `UPDATE cageside.tournaments SET name = name || '!'`)
    const patient = { dataDir, maxStartWaitMs: 60_000, deadlineMs: 60_000 }
    await using service = await open(database.readerUrl, patient)
    expect(service.archive()).toBeUndefined()
    await service.firstLoad
    const names = service.archive()?.dataset.tournaments.map(({ info }) => info.name)
    expect(names?.length).toBeGreaterThan(0)
    expect(names?.filter((name) => !name.endsWith('!'))).toEqual([])
  })

  test('a start serves the last good archive if the database does not answer', async () => {
    const silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    await using service = await followDatabase(
      `postgres://nobody@127.0.0.1:${silent.port}/nowhere`,
      { dataDir: await usedFolder() },
    )
    expect(service.status().lastRefresh.error).toBe('the database has not been read yet')
    expect(service.archive()?.dataset.tournaments.length).toBeGreaterThan(0)
    silent.stop(true)
  })

  test('the last good file has only public rows', async () => {
    const snapshot = await readSnapshot(lastGood(await usedFolder()))
    const tournaments = [...snapshot.tournaments()]
    const text = JSON.stringify(tournaments).toLowerCase()
    expect(text.length).toBeGreaterThan(200_000)
    expect(text).not.toContain('zzhidden')
    expect(text).toContain('"ispublic":true')
    expect(text).not.toContain('"ispublic":false')
  })

  test('hidden rows leave the last good file at once', async () => {
    const dataDir = await temporaryFolder()
    await using service = await load({ dataDir })
    const { info } = present(service.archive()?.dataset.tournaments[3])
    const ids = async () => {
      const { tournaments } = await readSnapshot(lastGood(dataDir))
      return JSON.stringify([...tournaments()].map(({ tournament }) => tournament))
    }
    await until(() => Bun.file(lastGood(dataDir)).exists())
    expect(await ids()).toContain(`"${info.id}"`)
    const set = (privacy: string) =>
      administer(
        database.adminUrl,
        `UPDATE cageside.tournaments SET privacy = '${privacy}' WHERE id = '${info.id}'`,
      )
    await set('private')
    await until(async () => !(await ids()).includes(`"${info.id}"`))

    const { clips, stills } = present(service.archive())
    const clip = present(clips.newestFirst[0])
    const still = present(stills.newestFirst[0])
    const saved = async () => {
      const { tournaments } = await readSnapshot(lastGood(dataDir))
      const { league } = await leagueOfSnapshot(await readSnapshot(lastGood(dataDir)))
      return {
        text: JSON.stringify([...tournaments()].map((rows) => rows.stills)),
        archive: present(league.archive),
      }
    }
    expect((await saved()).archive.clips.byToken.get(clip.token)).toBeDefined()
    expect((await saved()).text).toContain(still.token)
    await administer(
      database.adminUrl,
      `UPDATE cageside.clips SET is_public = false WHERE token = '${clip.token}'`,
    )
    await until(async () => !(await saved()).archive.clips.byToken.has(clip.token))
    await administer(database.adminUrl, `DELETE FROM cageside.stills WHERE id = ${still.id}`)
    await until(async () => !(await saved()).text.includes(still.token))
    await set('public')
    await until(() => service.archive()?.dataset.tournamentsByID.has(info.id) === true)
  })

  test('a stop saves the time until which the data was current, changed or not', async () => {
    const dataDir = await temporaryFolder()
    const service = await load({ dataDir })
    await until(() => Bun.file(lastGood(dataDir)).exists())
    const { capturedAt } = await readSnapshot(lastGood(dataDir))
    await until(() => (service.status().currentAt ?? 0) > capturedAt + 1)
    await service.stop()
    expect((await readSnapshot(lastGood(dataDir))).capturedAt).toBeGreaterThan(capturedAt + 1)
  })

  test('a stop while the database hangs saves the served league', async () => {
    const relay = openRelay(database.readerUrl)
    const dataDir = await temporaryFolder()
    const service = await startService({ DATABASE_URL: relay.url, DATA_DIR: dataDir, PAGES: '0' })
    const serves = async () => (await fetch(`${service.url}/tournaments`)).text()
    await until(() => Bun.file(lastGood(dataDir)).exists())
    await administer(database.adminUrl, `UPDATE cageside.tournaments SET name = 'Last words'`)
    await until(async () => (await serves()).includes('Last words'))
    // The service tries to listen again, which hangs.
    relay.cut()
    relay.hang()
    relay.accept()
    await Bun.sleep(1000)
    await stopService(service)
    relay.close()
    const saved = [...(await readSnapshot(lastGood(dataDir))).tournaments()]
    expect(JSON.stringify(saved.map(({ tournament }) => tournament))).toContain('Last words')
  })

  test.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    [
      'changed in one bit',
      (bytes: Buffer) => {
        const changed = Buffer.from(bytes)
        changed[5000] = (changed[5000] ?? 0) ^ 4
        return changed
      },
    ],
  ])(
    'a start with a last good archive that is %s answers 503 and keeps trying',
    async (_, damage) => {
      const dataDir = await usedFolder()
      const file = lastGood(dataDir)
      await Bun.write(file, damage(Buffer.from(await Bun.file(file).arrayBuffer())))
      await using service = await open(nowhere, { dataDir })
      await until(() => service.status().lastRefresh.error !== null)
      await Bun.sleep(50)
      const { status, headers } = await get(appOf(service), '/tournaments')
      expect(status).toBe(503)
      expect(headers.get('retry-after')).toMatch(/^\d+$/)
      expect((await get(appOf(service), '/ready')).status).toBe(503)
      expect((await get(appOf(service), '/health')).body.status).toBe('degraded')
    },
  )

  test('a start removes temporary files of a killed process, but not of a running one', async () => {
    const dataDir = await usedFolder()
    const [left, written] = ['12345', '12346'].map((pid) => `${lastGood(dataDir)}.${pid}.tmp`)
    await Bun.write(left ?? '', 'half')
    await Bun.write(written ?? '', 'half')
    const before = Date.now() / 1000 - 120
    await utimes(left ?? '', before, before)
    await (await load({ dataDir })).stop()
    expect((await savedFiles(dataDir)).filter((name) => name.endsWith('.tmp'))).toEqual([
      'last-good.cageside.12346.tmp',
    ])
  })

  test('a folder that cannot be written loses the file, but not the service', async () => {
    const dataDir = join(await temporaryFolder(), 'file')
    await Bun.write(dataDir, 'a file where the folder should be')
    await using service = await load({ saveEveryMs: 100, deadlineMs: 5000, dataDir })
    const health = async () => (await get(appOf(service), '/health')).body
    await until(async () => (await health()).problems.length > 0)
    expect(await health()).toMatchObject({
      status: 'degraded',
      problems: ['the last good archive cannot be saved'],
    })
    expect((await get(appOf(service), '/tournaments')).status).toBe(200)
    // The save is retried although nothing changed.
    await rm(dataDir)
    await until(async () => (await health()).status === 'ok')
    const saved = await savedFiles(dataDir)
    expect(saved).toEqual(expect.arrayContaining(['last-good.cageside', 'last-good.hidden']))
    for (const name of saved)
      expect([name, (await stat(join(dataDir, name))).mode & 0o777]).toEqual([name, 0o600])
  })

  test('the last good file is whole whenever its writer is killed', async () => {
    const dataDir = await temporaryFolder()
    const file = lastGood(dataDir)
    // A file written in place would be cut off at every other kill.
    for (let attempt = 0; attempt < runs(8); attempt += 1) {
      const writer = Bun.spawn([process.execPath, 'test/e2e/saveForever.ts', file], {
        cwd: projectFolder,
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const reader = writer.stdout.getReader()
      await reader.read()
      await Bun.sleep(Math.random() * 25)
      writer.kill('SIGKILL')
      await writer.exited
      expect((await readSnapshot(file)).tournamentCount).toBe(24)
    }
  })

  type Behaviour = (socket: Bun.Socket<undefined>) => void
  /** AuthenticationOk and ReadyForQuery. */
  const welcome = Buffer.from('5200000008000000005a0000000549', 'hex')
  const behaviours: readonly (readonly [string, Behaviour])[] = [
    ['says nothing', () => undefined],
    ['closes at once', (socket) => void socket.end()],
    ['talks of something else', (socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')],
    ['lets in and then says nothing', (socket) => void socket.write(welcome)],
    [
      'lets in and closes',
      (socket) => {
        socket.write(welcome)
        socket.end()
      },
    ],
  ]
  test.concurrent.each(behaviours)(
    'a start with a database that %s answers 503 and stays alive',
    async (_, behave) => {
      const listener = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: { data: behave, error: () => undefined },
      })
      await using service = await open(`postgres://nobody:x@127.0.0.1:${listener.port}/nowhere`)
      await until(() => service.status().lastRefresh.error !== null)
      expect((await get(appOf(service), '/tournaments')).status).toBe(503)
      await Bun.sleep(1500)
      expect((await get(appOf(service), '/health')).status).toBe(200)
      listener.stop(true)
    },
  )
})
