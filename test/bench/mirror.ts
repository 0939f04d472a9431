import { generateLeague } from '../../scripts/league/league.ts'
import { createApp } from '../../src/app.ts'
import { noCages, nothingLoaded } from '../../src/data/archive/archive.ts'
import { emptyLeague } from '../../src/data/archive/loadedLeague.ts'
import { rowsOfLeague } from '../../src/data/archive/servedRows.ts'
import { leagueWith } from '../../src/data/archive/updateLeague.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { unpackTournament } from '../../src/data/source/snapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { temporaryFolder } from '../process.ts'
import { until } from '../until.ts'
import { familyMs, residentMB } from './machine.ts'
import { startPinned } from './stage.ts'
import { type Extent, rounded, summary } from './stats.ts'

/** One changed fight in a mirror, whose origin is in this process. */
export const benchMirror = async ({ scale, rounds }: Extent) => {
  const { tournaments } = generateLeague({ seed: 1, scale })
  const updates = Iterator.from(tournaments).map((rows) => ({ id: rows.tournament.id, rows }))
  let { league } = await leagueWith(emptyLeague, updates, noCages)
  const folder = await temporaryFolder()
  const fight = league.archive?.dataset.fights.find(({ isCompleted }) => isCompleted)
  const entry = fight && league.entries.get(fight.tournament.id)
  const rows = entry && checkTournament(unpackTournament(entry.frame), () => undefined)
  if (!fight || !rows) throw new Error('the league has no fight')
  const change = async (notice: string): Promise<void> => {
    const games = rows.games.map((game) => (game.id === fight.id ? { ...game, notice } : game))
    const update = { id: fight.tournament.id, rows: { ...rows, games } }
    league = (await leagueWith(league, [update], league.cages)).league
  }
  const app = createApp(
    {
      archive: () => league.archive,
      rows: () => rowsOfLeague(league),
      status: () => nothingLoaded('postgres'),
      now: () => Math.floor(Date.now() / 1000),
    },
    {
      basePath: '',
      legacyBase: '/legacy',
      liveStreams: async () => undefined,
      pictureSizes: async () => undefined,
      companions: [],
      log: createLog('silent'),
    },
  )
  let [received, requests] = [0, 0]
  const origin = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const response = await app(request)
      const body = await response.bytes()
      requests += 1
      received += body.length
      return new Response(response.status === 304 ? null : new Uint8Array(body), response)
    },
  })
  const started = performance.now()
  const mirror = await startPinned(
    { folder },
    {
      SNAPSHOT: `http://127.0.0.1:${origin.port}/snapshot`,
      REFRESH_MS: '1000',
    },
  )
  await (await fetch(`${mirror.url}/tournaments`)).bytes()
  const first = { ms: rounded(performance.now() - started), bytes: received, requests }
  const refreshOf = async () =>
    JSON.parse(await (await fetch(`${mirror.url}/health`)).text()).lastRefresh
  const path = `/tournaments/${fight.tournament.id}/fights/${fight.id}`
  const times: number[] = []
  const refreshes: number[] = []
  const bytes: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    ;[received, requests] = [0, 0]
    const notice = `round ${round}`
    await change(notice)
    const changed = performance.now()
    let ms = 0
    await until(async () => {
      const { changedRows, ms: last } = await refreshOf()
      if (changedRows > 0) ms = last
      return (await (await fetch(mirror.url + path)).text()).includes(notice)
    })
    times.push(performance.now() - changed)
    refreshes.push(ms)
    bytes.push(received)
    await Bun.sleep(1200)
  }
  /** CPU time of the mirror in two polls, one without and one with a change. */
  const [idle, changing]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    for (const cpu of [idle, changing]) {
      const before = await familyMs(mirror.pid)
      if (cpu === changing) await change(`measured ${round}`)
      await Bun.sleep(2000)
      cpu.push((await familyMs(mirror.pid)) - before)
    }
  }
  const memory = await residentMB(mirror.pid)
  await mirror[Symbol.asyncDispose]()
  await origin.stop(true)
  return {
    first,
    changeToMirrorMs: summary(times),
    refreshMs: summary(refreshes),
    bytes: summary(bytes),
    cpuMsOfTwoLooks: { idle: summary(idle), withChange: summary(changing) },
    residentMB: rounded(memory),
  }
}
