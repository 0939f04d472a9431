import { join } from 'node:path'
import { readSnapshot, writeFrames } from '../../src/source/snapshot.ts'

/** Writes the sample to the path in its argument again and again, until it is killed. */
const [path = ''] = Bun.argv.slice(2)
const sample = await readSnapshot(join(import.meta.dirname, '../../snapshot/sample.cageside'))
const { capturedAt, entries } = sample
const frames = entries.flatMap(({ rows, frame }) => {
  const { tournament } = rows()
  const id = typeof tournament === 'object' && tournament && 'id' in tournament ? tournament.id : ''
  return frame ? [{ id: String(id), ...frame }] : []
})
for (;;) {
  await writeFrames(path, { capturedAt, cages: [], cageQueue: [] }, frames)
  process.stdout.write('.')
}
