import { cpus } from 'node:os'
import { CommandError, type Main, readArguments, runCommand } from '../../scripts/command.ts'
import { parseScale, scaleNames } from '../../scripts/league/league.ts'
import { flag, text, texts } from '../../scripts/option.ts'
import { startServer } from '../postgres.ts'
import { projectFolder } from '../process.ts'
import { benchChanges, benchReaders } from './changes.ts'
import { benchDear } from './dear.ts'
import { benchForecast } from './forecast.ts'
import { canPin } from './machine.ts'
import { benchHostile } from './memoryBound.ts'
import { benchMirror } from './mirror.ts'
import { benchMixed } from './mixedLoad.ts'
import { benchRatings } from './ratings.ts'
import { benchRefresh } from './refresh.ts'
import { benchScaling } from './scaling.ts'
import { benchSearch } from './search.ts'
import { benchServe } from './serving.ts'
import { benchSource } from './source.ts'
import { memoryRows, startRows } from './start.ts'
import { type Extent, isMet, printRows, type Row } from './stats.ts'
import { benchWhen } from './when.ts'

const help = `Usage: bun run bench [WHAT…] [--scale SCALE] [--rounds N] [--quick] [--beside PATH] [--misses]

Measures on an invented league of the given size. Prints one line of JSON, and tables on stderr.

Without WHAT: everything that has a goal, on leagues of scale 1 and 10, each part in a process of its own,
beside other servers and search engines in the same run; takes half an hour. With --quick: as briefly as
possible, on the sample, to show that it runs; the figures mean little.

  serve      requests of a stored body per CPU second, beside a bare server, nginx, and Elysia with SQL
  mixed      latency of mixed requests at half the maximum rate, with changes and without
  start      from a snapshot: time from process start to first answer, memory, longest turns of the event loop
  memory     resident memory after a million mixed requests
  refresh    one changed fight in a real Postgres: duration of the refresh, longest pause of the event
             loop, growth of memory over all rounds
  source     a real Postgres: start without and with a last good archive, cost of comparing everything,
             longest wait of a writer for the locks of a reader that loads in a loop
  search     share of queries whose bot is found, and latency, by kind of query, beside other search
             engines; keys until a well-known bot is shown; updates of the index
  changes    one changed fight: cost of the differences; commit to client with notifications and by the
             timer, and to an open page; one change to 10,000 streams while others request; 180 changes
             at once to 10,000 streams or long polls, half of which read nothing or none
  readers    10,000 idle streams, and as many long polls: memory of each, time to stop; on the sample
  mirror     one changed fight: bytes, refresh, delay and CPU time in a mirror, and its memory
  scaling    requests per second of CPU time, by the service and by nginx and Varnish with the files of
             scripts/deploy; with 1,000 people who poll every 5 s, the share that reaches the service
             behind each of them, and latency; how often an address goes back to an older version
  dear       the most expensive request of every route, cold and stored: latency, main-thread time, worst
             delay of others; requests of others beside 1,000 connections of expensive ones
  when       every event replayed change by change: how far expected starts of the next 1, 3 and 10 fights of
             a cage are off, beside the planned time and beside mean turn × place; share within the range
  forecast   chances in a bracket: CPU time and longest step by format; how often favourites of brackets of 16 win,
             beside their chance by distributions of strength and by mean strengths
  hostile    memory during 200,000 different requests of hostile clients; fails above its bound
  ratings    log loss, Brier score and bins of the chances before fights, beside win rate, Elo and Glicko-2;
             of the league of a scale, or of each --league; cost of ratings; bands around known strengths

  --scale S  size of the league: sample, or 1 to 100 (default 1)
  --rounds N repetitions (each part has a default); for search queries of each kind, 30 % of them from
             scale 10 on; for hostile requests
  --league PATH  of ratings: a CSV file with date, event, winner and loser, or a snapshot; repeated for
             several
  --beside PATH  of start and memory: another checkout, with its packages installed, measured in turns
  --misses   of search: also list each query whose bot is not first
  --help     this text`

interface Options {
  readonly misses: boolean
  readonly beside?: string | undefined
  readonly league?: string[] | undefined
}

interface Bench {
  /** Rows, or an object of figures without goals. */
  readonly run: (extent: Extent, options: Options) => Promise<Row[] | object> | Row[]
  /** Default number of repetitions. */
  readonly rounds: number
  /** Number of repetitions with --quick; 1 by default. */
  readonly briefRounds?: number
}

const benches: ReadonlyMap<string, Bench> = new Map<string, Bench>([
  ['serve', { run: benchServe, rounds: 5 }],
  ['mixed', { run: benchMixed, rounds: 5 }],
  ['start', { run: (extent, { beside }) => startRows(extent, beside), rounds: 5 }],
  ['memory', { run: (extent, { beside }) => memoryRows(extent, beside), rounds: 1 }],
  ['refresh', { run: benchRefresh, rounds: 100, briefRounds: 3 }],
  ['source', { run: benchSource, rounds: 3 }],
  ['search', { run: benchSearch, rounds: 300, briefRounds: 2 }],
  ['changes', { run: benchChanges, rounds: 100 }],
  ['readers', { run: benchReaders, rounds: 1 }],
  ['mirror', { run: benchMirror, rounds: 10 }],
  ['scaling', { run: benchScaling, rounds: 5 }],
  ['dear', { run: benchDear, rounds: 3 }],
  ['ratings', { run: (extent, { league = [] }) => benchRatings(extent, league), rounds: 20 }],
  ['when', { run: benchWhen, rounds: 1 }],
  ['forecast', { run: benchForecast, rounds: 10 }],
  ['hostile', { run: benchHostile, rounds: 200_000, briefRounds: 800 }],
])

/** Parts with goals. */
const withGoals = ['serve', 'mixed', 'start', 'memory', 'dear', 'refresh', 'search']

/** Runs parts in separate processes, because of their memory and event loop, on one Postgres server. */
const benchAll = async (isBrief: boolean): Promise<object> => {
  const started = performance.now()
  const server = process.env.TEST_DATABASE_URL ?? (await startServer()).url
  const rows: Row[] = []
  for (const [index, scale] of (isBrief ? ['sample'] : ['1', '10']).entries()) {
    // The bound of hostile requests does not depend on the size of the league.
    for (const what of index === 0 ? [...withGoals, 'hostile'] : withGoals) {
      console.error(`… ${what}, scale ${scale}`)
      const options = ['--scale', scale, ...(isBrief ? ['--quick'] : [])]
      const child = Bun.spawn([process.execPath, import.meta.path, what, ...options], {
        cwd: projectFolder,
        env: { ...process.env, TEST_DATABASE_URL: server },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const printed = await child.stdout.text()
      if ((await child.exited) !== 0) throw new CommandError(`${what} fails`)
      rows.push(...JSON.parse(printed).rows)
    }
  }
  console.error(
    canPin
      ? 'Servers run on one core, the load on another; Postgres on whichever is free.'
      : 'There is no taskset or no second core here: servers and load take time from each other.',
  )
  return {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    bun: Bun.version,
    seconds: Math.round((performance.now() - started) / 1000),
    rows: rows.map((row) => ({ ...row, isMet: isMet(row) })),
  }
}

const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, {
    scale: text,
    rounds: text,
    beside: text,
    league: texts,
    quick: { ...flag, default: false },
    misses: { ...flag, default: false },
  })
  if (positionals.length === 0) {
    if (values.scale !== undefined || values.rounds !== undefined)
      throw new CommandError('--scale and --rounds need WHAT (see --help)')
    return console.log(JSON.stringify(await benchAll(values.quick)))
  }
  const scale = parseScale(values.scale ?? (values.quick ? 'sample' : '1'))
  if (scale === undefined) throw new CommandError(`--scale must be ${scaleNames}`)
  for (const what of positionals) {
    const bench = benches.get(what)
    if (!bench) {
      const known = [...benches.keys()].join(', ')
      throw new CommandError(`some of ${known} are expected, or nothing (see --help)`)
    }
    const usual = values.quick ? (bench.briefRounds ?? 1) : bench.rounds
    const rounds = Number(values.rounds ?? usual)
    if (!(Number.isInteger(rounds) && rounds > 0))
      throw new CommandError('--rounds must be positive')
    const result = await bench.run({ scale, rounds, isBrief: values.quick }, values)
    if (Array.isArray(result)) printRows(result)
    const figures = Array.isArray(result) ? { rows: result } : result
    console.log(JSON.stringify({ what, scale, rounds, ...figures }))
  }
}

await runCommand(main)
// The database server would keep this process alive.
process.exit()
