/**
 * A program of its own, as the heap of other tests makes each look at it costly: prints how many functions and scopes
 * each of 500 readers of the path holds at rest.
 */
import { heapStats } from 'bun:jsc'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import { appOf, archiveOf } from '../../fixtures.ts'
import { until } from '../../until.ts'

const [path = ''] = Bun.argv.slice(2)
const readers = 500

/** Functions and their scopes on the heap, once they become no fewer: those of requests that begin or end are gone. */
const closures = async (): Promise<number> => {
  let least = Number.POSITIVE_INFINITY
  for (let turnsEqual = 0; turnsEqual < 5; turnsEqual += 1) {
    await Bun.sleep(5)
    Bun.gc(true)
    const { Function: functions = 0, JSLexicalEnvironment: scopes = 0 } =
      heapStats().objectTypeCounts
    if (functions + scopes < least) turnsEqual = 0
    least = Math.min(least, functions + scopes)
  }
  return least
}

/** Of a service with so many readers. */
const closuresWith = async (readers: number): Promise<number> => {
  const changes = createChanges()
  const archive = archiveOf()
  changes.feed.begin(archive)
  await changes.feed.ready
  const app = appOf(archive, { changes, basePath: '' })
  const responses = Array.from({ length: readers }, (_, index) =>
    app(new Request(`http://localhost${path}`), `192.0.2.${index % 100}`),
  )
  await until(() => changes.streams.count() === readers)
  const found = await closures()
  changes.streams.stop()
  await Promise.all(responses)
  return found
}

// The first service alone holds what all have in common.
await closuresWith(1)
const alone = await closuresWith(1)
console.log(((await closuresWith(readers)) - alone) / (readers - 1))
process.exit()
