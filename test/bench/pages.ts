import { type App, createApp } from '../../src/app.ts'
import { type Archive, nothingLoaded } from '../../src/archive/archive.ts'
import type { Tournament } from '../../src/league/types.ts'
import { createLog } from '../../src/log.ts'
import { archiveOfScale } from './stage.ts'
import { type Extent, median, type Row, rowsOf } from './stats.ts'

const maxColdMs = 10
/** Of the time of a stored JSON body of that size. */
const maxStoredRatio = 1.05
/** Of the time with pages off. */
const maxApiRatio = 1.02
/** Stored requests timed together, as one takes microseconds. */
const batch = 200

const options = {
  basePath: '',
  legacyBase: '/legacy',
  liveStreams: async () => undefined,
  pictureSizes: async () => undefined,
  log: createLog('silent'),
}

const send = async (app: App, path: string): Promise<number> => {
  const headers = { accept: path.startsWith('/tournaments') ? '*/*' : 'text/html' }
  const response = await app(new Request(`http://localhost${path}`, { headers }))
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`)
  return (await response.bytes()).length
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const storedMs = (app: App, path: string): Promise<number> =>
  timed(async () => {
    for (let index = 0; index < batch; index += 1) await send(app, path)
  }).then((ms) => ms / batch)

/** The same league as another version: nothing that is stored for the one before is valid. */
const renewed = (built: Archive, round: number): Archive => {
  const tournaments = built.dataset.tournaments.map((tournament) => ({ ...tournament }))
  return {
    ...built,
    version: `round-${round}`,
    dataVersion: `round-${round}`,
    bots: built.bots.map((bot) => ({ ...bot })),
    dataset: {
      ...built.dataset,
      tournaments,
      tournamentsByID: new Map(tournaments.map((each) => [each.info.id, each])),
    },
  }
}

/** The tournament with the most players. */
const largest = ({ dataset: { tournaments } }: Archive): Tournament =>
  tournaments.reduce((a, b) => (b.info.numPlayers > a.info.numPlayers ? b : a))

/** JSON bodies of many sizes: fights of tournaments. */
const nearestJson = async (app: App, { dataset }: Archive, size: number): Promise<string> => {
  let best = { path: '', distance: Number.POSITIVE_INFINITY }
  for (const { info } of dataset.tournaments.slice(0, 200)) {
    for (const part of ['fights', 'brackets', 'players']) {
      const path = `/tournaments/${encodeURIComponent(info.id)}/${part}`
      const distance = Math.abs((await send(app, path)) - size)
      if (distance < best.distance) best = { path, distance }
    }
  }
  return best.path
}

/**
 * Pages made anew, and stored beside a JSON body of that size; a stored response of the API with pages on and
 * off, in turns. In process: the time of a network is the same for both.
 */
export const pageRows = async ({ scale, rounds }: Extent): Promise<Row[]> => {
  const built = archiveOfScale(scale)
  let archive = built
  const service = {
    archive: () => archive,
    rows: () => undefined,
    status: () => nothingLoaded('snapshot'),
    now: () => 0,
  }
  const app = createApp(service, { ...options, pagesIn: 'Europe/Berlin' })
  const plain = createApp(service, options)
  const most = built.bots.reduce((a, b) => (b.fights.length > a.fights.length ? b : a))
  const { info } = largest(built)
  const paths = {
    'the start page': '/',
    [`a bot of ${most.fights.length} fights`]: `/b/${most.cleanName}`,
    [`an event of ${info.numPlayers} players`]: `/e/${encodeURIComponent(info.id)}`,
    'all events': '/e',
    stats: '/stats',
  }
  const row = rowsOf(scale)
  const rows: Row[] = []
  for (const [name, path] of Object.entries(paths)) {
    const cold: number[] = []
    let size = 0
    for (let round = 0; round < rounds; round += 1) {
      archive = renewed(built, round)
      cold.push(
        await timed(async () => {
          size = await send(app, path)
        }),
      )
    }
    const json = await nearestJson(app, built, size)
    const [stored, beside]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      stored.push(await storedMs(app, path))
      beside.push(await storedMs(app, json))
    }
    const jsonKB = (await send(app, json)) / 1000
    rows.push(
      row(`${name}, made anew`, 'ms', cold, { beside: { KB: size / 1000 }, atMost: maxColdMs }),
      row(`${name}, stored`, 'ms', stored, {
        beside: { 'stored JSON': beside, 'KB of that': jsonKB },
        judged: median(stored.map((ms, index) => ms / (beside[index] ?? ms))),
        atMost: maxStoredRatio,
      }),
    )
  }
  const [withPages, without]: [number[], number[]] = [[], []]
  const api = `/tournaments/${encodeURIComponent(info.id)}/players`
  for (let round = 0; round < 3 * rounds; round += 1) {
    withPages.push(await storedMs(app, api))
    without.push(await storedMs(plain, api))
  }
  rows.push(
    row('a stored response of the API, with pages', 'ms', withPages, {
      beside: { without },
      judged: median(withPages.map((ms, index) => ms / (without[index] ?? ms))),
      atMost: maxApiRatio,
    }),
  )
  return rows
}
