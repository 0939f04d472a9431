import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { build } from '../../scripts/build.ts'
import { assetNames, bundle, isAssetName } from '../../src/companions/pages/bundle.ts'
import { readConfig } from '../../src/config.ts'
import { checkCages, checkTournament } from '../../src/data/source/check.ts'
import { readSnapshot, writeSnapshot } from '../../src/data/source/snapshot.ts'
import { emptyDatabase } from '../postgres.ts'
import {
  projectFolder,
  type Running,
  runToEnd,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { walk } from '../walk.ts'

const sample = join(projectFolder, 'snapshot/sample.cageside')
let program: string
/** A folder with nothing of the project. */
let elsewhere: string
beforeAll(async () => {
  program = join(await temporaryFolder(), 'cageside')
  elsewhere = await temporaryFolder()
  await build(program)
})

/** Runs the executable in another folder, with only these settings. */
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runToEnd([program, ...args], { cwd: elsewhere, env })

/** Names of the subcommands in the help. */
const commands = async (): Promise<readonly string[]> =>
  [...(await run(['--help'])).output.matchAll(/^ {2}([a-z][a-z-]*) +\S/gm)].map(
    ([, name = '']) => name,
  )

describe('the executable', () => {
  test('the executable has every script of package.json that needs no sources, and serve', async () => {
    const { scripts } = await Bun.file(join(projectFolder, 'package.json')).json()
    const listed = Object.entries(scripts).flatMap(([name, command]) =>
      /^bun scripts\//.test(String(command)) && !['build', 'release', 'start'].includes(name)
        ? [name]
        : [],
    )
    expect([...(await commands())].toSorted()).toEqual([...listed, 'serve'].toSorted())
  })

  test('every command of the executable has --help, under its name', async () => {
    await Promise.all(
      (await commands()).map(async (name) => {
        const { code, output, errors } = await run([name, '--help'])
        expect([name, code, errors]).toEqual([name, 0, ''])
        expect(output).toStartWith(`Usage: cageside ${name}`)
        expect(output).not.toContain('bun run')
      }),
    )
    const { output } = await run(['serve', '--help'])
    const read = new Set<string>()
    const watched = new Proxy<Record<string, string>>(
      {},
      { get: (_, name) => void read.add(String(name)) },
    )
    readConfig(watched)
    for (const name of read) expect(output).toContain(name)
  })

  test('the executable has a version, and one line for each mistake', async () => {
    const { version } = await Bun.file(join(projectFolder, 'package.json')).json()
    expect((await run(['--version'])).output).toBe(`cageside ${version} (Bun ${Bun.version})\n`)
    const wrong = [[], ['fly'], ['serve', 'now'], ['load'], ['generate', '--nothing']]
    for (const { code, output, errors } of await Promise.all(wrong.map((args) => run(args)))) {
      expect([code, output]).toEqual([1, ''])
      expect(errors).toMatch(/^[^\n]+\(see --help\)\n$/)
    }
  })

  test('the executable migrates, loads and dumps a database with its own files', async () => {
    const database = await emptyDatabase()
    const env = { DATABASE_ADMIN_URL: database.url }
    expect(await run(['migrate'], env)).toMatchObject({ code: 0, errors: '' })
    expect(await run(['load', '--sample'], env)).toMatchObject({ code: 0, errors: '' })
    const out = join(elsewhere, 'dump.cageside')
    expect(await run(['snapshot', '--out', out], env)).toMatchObject({ code: 0, errors: '' })
    const { tournamentCount } = await readSnapshot(out)
    expect(tournamentCount).toBe(21)
    await database.drop()
  })

  test('the executable neither runs nor reads anything in its working directory', async () => {
    await Bun.write(join(elsewhere, '.env'), 'DATABASE_ADMIN_URL=nonsense')
    await Bun.write(join(elsewhere, 'bunfig.toml'), 'preload = ["./planted.ts"]')
    await Bun.write(join(elsewhere, 'planted.ts'), 'console.log("planted")')
    expect(await run(['migrate'])).toEqual({
      code: 1,
      output: '',
      errors: '--database-url or DATABASE_ADMIN_URL must name the database\n',
    })
  })

  test('the executable serves the sample without settings, and as a snapshot', async () => {
    const service = await startService({}, [program, 'serve'])
    const health = await (await fetch(`${service.url}/health`)).json()
    expect(health).toMatchObject({ status: 'ok', counts: { tournaments: 21 } })
    const copy = join(elsewhere, 'copy.cageside')
    await Bun.write(copy, await fetch(`${service.url}/snapshot`))
    expect((await readSnapshot(copy)).tournamentCount).toBe(21)
    expect(await stopService(service)).toBe(0)
  })

  describe('serve', () => {
    let service: Running
    beforeAll(async () => {
      const path = join(elsewhere, 'small.cageside')
      const { tournaments, cages, capturedAt } = await readSnapshot(sample)
      const ignore = (): void => undefined
      const some = [...tournaments()].flatMap((rows) => {
        const checked = checkTournament(rows, ignore)
        return checked?.tournament.active ? [checked] : []
      })
      await writeSnapshot(path, { capturedAt, ...checkCages(cages, ignore), tournaments: some })
      service = await startService({ SNAPSHOT: path }, [program, 'serve'])
    })
    afterAll(async () => {
      expect(await stopService(service)).toBe(0)
    })

    // Only the event under way: the whole sample takes 17 s over HTTP.
    test('the executable answers a walk over the API', async () => {
      const { paths } = await walk(async (path) => {
        const response = await fetch(service.url + path)
        if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
        return response.json()
      })
      expect(paths.length).toBeGreaterThan(1000)
    })

    test('the executable has the files of the pages', async () => {
      expect(assetNames.length).toBeGreaterThan(3)
      for (const name of assetNames.filter(isAssetName)) {
        const response = await fetch(`${service.url}/assets/${name}`)
        expect([name, await response.bytes()]).toEqual([name, await bundle(name)])
      }
      for (const path of ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js']) {
        expect((await (await fetch(service.url + path)).text()).length).toBeGreaterThan(100_000)
      }
      expect(await (await fetch(`${service.url}/docs`)).text()).toContain('swagger-ui-bundle.js')
    })
  })
})
