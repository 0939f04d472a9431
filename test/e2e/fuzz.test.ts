import { expect, test } from 'bun:test'
import { fuzz } from '../fuzz.ts'
import { startService, stopService } from '../process.ts'

test('5,000 requests of every kind are answered as described', async () => {
  const service = await startService()
  await fuzz(service.url, { runs: 5000, seed: 9 })
  expect(await stopService(service)).toBe(0)
})
