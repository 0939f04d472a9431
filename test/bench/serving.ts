import { join } from 'node:path'
import { openPool } from '../../src/source/connection.ts'
import { type Baseline, startBareServer, startNginx, startSqlBaseline } from './baselines.ts'
import { requestsPerSecond } from './loadGenerator.ts'
import { residentMB } from './machine.ts'
import type { Profile } from './profiles.ts'
import { type Stage, startPinned, startTimed } from './stage.ts'
import { type Row, rowsOf } from './stats.ts'

const target = '/fights/recent?limit=10'

/** The service's own headers, without those that change with the request. */
const ownHeaders = (headers: Headers): Record<string, string> => {
  const { 'content-length': _length, date: _date, ...own } = Object.fromEntries(headers)
  return own
}

/** The index that a developer of the SQL baseline would add. */
const addIndex = async ({ database }: Stage): Promise<void> => {
  const sql = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  try {
    await sql`CREATE INDEX IF NOT EXISTS games_stop_time ON cageside.games (stop_time DESC)`
    await sql`ANALYZE`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Requests per second of one address whose body is stored, by the service and by each baseline. */
const throughputRows = async (stage: Stage, { rounds, seconds }: Profile): Promise<Row[]> => {
  await using ends = new AsyncDisposableStack()
  const service = ends.use(await startPinned(stage, { SNAPSHOT: stage.snapshotPath }))
  await addIndex(stage)
  // Uncompressed, as load generators request it.
  const answer = await fetch(service.url + target, { headers: { 'accept-encoding': 'identity' } })
  const headers = ownHeaders(answer.headers)
  const body = await answer.text()
  const bodyPath = join(stage.folder, 'body.json')
  await Bun.write(bodyPath, body)
  const bare = ends.use(await startBareServer(bodyPath, headers))
  const reading = ends.use(await startBareServer(bodyPath, headers, 'reading'))
  const sqlBaseline = ends.use(await startSqlBaseline(stage.database.adminUrl))
  const nginx = await startNginx(stage.folder, 'body.json', headers)
  if (nginx) ends.use(nginx)
  const sqlBody = await (await fetch(sqlBaseline.url + target)).text()
  if (!Bun.deepEquals(JSON.parse(sqlBody), JSON.parse(body)))
    throw new Error('the SQL baseline answers something else')

  const baselines: Record<string, Baseline> = {
    bare,
    reading,
    sqlBaseline,
    ...(nginx && { nginx }),
  }
  const servers = Object.entries({ cageside: service, ...baselines })
  const rates: Record<string, number[]> = {}
  for (const [, { url }] of servers) await requestsPerSecond(url + target, seconds / 3)
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { url }] of servers) {
      const rate = await requestsPerSecond(url + target, seconds)
      rates[name] = [...(rates[name] ?? []), rate]
    }
  }
  const { cageside: own = [], ...others } = rates
  /** Of the service against a baseline, in the same round. */
  const ratios = (name: string): number[] =>
    (others[name] ?? []).map((other, round) => (own[round] ?? 0) / other)
  const row = rowsOf(stage.scale)
  const against = (what: string, name: string, atLeast?: number): Row =>
    row(`throughput, against ${what}`, 'times', ratios(name), { atLeast })
  return [
    row(`throughput of a stored body of ${Buffer.byteLength(body)} bytes`, 'requests/s', own, {
      beside: others,
    }),
    against('bare Bun.serve', 'bare', 0.85),
    against('a bare server that reads the same of a request', 'reading'),
    against('Elysia and SQL', 'sqlBaseline', 8),
    ...(nginx ? [against('a file of nginx', 'nginx')] : []),
    row('resident memory of the bare server after its load', 'MiB', await residentMB(bare.pid)),
  ]
}

const maxStartMs = new Map([
  ['1', 700],
  ['10', 5000],
])

/** From the start of the process to its first response, in turns with a bare server. */
const startRow = async (stage: Stage, { startRounds }: Profile): Promise<Row> => {
  const [own, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < startRounds; round += 1) {
    const { service, ms } = await startTimed({ SNAPSHOT: stage.snapshotPath })
    own.push(ms)
    await service[Symbol.asyncDispose]()
    const started = performance.now()
    await using server = await startBareServer(stage.snapshotPath, {})
    await (await fetch(server.url)).bytes()
    bare.push(performance.now() - started)
  }
  return rowsOf(stage.scale)('start to first answer, from a snapshot', 'ms', own, {
    beside: { bare },
    atMost: maxStartMs.get(String(stage.scale)),
  })
}

export const servingRows = async (stage: Stage, profile: Profile): Promise<Row[]> => [
  ...(await throughputRows(stage, profile)),
  await startRow(stage, profile),
]
