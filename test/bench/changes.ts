import { generateLeague, type Scale } from '../../scripts/league/league.ts'
import { diffArchives } from '../../src/companions/changes/diff.ts'
import { noCages, updateArchive } from '../../src/data/archive/archive.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { launchChromium } from '../browser.ts'
import { buildArchive } from '../buildArchive.ts'
import { startService, stopService } from '../process.ts'
import { until } from '../until.ts'
import { startLoadWorker } from './loadGenerator.ts'
import { residentMB, watchTurns } from './machine.ts'
import { openStage, type Service, type Stage, startPinned } from './stage.ts'
import { type Extent, rounded, summary, timed } from './stats.ts'

const streams = 10_000
const decoder = new TextDecoder()

/** Comparing the archives before and after one changed fight, among all tournaments of a scale. */
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

interface StreamOptions {
  readonly onText?: (text: string) => void
  readonly onBytes?: (length: number) => void
  readonly path?: string
  readonly isStalled?: boolean
  readonly onClose?: () => void
}

/** A connection that reads a stream, or nothing of it with `isStalled`. */
const openStream = (
  url: string,
  { path = '/changes/stream', isStalled = false, onText, onBytes, onClose }: StreamOptions,
) =>
  Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(url).port),
    socket: {
      open: (socket) => {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
        if (isStalled) socket.pause()
      },
      data: (_, bytes) => {
        onBytes?.(bytes.length)
        onText?.(decoder.decode(bytes))
      },
      close: () => onClose?.(),
    },
  })

const limits = {
  MAX_STREAMS: String(2 * streams),
  MAX_STREAMS_PER_CLIENT: String(2 * streams),
}

/** A service on the database of a stage, once it has a feed of changes. */
const startFeed = async (
  stage: Stage,
  settings: Readonly<Record<string, string>> = {},
  preload: readonly string[] = [],
): Promise<Service> => {
  const database = { DATABASE_URL: stage.database.readerUrl }
  const service = await startPinned(stage, { ...database, ...limits, ...settings }, preload)
  await until(async () => (await fetch(`${service.url}/changes`)).status === 200)
  return service
}

const warmUp = async ({ url }: Pick<Service, 'url'>): Promise<void> => {
  for (let warm = 0; warm < 2000; warm += 1) await (await fetch(`${url}/health`)).text()
}

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
  await warmUp(running)
  let closed = 0
  const onClose = (): void => {
    closed += 1
  }
  const open = () => openStream(running.url, { path, onClose })
  // The garbage of opening them is collected later: in a second round it takes the place of the first.
  for (const socket of await openAll(open)) socket.terminate()
  await Bun.sleep(3000)
  const before = 1024 * (await residentMB(running.process.pid))
  await openAll(open)
  await Bun.sleep(3000)
  const after = 1024 * (await residentMB(running.process.pid))
  closed = 0
  const stopMs = await timed(() => stopService(running))
  await until(() => closed === streams)
  return { kilobytesEach: rounded((after - before) / streams), stopMs: rounded(stopMs) }
}

/** 10,000 idle streams, and as many long polls. */
export const benchReaders = async () => ({
  streams: await benchIdle('/changes/stream'),
  longPolls: await benchIdle('/changes?wait=25'),
})

const noticeOf = (name: string): string =>
  `UPDATE cageside.games SET notice = '${name}' WHERE (tournament_id, id) = (
     SELECT g.tournament_id, g.id FROM cageside.games AS g
     JOIN cageside.tournaments AS t ON t.id = g.tournament_id AND privacy = 'public' AND NOT is_test
     WHERE state = 'done' AND 2 = (
       SELECT count(*) FROM cageside.slots JOIN cageside.players AS p
         ON p.tournament_id = slots.tournament_id AND p.id = player_id AND NOT is_bye
       WHERE slots.tournament_id = g.tournament_id AND game_id = g.id)
     ORDER BY g.tournament_id, g.id LIMIT 1)`

/** Time from the commit to the change at a client. */
const benchCommits = async (
  stage: Stage,
  rounds: number,
  settings: Readonly<Record<string, string>>,
) => {
  await using service = await startFeed(stage, settings)
  let text = ''
  const onText = (more: string): void => {
    text += more
  }
  const socket = await openStream(service.url, { onText })
  await until(() => text.includes('id: '))
  // The connection for notifications is opened during the first refresh.
  await Bun.sleep(1000)
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const name = `commit ${round} ${Math.random()}`
    await Bun.sleep(Math.random() * 300)
    await stage.admin.unsafe(noticeOf(name))
    const committed = performance.now()
    while (!text.includes(name)) await Bun.sleep(1)
    times.push(performance.now() - committed)
    text = ''
  }
  socket.terminate()
  return summary(times)
}

/** Time from the commit to an open page: the state of a cage, switched back and forth, in the system's Chromium. */
const benchPage = async (stage: Stage, rounds: number) => {
  await using service = await startFeed(stage)
  const browser = await launchChromium()
  try {
    const page = await browser.newPage()
    await page.goto(`${service.url}/live`)
    await page.locator('#cages .active').first().waitFor()
    // The connection for notifications is opened during the first refresh.
    await Bun.sleep(1000)
    const times: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      const [before, after] = round % 2 === 0 ? ['active', 'paused'] : ['paused', 'active']
      // Reloads of a page are at least 200 ms apart.
      await Bun.sleep(300 + Math.random() * 300)
      const shown = page.evaluate(`new Promise((done) => {
        const count = () => document.querySelectorAll('#cages > .${after}').length
        const before = count()
        new MutationObserver((_, own) => {
          if (count() === before) return
          own.disconnect()
          done(Date.now())
        }).observe(document.querySelector('#cages'), { subtree: true, childList: true, attributes: true })
      })`)
      await page.evaluate('0')
      await stage.admin`
        UPDATE cageside.cages SET status = ${after} WHERE number =
          (SELECT number FROM cageside.cages WHERE status = ${before} ORDER BY number LIMIT 1)`
      const committed = Date.now()
      times.push(Number(await shown) - committed)
    }
    return summary(times)
  } finally {
    await browser.close()
  }
}

/** One change to all of 10,000 streams while others request. */
const benchStreams = async (stage: Stage, rounds: number) => {
  await using service = await startFeed(stage)
  await warmUp(service)
  await Bun.sleep(2000)
  let begun = 0
  let awaited = 'no such text'
  let received = 0
  let [first, last] = [0, 0]
  const sockets = await openAll(() => {
    let hasBegun = false
    const onText = (text: string): void => {
      if (!hasBegun && text.includes('id: ')) {
        hasBegun = true
        begun += 1
      }
      if (!text.includes(awaited)) return
      received += 1
      last = performance.now()
      if (received === 1) first = last
    }
    return openStream(service.url, { onText })
  })
  await until(() => begun === streams)
  const [fanOutMs, otherMs]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    received = 0
    awaited = `fan-out ${round}`
    await stage.admin.unsafe(noticeOf(awaited))
    while (received < streams) {
      otherMs.push(
        await timed(async () => (await fetch(`${service.url}/fights/recent`)).arrayBuffer()),
      )
    }
    fanOutMs.push(last - first)
    await Bun.sleep(300)
  }
  for (const socket of sockets) socket.terminate()
  return {
    streams,
    oneChangeToAllMs: summary(fanOutMs),
    otherRequestsMs: summary(otherMs),
  }
}

/** 180 recordings of one tournament change in one commit: fewer than are sent as one reload. */
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

/** Many simultaneous changes for all readers, while a share of them reads nothing and others send requests. */
const benchBurst = async (stage: Stage, path: string, stalledShare: number) => {
  const turns = await watchTurns()
  await using service = await startFeed(stage, turns.settings, turns.preload)
  await using others = startLoadWorker()
  const atStartMB = await residentMB(service.pid)
  const received = new Float64Array(streams)
  const sockets = await openAll((index) =>
    openStream(service.url, {
      path,
      isStalled: index < stalledShare * streams,
      onBytes: (length) => {
        received[index] = (received[index] ?? 0) + length
      },
    }),
  )
  await Bun.sleep(3000)
  const openMB = await residentMB(service.pid)
  received.fill(0)
  const load = others.run({
    url: `${service.url}/fights/recent`,
    traffic: 'single',
    seed: 1,
    connections: 4,
    perSecond: 200,
    ms: 12_000,
  })
  await Bun.sleep(1000)
  const burstAt = Date.now()
  await stage.admin.unsafe(renameCameras(`burst ${Math.random()}`))
  const started = performance.now()
  const awaited = Math.round((1 - stalledShare) * streams)
  let doneMs: number | undefined
  let maxMB = 0
  while (performance.now() - started < 10_000) {
    maxMB = Math.max(maxMB, await residentMB(service.pid))
    const done = received.reduce((sum, bytes) => sum + Number(bytes >= burstBytes), 0)
    if (done >= awaited) doneMs ??= performance.now() - started
    await Bun.sleep(50)
  }
  const { latencyMs } = await load
  for (const socket of sockets) socket.terminate()
  return {
    atStartMB: rounded(atStartMB),
    openMB: rounded(openMB),
    maxMB: rounded(maxMB),
    allHaveItMs: doneMs === undefined ? null : rounded(doneMs),
    otherRequestsMs: latencyMs,
    longestTurnMs: rounded(await turns.longest(burstAt, Date.now())),
  }
}

/**
 * The feed of changes: cost of one changed fight at the scale, commit to client with and without notifications and to
 * an open page, 10,000 streams, and a burst of changes to as many streams and long polls, on the sample.
 */
export const benchChanges = async ({ scale, rounds }: Extent): Promise<object> => {
  const diff = await benchDiff(scale, 3 * rounds)
  await using stage = await openStage('sample')
  const [stream, poll] = ['/changes/stream', '/changes?wait=25'] as const
  return {
    scale,
    oneChangedFight: diff,
    commitToClientMs: {
      notified: await benchCommits(stage, rounds, {}),
      byTimer: await benchCommits(stage, Math.ceil(rounds / 5), { PGBOUNCER: '1' }),
    },
    commitToPageMs: await benchPage(stage, rounds),
    ...(await benchStreams(stage, Math.ceil(rounds / 10))),
    burst: {
      streams: await benchBurst(stage, stream, 0),
      halfOfThemStalled: await benchBurst(stage, stream, 0.5),
      longPolls: await benchBurst(stage, poll, 0),
      halfOfPollsStalled: await benchBurst(stage, poll, 0.5),
    },
  }
}
