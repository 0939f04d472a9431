import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenAPIV3 } from 'openapi-types'
import type { Running } from '../process.ts'
import { readCatalog } from './catalog.ts'
import { connectTo } from './connection.ts'
import { startLoadWorker } from './loadGenerator.ts'
import { mainThreadMs } from './machine.ts'
import { requireNoFailures } from './mixedLoad.ts'
import type { Profile } from './profiles.ts'
import { endService, type SnapshotStage, startPinned } from './stage.ts'
import { type Row, type Stat, statOf } from './stats.ts'
import { writeYear } from './usage.ts'

/** No request may hold the main thread longer. */
const holdGoalMs = 20

/** Others' requests under overload. */
const overloadGoalMs = 20

const accepted = 'gzip, deflate, br, zstd'
const requestText = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${accepted}\r\n\r\n`

/** Sends one request after the other over a connection, and gives their times and statuses. */
const openAsker = (url: string) => {
  let answered: PromiseWithResolvers<number> = Promise.withResolvers()
  const connection = connectTo(Number(new URL(url).port), (answer) =>
    answered.resolve(answer?.status ?? 0),
  )
  return {
    close: connection.close,
    ask: async (path: string): Promise<{ ms: number; status: number }> => {
      answered = Promise.withResolvers()
      const started = performance.now()
      connection.send(requestText(path), false)
      const status = await answered.promise
      return { ms: performance.now() - started, status }
    },
  }
}

/** The request of each route that costs the most, by path template; `~` stands for the legacy base. */
const expensivePaths = async (url: string): Promise<ReadonlyMap<string, string>> => {
  const read = async (path: string) => {
    const response = await fetch(url + path)
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return JSON.parse(await response.text())
  }
  const world = await readCatalog(url)
  const { tournaments } = await read('/tournaments')
  const largest: { tournamentID: string } = tournaments.toSorted(
    (a: { numPlayers: number }, b: { numPlayers: number }) => b.numPlayers - a.numPlayers,
  )[0]
  const { leaderboard } = await read('/stats/leaderboard?limit=2')
  const [bot, other] = leaderboard.entries.map((each: { cleanName: string }) => each.cleanName)
  const { players } = await read(`/tournaments/${largest.tournamentID}/players`)
  const [fight] = world.fights
  const { clips } = await read('/clips?limit=1')
  const { stills } = await read('/stills?limit=1')
  const inFight = `${fight?.tournamentID}/${fight?.gameID}`
  const of = `tournamentID=${largest.tournamentID}`
  return new Map([
    ['/', '/'],
    ['/bots/{bot}/upcoming', `/bots/${bot}/upcoming`],
    ['/bots/{bot}/picture', `/bots/${bot}/picture`],
    ['/legacy/getLatestMatches', `~/getLatestMatches?${of}`],
    ['/legacy/getBotPic', `~/getBotPic?bot=${bot}`],
    ['/tournaments', '/tournaments'],
    ['/tournaments/{tournamentID}', `/tournaments/${largest.tournamentID}`],
    ['/tournaments/{tournamentID}/brackets', `/tournaments/${largest.tournamentID}/brackets`],
    ['/tournaments/{tournamentID}/players', `/tournaments/${largest.tournamentID}/players`],
    [
      '/tournaments/{tournamentID}/players/{playerID}',
      `/tournaments/${largest.tournamentID}/players/${players[0].playerID}`,
    ],
    ['/tournaments/{tournamentID}/fights', `/tournaments/${largest.tournamentID}/fights`],
    [
      '/tournaments/{tournamentID}/fights/{gameID}',
      `/tournaments/${fight?.tournamentID}/fights/${fight?.gameID}`,
    ],
    ['/fights', `/fights?limit=100&page=${world.lastFightPage >> 1}`],
    ['/fights/recent', '/fights/recent?limit=100'],
    ['/fights/last24h', '/fights/last24h'],
    ['/video-feeds/{recordingID}', `/video-feeds/${world.recordings[0]}`],
    ['/video-feeds/fight/{tournamentID}/{gameID}', `/video-feeds/fight/${inFight}`],
    ['/bots', '/bots?q=a&limit=200&page=2'],
    ['/bots/{bot}', `/bots/${bot}`],
    ['/bots/{bot}/fights', `/bots/${bot}/fights`],
    ['/stats/fight/{tournamentID}/{gameID}', `/stats/fight/${inFight}`],
    ['/stats/bot/{bot}', `/stats/bot/${other}`],
    ['/stats/tournament/{tournamentID}', `/stats/tournament/${largest.tournamentID}`],
    ['/stats/head-to-head/{bot1}/{bot2}', `/stats/head-to-head/${bot}/${other}`],
    ['/stats/leaderboard', '/stats/leaderboard?limit=100&metric=avgMatchDuration'],
    ['/search', '/search?q=the%20iron%20storm%20of%20doom%20and%20steel%20teeth'],
    ['/autocomplete', '/autocomplete?q=the%20iron%20storm%20of%20doom%20and&limit=20'],
    ['/clips', '/clips?limit=100&page=2'],
    ['/clips/{token}', `/clips/${clips[0]?.token}`],
    ['/stills', '/stills?limit=100&event=a&tag=hero-bot'],
    ['/stills/{stillID}', `/stills/${stills[0]?.stillID}`],
    ['/stills/tags', '/stills/tags'],
    ['/cages', '/cages'],
    ['/cages/{cageNumber}', '/cages/1'],
    ['/schedule', '/schedule'],
    ['/live/streams', '/live/streams'],
    ['/usage', '/usage?days=365'],
    ['/health', '/health'],
    ['/ready', '/ready'],
    ['/openapi', '/openapi'],
    ['/legacy/tournamentSource', '~/tournamentSource?function=getLocalTournaments'],
    [
      '/legacy/matchJSON',
      `~/matchJSON?tournamentID=${fight?.tournamentID}&gameID=${fight?.gameID}`,
    ],
    ['/legacy/recentFights', '~/recentFights?limit=100'],
    ['/legacy/fightsLast24Hours', '~/fightsLast24Hours'],
    [
      '/legacy/getTournamentMatchesDataTables',
      `~/getTournamentMatchesDataTables?${of}&draw=7&search[value]=a&order[0][column]=5`,
    ],
    ['/legacy/botAutocomplete', '~/botAutocomplete?q=the%20iron%20storm%20of%20doom'],
    ['/legacy/fightsByBot', `~/fightsByBot?bot=${bot}`],
    ['/legacy/cageJSON', '~/cageJSON?all'],
    ['/legacy/recentClips', '~/recentClips?limit=100'],
    ['/legacy/randomClips', '~/randomClips'],
    ['/legacy/herosGalleryAPI', '~/herosGalleryAPI'],
    ['/legacy/scheduledMatches', '~/scheduledMatches'],
  ])
}

/** A data folder with a year of usage, made once. */
const yearOfUsage = async (stage: SnapshotStage): Promise<string> => {
  const folder = join(stage.folder, 'year')
  if (await Bun.file(join(folder, 'usage', 'lock')).exists()) return folder
  await mkdir(folder, { recursive: true })
  await writeYear(folder)
  return folder
}

const cheapPath = '/cages'
const probeEveryMs = 1

/** One request, the longest that a cheap one of another client took meanwhile, and its processor time. */
const askBesideProbe = async ({ url, process: { pid } }: Running, path: string) => {
  const [asker, prober] = [openAsker(url), openAsker(url)]
  let isOver = false
  let worst = 0
  const probing = (async () => {
    while (!isOver) {
      const { ms } = await prober.ask(cheapPath)
      worst = Math.max(worst, ms)
      await Bun.sleep(probeEveryMs)
    }
  })()
  await Bun.sleep(5)
  worst = 0
  const before = await mainThreadMs(pid)
  const { ms, status } = await asker.ask(path)
  isOver = true
  await probing
  const cpu = (await mainThreadMs(pid)) - before
  for (const each of [asker, prober]) each.close()
  return { ms, status, worst, cpu }
}

const templatesOf = async (url: string): Promise<readonly string[]> => {
  const document: OpenAPIV3.Document = JSON.parse(await (await fetch(`${url}/openapi`)).text())
  return Object.keys(document.paths)
}

/**
 * The dearest request of every route, first in a process that answered none of it, and again when it is
 * stored; beside it the worst delay of a cheap request meanwhile, which is what a goal is set for.
 */
export const routeCostRows = async (
  stage: SnapshotStage,
  { startRounds }: Profile,
): Promise<Row[]> => {
  const folder = await yearOfUsage(stage)
  const settings = { SNAPSHOT: stage.snapshotPath, DATA_DIR: folder }
  const finder = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  const paths = await expensivePaths(finder.url)
  const missing = (await templatesOf(finder.url)).filter((template) => !paths.has(template))
  await endService(finder)
  if (missing.length > 0) throw new Error(`no request for ${missing.join(', ')}`)

  const found = new Map<string, Record<'ms' | 'worst' | 'cpu', number[]>>()
  for (let round = 0; round < startRounds; round += 1) {
    const running = await startPinned(stage, settings)
    for (let warm = 0; warm < 300; warm += 1) await (await fetch(running.url + cheapPath)).bytes()
    for (const kind of ['cold', 'stored']) {
      for (const path of paths.values()) {
        const target = path.replace(/^~/, '/legacy')
        const { status, ...times } = await askBesideProbe(running, target)
        if (status < 200 || status >= 500) throw new Error(`${path} answered ${status}`)
        const key = `${kind} ${target}`
        const { ms, worst, cpu } = found.get(key) ?? { ms: [], worst: [], cpu: [] }
        found.set(key, {
          ms: [...ms, times.ms],
          worst: [...worst, times.worst],
          cpu: [...cpu, times.cpu],
        })
      }
    }
    await endService(running)
  }
  return [...found].map(([what, { ms, worst, cpu }]) => ({
    what,
    scale: String(stage.scale),
    unit: 'ms',
    figure: statOf(ms),
    beside: { 'worst delay of another': statOf(worst), 'main thread, with probes': statOf(cpu) },
    judged: statOf(worst).median,
    goal: { atMost: holdGoalMs },
  }))
}

const row = (
  what: string,
  { scale }: SnapshotStage,
  of: Stat,
  beside: Record<string, Stat>,
  atMost: number | undefined,
): Row => ({
  what,
  scale: String(scale),
  unit: 'ms',
  figure: of,
  beside,
  judged: of.median,
  goal: atMost === undefined ? null : { atMost },
})

/** Cheap requests while a thousand connections send dear ones as fast as they are answered. */
export const overloadRows = async (stage: SnapshotStage, { windowMs }: Profile): Promise<Row[]> => {
  const running = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  const [dear, cheap] = [startLoadWorker(), startLoadWorker()]
  try {
    const base = { url: running.url, seed: 5, ms: windowMs }
    const probes = { ...base, load: 'cheap', connections: 20, perSecond: 200 } as const
    const alone = await cheap.run(probes)
    const flood = dear.run({ ...base, load: 'dear', connections: 1000, ms: windowMs + 2000 })
    await Bun.sleep(1500)
    const beside = await cheap.run(probes)
    const flooded = await flood
    requireNoFailures(alone)
    requireNoFailures(beside)
    const refused = flooded.statuses['503'] ?? 0
    return [
      row(
        'p99 of cheap requests beside 1,000 connections of dear ones',
        stage,
        statOf([beside.latencyMs.p99]),
        {
          'without them': statOf([alone.latencyMs.p99]),
          'p50 beside them': statOf([beside.latencyMs.p50]),
          'max beside them': statOf([beside.latencyMs.max]),
          'p50 of the dear': statOf([flooded.latencyMs.p50]),
          'dear answers a second, all': statOf([flooded.perSecond]),
          'of these refused, share': statOf([refused / flooded.answers]),
        },
        overloadGoalMs,
      ),
    ]
  } finally {
    await dear.end()
    await cheap.end()
    await endService(running)
  }
}

/** The mix of an event while reports over every number of days are asked, against the same without. */
export const reportRows = async (
  stage: SnapshotStage,
  { windows, windowMs }: Profile,
): Promise<Row[]> => {
  const folder = await yearOfUsage(stage)
  const running = await startPinned(stage, { SNAPSHOT: stage.snapshotPath, DATA_DIR: folder })
  const [others, reports] = [startLoadWorker(), startLoadWorker()]
  try {
    const base = { url: running.url, seed: 6, ms: windowMs }
    const mix = { ...base, load: 'mix', connections: 64, perSecond: 2000 } as const
    const asking = { ...base, load: 'reports', connections: 1, perSecond: 11 } as const
    await others.run(mix)
    const first = await askBesideProbe(running, '/usage?days=365')
    const [quiet, loud, took]: [number[], number[], number[]] = [[], [], []]
    for (let window = 0; window < windows; window += 1) {
      quiet.push((await others.run(mix)).latencyMs.p99)
      const [beside, own] = await Promise.all([others.run(mix), reports.run(asking)])
      requireNoFailures(beside)
      requireNoFailures(own)
      loud.push(beside.latencyMs.p99)
      took.push(own.latencyMs.p50)
    }
    const ratio = statOf(loud.map((ms, window) => ms / (quiet[window] ?? ms)))
    return [
      {
        ...row(
          'p99 of mixed requests beside 11 reports a second over a year',
          stage,
          statOf(loud),
          {
            'without them': statOf(quiet),
            'p50 of a report': statOf(took),
            'the first report': statOf([first.ms]),
            'worst delay of another meanwhile': statOf([first.worst]),
          },
          undefined,
        ),
        judged: ratio.median,
        goal: { atMost: 2 },
      },
    ]
  } finally {
    await others.end()
    await reports.end()
    await endService(running)
  }
}
