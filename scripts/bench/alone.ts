import { projectFolder } from '../../test/process.ts'
import type { Scale } from '../league/league.ts'
import type { Effort } from './effort.ts'
import { figure, figureOf, type Row } from './figures.ts'

/** Runs one WHAT in a process of its own, so that it shares no memory; gives what it prints. */
const runAlone = async (what: string, scale: Scale, rounds: number): Promise<string> => {
  const options = ['--scale', String(scale), '--rounds', String(rounds)]
  const child = Bun.spawn([process.execPath, 'scripts/bench.ts', what, ...options], {
    cwd: projectFolder,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  if ((await child.exited) !== 0) throw new Error(`${what}: ${complaint.trim()}`)
  return printed
}

interface Spread {
  readonly median: number
  readonly p99: number
  readonly max: number
}

interface Refreshes {
  readonly refreshMs: Spread
  readonly eventLoopPauseMs: Spread
  readonly baseline: { readonly idlePauseMs: Spread; readonly rebuildMs: number }
}

const pauseGoalMs = new Map([
  ['1', 5],
  ['10', 10],
  ['100', 25],
])

/** One changed fight in a real Postgres: how long the event loop stands still, and the whole of it. */
export const changeRows = async ({ changeScales, changes }: Effort): Promise<Row[]> => {
  const rows: Row[] = []
  for (const each of changeScales) {
    const told: Refreshes = JSON.parse(await runAlone('refresh', each, changes))
    const scale = String(each)
    const atMost = pauseGoalMs.get(scale)
    rows.push(
      {
        what: 'one changed fight: pause of the event loop',
        scale,
        unit: 'ms',
        figure: figureOf(told.eventLoopPauseMs),
        beside: {
          'a look that finds nothing': figureOf(told.baseline.idlePauseMs),
          'building everything anew': figure([told.baseline.rebuildMs]),
        },
        judged: told.eventLoopPauseMs.median,
        goal: atMost === undefined ? null : { atMost },
      },
      {
        what: 'one changed fight: from the look to the new version',
        scale,
        unit: 'ms',
        figure: figureOf(told.refreshMs),
        beside: {},
        judged: 0,
        goal: null,
      },
    )
  }
  return rows
}

interface Found {
  readonly recallAt5: number
  readonly p99Ms: number
}

interface Searches {
  readonly rows: Readonly<Record<string, Readonly<Record<string, Found>>>>
}

const recallGoals = new Map([
  ['exact name', 100],
  ['clean name', 100],
  ['one typo', 99],
  ['two typos', 97],
])

const searchGoalMs = new Map([
  ['1', 0.5],
  ['10', 3],
])

/** How often and how fast names are found as people type them, beside other search engines. */
export const searchRows = async ({ scales, searches }: Effort): Promise<Row[]> => {
  const rows: Row[] = []
  for (const each of scales) {
    const told: Searches = JSON.parse(await runAlone('search', each, searches))
    const scale = String(each)
    const kinds = Object.entries(told.rows)
    const others = Object.keys(kinds[0]?.[1] ?? {}).filter((name) =>
      ['MiniSearch', 'uFuzzy', 'Fuse.js', 'pg_trgm'].includes(name),
    )
    const slowest = (name: string) =>
      figure(kinds.flatMap(([, engines]) => engines[name]?.p99Ms ?? []))
    const atMost = searchGoalMs.get(scale)
    rows.push({
      what: 'search: p99 of each of the ways to type a name',
      scale,
      unit: 'ms',
      figure: slowest('Cageside'),
      beside: Object.fromEntries(others.map((name) => [name, slowest(name)])),
      // The slowest way counts.
      judged: slowest('Cageside').most,
      goal: atMost === undefined ? null : { atMost },
    })
    for (const [kind, atLeast] of recallGoals) {
      const recall = (name: string) => figure([told.rows[kind]?.[name]?.recallAt5 ?? 0])
      rows.push({
        what: `search: found among the first 5, ${kind}`,
        scale,
        unit: '%',
        figure: recall('Cageside'),
        beside: Object.fromEntries(others.map((name) => [name, recall(name)])),
        judged: recall('Cageside').median,
        goal: scale === 'sample' ? null : { atLeast },
      })
    }
  }
  return rows
}
