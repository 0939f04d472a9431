import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { insertLeague } from '../../scripts/load.ts'
import { buildArchive, noCages, updateArchive } from '../../src/archive/archive.ts'
import { diffArchives } from '../../src/changes/diff.ts'
import { buildTournament } from '../../src/league/build.ts'
import { openPool } from '../../src/source/connection.ts'
import { isPublic } from '../../src/source/visibility.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { startService, stopService } from '../process.ts'
import { until } from '../until.ts'
import { startLoadWorker } from './loadGenerator.ts'
import { cores, pin, residentMB, watchTurns } from './machine.ts'
import { type Extent, rounded, summary } from './stats.ts'

const streams = 10_000
const decoder = new TextDecoder()

/** Making the differences of one changed fight, among all tournaments of a scale. */
const benchDiff = async (scale: Scale, rounds: number) => {
  const rows = [...generateLeague({ seed: 1, scale }).tournaments].filter(({ tournament }) =>
    isPublic(tournament),
  )
  let archive = buildArchive('0', rows.map(buildTournament))
  const changing = rows.reduce((a, b) => (b.recordings.length > a.recordings.length ? b : a))
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const games = changing.games.map((game, index) =>
      index === round % changing.games.length ? { ...game, notice: `Notice ${round}` } : game,
    )
    const changed = new Map([[changing.tournament.id, buildTournament({ ...changing, games })]])
    const next = await updateArchive(archive, String(round + 1), changed, noCages)
    const started = performance.now()
    diffArchives({ archive }, next, 0)
    times.push(performance.now() - started)
    archive = next
  }
  return { tournaments: rows.length, recordings: changing.recordings.length, ms: summary(times) }
}

/** A connection that reads a stream; `onText` gets what comes. */
const openStream = (
  url: string,
  onText: (text: string) => void,
  { path = '/changes/stream', onClose = (): void => undefined } = {},
) =>
  Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(url).port),
    socket: {
      open: (socket) => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      },
      data: (_, bytes) => onText(decoder.decode(bytes)),
      close: onClose,
    },
  })

const limits = {
  MAX_STREAMS: String(2 * streams),
  MAX_STREAMS_PER_CLIENT: String(2 * streams),
}
const settingsOf = ({ readerUrl }: TestDatabase) => ({ DATABASE_URL: readerUrl, ...limits })

/** Calls back for each of 10,000 readers, 100 at a time. */
const openAll = async <Socket>(open: (index: number) => Promise<Socket>): Promise<Socket[]> => {
  const sockets: Socket[] = []
  for (let opened = 0; opened < streams; opened += 100) {
    const more = Array.from({ length: 100 }, (_, index) => open(opened + index))
    sockets.push(...(await Promise.all(more)))
    await Bun.sleep(5)
  }
  return sockets
}

/** Memory of idle readers of the bundled league, and the time until all are released by a signal. */
const benchIdle = async (path: string) => {
  const running = await startService(limits)
  for (let warm = 0; warm < 2000; warm += 1) await (await fetch(`${running.url}/health`)).text()
  let closed = 0
  const onClose = (): void => {
    closed += 1
  }
  const open = () => openStream(running.url, () => undefined, { path, onClose })
  // The garbage of opening them is collected later: of a second round it takes the place of the first.
  for (const socket of await openAll(open)) socket.terminate()
  await Bun.sleep(3000)
  const before = 1024 * (await residentMB(running.process.pid))
  await openAll(open)
  await Bun.sleep(3000)
  const after = 1024 * (await residentMB(running.process.pid))
  closed = 0
  const stopped = performance.now()
  await stopService(running)
  const stopMs = performance.now() - stopped
  await until(() => closed === streams)
  return { kilobytesEach: rounded((after - before) / streams), stopMs: rounded(stopMs) }
}

/** 10,000 idle streams, and as many long polls. */
export const benchReaders = async () => ({
  streams: await benchIdle('/changes/stream'),
  longPolls: await benchIdle('/changes?wait=25'),
})

const isReady = (url: string) => async (): Promise<boolean> =>
  (await fetch(`${url}/changes`)).status === 200

const noticeOf = (name: string): string =>
  `UPDATE cageside.games SET notice = '${name}' WHERE (tournament_id, id) = (
     SELECT g.tournament_id, g.id FROM cageside.games AS g
     JOIN cageside.tournaments AS t ON t.id = g.tournament_id AND privacy = 'public' AND NOT is_test
     WHERE state = 'done' AND 2 = (
       SELECT count(*) FROM cageside.slots JOIN cageside.players AS p
         ON p.tournament_id = slots.tournament_id AND p.id = player_id AND NOT is_bye
       WHERE slots.tournament_id = g.tournament_id AND game_id = g.id)
     ORDER BY g.tournament_id, g.id LIMIT 1)`

/** From the commit to the change at a client. */
const benchCommits = async (
  database: TestDatabase,
  rounds: number,
  settings: Readonly<Record<string, string>>,
) => {
  const running = await startService({ ...settingsOf(database), ...settings })
  const pool = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  await until(isReady(running.url))
  let text = ''
  const socket = await openStream(running.url, (more) => {
    text += more
  })
  await until(() => text.includes('id: '))
  // What it follows by is opened beside the first look.
  await Bun.sleep(1000)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const name = `commit ${round} ${Math.random()}`
    await Bun.sleep(Math.random() * 300)
    await pool.unsafe(noticeOf(name))
    const committed = performance.now()
    while (!text.includes(name)) await Bun.sleep(1)
    times.push(performance.now() - committed)
    text = ''
  }
  socket.terminate()
  await pool.end({ timeout: 1 })
  await stopService(running)
  return summary(times)
}

/** One change to all of 10,000 streams while others request. */
const benchStreams = async (database: TestDatabase, rounds: number) => {
  const running = await startService(settingsOf(database))
  const pool = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  await until(isReady(running.url))
  for (let warm = 0; warm < 2000; warm += 1) await (await fetch(`${running.url}/health`)).text()
  await Bun.sleep(2000)
  let begun = 0
  let awaited = 'no such text'
  let received = 0
  let [first, last] = [0, 0]
  const sockets = await openAll(() => {
    let hasBegun = false
    return openStream(running.url, (text) => {
      if (!hasBegun && text.includes('id: ')) {
        hasBegun = true
        begun += 1
      }
      if (!text.includes(awaited)) return
      received += 1
      last = performance.now()
      if (received === 1) first = last
    })
  })
  await until(() => begun === streams)
  const [fanOutMs, otherMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    received = 0
    awaited = `fan-out ${round}`
    await pool.unsafe(noticeOf(awaited))
    while (received < streams) {
      const started = performance.now()
      await (await fetch(`${running.url}/fights/recent`)).arrayBuffer()
      otherMs.push(performance.now() - started)
    }
    fanOutMs.push(last - first)
    await Bun.sleep(300)
  }
  for (const socket of sockets) socket.terminate()
  await pool.end({ timeout: 1 })
  await stopService(running)
  return {
    streams,
    oneChangeToAllMs: summary(fanOutMs),
    otherRequestsMs: summary(otherMs),
  }
}

/** 180 recordings of one tournament in one commit: fewer than are sent as one reload. */
const renameCameras = (name: string): string =>
  `UPDATE cageside.recordings SET camera = '${name}' WHERE id IN (
     SELECT r.id FROM cageside.recordings AS r
     JOIN cageside.tournaments AS t ON t.id = r.tournament_id AND privacy = 'public' AND NOT is_test
     WHERE tournament_id = (
       SELECT tournament_id FROM cageside.recordings AS r
       JOIN cageside.tournaments AS t ON t.id = r.tournament_id AND privacy = 'public' AND NOT is_test
       GROUP BY tournament_id HAVING count(*) >= 180 ORDER BY tournament_id LIMIT 1)
     ORDER BY r.id LIMIT 180)`

/** A reader has the changes of a burst when this much has come, of 80 KB. */
const burstBytes = 60_000

/** Many changes at once for all readers, of which a share reads nothing, while others request. */
const benchBurst = async (
  database: TestDatabase,
  { path, stalledShare }: { path: string; stalledShare: number },
) => {
  const turns = await watchTurns()
  const running = await startService({ ...settingsOf(database), ...turns.settings }, [
    process.execPath,
    ...turns.preload,
    'src/main.ts',
  ])
  pin(running.process.pid, cores.server)
  const pool = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  await using others = startLoadWorker()
  await until(isReady(running.url))
  const atStartMB = await residentMB(running.process.pid)
  const received = new Float64Array(streams)
  const open = (index: number) =>
    Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(running.url).port),
      socket: {
        open: (socket) => {
          socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
          if (index < stalledShare * streams) socket.pause()
        },
        data: (_, { length }) => {
          received[index] = (received[index] ?? 0) + length
        },
      },
    })
  const sockets = await openAll(open)
  await Bun.sleep(3000)
  const openMB = await residentMB(running.process.pid)
  received.fill(0)
  const load = others.run({
    url: `${running.url}/fights/recent`,
    traffic: 'single',
    seed: 1,
    connections: 4,
    perSecond: 200,
    ms: 12_000,
  })
  await Bun.sleep(1000)
  const burstAt = Date.now()
  await pool.unsafe(renameCameras(`burst ${Math.random()}`))
  const started = performance.now()
  const awaited = Math.round((1 - stalledShare) * streams)
  let doneMs: number | undefined
  let maxMB = 0
  while (performance.now() - started < 10_000) {
    maxMB = Math.max(maxMB, await residentMB(running.process.pid))
    const done = received.reduce((sum, bytes) => sum + Number(bytes >= burstBytes), 0)
    if (done >= awaited) doneMs ??= performance.now() - started
    await Bun.sleep(50)
  }
  const { latencyMs } = await load
  for (const socket of sockets) socket.terminate()
  await pool.end({ timeout: 1 })
  await stopService(running)
  return {
    atStartMB: rounded(atStartMB),
    openMB: rounded(openMB),
    maxMB: rounded(maxMB),
    allHaveItMs: doneMs === undefined ? null : rounded(doneMs),
    otherRequestsMs: latencyMs,
    longestTurnMs: rounded(await turns.longest(burstAt, Date.now())),
  }
}

/** Parts of the burst, by name. */
const benchBursts = async (database: TestDatabase) => {
  const poll = '/changes?wait=25'
  return {
    streams: await benchBurst(database, { path: '/changes/stream', stalledShare: 0 }),
    halfOfThemStalled: await benchBurst(database, { path: '/changes/stream', stalledShare: 0.5 }),
    longPolls: await benchBurst(database, { path: poll, stalledShare: 0 }),
    halfOfPollsStalled: await benchBurst(database, { path: poll, stalledShare: 0.5 }),
  }
}

/**
 * The feed of changes: cost of one changed fight at the scale, commit to client with and without
 * notifications, 10,000 streams, and a burst of changes to as many streams and long polls, on the sample.
 */
export const benchChanges = async ({ scale, rounds }: Extent): Promise<object> => {
  const diff = await benchDiff(scale, 3 * rounds)
  const database = await freshDatabase()
  try {
    await insertLeague(database.adminUrl, generateLeague({ seed: 1, scale: 'sample' }))
    return {
      scale,
      oneChangedFight: diff,
      commitToClientMs: {
        notified: await benchCommits(database, rounds, {}),
        byTimer: await benchCommits(database, Math.ceil(rounds / 5), { PGBOUNCER: '1' }),
      },
      ...(await benchStreams(database, Math.ceil(rounds / 10))),
      burst: await benchBursts(database),
    }
  } finally {
    await database.drop()
  }
}
