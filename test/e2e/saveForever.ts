import { join } from 'node:path'
import { readSnapshot, writeFrames } from '../../src/data/source/snapshot.ts'

/** Writes the sample to the path in its argument repeatedly, until it is killed. */
const [path = ''] = Bun.argv.slice(2)
const sample = await readSnapshot(join(import.meta.dirname, '../../snapshot/sample.cageside'))
const { capturedAt, entries } = sample
// The ids do not matter: nobody reads the rows.
const frames = entries.flatMap(({ frame }, index) => (frame ? [{ id: `${index}`, ...frame }] : []))
for (;;) {
  await writeFrames(path, { capturedAt, cages: [], cageQueue: [] }, frames)
  process.stdout.write('.')
}
