import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from '../../scripts/build.ts'
import { projectFolder, runToEnd, temporaryFolder } from '../process.ts'
import { until } from '../until.ts'

const out = join(projectFolder, 'dist/cageside')
let starter: Bun.Subprocess<'ignore', 'ignore', 'inherit'>
/** Process id of their process 1, seen from outside the namespaces. */
let first: number

const childrenOf = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  )

/** Runs commands in there as root, in the folder of the project. */
const run = async (commands: string): Promise<{ code: number; output: string }> => {
  const enter = ['nsenter', '-t', String(first), '-m', '-p', '-u', '-i', 'bash', '-ec']
  const { code, output, errors } = await runToEnd([...enter, `cd /srv/cageside\n${commands}`], {
    env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
  })
  return { code, output: output + errors }
}

/** The commands in the first block below a heading of the README. */
const commandsOf = async (heading: string): Promise<string> => {
  const readme = await Bun.file(join(projectFolder, 'scripts/deploy/README.md')).text()
  const section = readme.slice(readme.indexOf(`## ${heading}`))
  const lines = section.split('\n')
  const start = lines.findIndex((line) => line.startsWith('    '))
  const rest = lines.slice(start)
  return rest
    .slice(
      0,
      rest.findIndex((line) => !line.startsWith('    ')),
    )
    .join('\n')
}

const health = async (): Promise<{ status?: string; source?: string }> => {
  const { code, output } = await run('curl -s localhost:3000/health')
  return code === 0 ? JSON.parse(output) : {}
}
const mainProcess = async (): Promise<string> =>
  (await run('systemctl show -p MainPID --value cageside@3000')).output.trim()

beforeAll(async () => {
  await build(out)
  const boot = join(import.meta.dirname, 'boot.sh')
  starter = Bun.spawn(
    [
      'unshare',
      '--pid',
      '--fork',
      '--mount',
      '--uts',
      '--ipc',
      'bash',
      boot,
      await temporaryFolder(),
      projectFolder,
    ],
    { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' },
  )
  await until(() => childrenOf(starter.pid).length > 0)
  first = childrenOf(starter.pid)[0] ?? 0
  await until(async () => (await run('systemctl is-active basic.target')).code === 0)
})
afterAll(async () => {
  if (first) process.kill(first, 'SIGKILL')
  await starter.exited
})

test('the commands of the README lead to a service that answers', async () => {
  expect(await run('install -m 755 dist/cageside /usr/local/bin/')).toMatchObject({ code: 0 })
  const { code, output } = await run(await commandsOf('2. The service'))
  expect([code, output]).toEqual([0, expect.stringContaining('"status":"ok"')])
})

test('a killed process is started again', async () => {
  const before = await mainProcess()
  await run(`kill -9 ${before}`)
  await until(async () => (await health()).status === 'ok')
  expect(await mainProcess()).not.toBe(before)
})

test('the filter of system calls stops nothing of a run', async () => {
  const { output } = await run('journalctl --no-pager -u cageside@3000')
  expect(output).not.toMatch(/EPERM|not permitted|SIGSYS/)
})

test('upgrade.sh replaces the program, and --back restores it', async () => {
  const { code, output } = await run(`
    printf '#!/bin/bash\n[ "$1" = --version ] && echo cageside 9 && exit\nexec /srv/cageside/dist/cageside "$@"\n' > /tmp/new
    chmod 755 /tmp/new
    scripts/deploy/upgrade.sh /tmp/new
    cageside --version
    scripts/deploy/upgrade.sh --back
    systemctl is-active cageside@3000 cageside@3001 || true`)
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(
      /^upgrade: cageside 9 serves; .* loses nothing\ncageside 9\nupgrade: cageside 2\S+ .* serves; nothing is lost\nactive\ninactive\n$/,
    ),
  ])
})

test('a secret reaches only the service', async () => {
  await run(`echo postgres://nobody:sesame@127.0.0.1:1/league > /etc/cageside/database-url
    systemctl restart --no-block cageside@3000`)
  await until(async () => (await health()).source === 'postgres')
  const log = async () => (await run('journalctl --no-pager -u cageside@3000')).output
  await until(async () => (await log()).includes('the database cannot be reached'))
  const { output } = await run(`journalctl --no-pager -u cageside@3000
    cat /proc/$(systemctl show -p MainPID --value cageside@3000)/environ
    setpriv --reuid=cageside --clear-groups cat /etc/cageside/database-url || true`)
  expect(output).toContain('Permission denied')
  expect(output).not.toContain('sesame')
})

test('a stop is a success', async () => {
  const { output } = await run(`: > /etc/cageside/database-url; systemctl restart cageside@3000
    systemctl stop cageside@3000; systemctl show -p Result -p ExecMainStatus cageside@3000`)
  expect(output).toBe('Result=success\nExecMainStatus=0\n')
})
