import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../process.ts'
import { runAtExit } from '../reaper.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534

/** A home of mode 700 with Bun and a checkout in it, as Debian's /root. */
const closedHome = async (owner = process.getuid?.() ?? 0): Promise<string> => {
  const home = await mkdtemp(join(tmpdir(), 'cageside-home-'))
  runAtExit('rm -rf "$1"', home)
  // Links take a second less than copies, and no disk space.
  const { exitCode, stderr } = Bun.spawnSync([
    'sh',
    '-ec',
    `cd "$1" && mkdir "$2/checkout"
    for name in package.json bun.lock bunfig.toml tsconfig.json src scripts snapshot test node_modules; do
      cp -al "$name" "$2/checkout" 2>/dev/null || cp -a "$name" "$2/checkout"
    done
    cp -lL "$3" "$2/bun" 2>/dev/null || cp "$3" "$2/bun"
    find "$2" -type d -exec chown "$4" {} +`,
    'home',
    projectFolder,
    home,
    process.execPath,
    String(owner),
  ])
  if (exitCode !== 0) throw new Error(`no copy of the project: ${stderr}`)
  return home
}

/** Runs a script of package.json in the copy under a strict umask; stops it at the given output or after a minute. */
const runThere = async (
  home: string,
  user: number | undefined,
  args: readonly string[],
  end: RegExp,
  settings = {},
) => {
  const env = { PATH: `${home}:${process.env.PATH}`, HOME: home, HOST: '127.0.0.1', PORT: '0' }
  const child = spawn('sh', ['-c', 'umask 077 && exec bun run "$@"', 'bun', ...args], {
    cwd: join(home, 'checkout'),
    env: { ...env, ...settings },
    detached: true,
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
  let printed = ''
  const stop = () => child.pid && process.kill(-child.pid, 'SIGTERM')
  const timer = setTimeout(stop, 60_000)
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk
      if (end.test(printed)) stop()
    })
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  return printed
}

test.concurrent.each([
  ['its owner', undefined],
  ...(isRoot ? [['a user', nobody] as const] : []),
] as const)(
  'both commands of README run as %s in a folder that others may not enter',
  async (_, user) => {
    const home = await closedHome(user)
    const started = await runThere(home, user, ['start'], /listening on/)
    expect(started).toContain('listening on http://127.0.0.1:')
    const tested = await runThere(
      home,
      user,
      ['test', './test/e2e/dataVersion.test.ts'],
      /^Ran .*/m,
    )
    expect(tested).toContain('\n 0 fail')
    expect(tested).toMatch(/\n [1-9]\d* pass/)
  },
  120_000,
)

test.concurrent.if(isRoot)('Postgres programs out of reach give a one-line error', async () => {
  const home = await closedHome()
  const args = ['test', './test/e2e/dataVersion.test.ts']
  const tested = await runThere(home, undefined, args, /^Ran .*/m, { TMPDIR: home })
  expect(tested).toMatch(
    /^error: no test Postgres: its user cannot run .*initdb; TEST_DATABASE_URL can/m,
  )
})
