import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { openSnapshot } from '../../src/archive/fromSnapshot.ts'
import { createBulk } from '../../src/bulk/bulk.ts'
import { bulkNames } from '../../src/bulk/tables.ts'
import { createLog } from '../../src/log.ts'
import { residentMB } from './machine.ts'
import { openSnapshotStage, type Service, startPinned } from './stage.ts'
import { type Extent, rounded, summary } from './stats.ts'

/** Of each of two large files: 50 in all. */
const slowReaders = 25

interface Got {
  readonly text: string
  readonly bytes: number
}

const getText = async (url: string): Promise<Got> => {
  const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' }, decompress: false })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  const body = await response.bytes()
  const isGzip = response.headers.get('content-encoding') === 'gzip'
  const text = isGzip ? Bun.gunzipSync(new Uint8Array(body)) : body
  return { text: new TextDecoder().decode(text), bytes: body.length }
}

/** Every fight with its recordings, by following the API: eight requests at a time. */
const walkFights = async (base: string) => {
  const started = performance.now()
  let [requests, bytes, recordings] = [0, 0, 0]
  const get = async (path: string) => {
    const { text, bytes: size } = await getText(base + path)
    requests += 1
    bytes += size
    return JSON.parse(text)
  }
  const fights: { tournamentID: string; gameID: string }[] = []
  for (let page = 1; ; page += 1) {
    const { fights: found, pagination } = await get(`/fights?page=${page}`)
    fights.push(...found)
    if (page >= pagination.pages) break
  }
  const left = fights.values()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (const { tournamentID, gameID } of left) {
        const { fight } = await get(`/tournaments/${tournamentID}/fights/${gameID}`)
        recordings += fight.recordings.length
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  return { fights: fights.length, recordings, requests, bytes, seconds: rounded(seconds) }
}

/** The same as two files. */
const readBulk = async (base: string) => {
  const started = performance.now()
  let bytes = 0
  for (const name of ['fights.ndjson.gz', 'recordings.ndjson.gz']) {
    bytes += (await (await fetch(`${base}/bulk/${name}`)).bytes()).length
  }
  return { requests: 2, bytes, seconds: rounded((performance.now() - started) / 1000) }
}

/** CPU time of this process's main thread; the system counts it in steps of 4 ms. */
const mainThreadMsNow = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ', 1)) / 1e6

/**
 * Makes every file in this process: duration, and longest turns of its event loop, in CPU time of the main
 * thread, which other processes do not lengthen.
 */
const pausesOf = async (snapshotPath: string) => {
  const log = createLog('silent')
  const service = openSnapshot(snapshotPath, log)
  await service.firstLoad
  const bulk = createBulk({ archive: service.archive, waitMs: 600_000 })
  const turns: number[] = []
  let isOver = false
  let before = mainThreadMsNow()
  const turn = (): void => {
    const now = mainThreadMsNow()
    turns.push(now - before)
    before = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  const started = performance.now()
  const sizes: Record<string, number> = {}
  for (const name of bulkNames) {
    const file = await bulk.file(name)
    if (typeof file === 'object') sizes[name] = file.bytes
  }
  const ms = rounded(performance.now() - started)
  isOver = true
  await service.stop()
  const longest = turns.sort((a, b) => b - a).slice(0, 20)
  return { ms, longestTurnsMs: summary(longest), sizes }
}

/** Opens connections that read the first bytes and then nothing. */
const openSlowReaders = (base: string, path: string) => {
  const { hostname, port } = new URL(base)
  return Array.from({ length: slowReaders }, () => {
    const socket = connect(Number(port), hostname)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
    socket.once('data', () => socket.pause())
    return socket
  })
}

const memoryOf = async (service: Service, base: string) => {
  await Bun.sleep(2000)
  const rest = await residentMB(service.pid)
  let peak = rest
  const timer = setInterval(async () => {
    peak = Math.max(peak, await residentMB(service.pid))
  }, 20)
  await (await fetch(`${base}/bulk`)).bytes()
  const afterMaking = peak
  const sockets = ['/bulk/recordings.ndjson.gz', '/snapshot'].flatMap((path) =>
    openSlowReaders(base, path),
  )
  await Bun.sleep(3000)
  clearInterval(timer)
  const afterServing = peak
  for (const socket of sockets) socket.destroy()
  return {
    restMB: rounded(rest),
    makingMB: rounded(afterMaking - rest),
    slowReaders: sockets.length,
    servingMB: rounded(afterServing - rest),
  }
}

/**
 * `/bulk` beside walking the API; memory and pauses while it is made and sent to slow readers.
 */
export const benchBulk = async ({ scale }: Extent): Promise<object> => {
  await using stage = await openSnapshotStage(scale)
  const service = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  const base = service.url
  const memory = await memoryOf(service, base)
  const bulk = await readBulk(base)
  const walk = await walkFights(base)
  const snapshotBytes = (await (await fetch(`${base}/snapshot`)).bytes()).length
  await service[Symbol.asyncDispose]()
  const making = await pausesOf(stage.snapshotPath)
  return { memory, making, bulk, walk, snapshotBytes }
}
