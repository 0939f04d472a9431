import type { UsageStats } from '../../src/api/usage/schema.ts'
import { connections, maxConnections, requireNoFailures, startLoadWorker } from './loadGenerator.ts'
import type { LoadResult } from './loadWorker.ts'
import { maxResidentMB, residentMB } from './machine.ts'
import type { Profile } from './profiles.ts'
import { type Stage, startChanges, startOnPostgres, startPinned } from './stage.ts'
import { type Row, rowsOf } from './stats.ts'

const maxMemoryMB = new Map([
  ['1', 250],
  ['10', 1200],
])

/** The 99th percentile of the service's own times for a route, in milliseconds. */
const servedP99 = async (url: string, route: string): Promise<number> => {
  const answer = await fetch(`${url}/usage?days=1&endpoint=${encodeURIComponent(route)}`)
  const { usage }: { readonly usage: UsageStats } = JSON.parse(await answer.text())
  return usage.responseTimeMs.p99
}

/** Memory before and after event traffic at the maximum rate, and search times during it. */
const memoryRows = async (stage: Stage, { requests, idleMs }: Profile): Promise<Row[]> => {
  await using service = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  await using worker = startLoadWorker()
  const { url, pid } = service
  const loaded = await residentMB(pid)
  const task = { url, traffic: 'event', seed: 1, connections, requests } as const
  const { perSecond } = requireNoFailures(await worker.run(task))
  await Bun.sleep(idleMs / 10)
  const after = await residentMB(pid)
  // Time for the garbage collector and the allocator to return memory.
  await Bun.sleep(idleMs)
  const idle = await residentMB(pid)
  const row = rowsOf(stage.scale)
  return [
    row(`resident memory after ${requests} mixed requests`, 'MiB', after, {
      beside: { 'before them': loaded, maximum: await maxResidentMB(pid) },
      atMost: maxMemoryMB.get(String(stage.scale)),
    }),
    row(`resident memory after ${idleMs / 1000} idle seconds more`, 'MiB', idle),
    row('mixed requests, from a cold start', 'requests/s', perSecond),
    row(
      'p99 of /autocomplete among them, server side',
      'ms',
      await servedP99(url, '/autocomplete'),
      {
        beside: { '/search': await servedP99(url, '/search') },
      },
    ),
  ]
}

/** Latency at half the maximum rate, with a change every two seconds and without, in turns. */
const refreshRows = async (stage: Stage, { windows, windowMs }: Profile): Promise<Row[]> => {
  await using service = await startOnPostgres(stage)
  await using worker = startLoadWorker()
  const run = async (connections: number, perSecond?: number): Promise<LoadResult> => {
    const task = { url: service.url, traffic: 'event', seed: 2, connections, ms: windowMs } as const
    return requireNoFailures(await worker.run({ ...task, ...(perSecond && { perSecond }) }))
  }
  const warm = await run(connections)
  const limit = await run(connections)
  const half = limit.perSecond / 2
  const [without, changing]: [LoadResult[], LoadResult[]] = [[], []]
  for (let window = 0; window < windows; window += 1) {
    without.push(await run(maxConnections, half))
    await using _changes = await startChanges(stage)
    changing.push(await run(maxConnections, half))
  }
  const p50 = (results: readonly LoadResult[]) => results.map(({ latencyMs }) => latencyMs.median)
  const p99 = (results: readonly LoadResult[]) => results.map(({ latencyMs }) => latencyMs.p99)
  const quiet = p99(without)
  const ratios = p99(changing).map((ms, window) => ms / (quiet[window] ?? ms))
  const row = rowsOf(stage.scale)
  return [
    row('mixed requests, maximum', 'requests/s', limit.perSecond, {
      beside: { 'the first seconds': warm.perSecond },
    }),
    row('p99 at half of that, with changes', 'ms', p99(changing), { beside: { without: quiet } }),
    row('p50 at half of that, with changes', 'ms', p50(changing), {
      beside: { without: p50(without) },
    }),
    row('p99 with changes, against without', 'times', ratios, { atMost: 2 }),
    row('core used by the load at the maximum', 'share', limit.cpuShare),
  ]
}

export const mixedLoadRows = async (stage: Stage, profile: Profile): Promise<Row[]> => [
  ...(await memoryRows(stage, profile)),
  ...(await refreshRows(stage, profile)),
]
