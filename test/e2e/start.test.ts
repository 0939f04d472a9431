import { describe, expect, test } from 'bun:test'
import { cp, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { projectFolder, startService, stopService, temporaryFolder } from '../process.ts'

/**
 * A copy of the project in which nothing was started yet. Its packages are copies, too: a link to a file, as other
 * installations make them, changes the time of change of the file.
 */
const copyProject = async (): Promise<string> => {
  const folder = await temporaryFolder()
  for (const name of ['package.json', 'bun.lock', 'tsconfig.json', 'src', 'scripts', 'snapshot']) {
    await cp(join(projectFolder, name), join(folder, name), { recursive: true })
  }
  const options = ['--frozen-lockfile', '--production', '--backend=copyfile', '--silent']
  const { exitCode } = Bun.spawnSync([process.execPath, 'install', ...options], { cwd: folder })
  expect(exitCode).toBe(0)
  return folder
}

const cacheOf = (folder: string): string => join(folder, 'node_modules/.cache/cageside')
const bundlesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(cacheOf(folder))).filter((name) => name !== 'inputs.json')

/** Starts a copy; gives the status of these addresses, the body of an unknown one, and what was logged. */
const startOnce = async (folder: string, addresses: readonly string[] = []) => {
  const running = await startService({}, [process.execPath, 'scripts/start.ts'], folder)
  const unknown = await (await fetch(`${running.url}/nowhere`)).text()
  const statuses = await Promise.all(
    addresses.map(async (address) => {
      const response = await fetch(running.url + address, { headers: { accept: 'text/html' } })
      await response.bytes()
      return response.status
    }),
  )
  await stopService(running)
  return { unknown, statuses, log: await running.stderr() }
}

describe('bun start', () => {
  test('runs the bundle that the first start made, until a source changes', async () => {
    const folder = await copyProject()
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

    // The same size and time of modification.
    const source = join(folder, 'src/http/responses.ts')
    const { atime, mtime } = await stat(source)
    const text = await Bun.file(source).text()
    await Bun.write(source, text.replace('path not found', 'path not known'))
    await utimes(source, atime, mtime)
    expect(await startOnce(folder)).toMatchObject({ unknown: '{"error":"path not known"}' })
    expect(await bundlesOf(folder)).toHaveLength(1)
    expect(await bundlesOf(folder)).not.toContain(name)
  })

  test('runs its own sources in a copy with the bundle of the first, and where it was moved', async () => {
    const [first, copy] = [await copyProject(), await temporaryFolder()]
    await startOnce(first)
    await cp(first, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
    const source = join(copy, 'src/http/responses.ts')
    const text = await Bun.file(source).text()
    await Bun.write(source, text.replace('path not found', 'path not known'))
    expect(await startOnce(copy)).toMatchObject({ unknown: '{"error":"path not known"}' })
    const moved = `${copy}-moved`
    await rename(copy, moved)
    expect(await startOnce(moved, ['/media/blue_72p.mp4'])).toMatchObject({
      unknown: '{"error":"path not known"}',
      statuses: [200],
    })
  })

  test('runs the sources where no bundle can be kept', async () => {
    const folder = await copyProject()
    await rm(join(folder, 'node_modules/.cache'), { recursive: true, force: true })
    await Bun.write(join(folder, 'node_modules/.cache'), '')
    expect(await startOnce(folder)).toMatchObject({ unknown: '{"error":"path not found"}' })
  })
})
