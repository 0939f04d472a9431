import { expect, test } from 'bun:test'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { oneFight } from '../oneFight.ts'
import { type Running, startService, stopService, temporaryFolder } from '../process.ts'
import { until } from '../until.ts'

const requestsOf = async ({ url }: Running, route: string): Promise<number> => {
  const body = JSON.parse(await (await fetch(`${url}/usage?endpoint=${route}`)).text())
  return body.usage.totalRequests
}
const healthOf = async ({ url }: Running) => JSON.parse(await (await fetch(`${url}/health`)).text())

test('usage is restored from a copy of DATA_DIR made during writes, without the key', async () => {
  const dataDir = await temporaryFolder()
  const service = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: dataDir })
  for (let n = 0; n < 20; n += 1) await fetch(`${service.url}/cages`)
  await until(async () => (await healthOf(service)).usageLog.written >= 20)
  const copy = join(await temporaryFolder(), 'restored')
  await cp(dataDir, copy, {
    recursive: true,
    filter: (path) => !path.endsWith('client.key') && !path.endsWith('lock'),
  })
  const restored = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: copy })
  expect(await requestsOf(restored, '/cages')).toBe(20)
  expect(await healthOf(restored)).toMatchObject({ status: 'ok', problems: [] })
  await Promise.all([service, restored].map(stopService))
})

test('a second process on a DATA_DIR says so in /health and in the log, and takes over', async () => {
  const dataDir = await temporaryFolder()
  const first = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: dataDir })
  const second = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: dataDir })
  expect(await healthOf(second)).toMatchObject({
    status: 'degraded',
    problems: ['another process writes the usage log in DATA_DIR'],
  })
  for (let n = 0; n < 5; n += 1) await fetch(`${second.url}/cages`)
  await stopService(first)
  await until(async () => (await healthOf(second)).status === 'ok')
  expect((await healthOf(second)).usageLog).toMatchObject({ dropped: 0 })
  await stopService(second)
  const log = await second.stderr()
  expect(log).toContain(
    'another process writes the usage log in DATA_DIR; this one counts in memory',
  )
  expect(log).toContain('this process writes the usage log now')
  const third = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: dataDir })
  expect(await requestsOf(third, '/cages')).toBe(5)
  await stopService(third)
})
