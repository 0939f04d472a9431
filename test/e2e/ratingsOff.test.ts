import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import {
  projectFolder,
  type Running,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { smallSnapshot } from '../smallLeague.ts'

const sample = await smallSnapshot()
const preload = join(projectFolder, 'test/e2e/ratingsForbidden.ts')

const running: Running[] = []
afterAll(() => Promise.all(running.map(stopService)))

/** Starts the service with a preload that makes any computation of ratings throw. */
const start = async (settings: Readonly<Record<string, string>>): Promise<Running> => {
  const command = [process.execPath, '--preload', preload, 'src/main.ts']
  const started = await startService({ LOG_LEVEL: 'error', ...settings }, command)
  running.push(started)
  return started
}

const textAt = async ({ url }: Running, path: string): Promise<string> => {
  const response = await fetch(url + path)
  expect([path, response.status]).toEqual([path, 200])
  const bytes = new Uint8Array(await response.arrayBuffer())
  return bytes[0] === 0x1f ? gunzipSync(bytes).toString() : new TextDecoder().decode(bytes)
}

/** Expects nothing derived from ratings at any of these. */
const expectNone = async (service: Running): Promise<void> => {
  const { matches } = JSON.parse(await textAt(service, '/schedule'))
  const [{ tournamentID: id, gameID, player1clean }] = matches
  for (const path of [
    ...['/openapi', '/llms.txt', '/cages', '/schedule', '/bulk/README.md', '/bulk/fights.csv.gz'],
    ...['/bulk/fights.ndjson.gz', '/stats', '/', `/bots/${player1clean}`, `/b/${player1clean}`],
    ...[`/tournaments/${id}/fights/${gameID}`, `/w/${id}/${gameID}`, `/e/${id}`],
  ]) {
    const text = await textAt(service, path)
    expect([path, /WinProbability|ratings\b|[Cc]hance\b|forecast/.exec(text)?.[0]]).toEqual([
      path,
      undefined,
    ])
  }
  for (const path of [
    '/stats/ratings',
    '/stats/ratings/calibration',
    `/bots/${player1clean}/ratings`,
    `/tournaments/${id}/forecast`,
  ])
    expect([path, (await fetch(service.url + path)).status]).toEqual([path, 404])
}

describe('RATINGS=0', () => {
  test('RATINGS=0 computes no ratings of a snapshot, a mirror or its saved league', async () => {
    const origin = await start({ SNAPSHOT: sample, RATINGS: '0' })
    await expectNone(origin)
    const settings = {
      SNAPSHOT: `${origin.url}/snapshot`,
      RATINGS: '0',
      DATA_DIR: await temporaryFolder(),
    }
    const first = await start(settings)
    await expectNone(first)
    await stopService(first)
    await stopService(origin)
    await expectNone(await start(settings))
  })

  test('ratings are computed without RATINGS=0', async () => {
    await expect(start({ SNAPSHOT: sample })).rejects.toThrow('ratings are computed')
  })

  test('RATINGS=0 computes no ratings of a running replay', async () => {
    const service = await start({
      SNAPSHOT: sample,
      RATINGS: '0',
      REPLAY: 'auto',
      REPLAY_SPEED: '600',
    })
    const versionOf = async () =>
      (await fetch(`${service.url}/tournaments`)).headers.get('x-data-version')
    const first = await versionOf()
    while ((await versionOf()) === first) await Bun.sleep(50)
    await expectNone(service)
  })
})
