import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash, X509Certificate } from 'node:crypto'
import { insertLeague } from '../../scripts/load.ts'
import { openPool } from '../../src/data/source/connection.ts'
import { launchChromium } from '../browser.ts'
import {
  ask,
  endProxy,
  type RunningProxy,
  startCaddy,
  startNginx,
  startVarnish,
} from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { freshDatabase, type TestDatabase } from '../postgres.ts'
import { type Running, startService, stopService, temporaryFolder } from '../process.ts'
import { fightRows, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

/**
 * Readers that only know the documents of the service, behind the deployed proxies and their caches, while changes are
 * committed.
 */
const fightCount = 40
/**
 * Fights corrected when over, because caches keep their answers then. No bot is in two of them, so its record only
 * follows one.
 */
const cup = (id: string) =>
  tournamentOf(
    { id, name: id, active: false },
    Array.from({ length: 2 * fightCount }, (_, n) => ({
      id: `${id}-${n}`,
      name: `${id} bot ${n}`,
    })),
    Array.from({ length: fightCount }, (_, n) =>
      fightRows({ id: `W-${n}` }, `${id}-${2 * n}`, `${id}-${2 * n + 1}`),
    ),
  )

let database: TestDatabase
let admin: ReturnType<typeof openPool>
let service: Running
const proxies: RunningProxy[] = []

beforeAll(async () => {
  database = await freshDatabase()
  await insertLeague(database.adminUrl, {
    tournaments: [cup('cup'), cup('other')],
    cages: [],
    cageQueue: [],
  })
  admin = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  const port = freePort()
  service = await startService({
    DATABASE_URL: database.readerUrl,
    DATA_DIR: await temporaryFolder(),
    PORT: String(port),
    TRUST_PROXY: '1',
    REFRESH_MS: '100',
  })
  proxies.push(
    ...(await Promise.all(
      [startNginx, startCaddy, startVarnish].map((start) => start([port, port])),
    )),
  )
  for (const { url } of [service, ...proxies]) {
    await until(() =>
      ask(`${url}/changes`).then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
  }
}, 60_000)
afterAll(async () => {
  await Promise.all(proxies.map(endProxy))
  await stopService(service)
  await admin.end({ timeout: 1 })
  await database.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: a client reads what comes.
type Json = any
const read = async (address: string): Promise<Json> => (await ask(address)).json()

/** The rows of a list, for any parameters of its URL. */
const readRows = async (origin: string, address: string): Promise<Json[]> => {
  const [path, query] = address.split('?')
  const rows: Json[] = []
  for (let page = 1; ; page += 1) {
    const body = await read(`${origin}${path}?limit=50&page=${page}&${query}`)
    rows.push(...body.fights)
    if (page >= (body.pagination?.pages ?? 1)) return rows
  }
}
const keyOf = ({ tournamentID, gameID }: Json): string => `${tournamentID}/${gameID}`

/** Keeps a copy of all fights: their rows, and the details of each. */
const createReader = (origin: string, kind: 'poll' | 'stream') => {
  const rows = new Map<string, Json>()
  const fights = new Map<string, Json>()
  let cursor: string
  let changes = 0
  let reloads = 0
  let stopping = new AbortController()
  let running: Promise<void> | undefined

  const remove = (tournamentID: string): void => {
    for (const [key, row] of rows) {
      if (row.tournamentID !== tournamentID) continue
      rows.delete(key)
      fights.delete(key)
    }
  }
  const add = async (list: readonly Json[], version: string): Promise<void> => {
    for (const row of list) {
      const { tournamentID, gameID } = row
      rows.set(keyOf(row), row)
      const address = `${origin}/tournaments/${tournamentID}/fights/${gameID}?v=${version}`
      fights.set(keyOf(row), (await read(address)).fight)
    }
  }
  const reload = async (gone: Json): Promise<void> => {
    reloads += 1
    rows.clear()
    fights.clear()
    const address = gone.reload.find((each: string) => each.startsWith('/fights?'))
    await add(await readRows(origin, address), gone.version)
    cursor = gone.cursor
  }
  const apply = async (change: Json): Promise<void> => {
    changes += 1
    const { type, tournamentID, version } = change
    if (type === 'tournament.removed') remove(tournamentID)
    else if (type === 'tournament.added' || change.reload) {
      remove(tournamentID)
      await add(await readRows(origin, `/tournaments/${tournamentID}/fights?v=${version}`), version)
    } else if (type.startsWith('fight.')) {
      const known = rows.get(keyOf(change))
      rows.set(
        keyOf(change),
        Object.fromEntries(Object.keys(known).map((name) => [name, change.after[name]])),
      )
      fights.set(keyOf(change), (await read(origin + change.url)).fight)
    }
    cursor = change.id
  }

  const poll = async (signal: AbortSignal): Promise<void> => {
    const response = await ask(`${origin}/changes?since=${cursor}&wait=5`, {}, signal)
    const body: Json = await response.json()
    if (response.status === 410) return reload(body)
    for (const change of body.changes) await apply(change)
    cursor = body.cursor
  }
  const stream = async (signal: AbortSignal): Promise<void> => {
    const { body } = await ask(`${origin}/changes/stream?since=${cursor}`, {}, signal)
    let text = ''
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        if (data === undefined) continue
        if (frame.includes('event: reset')) await reload(JSON.parse(data))
        else if (!frame.includes('event: readers')) await apply(JSON.parse(data))
      }
    }
  }
  const follow = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await (kind === 'poll' ? poll(signal) : stream(signal)).catch((error) => {
        if (!signal.aborted) throw error
      })
    }
  }
  return {
    rows,
    fights,
    counts: () => ({ changes, reloads }),
    begin: async (): Promise<void> => {
      const start = await read(`${origin}/changes`)
      await reload({ ...start, reload: [`/fights?v=${start.version}`] })
      reloads = 0
    },
    go: (): void => {
      stopping = new AbortController()
      running = follow(stopping.signal)
    },
    stop: (): Promise<void> | undefined => {
      stopping.abort()
      return running
    },
  }
}

test('readers behind nginx, Caddy and Varnish end with what the service has', async () => {
  const [nginx, , varnish] = proxies
  const plain = '/tournaments/cup/fights/W-0'
  const readPlain = () =>
    Promise.all([nginx, varnish].map((proxy) => read(`${proxy?.url}${plain}`)))
  const old = await readPlain()
  const readers = proxies.flatMap(({ url }) => [
    createReader(url, 'poll'),
    createReader(url, 'stream'),
  ])
  await Promise.all(readers.map(({ begin }) => begin()))
  for (const reader of readers) reader.go()

  let commits = 0
  const commit = async (count: number): Promise<void> => {
    for (let each = 0; each < count; each += 1) {
      commits += 1
      await admin`UPDATE cageside.games SET stop_time = start_time + ${commits} * interval '1 second'
        WHERE tournament_id = 'cup' AND id = ${`W-${commits % fightCount}`}`
      await Bun.sleep(10)
    }
  }
  /** Wait until each reader has a row with the last commit. */
  const arrived = () =>
    until(() =>
      readers.every(
        ({ rows, fights }) =>
          rows.get(`cup/W-${commits % fightCount}`)?.matchLength === commits &&
          fights.size === rows.size,
      ),
    )
  await commit(60)
  await admin`UPDATE cageside.players SET name = 'Renamed' WHERE id = 'cup-0'`
  await commit(60)
  await arrived()
  await Promise.all(readers.map(({ stop }) => stop()))
  // The history that they have not read is removed with this tournament.
  await commit(10)
  await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = 'other'`
  await until(async () => (await ask(`${service.url}/tournaments/other`)).status === 404)
  for (const reader of readers) reader.go()
  await commit(60)
  await admin`UPDATE cageside.tournaments SET privacy = 'public' WHERE id = 'other'`
  await commit(60)
  await arrived()
  await until(() => readers.every(({ rows }) => rows.size === 2 * fightCount))
  await Promise.all(readers.map(({ stop }) => stop()))

  const expected = new Map<string, Json>()
  const whole = new Map<string, Json>()
  for (const row of await readRows(service.url, '/fights?')) {
    expected.set(keyOf(row), row)
    const { tournamentID, gameID } = row
    const { fight } = await read(`${service.url}/tournaments/${tournamentID}/fights/${gameID}`)
    whole.set(keyOf(row), fight)
  }
  for (const { rows, fights, counts } of readers) {
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected))
    expect(Object.fromEntries(fights)).toEqual(Object.fromEntries(whole))
    expect(counts().reloads).toBe(1)
    expect(counts().changes).toBeGreaterThan(200)
  }
  // URLs without a version still have the previous answers.
  expect(await readPlain()).toEqual(old)
}, 60_000)

/** Runs in a page: keeps a copy of a tournament with an EventSource, through the cache of the browser. */
const browserReader = `(async () => {
  const copy = (window.copy = { list: [], fights: {}, changes: 0, resets: 0 })
  const read = async (address) => (await fetch(address)).json()
  const cup = '/tournaments/cup/fights'
  const readList = async (version) => {
    copy.list = (await read(cup + '?v=' + version)).fights
  }
  const readAll = async (version) => {
    await readList(version)
    for (const { gameID } of copy.list)
      copy.fights[gameID] = (await read(cup + '/' + gameID + '?v=' + version)).fight
  }
  const start = await read('/changes')
  await readAll(start.version)
  const source = new EventSource('/changes/stream?since=' + start.cursor)
  let work = Promise.resolve()
  const inTurn = (run) => ({ data }) => (work = work.then(() => run(JSON.parse(data))))
  source.onmessage = inTurn(async ({ type, gameID, url, version }) => {
    await readList(version)
    if (type.startsWith('fight.')) copy.fights[gameID] = (await read(url)).fight
    copy.changes += 1
  })
  source.addEventListener('reset', inTurn(async ({ version }) => {
    await readAll(version)
    copy.resets += 1
  }))
})()`

test('a page in Chromium behind nginx ends with the data of the service, for any state of its cache', async () => {
  const { url, certificate = '' } = proxies[0] ?? { url: '' }
  const { publicKey } = new X509Certificate(await Bun.file(certificate).text())
  const key = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }))
  // The browser caches nothing with other ways of accepting a certificate.
  const trust = `--ignore-certificate-errors-spki-list=${key.digest('base64')}`
  const browser = await launchChromium([trust])
  const page = await browser.newPage()
  await page.goto(`${url}/llms.txt`)
  const plain = ['/tournaments/cup/fights', '/tournaments/cup/fights/W-1']
  const readPlain = async (): Promise<Json> =>
    page.evaluate(
      `Promise.all(${JSON.stringify(plain)}.map(async (path) => (await fetch(path)).json()))`,
    )
  const old = await readPlain()
  await page.evaluate(browserReader)
  const copy = async (): Promise<Json> => page.evaluate('copy')

  const setNotice = (game: string, notice: string) =>
    admin`UPDATE cageside.games SET notice = ${notice} WHERE tournament_id = 'cup' AND id = ${game}`
  const arrived = (game: string, notice: string) =>
    until(async () => (await copy()).fights[game].notice === notice)
  for (let step = 1; step <= 20; step += 1) {
    await setNotice(`W-${step % 4}`, `notice ${step}`)
    await arrived(`W-${step % 4}`, `notice ${step}`)
  }
  await admin`UPDATE cageside.tournaments SET privacy = 'private' WHERE id = 'other'`
  await until(async () => (await ask(`${service.url}/tournaments/other`)).status === 404)
  await setNotice('W-5', 'after a removal')
  await arrived('W-5', 'after a removal')

  const { list, fights, changes } = await copy()
  expect(list).toEqual((await read(`${service.url}/tournaments/cup/fights`)).fights)
  for (const [game, fight] of Object.entries(fights))
    expect(fight).toEqual((await read(`${service.url}/tournaments/cup/fights/${game}`)).fight)
  expect(Object.keys(fights)).toHaveLength(fightCount)
  expect(changes).toBeGreaterThanOrEqual(20)
  // The browser cache has the previous answers under the URLs without a version.
  expect(await readPlain()).toEqual(old)
  const sizes = await page.evaluate(
    `${JSON.stringify(plain)}.map((path) =>
      performance.getEntriesByName(location.origin + path).at(-1).transferSize)`,
  )
  expect(sizes).toEqual([0, 0])
  await browser.close()
}, 60_000)
