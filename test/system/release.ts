import { beforeAll, describe, expect, test } from 'bun:test'
import { chown, mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { run } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { projectFolder, temporaryFolder } from '../process.ts'
import { until } from '../until.ts'

let release: string
beforeAll(async () => {
  release = await temporaryFolder()
  await run('bun', 'run', '--cwd', projectFolder, 'release', '--out', release)
})

/** Machine of an ELF executable. */
const machineOf = async (name: string): Promise<number> => {
  const file = await open(join(release, name))
  const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0)
  await file.close()
  return buffer.readUInt16LE(18)
}

describe('bun run release', () => {
  test('the release has an executable for each architecture, and valid checksums', async () => {
    expect(await machineOf('cageside-linux-x64')).toBe(62)
    expect(await machineOf('cageside-linux-arm64')).toBe(183)
    const checked = await run('sh', '-c', 'cd "$1" && sha256sum -c SHA256SUMS', '-', release)
    expect(checked.match(/: OK$/gm)).toHaveLength(6)
    const own = process.arch === 'arm64' ? 'cageside-linux-arm64' : 'cageside-linux-x64'
    expect(await run(join(release, own), '--version')).toContain(packageFile.version)
    const { components } = await Bun.file(join(release, 'cageside.cdx.json')).json()
    expect(components.length).toBeGreaterThan(20)
    const { info } = await Bun.file(join(release, 'openapi.json')).json()
    expect(info['x-program-version']).toBe(packageFile.version)
    const notes = await Bun.file(join(release, 'NOTES.md')).text()
    expect(notes).toStartWith(`## ${packageFile.version}\n\nUpgrade: `)
  })

  test('the release has a Containerfile whose image serves as an unprivileged user', async () => {
    const storage = await temporaryFolder()
    const folders = ['--root', join(storage, 'root'), '--runroot', join(storage, 'run')]
    const command = ['buildah', '--storage-driver', 'vfs', ...folders]
    const buildah = (...args: string[]) => run(...command, ...args)
    const isArm = process.arch === 'arm64'
    const program = isArm ? 'cageside-linux-arm64' : 'cageside-linux-x64'
    // The base has the libraries of this system, so that no registry is needed.
    const base = (await buildah('from', 'scratch')).trim()
    const linked = await run('ldd', join(release, program))
    for (const [, path = ''] of linked.matchAll(/(\/\S+) \(0x/g)) {
      await buildah('copy', base, path, path)
    }
    await buildah('commit', base, 'localhost/base')
    const built = ['--build-arg', 'BASE=localhost/base', '--build-arg', `PROGRAM=${program}`]
    await buildah('bud', ...built, '-t', 'localhost/cageside', release)
    const container = (await buildah('from', 'localhost/cageside')).trim()
    const data = join(storage, 'data')
    await mkdir(data)
    await chown(data, 65532, 65532)
    const port = freePort()
    const options = ['--isolation', 'chroot', '-v', `${data}:/data`, '--env', `PORT=${port}`]
    const serving = Bun.spawn(
      [...command, 'run', ...options, container, '/usr/local/bin/cageside', 'serve'],
      { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
    )
    try {
      const url = `http://127.0.0.1:${port}`
      await until(() =>
        fetch(`${url}/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' })
      expect((await stat(join(data, 'client.key'))).uid).toBe(65532)
    } finally {
      serving.kill('SIGTERM')
      await serving.exited
    }
  })
})
