import type { Scale } from '../../scripts/league/league.ts'
import { startLoadWorker } from './loadGenerator.ts'
import { descriptors, residentMB } from './machine.ts'
import { connections, maxConnections } from './mixedLoad.ts'
import { endService, openStage, startChanges, startOnPostgres } from './stage.ts'

const rounded = (value: number): number => Math.round(value * 100) / 100

/** More memory than in the minute after the first that is no growth yet, as a share and in MiB. */
const flat = { share: 1.1, addedMB: 20 }

/**
 * The mix at half of what the service can answer, with a change every two seconds, for so many minutes.
 * Tells of each minute on stderr. Throws when a request failed, or memory or descriptors grew.
 */
export const benchSoak = async (scale: Scale, minutes: number) => {
  const stage = await openStage(scale)
  const running = await startOnPostgres(stage)
  const crowd = startLoadWorker()
  try {
    const { pid } = running.process
    const base = { url: running.url, load: 'mix', seed: 4 } as const
    await crowd.run({ ...base, connections, ms: 10_000 })
    const most = await crowd.run({ ...base, connections, ms: 10_000 })
    const half = {
      ...base,
      connections: maxConnections,
      ms: 60_000,
      perSecond: most.perSecond / 2,
    }
    const stopChanges = await startChanges(stage)
    const told: object[] = []
    const memory: number[] = []
    const open: number[] = []
    let failures = most.failures
    for (let minute = 1; minute <= minutes; minute += 1) {
      const tale = await crowd.run(half)
      failures += tale.failures
      memory.push(await residentMB(pid))
      open.push(await descriptors(pid))
      const { p50, p99, max } = tale.latencyMs
      const line = {
        minute,
        answers: tale.answers,
        failures: tale.failures,
        p50Ms: rounded(p50),
        p99Ms: rounded(p99),
        maxMs: rounded(max),
        residentMB: Math.round(memory.at(-1) ?? 0),
        descriptors: open.at(-1),
      }
      told.push(line)
      console.error(JSON.stringify(line), tale.examples.join(', '))
    }
    await stopChanges()
    const [first = 0, second = first] = memory
    const last = memory.at(-1) ?? 0
    const [openFirst = 0] = open
    const openLast = open.at(-1) ?? 0
    if (failures > 0) throw new Error(`${failures} requests failed`)
    if (last > Math.max(first, second) * flat.share + flat.addedMB)
      throw new Error(`memory grew from ${Math.round(second)} to ${Math.round(last)} MiB`)
    // A connection may be closing still.
    if (openLast > openFirst + maxConnections)
      throw new Error(`${openFirst} descriptors became ${openLast}`)
    return { perSecond: Math.round(most.perSecond / 2), failures, minutes: told }
  } finally {
    await crowd.end()
    await endService(running)
    await stage.close()
  }
}
