import type { Scale } from '../../scripts/league/league.ts'
import { projectFolder } from '../process.ts'
import type { Profile } from './profiles.ts'
import type { benchSearch } from './search.ts'
import { type Row, rowsOf, type Summary, summary } from './stats.ts'

/** Runs one WHAT in a process of its own, for its memory and event loop, on the same Postgres server. */
const runAlone = async (what: string, scale: Scale, rounds: number, server: string) => {
  const options = ['--scale', String(scale), '--rounds', String(rounds)]
  const child = Bun.spawn([process.execPath, 'test/bench/bench.ts', what, ...options], {
    cwd: projectFolder,
    env: { ...process.env, TEST_DATABASE_URL: server },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [printed, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${what}: ${errors.trim()}`)
  return JSON.parse(printed)
}

interface Refreshes {
  readonly refreshMs: Summary
  readonly eventLoopPauseMs: Summary
  readonly baseline: { readonly idlePauseMs: Summary; readonly rebuildMs: number }
}

const maxPauseMs = new Map([
  ['1', 5],
  ['10', 10],
  ['100', 25],
])

/** One changed fight in a real Postgres: pause of the event loop, and duration of the refresh. */
export const changeRows = async (
  { changeScales, changes }: Profile,
  server: string,
): Promise<Row[]> => {
  const rows: Row[] = []
  for (const scale of changeScales) {
    const result: Refreshes = await runAlone('refresh', scale, changes, server)
    const row = rowsOf(scale)
    rows.push(
      row('one changed fight: pause of the event loop', 'ms', result.eventLoopPauseMs, {
        beside: {
          'a refresh without changes': result.baseline.idlePauseMs,
          'building the whole archive': result.baseline.rebuildMs,
        },
        atMost: maxPauseMs.get(String(scale)),
      }),
      row('one changed fight: refresh to the new version', 'ms', result.refreshMs),
    )
  }
  return rows
}

const maxSearchMs = new Map([
  ['1', 0.5],
  ['10', 3],
])

/** How often and how fast names are found as people type them, beside other search engines. */
export const searchRows = async ({ scales, searches }: Profile, server: string): Promise<Row[]> => {
  const rows: Row[] = []
  for (const scale of scales) {
    const result: Awaited<ReturnType<typeof benchSearch>> = await runAlone(
      'search',
      scale,
      searches,
      server,
    )
    const { means, typing, following } = result
    const own = ['/autocomplete', '/search']
    const others = Object.keys(means).filter((name) => !own.includes(name))
    const p99 = (engine: string) =>
      summary(Object.values(result.rows).flatMap((engines) => engines[engine]?.p99Ms ?? []))
    const first = (engine: string) => summary([means[engine]?.first ?? 0])
    const five = (engine: string) => summary([means[engine]?.five ?? 0])
    const row = rowsOf(scale)
    for (const name of own) {
      const beside = (of: (engine: string) => Summary) =>
        Object.fromEntries(others.map((other) => [other, of(other)]))
      rows.push(
        row(`${name}: p99 of each kind of text`, 'ms', p99(name), {
          beside: beside(p99),
          // The slowest kind counts.
          judged: p99(name).max,
          atMost: maxSearchMs.get(String(scale)),
        }),
        row(`${name}: the bot meant is first, mean of all kinds`, '%', first(name), {
          beside: beside(first),
          atLeast: 85,
        }),
        row(`${name}: the bot meant is among five, mean of all kinds`, '%', five(name), {
          beside: beside(five),
          atLeast: 95,
        }),
      )
    }
    for (const [what, unit, value, atMost] of [
      ['keys until a well-known bot is among eight', 'keys', typing.keysToFirstEight, 1.4],
      ['keys until a well-known bot is first', 'keys', typing.keysToFirst, 2.9],
      ['shown, then gone while the right letters follow', '%', typing.shownThenGonePercent, 1],
      ['bots without the letters in lists for 3 to 6', 'of 8', typing.strangersPerList, 0.3],
      ['search after one changed fight', 'ms', following.oneFightMs, 1],
      ['search after 45 bots left', 'ms', following.leavingMs, 10],
      ['longest pause meanwhile', 'ms', following.leavingLongestPauseMs, 5],
    ] as const) {
      rows.push(row(what, unit, value, { atMost }))
    }
  }
  // Goals are for whole leagues.
  return rows.map((each) => (each.scale === 'sample' ? { ...each, goal: null } : each))
}
