import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  projectFolder,
  type Running,
  runToEnd,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { until } from '../until.ts'

const deployed = join(projectFolder, 'scripts/deploy/systemd')

const run = async (...command: string[]): Promise<{ code: number; output: string }> => {
  const { code, output, errors } = await runToEnd(command)
  return { code, output: output + errors }
}

describe('the unit', () => {
  let unit: string
  beforeAll(async () => {
    const text = await Bun.file(join(deployed, 'cageside@.service')).text()
    unit = join(await temporaryFolder(), 'cageside@3000.service')
    // The executable is not installed here.
    await writeFile(unit, text.replace('/usr/local/bin/cageside', '/bin/true'))
  })

  test('the unit is valid', async () => {
    expect(await run('systemd-analyze', 'verify', '--man=no', unit)).toEqual({
      code: 0,
      output: '',
    })
    const broken = join(await temporaryFolder(), 'cageside@3000.service')
    await copyFile(unit, broken)
    await writeFile(broken, (await Bun.file(unit).text()).replace('Type=notify', 'Type=never'))
    expect((await run('systemd-analyze', 'verify', '--man=no', broken)).output).not.toBe('')
  })

  test('the unit sets no JavaScript engine option, because Bun does not start with unknown ones', async () => {
    for (const name of ['systemd/cageside@.service', 'Containerfile'])
      expect(await Bun.file(join(projectFolder, 'scripts/deploy', name)).text()).not.toContain(
        'BUN_JSC_',
      )
  })

  test('the unit has an exposure of at most 1.5 of 10', async () => {
    const { code, output } = await run(
      'systemd-analyze',
      'security',
      '--offline=yes',
      '--threshold=15',
      unit,
    )
    expect([code, output]).toEqual([0, expect.stringContaining('Overall exposure level')])
  })

  test('the timer of backups and its service are valid', async () => {
    const folder = await temporaryFolder()
    for (const name of ['cageside-backup.service', 'cageside-backup.timer']) {
      const text = await Bun.file(join(deployed, name)).text()
      await writeFile(join(folder, name), text.replace(/\/usr\/local\/bin\/\S+/, '/bin/true'))
    }
    expect(
      await run('systemd-analyze', 'verify', '--man=no', join(folder, 'cageside-backup.timer')),
    ).toEqual({ code: 0, output: '' })
  })

  test('user and folders are created', async () => {
    const root = await temporaryFolder()
    await mkdir(join(root, 'etc'))
    const users = join(deployed, 'sysusers.conf')
    expect(await run('systemd-sysusers', `--root=${root}`, users)).toMatchObject({ code: 0 })
    expect(await Bun.file(join(root, 'etc/passwd')).text()).toContain('cageside')
    const folders = join(deployed, 'tmpfiles.conf')
    const made = await run('systemd-tmpfiles', `--root=${root}`, '--create', folders)
    expect(made).toMatchObject({ code: 0 })
    expect(await Bun.file(join(root, 'etc/cageside/database-url')).exists()).toBe(true)
  })
})

describe('systemd as the supervisor', () => {
  let receiver: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
  let received = ''
  let service: Running
  beforeAll(async () => {
    const socket = join(await temporaryFolder(), 'notify')
    receiver = Bun.spawn(['socat', '-u', `UNIX-RECV:${socket}`, '-'], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    void (async () => {
      for await (const chunk of receiver.stdout) received += new TextDecoder().decode(chunk)
    })()
    await until(async () => (await run('test', '-S', socket)).code === 0)
    service = await startService({ NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' })
  })
  afterAll(async () => {
    receiver.kill()
    await receiver.exited
  })

  test('systemd is notified of a start, of readiness, of life and of the end', async () => {
    const ping = 'WATCHDOG=1\nSTATUS=serving'
    await until(() => received.includes(ping + ping))
    expect(await stopService(service)).toBe(0)
    await until(() => received.includes('STOPPING=1'))
    expect(received.replaceAll(ping, 'ping')).toMatch(
      /^EXTEND_TIMEOUT_USEC=60000000\nSTATUS=waiting for the dataREADY=1\nSTATUS=serving(ping){2,}STOPPING=1$/,
    )
  })
})
