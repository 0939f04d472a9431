import { expect, test } from 'bun:test'
import { fuzz } from '../fuzz.ts'
import { runs } from '../runs.ts'
import { addressings, startSite } from '../site.ts'
import { sizeOf } from '../smallLeague.ts'

test.each(addressings)(
  '500 requests of every kind are answered as described with %s',
  async (addressing) => {
    const { service, stop } = await startSite(addressing, await sizeOf(addressing))
    await fuzz(service.url, { runs: runs(500), seed: 9 })
    await stop()
    expect(service.process.exitCode).toBe(0)
  },
)
