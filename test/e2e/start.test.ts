import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryDirectory, projectFolder, startService, stopService } from '../process.ts'
import { runAtExit } from '../reaper.ts'
import { untilAnswered } from '../until.ts'

const run = (cwd: string, ...command: readonly string[]): void =>
  expect(Bun.spawnSync([...command], { cwd }).exitCode).toBe(0)

const root = await mkdtemp(join(memoryDirectory(), 'cageside-copies-'))
runAtExit('rm -rf "$1"', root)

/**
 * A copy of the project in which nothing was started yet. Its packages are copies, too: a link to a file, as other
 * installations make them, changes the time of change of the file.
 */
const copyProject = async (): Promise<string> => {
  const folder = await mkdtemp(join(root, 'first-'))
  const names = ['package.json', 'bun.lock', 'tsconfig.json', 'src', 'scripts', 'snapshot']
  run(projectFolder, 'cp', '-r', ...names, folder)
  const options = ['--frozen-lockfile', '--production', '--backend=copyfile', '--silent']
  run(folder, process.execPath, 'install', ...options)
  // Most of their bytes, which no start reads.
  const unread = String.raw`.*(\.map|\.d\.[cm]?ts|/_tsc\.js|/typescript\.js)`
  run(folder, 'find', 'node_modules', '-regextype', 'egrep', '-regex', unread, '-delete')
  return folder
}

const cacheOf = (folder: string): string => join(folder, 'node_modules/.cache/cageside')
const bundlesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(cacheOf(folder))).filter((name) => name !== 'inputs.json')

/** Starts a copy; gives the status of these addresses, the body of an unknown one, and what was logged. */
const startOnce = async (folder: string, addresses: readonly string[] = []) => {
  const running = await startService({}, undefined, folder)
  const unknown = await (await fetch(`${running.url}/nowhere`)).text()
  const statuses = await Promise.all(
    addresses.map(async (address) => {
      const response = await untilAnswered(() =>
        fetch(running.url + address, { headers: { accept: 'text/html' } }),
      )
      await response.bytes()
      return response.status
    }),
  )
  await stopService(running)
  return { unknown, statuses, log: await running.stderr() }
}

const modified = 1_770_000_000
const sourceOf = (folder: string): string => join(folder, 'src/unknown.ts')
/** Writes what the small service answers at an unknown path; the time of modification is always the same. */
const setAnswer = async (folder: string, answer: string): Promise<void> => {
  await Bun.write(sourceOf(folder), `export const unknown = { error: '${answer}' }`)
  await utimes(sourceOf(folder), modified, modified)
  // What changed within 20 ms is not bundled.
  await Bun.sleep(40)
}

/**
 * A project with a small service in the place of ours, whose bundle takes a hundredth of the time; it has a file that is
 * imported by path, too.
 */
const smallProject = async (): Promise<string> => {
  const folder = await mkdtemp(join(root, 'small-'))
  const names = ['package.json', 'bun.lock', 'tsconfig.json', 'scripts/start.ts', 'snapshot']
  run(projectFolder, 'cp', '-r', '--parents', ...names, folder)
  await setAnswer(folder, 'path not found')
  await Bun.write(
    join(folder, 'src/main.ts'),
    `import sample from '../snapshot/sample.cageside' with { type: 'file' }
    import { unknown } from './unknown.ts'
    const { url } = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.endsWith('/sample') ? new Response(Bun.file(sample)) : Response.json(unknown),
    })
    console.log('listening on ' + url.origin)`,
  )
  return folder
}

describe('bun start', () => {
  let [folder, small] = ['', '']
  beforeAll(async () => {
    small = await smallProject()
    folder = await copyProject()
    await startOnce(small)
  })

  test('runs the bundle that the first start made', async () => {
    const addresses = [
      '/',
      '/assets/site.css',
      '/docs',
      '/docs/swagger-ui.css',
      '/media/blue_72p.mp4',
    ]
    const before = await startOnce(folder, addresses)
    expect(before).toMatchObject({
      unknown: '{"error":"path not found"}',
      statuses: [200, 200, 200, 200, 200],
    })
    const [name = '', ...others] = await bundlesOf(folder)
    expect(others).toEqual([])

    const bundle = join(cacheOf(folder), name, 'main.js')
    const code = await Bun.file(bundle).text()
    await Bun.write(bundle, code.replace(/^\(function.*?\{/m, "$&console.error('the bundle');"))
    const again = await startOnce(folder, addresses)
    expect(again).toMatchObject({ unknown: before.unknown, statuses: before.statuses })
    expect(again.log).toContain('the bundle')
  })

  test('makes a bundle anew when a source changes', async () => {
    const [before = ''] = await bundlesOf(small)
    // The same size.
    await setAnswer(small, 'path not known')
    expect(await startOnce(small)).toMatchObject({ unknown: '{"error":"path not known"}' })
    expect(await bundlesOf(small)).toEqual([expect.not.stringContaining(before)])
  })

  test('runs its own sources in a copy with the bundle of the first, and where it was moved', async () => {
    const copy = join(root, 'copy')
    run(root, 'cp', '-a', small, copy)
    await setAnswer(copy, 'path not copied')
    expect(await startOnce(copy)).toMatchObject({ unknown: '{"error":"path not copied"}' })
    const moved = `${copy}-moved`
    await rename(copy, moved)
    expect(await startOnce(moved, ['/sample'])).toMatchObject({
      unknown: '{"error":"path not copied"}',
      statuses: [200],
    })
  })

  test('runs the sources where no bundle can be kept', async () => {
    await rm(join(small, 'node_modules/.cache'), { recursive: true, force: true })
    await Bun.write(join(small, 'node_modules/.cache'), '')
    await setAnswer(small, 'path not bundled')
    expect(await startOnce(small)).toMatchObject({ unknown: '{"error":"path not bundled"}' })
  })

  test('compiles as late as the unit and the container', async () => {
    const names = ['package.json', 'systemd/cageside@.service', 'Containerfile']
    const texts = await Promise.all(
      names.map((name) =>
        Bun.file(join(projectFolder, name.endsWith('.json') ? '' : 'scripts/deploy', name)).text(),
      ),
    )
    const settings = texts.map((text) => [...new Set(text.match(/BUN_JSC_\w+=\w+/g))].join())
    const [setting = ''] = settings
    expect(settings).toEqual([expect.stringMatching(/^\w+=\w+$/), setting, setting])

    const running = await startService()
    const environment = await Bun.file(`/proc/${running.process.pid}/environ`).text()
    expect(environment.split('\0')).toContain(setting)
    await stopService(running)
  })
})
