import type { Scale } from '../../scripts/league/league.ts'
import { projectFolder } from '../process.ts'
import type { Profile } from './profiles.ts'
import { type Row, type Stat, statOf, statOfSpread } from './stats.ts'

/** Runs one WHAT in a process of its own, so that it shares no memory; gives what it prints. */
const runAlone = async (what: string, scale: Scale, rounds: number): Promise<string> => {
  const options = ['--scale', String(scale), '--rounds', String(rounds)]
  const child = Bun.spawn([process.execPath, 'test/bench/bench.ts', what, ...options], {
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
export const changeRows = async ({ changeScales, changes }: Profile): Promise<Row[]> => {
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
        figure: statOfSpread(told.eventLoopPauseMs),
        beside: {
          'a look that finds nothing': statOfSpread(told.baseline.idlePauseMs),
          'building everything anew': statOf([told.baseline.rebuildMs]),
        },
        judged: told.eventLoopPauseMs.median,
        goal: atMost === undefined ? null : { atMost },
      },
      {
        what: 'one changed fight: from the look to the new version',
        scale,
        unit: 'ms',
        figure: statOfSpread(told.refreshMs),
        beside: {},
        judged: 0,
        goal: null,
      },
    )
  }
  return rows
}

interface Searches {
  readonly means: Readonly<Record<string, { readonly first: number; readonly five: number }>>
  readonly rows: Readonly<Record<string, Readonly<Record<string, { readonly p99Ms: number }>>>>
  readonly typing: {
    readonly keysToFirstEight: number
    readonly keysToFirst: number
    readonly shownThenGonePercent: number
    readonly strangersPerList: number
  }
  readonly following: {
    readonly oneFightMs: number
    readonly leavingMs: number
    readonly leavingLongestPauseMs: number
  }
}

const searchGoalMs = new Map([
  ['1', 0.5],
  ['10', 3],
])

/** How often and how fast names are found as people type them, beside other search engines. */
export const searchRows = async ({ scales, searches }: Profile): Promise<Row[]> => {
  const rows: Row[] = []
  for (const each of scales) {
    const told: Searches = JSON.parse(await runAlone('search', each, searches))
    const scale = String(each)
    const kinds = Object.values(told.rows)
    const own = ['/autocomplete', '/search']
    const others = Object.keys(told.means).filter((name) => !own.includes(name))
    const slowest = (name: string) => statOf(kinds.flatMap((engines) => engines[name]?.p99Ms ?? []))
    const besideOf = (value: (name: string) => Stat) =>
      Object.fromEntries(others.map((name) => [name, value(name)]))
    const add = (
      what: string,
      unit: string,
      value: number,
      goal: Row['goal'],
      beside = {},
    ): void => {
      const isJudged = scale !== 'sample'
      const each = statOf([value])
      rows.push({
        what,
        scale,
        unit,
        figure: each,
        beside,
        judged: value,
        goal: isJudged ? goal : null,
      })
    }
    const atMost = searchGoalMs.get(scale)
    for (const name of own) {
      rows.push({
        what: `${name}: p99 of each kind of text`,
        scale,
        unit: 'ms',
        figure: slowest(name),
        beside: besideOf(slowest),
        // The slowest kind counts.
        judged: slowest(name).max,
        goal: atMost === undefined ? null : { atMost },
      })
      const first = (engine: string) => statOf([told.means[engine]?.first ?? 0])
      const five = (engine: string) => statOf([told.means[engine]?.five ?? 0])
      add(
        `${name}: the bot meant is first, mean of all kinds`,
        '%',
        first(name).median,
        { atLeast: 85 },
        besideOf(first),
      )
      add(
        `${name}: the bot meant is among five, mean of all kinds`,
        '%',
        five(name).median,
        { atLeast: 95 },
        besideOf(five),
      )
    }
    const { typing, following } = told
    add('keys until a well-known bot is among eight', 'keys', typing.keysToFirstEight, {
      atMost: 1.4,
    })
    add('keys until a well-known bot is first', 'keys', typing.keysToFirst, { atMost: 2.9 })
    add('shown, then gone while the right letters follow', '%', typing.shownThenGonePercent, {
      atMost: 1,
    })
    add('strangers in lists for 3 to 6 letters', 'of 8', typing.strangersPerList, { atMost: 0.3 })
    add('search after one changed fight', 'ms', following.oneFightMs, { atMost: 1 })
    add('search after 45 bots left', 'ms', following.leavingMs, { atMost: 10 })
    add('longest pause meanwhile', 'ms', following.leavingLongestPauseMs, { atMost: 5 })
  }
  return rows
}
