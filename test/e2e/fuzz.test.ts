import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { writeSnapshot } from '../../src/source/snapshot.ts'
import { fuzz } from '../fuzz.ts'
import { temporaryFolder } from '../process.ts'
import { runs } from '../runs.ts'
import { addressings, startSite } from '../site.ts'
import { capturedAt, smallLeague } from '../smallLeague.ts'

const SNAPSHOT = join(await temporaryFolder(), 'league.cageside')
await writeSnapshot(SNAPSHOT, { capturedAt, ...smallLeague })

test.each(addressings)(
  'with %s, 500 requests of every kind are answered as described',
  async (addressing) => {
    const { service, stop } = await startSite(addressing, { SNAPSHOT })
    await fuzz(service.url, { runs: runs(500), seed: 9 })
    await stop()
    expect(service.process.exitCode).toBe(0)
  },
)
