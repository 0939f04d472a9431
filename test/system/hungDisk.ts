import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { insertLeague } from '../../scripts/load.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { freePort } from '../freePort.ts'
import { administer, freshDatabase, type TestDatabase } from '../postgres.ts'
import { type Running, spawnService, startService, temporaryFolder } from '../process.ts'
import { sampleLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

const run = (...command: readonly string[]): void =>
  expect(Bun.spawnSync([...command]).exitCode).toBe(0)

/** The largest tournaments of the sample: threads of the runtime compress their responses. */
const tournaments = sampleLeague.tournaments
  .filter(({ tournament }) => isPublic(tournament))
  .sort((a, b) => b.games.length - a.games.length)
  .slice(0, 3)
const [shown = '', hidden = ''] = tournaments.map(({ tournament }) => tournament.id)

/** A file system in a file that `fsfreeze` hangs: every write waits until it is thawed. */
describe('a DATA_DIR that hangs', () => {
  let [folder, image] = ['', '']
  let database: TestDatabase
  const freeze = (): void => run('fsfreeze', '-f', folder)
  const thaw = (): void => run('fsfreeze', '-u', folder)
  beforeAll(async () => {
    folder = await temporaryFolder()
    image = join(await temporaryFolder(), 'image')
    run('truncate', '-s', '64M', image)
    run('mkfs.ext4', '-q', image)
    run('mount', '-o', 'loop', image, folder)
    database = await freshDatabase()
    await insertLeague(database.adminUrl, { cages: [], cageQueue: [], tournaments })
  })
  afterAll(async () => {
    Bun.spawnSync(['fsfreeze', '-u', folder])
    run('umount', '-l', folder)
    await database.drop()
  })

  const settings = (data: string) => ({
    DATA_DIR: join(folder, data),
    DATABASE_URL: database.readerUrl,
    REFRESH_MS: '100',
  })
  const update = (statement: string) => administer(database.adminUrl, statement)
  const rename = (name: string) =>
    update(`UPDATE cageside.tournaments SET name = '${name}' WHERE id = '${shown}'`)
  const setPrivacy = (privacy: string) =>
    update(`UPDATE cageside.tournaments SET privacy = '${privacy}' WHERE id = '${hidden}'`)
  const isServed = async ({ url }: Running, text: string): Promise<boolean> =>
    (await (await fetch(`${url}/tournaments`)).text()).includes(text)
  const problemsOf = async ({ url }: Running): Promise<string> =>
    JSON.parse(await (await fetch(`${url}/health`)).text()).problems.join('\n')
  const kill = async ({ process }: Running): Promise<void> => {
    process.kill('SIGKILL')
    await process.exited
  }

  test('changes, removals and large responses arrive while DATA_DIR hangs, and are saved later', async () => {
    const running = await startService(settings('served'))
    await until(() => Bun.file(join(folder, 'served/last-good.cageside')).exists())
    const stream = await fetch(`${running.url}/changes/stream`)
    let told = ''
    const reading = (async () => {
      for await (const chunk of stream.body ?? []) told += new TextDecoder().decode(chunk)
    })().catch(() => undefined)
    freeze()
    try {
      for (const name of ['One', 'Two', 'Three', 'Four']) {
        await rename(`Name ${name}`)
        await until(() => isServed(running, `Name ${name}`), 3000)
      }
      await setPrivacy('private')
      await until(async () => !(await isServed(running, `"${hidden}"`)), 3000)
      for (const path of [`/tournaments/${shown}/brackets`, '/bulk/fights.ndjson.gz', '/fights']) {
        const response = await fetch(running.url + path, {
          headers: { 'accept-encoding': 'br' },
          signal: AbortSignal.timeout(3000),
        })
        expect([path, response.status]).toEqual([path, 200])
        expect((await response.bytes()).length).toBeGreaterThan(10_000)
      }
      await until(async () => /disk .* has not answered/.test(await problemsOf(running)), 8000)
      // Each further operation is rejected at once.
      await rename('Name Five')
      await until(() => isServed(running, 'Name Five'), 1000)
      await until(() => told.includes('Name Five'), 1000)
    } finally {
      thaw()
    }
    // A hidden entry is written at once, other data within a minute.
    await setPrivacy('public')
    await until(() => isServed(running, `"${hidden}"`), 3000)
    await setPrivacy('private')
    await until(async () => (await problemsOf(running)) === '', 20_000)
    await kill(running)
    await reading
  })

  test('a start on a hung DATA_DIR opens the port at once and serves the league from its source', async () => {
    freeze()
    const port = freePort()
    const startedMs = performance.now()
    const starting = await spawnService({ ...settings('started'), PORT: String(port) })
    const running: Running = {
      process: starting,
      url: `http://127.0.0.1:${port}`,
      stderr: () => new Response(starting.stderr).text(),
    }
    try {
      await until(async () => (await fetch(running.url).catch(() => undefined)) !== undefined)
      expect(performance.now() - startedMs).toBeLessThan(4000)
      await until(async () => (await fetch(`${running.url}/ready`)).status === 200, 12_000)
      expect(await isServed(running, `"${shown}"`)).toBe(true)
      expect(await problemsOf(running)).toContain('the disk of DATA_DIR has not answered')
    } finally {
      thaw()
    }
    await kill(running)
  })
})
