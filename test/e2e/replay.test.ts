import { describe, expect, test } from 'bun:test'
import type { ChangeEvent } from '../../src/companions/changes/schema.ts'
import { projectFolder, type Running, spawnService, startService, stopService } from '../process.ts'
import { allAddressSettings } from '../site.ts'
import { smallSnapshot } from '../smallLeague.ts'

const read = async ({ url }: Running, path: string) => {
  const response = await fetch(`${url}${path}`)
  return { version: response.headers.get('x-data-version'), body: await response.json() }
}

const completed = async (service: Running): Promise<number> =>
  Object(await read(service, '/health')).body.counts.completedFights

describe('a replayed event', () => {
  test('a replayed event goes on, and ends as the snapshot is', async () => {
    // The sample's media are addresses of the service.
    const settings = { PUBLIC_URL: allAddressSettings.PUBLIC_URL }
    const plain = await startService({ ...settings, ...allAddressSettings })
    const replay = { REPLAY: '2026-03-14T20:00:00Z', REPLAY_SPEED: '600' }
    const replayed = await startService({ ...settings, ...replay })
    const { cursor } = Object(await read(replayed, '/changes')).body
    const last = await completed(plain)
    const counts = [await completed(replayed)]
    const { version } = await read(plain, '/tournaments')
    let current = await read(replayed, '/cages')
    while (current.version !== version) {
      await Bun.sleep(50)
      current = await read(replayed, '/cages')
      counts.push(await completed(replayed))
    }
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(new Set(counts).size).toBeGreaterThan(2)
    expect([counts[0] === last, counts.at(-1)]).toEqual([false, last])
    for (const path of ['/tournaments', '/fights/recent', '/stats/leaderboard', '/clips']) {
      expect(await read(replayed, path)).toEqual(await read(plain, path))
    }
    const { clips } = Object(await read(plain, '/clips')).body
    expect(clips[0].video72p).toStartWith(`${settings.PUBLIC_URL}/media/`)
    const { changes } = Object(await read(replayed, `/changes?since=${cursor}&limit=1000`)).body
    const moved = changes.filter(
      ({ type, before }: ChangeEvent & { before?: object }) =>
        type === 'schedule.changed' && before && 'expectedStart' in before,
    )
    expect(moved.length).toBeGreaterThan(0)
    expect(await Promise.all([replayed, plain].map(stopService))).toEqual([0, 0])
  })

  test('a replayed event can be stopped while it waits', async () => {
    const service = await startService({
      REPLAY: '2026-02-20T00:00:00Z',
      SNAPSHOT: await smallSnapshot(),
    })
    const { body } = await read(service, '/health')
    expect(body).toMatchObject({ status: 'ok', source: 'replay', ageSeconds: 0 })
    expect(await stopService(service)).toBe(0)
  })
})

const failureOf = async (settings: Readonly<Record<string, string>>) => {
  const process = await spawnService({ LOG_LEVEL: 'silent', ...settings })
  const [exitCode, stderr] = await Promise.all([
    process.exited,
    new Response(process.stderr).text(),
  ])
  return { exitCode, lines: stderr.trimEnd().split('\n') }
}

test.each([
  [{ REPLAY: 'yesterday' }, 'REPLAY must be auto or a time such as 2026-03-14T17:00:00Z'],
  [
    { REPLAY: 'auto', DATABASE_URL: 'postgres://127.0.0.1/league' },
    'REPLAY must not be given with DATABASE_URL: it replays a snapshot',
  ],
  [
    { REPLAY: '2027-01-01T00:00:00Z' },
    'REPLAY must be before the last fight of the snapshot ended, 2026-03-14T20:29:13Z',
  ],
  [
    { REPLAY: 'auto', SNAPSHOT: '/nowhere/league' },
    'snapshot /nowhere/league cannot be read: there is no such file or folder (ENOENT)',
  ],
])('an impossible replay is one line and exit 1: %p', async (settings, line) => {
  const { exitCode, lines } = await failureOf(settings)
  expect([exitCode, lines]).toEqual([1, [`cageside: ${line}`]])
})

test.each([
  [['--loop'], true],
  [[], false],
])(
  'the replay command replays a file from a moment, at a speed, with %j',
  async (repeated, loop) => {
    const [at, file] = ['2026-03-14T20:00:00Z', await smallSnapshot()]
    const options = ['--at', at, '--speed', '7', ...repeated, file]
    const settings = { SNAPSHOT: '/nowhere', REPLAY: 'auto', LOG_LEVEL: 'info' }
    const running = await startService(settings, [
      process.execPath,
      'scripts/replay.ts',
      ...options,
    ])
    expect(await stopService(running)).toBe(0)
    const lines = (await running.stderr())
      .split('\n')
      .filter((line) => line.includes('"replaying"'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ from: at, speed: 7, loop }])
  },
)

test('the replay command refuses wrong arguments in one line', () => {
  const run = (...args: readonly string[]) => {
    const command = [process.execPath, 'scripts/replay.ts', ...args]
    const { exitCode, stderr } = Bun.spawnSync(command, { cwd: projectFolder })
    return [exitCode, stderr.toString().trimEnd()]
  }
  expect(run('--sped', '3')).toEqual([1, "Unknown option '--sped' (see --help)"])
  expect(run('a', 'b')).toEqual([1, 'one snapshot file is expected (see --help)'])
  expect(run('--speed', '0')).toEqual([
    1,
    'cageside: REPLAY_SPEED must be a whole number from 1 to 600',
  ])
})
