import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { CommandError, readArguments, runCommand } from '../../scripts/command.ts'
import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { insertLeague } from '../../scripts/load.ts'
import { createApp } from '../../src/app.ts'
import { buildArchive, noCages, nothingLoaded } from '../../src/archive/archive.ts'
import { emptyLeague, type LoadedLeague as League } from '../../src/archive/loadedLeague.ts'
import { leagueOfSnapshot, refreshLeague } from '../../src/archive/refresh.ts'
import { buildTournament } from '../../src/league/build.ts'
import { createLog } from '../../src/log.ts'
import { connect, openPool, type Source } from '../../src/source/connection.ts'
import { writeSnapshot } from '../../src/source/snapshot.ts'
import { isPublic } from '../../src/source/visibility.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { startService, stopService } from '../process.ts'
import { benchChanges } from './changes.ts'
import { dearestRows, overloadRows, reportRows } from './dear.ts'
import { benchEverything } from './everything.ts'
import { memoryBoundRows } from './memoryBound.ts'
import { full, quick } from './profile.ts'
import { benchSearch } from './search.ts'
import { benchSoak } from './soak.ts'
import { benchSource } from './source.ts'
import { openSnapshotStage, openStage } from './stage.ts'
import { isMet, table } from './stats.ts'
import { benchUsage } from './usage.ts'

const help = `Usage: bun run bench [WHAT] [--scale sample|1|10|100] [--rounds N] [--misses]
       bun run bench [--quick]
       bun run bench soak [--scale S] [--minutes N]

Measures, on an invented league of the given size, and prints one line of JSON.

Without WHAT, everything that has a goal, on leagues of scale 1 and 10 (one changed fight on 100, too),
next to other servers and search engines in the same run; a table on stderr. That takes half an hour.
With --quick, all of it within three minutes, to see that it works: the figures then say little.

  start      time from the start of the process to its first answer, from a snapshot, and its memory
  refresh    one changed fight in a real Postgres: duration of the refresh, longest pause of the
             event loop, memory after all rounds against before; of scale 100 the database holds the
             tournament that changes alone
  source     a real Postgres: start without and with a last good archive, what comparing everything
             costs, the longest wait of a writer for the locks of a reader that loads without a break
  stats      one leaderboard and the career of the bot with the most fights: the first request of a
             version, and one that is stored
  search     how often each kind of text that people type finds its bot, and how fast, next to other
             search engines; keys until a well-known bot is shown; the index after changes; a table
             on stderr
  changes    one changed fight: making the differences; commit to client with notifications and by the timer;
             10,000 idle streams, and one change to all of them while others ask
  usage      answers a second with and without the usage log, next to a bare server; start, memory and
             report with a year of a million requests a day
  dear       the dearest request of every route, first and stored, with the worst delay of others; others'
             requests beside 1,000 connections of dear ones, and beside reports over a year of usage
  hostile    memory while callers vary everything a caller can: 200,000 requests, none like another;
             fails when it grows beyond its bound
  soak       the mix of an event at half of what the service can answer, with a change every two
             seconds; a line a minute on stderr; fails when an answer does or memory grows

  --scale S  size of the league (default 1)
  --rounds N repetitions (default 5 for start and usage, 3 for source and dear, 300 for search, 200000 for hostile,
             100 for the others); for search the queries of each kind, three in ten of them from scale 10 on
  --minutes N  of soak (default 15)
  --misses   of search, also list each text whose bot is not first
  --help     this text`

const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20)
const rounded = (ms: number): number => Math.round(ms * 100) / 100

/** Median, 99th percentile and maximum, in milliseconds. */
const spread = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { median: at(0.5), p99: at(0.99), max: at(1) }
}

const residentOf = async (pid: number): Promise<number> => {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return Number(status.match(/VmRSS:\s+(\d+)/)?.[1] ?? 0) * 1024
}

const benchStart = async (scale: Scale, rounds: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'cageside-bench-'))
  const path = join(folder, 'league.cageside')
  try {
    await writeSnapshot(path, generateLeague({ seed: 1, scale }))
    const times: number[] = []
    const memory: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now()
      const running = await startService({ SNAPSHOT: path })
      await (await fetch(`${running.url}/tournaments`)).bytes()
      times.push(performance.now() - started)
      await Bun.sleep(1000)
      memory.push(await residentOf(running.process.pid))
      await stopService(running)
    }
    return {
      firstAnswerMs: spread(times),
      residentMB: spread(memory.map((bytes) => megabytes(bytes))),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface LoadedLeague {
  readonly league: League
  readonly loadMs: number
}

/** The whole league in the database, and read from there. */
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
 * The whole league in memory, and of it in the database the tournament that will change alone: a look
 * asks for no other, and filling a database with the largest league takes more than half an hour.
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
    entries: Iterator.from(tournaments).map((rows) => ({ rows: () => rows, frame: undefined })),
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

    const look = async () => {
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
      const { ms, pauseMs } = await look()
      durations.push(ms)
      pauses.push(pauseMs)
      idlePauses.push((await look()).pauseMs)
    }
    Bun.gc(true)
    const after = process.memoryUsage.rss()
    const rebuildStarted = performance.now()
    buildArchive(
      'anew',
      [...league.entries.values()].map(({ tournament }) => tournament),
    )
    const rebuildMs = performance.now() - rebuildStarted
    return {
      fights: league.archive?.dataset.fights.length,
      fightsOfTournament: league.archive?.dataset.tournamentsByID.get(fight.tournament.id)?.fights
        .length,
      fullLoadMs: rounded(loaded.loadMs),
      refreshMs: spread(durations),
      eventLoopPauseMs: spread(pauses),
      // What a look that finds nothing takes, and what building the whole archive anew would.
      baseline: { idlePauseMs: spread(idlePauses), rebuildMs: rounded(rebuildMs) },
      residentMB: { before: megabytes(before), after: megabytes(after) },
    }
  } finally {
    await source.close()
    await admin.end({ timeout: 1 })
    await database.drop()
  }
}

/** Each round serves a new version, so that the first request of each path finds nothing stored. */
const benchStats = async (scale: Scale, rounds: number) => {
  const tournaments = [...generateLeague({ seed: 1, scale }).tournaments]
    .filter(({ tournament }) => isPublic(tournament))
    .map(buildTournament)
  const built = buildArchive('0', tournaments)
  const most = built.bots.reduce((a, b) => (b.fights.length > a.fights.length ? b : a))
  let archive = built
  const app = createApp(
    {
      archive: () => archive,
      status: () => nothingLoaded('snapshot'),
      now: () => 0,
    },
    {
      basePath: '',
      legacyBase: '/legacy',
      liveStreams: async () => undefined,
      pictureSizes: async () => undefined,
      log: createLog('silent'),
    },
  )
  const paths = {
    leaderboard: '/stats/leaderboard?limit=100',
    leaderboardByDuration: '/stats/leaderboard?limit=100&metric=avgMatchDuration',
    bot: `/bots/${most.cleanName}`,
    botFights: `/bots/${most.cleanName}/fights`,
  }
  const ask = async (path: string): Promise<number> => {
    const started = performance.now()
    const response = await app(new Request(`http://localhost${path}`))
    await response.arrayBuffer()
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
    return performance.now() - started
  }
  const results: Record<string, unknown> = {
    bots: built.bots.length,
    fightsOfBot: most.fights.length,
  }
  for (const [name, path] of Object.entries(paths)) {
    const [cold, warm]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      // Bots are rebuilt too: what is stored for a bot outlives a version that did not touch it.
      const bots = built.bots.map((bot) => ({ ...bot, totals: { ...bot.totals } }))
      const version = `${name}-${round}`
      archive = { ...built, bots, version, dataVersion: version }
      cold.push(await ask(path))
      warm.push(await ask(path))
    }
    results[name] = { coldMs: spread(cold), warmMs: spread(warm) }
  }
  return results
}

/** Fails where memory grows beyond its bound. */
const benchHostile = async (scale: Scale, requests: number) => {
  const stage = await openStage(scale)
  try {
    const rows = await memoryBoundRows(stage, requests)
    console.error(table(rows))
    if (rows.some((row) => isMet(row) === false)) throw new CommandError('memory grew too much')
    return { rows }
  } finally {
    await stage.close()
  }
}

const benchDear = async (scale: Scale, rounds: number) => {
  const stage = await openSnapshotStage(scale)
  const effort = { ...full, startRounds: rounds, windows: rounds }
  try {
    const rows = [
      ...(await overloadRows(stage, effort)),
      ...(await reportRows(stage, effort)),
      ...(await dearestRows(stage, effort)),
    ]
    console.error(table(rows))
    return { rows }
  } finally {
    await stage.close()
  }
}

interface Bench {
  readonly run: (scale: Scale, rounds: number, options: { misses: boolean }) => Promise<object>
  readonly rounds: number
}

const benches: ReadonlyMap<string, Bench> = new Map([
  ['start', { run: benchStart, rounds: 5 }],
  ['refresh', { run: benchRefresh, rounds: 100 }],
  ['source', { run: benchSource, rounds: 3 }],
  ['stats', { run: benchStats, rounds: 100 }],
  ['search', { run: benchSearch, rounds: 300 }],
  ['changes', { run: benchChanges, rounds: 100 }],
  ['usage', { run: benchUsage, rounds: 5 }],
  ['dear', { run: benchDear, rounds: 3 }],
  ['hostile', { run: benchHostile, rounds: 200_000 }],
])
const scales = new Map<string, Scale>([
  ['sample', 'sample'],
  ['1', 1],
  ['10', 10],
  ['100', 100],
])

const main = async (): Promise<void> => {
  const { values, positionals } = readArguments({
    scale: { type: 'string' },
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    quick: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  })
  if (values.help) return console.log(help)
  const [what, ...more] = positionals
  if (what === undefined) {
    if (values.scale !== undefined || values.rounds !== undefined)
      throw new CommandError('--scale and --rounds need WHAT (see --help)')
    return console.log(JSON.stringify(await benchEverything(values.quick ? quick : full)))
  }
  if (values.quick) throw new CommandError('--quick is for everything, without WHAT (see --help)')
  const scale = scales.get(values.scale ?? '1')
  if (scale === undefined) throw new CommandError('--scale must be sample, 1, 10 or 100')
  if (what === 'soak' && more.length === 0) {
    const minutes = Number(values.minutes ?? 15)
    if (!(Number.isInteger(minutes) && minutes > 0))
      throw new CommandError('--minutes must be positive')
    return console.log(JSON.stringify({ what, scale, ...(await benchSoak(scale, minutes)) }))
  }
  const bench = benches.get(what)
  if (!bench || more.length > 0) {
    const known = [...benches.keys(), 'soak'].join(', ')
    throw new CommandError(`one of ${known} is expected, or nothing (see --help)`)
  }
  const rounds = Number(values.rounds ?? bench.rounds)
  if (!(Number.isInteger(rounds) && rounds > 0)) throw new CommandError('--rounds must be positive')
  const { misses } = values
  console.log(
    JSON.stringify({ what, scale, rounds, ...(await bench.run(scale, rounds, { misses })) }),
  )
}

await runCommand(main)
// The test server's process would keep this one alive.
process.exit()
