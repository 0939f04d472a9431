import type { Scale } from '../../scripts/league/league.ts'
import { connections, maxConnections, startLoadWorker } from './loadGenerator.ts'
import { descriptors, residentMB } from './machine.ts'
import { openStage, startChanges, startOnPostgres } from './stage.ts'

/** Allowed growth of memory after the second minute. */
const maxGrowth = { factor: 1.1, addedMB: 20 }

/**
 * Event traffic at half the maximum rate, with a change every two seconds. Prints a line per minute on
 * stderr. Throws when a request failed, or memory or descriptors grew.
 */
export const benchSoak = async (scale: Scale, minutes: number) => {
  await using stage = await openStage(scale)
  await using service = await startOnPostgres(stage)
  await using worker = startLoadWorker()
  const { url, pid } = service
  const traffic = { url, traffic: 'event', seed: 4 } as const
  await worker.run({ ...traffic, connections, ms: 10_000 })
  const limit = await worker.run({ ...traffic, connections, ms: 10_000 })
  const perSecond = limit.perSecond / 2
  await using _changes = await startChanges(stage)
  const lines: { residentMB: number; descriptors: number }[] = []
  let failures = limit.failures
  for (let minute = 1; minute <= minutes; minute += 1) {
    const result = await worker.run({
      ...traffic,
      connections: maxConnections,
      ms: 60_000,
      perSecond,
    })
    failures += result.failures
    const { median, p99, max } = result.latencyMs
    const line = {
      minute,
      responses: result.responses,
      failures: result.failures,
      p50Ms: median,
      p99Ms: p99,
      maxMs: max,
      residentMB: Math.round(await residentMB(pid)),
      descriptors: await descriptors(pid),
    }
    lines.push(line)
    console.error(JSON.stringify(line), result.examples.join(', '))
  }
  const [first, second = first] = lines
  const last = lines.at(-1)
  if (!first || !second || !last) throw new Error('no minute was measured')
  if (failures > 0) throw new Error(`${failures} requests failed`)
  const baseMB = Math.max(first.residentMB, second.residentMB)
  if (last.residentMB > baseMB * maxGrowth.factor + maxGrowth.addedMB)
    throw new Error(`memory grew from ${baseMB} to ${last.residentMB} MiB`)
  // A connection may be closing still.
  if (last.descriptors > first.descriptors + maxConnections)
    throw new Error(`${first.descriptors} descriptors became ${last.descriptors}`)
  return { perSecond: Math.round(perSecond), failures, minutes: lines }
}
