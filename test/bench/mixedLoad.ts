import { connections, maxConnections, requireNoFailures, startLoadWorker } from './loadGenerator.ts'
import type { LoadResult } from './loadWorker.ts'
import { openStage, startChanges, startOnPostgres } from './stage.ts'
import { type Extent, inTurns, type Row, rowsOf } from './stats.ts'

/** Latency at half the maximum rate, with a change every two seconds and without, in turns. */
export const benchMixed = async ({ scale, rounds, isBrief }: Extent): Promise<Row[]> => {
  await using stage = await openStage(scale)
  await using service = await startOnPostgres(stage)
  await using worker = startLoadWorker()
  const run = async (connections: number, perSecond?: number): Promise<LoadResult> => {
    const ms = isBrief ? 300 : 10_000
    const task = { url: service.url, traffic: 'event', seed: 2, connections, ms } as const
    return requireNoFailures(await worker.run({ ...task, ...(perSecond && { perSecond }) }))
  }
  const warm = await run(connections)
  const limit = await run(connections)
  const half = limit.perSecond / 2
  const { without = [], changing = [] } = await inTurns(
    rounds,
    { without: false, changing: true },
    async (hasChanges) => {
      await using _changes = hasChanges ? await startChanges(stage) : undefined
      return await run(maxConnections, half)
    },
  )
  const latencies = (results: readonly LoadResult[], of: 'median' | 'p99') =>
    results.map(({ latencyMs }) => latencyMs[of])
  const quiet = latencies(without, 'p99')
  const p99 = latencies(changing, 'p99')
  const ratios = p99.map((ms, window) => ms / (quiet[window] ?? ms))
  const row = rowsOf(scale)
  return [
    row('mixed requests, maximum', 'requests/s', limit.perSecond, {
      beside: { 'the first seconds': warm.perSecond },
    }),
    row('p99 at half of that, with changes', 'ms', p99, { beside: { without: quiet } }),
    row('p50 at half of that, with changes', 'ms', latencies(changing, 'median'), {
      beside: { without: latencies(without, 'median') },
    }),
    row('p99 with changes, against without', 'times', ratios, { atMost: 2 }),
    row('core used by the load at the maximum', 'share', limit.cpuShare),
  ]
}
