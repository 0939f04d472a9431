import { join } from 'node:path'
import type { OpenAPIV3 } from 'openapi-types'
import { readCatalog } from './catalog.ts'
import { connectTo } from './connection.ts'
import { requireNoFailures, startLoadWorker } from './loadGenerator.ts'
import { mainThreadMs } from './machine.ts'
import { openSnapshotStage, type Service, type SnapshotStage, startPinned } from './stage.ts'
import { type Extent, median, type Row, rowsOf } from './stats.ts'
import { writeUsage } from './usage.ts'

/** Maximum time for which one request may block the main thread. */
const maxBlockMs = 20

/** Maximum latency of cheap requests under overload. */
const maxOverloadMs = 20

const accepted = 'gzip, deflate, br, zstd'
const requestText = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${accepted}\r\n\r\n`

/** A client with one connection. */
const openClient = (url: string) => {
  let answered: PromiseWithResolvers<number> = Promise.withResolvers()
  const connection = connectTo(url, (answer) => answered.resolve(answer?.status ?? 0))
  return {
    [Symbol.dispose]: connection.close,
    request: async (path: string): Promise<{ ms: number; status: number }> => {
      answered = Promise.withResolvers()
      const started = performance.now()
      connection.send(requestText(path), false)
      const status = await answered.promise
      return { ms: performance.now() - started, status }
    },
  }
}

/** The most expensive query of each route, by path template; missing routes have none. */
const expensiveQueries = (lastFightPage: number, bot: string, ids: string, fight: string) =>
  new Map([
    ['/fights', `limit=100&page=${lastFightPage >> 1}`],
    ['/fights/recent', 'limit=100'],
    ['/bots', 'q=a&limit=200&page=2'],
    ['/stats/leaderboard', 'limit=100&metric=avgMatchDuration'],
    ['/search', 'q=the%20iron%20storm%20of%20doom%20and%20steel%20teeth'],
    ['/autocomplete', 'q=the%20iron%20storm%20of%20doom%20and&limit=20'],
    ['/clips', 'limit=100&page=2'],
    ['/stills', 'limit=100&event=a&tag=hero-bot'],
    ['/usage', 'days=365'],
    ['/legacy/tournamentSource', 'function=getLocalTournaments'],
    ['/legacy/matchJSON', fight],
    ['/legacy/getLatestMatches', ids],
    ['/legacy/getTournamentMatchesDataTables', `${ids}&draw=7&search[value]=a&order[0][column]=5`],
    ['/legacy/getBotPic', `bot=${bot}`],
    ['/legacy/fightsByBot', `bot=${bot}`],
    ['/legacy/botAutocomplete', 'q=the%20iron%20storm%20of%20doom'],
    ['/legacy/recentFights', 'limit=100'],
    ['/legacy/recentClips', 'limit=100'],
    ['/legacy/cageJSON', 'all'],
  ])

/** The most expensive request of every route in the OpenAPI document, except streams. */
const expensivePaths = async (url: string): Promise<readonly string[]> => {
  const read = async (path: string) => {
    const response = await fetch(url + path)
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return JSON.parse(await response.text())
  }
  const { lastFightPage, recordings, fights } = await readCatalog(url)
  const { tournaments } = await read('/tournaments')
  const { tournamentID } = tournaments.reduce(
    (a: { numPlayers: number }, b: { numPlayers: number }) => (b.numPlayers > a.numPlayers ? b : a),
  )
  const { leaderboard } = await read('/stats/leaderboard?limit=2')
  const [bot, other] = leaderboard.entries.map((each: { cleanName: string }) => each.cleanName)
  const { players } = await read(`/tournaments/${tournamentID}/players`)
  const [fight] = fights
  const { clips } = await read('/clips?limit=1')
  const { stills } = await read('/stills?limit=1')
  const ids = `tournamentID=${tournamentID}`
  const values: Record<string, string | undefined> = {
    tournamentID,
    playerID: players[0]?.playerID,
    recordingID: recordings[0],
    bot,
    bot1: bot,
    bot2: other,
    token: clips[0]?.token,
    stillID: stills[0]?.stillID,
    cageNumber: '1',
    file: 'fights.ndjson.gz',
  }
  const queries = expensiveQueries(
    lastFightPage,
    bot,
    ids,
    `tournamentID=${fight?.tournamentID}&gameID=${fight?.gameID}`,
  )
  const document: OpenAPIV3.Document = await read('/openapi')
  // A stream has no end, and files come in chunks.
  const isStreamed = /text\/event-stream|vnd\.cageside\.snapshot|application\/gzip|text\/markdown/
  const known = Object.entries(document.paths).flatMap(([template, item]) =>
    isStreamed.test(JSON.stringify(item)) ? [] : [template],
  )
  for (const template of queries.keys())
    if (!known.includes(template)) throw new Error(`${template} is not a route`)
  return known.map((template) => {
    const query = queries.get(template)
    const path = template
      .replace('{tournamentID}/fights/{gameID}', `${fight?.tournamentID}/fights/${fight?.gameID}`)
      .replace('{tournamentID}/{gameID}', `${fight?.tournamentID}/${fight?.gameID}`)
      .replace(/{(\w+)}/g, (_, name) => {
        const value = values[name]
        if (value === undefined) throw new Error(`no value for ${name} of ${template}`)
        return value
      })
    return query === undefined ? path : `${path}?${query}`
  })
}

/** Time for warm-up and garbage collection of the load, which belong to no request. */
const settleMs = 1500

const cheapPath = '/cages'
const unavailable = 503
const probeEveryMs = 1

/** Time of one request, CPU time of the main thread, and the worst latency of another client meanwhile. */
const costOf = async ({ url, pid }: Service, path: string) => {
  using client = openClient(url)
  using prober = openClient(url)
  let isOver = false
  let worst = 0
  const probing = (async () => {
    while (!isOver) {
      const { ms } = await prober.request(cheapPath)
      worst = Math.max(worst, ms)
      await Bun.sleep(probeEveryMs)
    }
  })()
  await Bun.sleep(5)
  worst = 0
  const before = await mainThreadMs(pid)
  const { ms, status } = await client.request(path)
  isOver = true
  await probing
  return { ms, status, worst, cpu: (await mainThreadMs(pid)) - before }
}

/**
 * The most expensive request of every route, first in a new process and again from the cache; judged by the worst delay
 * of a cheap request meanwhile.
 */
const routeCostRows = async (stage: SnapshotStage, { rounds, isBrief }: Extent): Promise<Row[]> => {
  const DATA_DIR = join(stage.folder, 'usage')
  await writeUsage(DATA_DIR, isBrief ? 3 : 365)
  const found = new Map<string, Record<'ms' | 'worst' | 'cpu', number[]>>()
  let paths: readonly string[] | undefined
  for (let round = 0; round < rounds; round += 1) {
    if (!paths) {
      await using finder = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
      paths = await expensivePaths(finder.url)
    }
    await using service = await startPinned(stage, { SNAPSHOT: stage.snapshotPath, DATA_DIR })
    for (let warm = 0; warm < 300; warm += 1) await (await fetch(service.url + cheapPath)).bytes()
    await Bun.sleep(settleMs)
    for (const kind of ['cold', 'stored']) {
      for (const path of paths) {
        const { status, ms, worst, cpu } = await costOf(service, path)
        if (status < 200 || (status >= 500 && status !== unavailable)) {
          throw new Error(`${path} answered ${status}`)
        }
        // Wait for a file that is being made; the next measurement must not run beside it.
        while (status === unavailable && (await fetch(service.url + path)).status === unavailable) {
          await Bun.sleep(500)
        }
        const key = `${kind} ${path}`
        const times = found.getOrInsertComputed(key, () => ({ ms: [], worst: [], cpu: [] }))
        times.ms.push(ms)
        times.worst.push(worst)
        times.cpu.push(cpu)
      }
    }
  }
  const row = rowsOf(stage.scale)
  return [...found].map(([what, { ms, worst, cpu }]) =>
    row(what, 'ms', ms, {
      beside: { 'worst delay of another': worst, 'main thread, with probes': cpu },
      judged: median(worst),
      atMost: maxBlockMs,
    }),
  )
}

/** Cheap requests while a thousand connections send expensive ones at the maximum rate. */
const overloadRows = async (stage: SnapshotStage, { isBrief }: Extent): Promise<Row[]> => {
  const ms = isBrief ? 300 : 5000
  await using service = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  await using expensive = startLoadWorker()
  await using cheap = startLoadWorker()
  const base = { url: service.url, seed: 5 }
  const probes = {
    ...base,
    traffic: 'cheap',
    connections: 20,
    ms,
    perSecond: 200,
  } as const
  const alone = requireNoFailures(await cheap.run(probes))
  const flooding = expensive.run({
    ...base,
    traffic: 'expensive',
    connections: 1000,
    ms: ms + 2000,
  })
  await Bun.sleep(1500)
  const beside = requireNoFailures(await cheap.run(probes))
  const flood = await flooding
  const refused = flood.statuses['503'] ?? 0
  const { latencyMs } = beside
  return [
    rowsOf(stage.scale)(
      'p99 of cheap requests beside 1,000 connections of expensive ones',
      'ms',
      latencyMs.p99,
      {
        beside: {
          'without them': alone.latencyMs.p99,
          'p50 beside them': latencyMs.median,
          'max beside them': latencyMs.max,
          'p50 of the expensive': flood.latencyMs.median,
          'expensive requests a second': flood.perSecond,
          'of these refused, share': refused / flood.responses,
        },
        atMost: maxOverloadMs,
      },
    ),
  ]
}

export const benchDear = async (extent: Extent): Promise<Row[]> => {
  await using stage = await openSnapshotStage(extent.scale)
  return [...(await overloadRows(stage, extent)), ...(await routeCostRows(stage, extent))]
}
