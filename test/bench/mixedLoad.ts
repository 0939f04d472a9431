import type { UsageStats } from '../../src/api/usage/schema.ts'
import { startLoadWorker } from './loadGenerator.ts'
import type { LoadResult } from './loadWorker.ts'
import { maxResidentMB, residentMB } from './machine.ts'
import type { Profile } from './profiles.ts'
import { endService, type Stage, startChanges, startOnPostgres, startPinned } from './stage.ts'
import { type Row, type Stat, statOf } from './stats.ts'

export const connections = 32

/** Connections that are there when answers are late. */
export const maxConnections = 128

/** Throws when an answer was wrong or did not come. */
export const requireNoFailures = (tale: LoadResult): LoadResult => {
  if (tale.failures > 0) {
    throw new Error(`${tale.failures} of ${tale.answers} failed: ${tale.examples.join(', ')}`)
  }
  return tale
}

const memoryGoalMB = new Map([
  ['1', 250],
  ['10', 1200],
])

const plain = (what: string, stage: Stage, unit: string, of: Stat, beside = {}): Row => ({
  what,
  scale: String(stage.scale),
  unit,
  figure: of,
  beside,
  judged: 0,
  goal: null,
})

/** Time in which the collector and the allocator give back what a busy moment left. */
const restMs = 10_000

/** The 99th percentile of the service's own times for a route, in milliseconds. */
const servedP99 = async (url: string, route: string): Promise<number> => {
  const answer = await fetch(`${url}/usage?days=1&endpoint=${encodeURIComponent(route)}`)
  const told: { readonly usage: UsageStats } = JSON.parse(await answer.text())
  return told.usage.responseTimeMs.p99
}

/** Memory before and after mixed requests as fast as they go, and what searches took among them. */
const memoryRows = async (stage: Stage, { requests }: Profile): Promise<Row[]> => {
  const running = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  const crowd = startLoadWorker()
  try {
    const { pid } = running.process
    const loaded = await residentMB(pid)
    const order = { url: running.url, load: 'mix', seed: 1, connections, requests } as const
    const tale = requireNoFailures(await crowd.run(order))
    await Bun.sleep(1000)
    const after = statOf([await residentMB(pid)])
    await Bun.sleep(restMs)
    const rested = statOf([await residentMB(pid)])
    const atMost = memoryGoalMB.get(String(stage.scale))
    const searches = {
      autocomplete: statOf([await servedP99(running.url, '/autocomplete')]),
      search: statOf([await servedP99(running.url, '/search')]),
    }
    return [
      {
        ...plain(`resident memory after ${requests} mixed requests`, stage, 'MiB', after, {
          'before them': statOf([loaded]),
          'at the highest': statOf([await maxResidentMB(pid)]),
        }),
        judged: after.median,
        goal: atMost === undefined ? null : { atMost },
      },
      plain(`resident memory after ${restMs / 1000} idle seconds more`, stage, 'MiB', rested),
      plain('mixed requests, from a cold start', stage, 'answers/s', statOf([tale.perSecond])),
      plain('p99 of /autocomplete among them, server side', stage, 'ms', searches.autocomplete, {
        '/search': searches.search,
      }),
    ]
  } finally {
    await crowd.end()
    await endService(running)
  }
}

/** Times at half the most the service answers, with a change every two seconds and without, in turns. */
const refreshRows = async (stage: Stage, { windows, windowMs }: Profile): Promise<Row[]> => {
  const running = await startOnPostgres(stage)
  const crowd = startLoadWorker()
  try {
    const base = { url: running.url, load: 'mix', seed: 2 } as const
    const ask = async (more: { connections: number; ms: number; perSecond?: number }) =>
      requireNoFailures(await crowd.run({ ...base, ...more }))
    const warm = await ask({ connections, ms: windowMs })
    const most = await ask({ connections, ms: windowMs })
    const half = { connections: maxConnections, ms: windowMs, perSecond: most.perSecond / 2 }
    const [without, changing]: [LoadResult[], LoadResult[]] = [[], []]
    for (let window = 0; window < windows; window += 1) {
      without.push(await ask(half))
      const stopChanges = await startChanges(stage)
      changing.push(await ask(half))
      await stopChanges()
    }
    const p99 = (tales: readonly LoadResult[]) =>
      statOf(tales.map(({ latencyMs }) => latencyMs.p99))
    const times = statOf(
      changing.map(({ latencyMs }, at) => latencyMs.p99 / (without[at]?.latencyMs.p99 ?? 0)),
    )
    const p50 = (tales: readonly LoadResult[]) =>
      statOf(tales.map(({ latencyMs }) => latencyMs.p50))
    return [
      plain('mixed requests at most', stage, 'answers/s', statOf([most.perSecond]), {
        'the first seconds': statOf([warm.perSecond]),
      }),
      plain('p99 at half of that, with changes', stage, 'ms', p99(changing), {
        without: p99(without),
      }),
      plain('p50 at half of that, with changes', stage, 'ms', p50(changing), {
        without: p50(without),
      }),
      {
        ...plain('p99 with changes, against without', stage, 'times', times),
        judged: times.median,
        goal: { atMost: 2 },
      },
      plain('core that the load took at most', stage, 'share', statOf([most.load])),
    ]
  } finally {
    await crowd.end()
    await endService(running)
  }
}

export const mixedLoadRows = async (stage: Stage, effort: Profile): Promise<Row[]> => [
  ...(await memoryRows(stage, effort)),
  ...(await refreshRows(stage, effort)),
]
