import { monitorEventLoopDelay } from 'node:perf_hooks'
import { CommandError, readArguments, runCommand } from '../../scripts/command.ts'
import { generateLeague, parseScale, type Scale, scaleNames } from '../../scripts/league/league.ts'
import { insertLeague } from '../../scripts/load.ts'
import { buildArchive, noCages } from '../../src/archive/archive.ts'
import { emptyLeague, type LoadedLeague as League } from '../../src/archive/loadedLeague.ts'
import { leagueOfSnapshot } from '../../src/archive/savedLeague.ts'
import { refreshLeague } from '../../src/following/refresh.ts'
import { connect, openPool, type Source } from '../../src/source/connection.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { benchAllGoals } from './allGoals.ts'
import { compareAnswers } from './answers.ts'
import { benchBulk } from './bulk.ts'
import { benchChanges, benchReaders } from './changes.ts'
import { benchCsv } from './csv.ts'
import { overloadRows, reportRows, routeCostRows } from './dear.ts'
import { benchForecast } from './forecast.ts'
import { memoryBoundRows } from './memoryBound.ts'
import { benchMirror } from './mirror.ts'
import { pageRows } from './pages.ts'
import { paintRows } from './paint.ts'
import { full, quick } from './profiles.ts'
import { benchRatings } from './ratings.ts'
import { coreRows, orderRows, shareRows } from './scaling.ts'
import { benchSearch } from './search.ts'
import { benchSource } from './source.ts'
import { openSnapshotStage, openStage } from './stage.ts'
import { memoryRows, startRows } from './start.ts'
import { isMet, printRows, type Row, rounded, summary } from './stats.ts'
import { benchUsage } from './usage.ts'
import { benchWhen } from './when.ts'

const help = `Usage: bun run bench [WHAT…] [--scale SCALE] [--rounds N] [--beside PATH] [--misses]
       bun run bench [--quick]

Measures on an invented league of the given size. Prints one line of JSON, and tables on stderr.

Without WHAT: everything that has a goal, on leagues of scale 1 and 10 (one changed fight on 100, too),
beside other servers and search engines in the same run; takes half an hour. With --quick: every part as
briefly as possible, to show that it runs; the figures mean little.

  start      from a snapshot: time from process start to first answer, memory, longest turns of the event loop
  memory     resident memory after a million mixed requests
  refresh    one changed fight in a real Postgres: duration of the refresh, longest pause of the event
             loop, memory before and after all rounds; at scale 100 the database holds only the
             tournament that changes
  source     a real Postgres: start without and with a last good archive, cost of comparing everything,
             longest wait of a writer for the locks of a reader that loads in a loop
  search     share of queries whose bot is found, and latency, by kind of query, beside other search
             engines; keys until a well-known bot is shown; updates of the index
  changes    one changed fight: cost of the differences; commit to client with notifications and by the
             timer; one change to 10,000 streams while others request; 180 changes at once to 10,000
             streams or long polls, half of which read nothing or none
  readers    10,000 idle streams, and as many long polls: memory of each, time to stop; on the sample
  bulk       every fight and recording by /bulk and by walking the API; memory and delays while files are
             made and sent to slow readers
  mirror     one changed fight: bytes, refresh, delay and CPU time in a mirror, and its memory
  csv        100,000 fights of a spreadsheet imported twice, and half as many: CPU time and peak memory; a
             day of 60 edits: from the save of a result to readers of the stream
  scaling    requests per second of CPU time, by the service and by nginx and Varnish with the files of
             scripts/deploy; with 1,000 people who poll every 5 s, the share that reaches the service
             behind each of them, and latency; how often an address goes back to an older version
  usage      requests per second with and without the usage log, beside a bare server; start, memory
             and reports with a year of a million requests a day
  dear       the most expensive request of every route, cold and stored: latency, main-thread time, worst
             delay of others; requests of others beside 1,000 connections of expensive ones, and beside
             usage reports
  pages      pages for browsers, made anew, and stored beside a JSON body of that size; a stored response of
             the API with pages on and off
  paint      largest paint and layout shift of each page of the sample on slow 4G with a processor four times
             slower, with its films and without, on a phone and a desktop; in the Chromium of the system
  when       every event replayed change by change: how far expected starts of the next 1, 3 and 10 fights of
             a cage are off, beside the planned time and beside mean turn × place; share within the range
  forecast   chances in a bracket: CPU time and longest step by format; how often favourites of brackets of 16 win,
             beside their chance by distributions of strength and by mean strengths
  hostile    memory during 200,000 different requests of hostile clients; fails above its bound
  ratings    log loss, Brier score and bins of the chances before fights, beside win rate, Elo and Glicko-2;
             of the league of a scale, or of each --league; cost of ratings; bands around known strengths
  answers    no figures: whether every answer is as in another checkout, byte for byte (status, headers,
             body, in every content coding), from one file with clocks that stand still. Lists what
             differs and fails; takes half a minute with the sample. For a change that must not show:
               git worktree add ../before main && (cd ../before && bun install --frozen-lockfile)
               bun run bench answers --beside ../before --scale sample

  --scale S  size of the league: sample, or 1 to 100 (default 1)
  --rounds N repetitions (default 5 for start, scaling and usage, 10 for mirror, 3 for source, dear and paint, 1 for
             memory, 30 for pages, 300 for search, 200000 for hostile, 100 for the others); for search queries
             of each kind, 30 % of them from scale 10 on
  --league PATH  of ratings: a CSV file with date, event, winner and loser, or a snapshot; repeated for
             several
  --beside PATH  of start, memory and answers: another checkout, with its packages installed; start and
             memory are measured in turns
  --misses   of search: also list each query whose bot is not first
  --help     this text`

const printed = (rows: Row[]): { readonly rows: Row[] } => {
  printRows(rows)
  return { rows }
}

interface LoadedLeague {
  readonly league: League
  readonly loadMs: number
}

/** Loads the whole league from the database. */
const loadWhole = async (
  scale: Scale,
  { adminUrl }: TestDatabase,
  source: Source,
): Promise<LoadedLeague> => {
  await insertLeague(adminUrl, generateLeague({ seed: 1, scale }))
  const started = performance.now()
  const { league } = await refreshLeague(source, emptyLeague)
  return { league, loadMs: performance.now() - started }
}

/**
 * Loads the league from rows in memory; the database holds only the tournament that will change. A
 * refresh reads no other, and filling a database with the largest league takes over half an hour.
 */
const loadMostlyFromRows = async (
  scale: Scale,
  { adminUrl }: TestDatabase,
  source: Source,
): Promise<LoadedLeague> => {
  const { tournaments } = generateLeague({ seed: 1, scale })
  const started = performance.now()
  const { league } = await leagueOfSnapshot({
    cages: noCages,
    entries: Iterator.from(tournaments).map((rows) => ({
      rows: () => rows,
      digest: 0n,
      frame: undefined,
    })),
  })
  const loadMs = performance.now() - started
  const changing = league.archive?.dataset.fights[0]?.tournament.id
  for (const rows of tournaments) {
    if (rows.tournament.id !== changing) continue
    await insertLeague(adminUrl, { ...noCages, tournaments: [rows] })
    break
  }
  const { position } = (await refreshLeague(source, emptyLeague)).league
  return { league: { ...league, position }, loadMs }
}

const benchRefresh = async (scale: Scale, rounds: number) => {
  const database = await freshDatabase()
  const source = connect(database.readerUrl, { deadlineMs: 60_000 })
  const admin = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  try {
    const load = scale === 100 ? loadMostlyFromRows : loadWhole
    const loaded = await load(scale, database, source)
    let league = loaded.league
    const fight = league.archive?.dataset.fights[0]
    if (!fight) throw new Error('the league has no fight')
    const change = (notice: string) =>
      admin`UPDATE cageside.games SET notice = ${notice}
            WHERE tournament_id = ${fight.tournament.id} AND id = ${fight.id}`

    const refresh = async () => {
      const delays = monitorEventLoopDelay({ resolution: 1 })
      delays.enable()
      await Bun.sleep(5)
      delays.reset()
      const started = performance.now()
      league = (await refreshLeague(source, league)).league
      const ms = performance.now() - started
      await Bun.sleep(5)
      delays.disable()
      return { ms, pauseMs: delays.max / 1e6 }
    }
    const durations: number[] = []
    const pauses: number[] = []
    const idlePauses: number[] = []
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    for (let round = 0; round < rounds; round += 1) {
      await change(`round ${round}`)
      const { ms, pauseMs } = await refresh()
      durations.push(ms)
      pauses.push(pauseMs)
      idlePauses.push((await refresh()).pauseMs)
    }
    Bun.gc(true)
    const after = process.memoryUsage.rss()
    const rebuildStarted = performance.now()
    buildArchive(
      'rebuilt',
      [...league.entries.values()].map(({ tournament }) => tournament),
    )
    const rebuildMs = performance.now() - rebuildStarted
    return {
      fights: league.archive?.dataset.fights.length,
      fightsOfTournament: league.archive?.dataset.tournamentsByID.get(fight.tournament.id)?.fights
        .length,
      fullLoadMs: rounded(loaded.loadMs),
      refreshMs: summary(durations),
      eventLoopPauseMs: summary(pauses),
      // A refresh without changes, and building the whole archive.
      baseline: { idlePauseMs: summary(idlePauses), rebuildMs: rounded(rebuildMs) },
      residentMB: { before: rounded(before / 2 ** 20), after: rounded(after / 2 ** 20) },
    }
  } finally {
    await source.close()
    await admin.end({ timeout: 1 })
    await database.drop()
  }
}

const benchAnswers = (scale: Scale, beside: string | undefined): Promise<object> => {
  if (beside === undefined) throw new CommandError('answers needs --beside PATH')
  return compareAnswers(beside, scale)
}

/** Fails where memory grows beyond its bound. */
const benchHostile = async (scale: Scale, hostileRequests: number) => {
  await using stage = await openSnapshotStage(scale)
  const rows = await memoryBoundRows(stage, { hostileRequests })
  printRows(rows)
  if (rows.some((row) => isMet(row) === false)) throw new CommandError('memory grew too much')
  return { rows }
}

const benchDear = async (scale: Scale, rounds: number) => {
  await using stage = await openSnapshotStage(scale)
  const profile = { ...full, startRounds: rounds, windows: rounds, windowMs: 5000 }
  const rows: Row[] = []
  const steps = { overload: overloadRows, reports: reportRows, 'every route': routeCostRows }
  for (const [name, run] of Object.entries(steps)) {
    console.error(`… ${name}`)
    rows.push(...(await run(stage, profile)))
  }
  return printed(rows)
}

/** Needs nginx and Varnish. */
const benchScaling = async (scale: Scale, rounds: number) => {
  await using stage = await openStage(scale)
  const steps = [
    () => coreRows(stage, { rounds, seconds: 2 }),
    () => shareRows(stage, { windows: rounds, windowMs: 8000 }),
    () => orderRows(stage, { changes: 100 }),
  ]
  const rows: Row[] = []
  for (const step of steps) {
    const measured = await step()
    printRows(measured)
    rows.push(...measured)
  }
  return { rows }
}

interface Bench {
  readonly run: (
    scale: Scale,
    rounds: number,
    options: {
      misses: boolean
      beside?: string | undefined
      league?: string[] | undefined
    },
  ) => Promise<object>
  readonly rounds: number
}

const benches: ReadonlyMap<string, Bench> = new Map<string, Bench>([
  [
    'start',
    {
      run: async (scale, rounds, { beside }) => printed(await startRows(scale, rounds, beside)),
      rounds: 5,
    },
  ],
  [
    'memory',
    {
      run: async (scale, rounds, { beside }) =>
        printed(await memoryRows(scale, rounds, 1_000_000, beside)),
      rounds: 1,
    },
  ],
  ['refresh', { run: benchRefresh, rounds: 100 }],
  ['source', { run: benchSource, rounds: 3 }],
  ['search', { run: benchSearch, rounds: 300 }],
  ['changes', { run: benchChanges, rounds: 100 }],
  ['readers', { run: benchReaders, rounds: 1 }],
  ['bulk', { run: benchBulk, rounds: 1 }],
  ['mirror', { run: benchMirror, rounds: 10 }],
  ['csv', { run: benchCsv, rounds: 1 }],
  ['scaling', { run: benchScaling, rounds: 5 }],
  ['usage', { run: benchUsage, rounds: 5 }],
  ['dear', { run: benchDear, rounds: 3 }],
  ['pages', { run: async (scale, rounds) => printed(await pageRows(scale, rounds)), rounds: 30 }],
  ['paint', { run: async (_, rounds) => printed(await paintRows(rounds)), rounds: 3 }],
  [
    'ratings',
    {
      run: (scale, rounds, { league = [] }) => benchRatings(scale, rounds, league),
      rounds: 20,
    },
  ],
  ['when', { run: async (scale) => printed((await benchWhen(scale)).rows), rounds: 1 }],
  [
    'forecast',
    {
      run: async (scale, rounds) => printed((await benchForecast(scale, rounds)).rows),
      rounds: 10,
    },
  ],
  ['answers', { run: (scale, _, { beside }) => benchAnswers(scale, beside), rounds: 1 }],
  ['hostile', { run: benchHostile, rounds: 200_000 }],
])

const main = async (): Promise<void> => {
  const { values, positionals } = readArguments({
    scale: { type: 'string' },
    rounds: { type: 'string' },
    beside: { type: 'string' },
    league: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  })
  if (values.help) return console.log(help)
  if (positionals.length === 0) {
    if (values.scale !== undefined || values.rounds !== undefined)
      throw new CommandError('--scale and --rounds need WHAT (see --help)')
    return console.log(JSON.stringify(await benchAllGoals(values.quick ? quick : full)))
  }
  if (values.quick) throw new CommandError('--quick is for everything, without WHAT (see --help)')
  const scale = parseScale(values.scale ?? '1')
  if (scale === undefined) throw new CommandError(`--scale must be ${scaleNames}`)
  for (const what of positionals) {
    const bench = benches.get(what)
    if (!bench) {
      const known = [...benches.keys()].join(', ')
      throw new CommandError(`some of ${known} are expected, or nothing (see --help)`)
    }
    const rounds = Number(values.rounds ?? bench.rounds)
    if (!(Number.isInteger(rounds) && rounds > 0))
      throw new CommandError('--rounds must be positive')
    const result = await bench.run(scale, rounds, values)
    console.log(JSON.stringify({ what, scale, rounds, ...result }))
  }
}

await runCommand(main)
// The database server would keep this process alive.
process.exit()
