import { join } from 'node:path'
import { openPool } from '../../src/source/connection.ts'
import { startBareServer, startNginx, startSqlBaseline } from './baselines.ts'
import { requestsPerSecond } from './loadGenerator.ts'
import { residentMB } from './machine.ts'
import type { Profile } from './profiles.ts'
import { endService, type Stage, startPinned } from './stage.ts'
import { type Row, type Stat, statOf } from './stats.ts'

const target = '/fights/recent?limit=10'

/** The headers that the service added itself, without those that change by the request. */
const ownHeaders = (headers: Headers): Record<string, string> => {
  const { 'content-length': _length, date: _date, ...own } = Object.fromEntries(headers)
  return own
}

/** What a developer of the usual way would add as well. */
const addIndex = async ({ database }: Stage): Promise<void> => {
  const sql = openPool(database.adminUrl, { max: 1, connectSeconds: 10 })
  try {
    await sql`CREATE INDEX IF NOT EXISTS games_stop_time ON cageside.games (stop_time DESC)`
    await sql`ANALYZE`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Answers a second to one address whose body is stored, of the service and of each other server. */
const throughputRows = async (
  stage: Stage,
  { rounds, seconds }: Profile,
  ends: AsyncDisposableStack,
): Promise<Row[]> => {
  const running = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
  ends.defer(() => endService(running))
  await addIndex(stage)
  // Uncompressed, as the load generators ask for it.
  const answer = await fetch(running.url + target, { headers: { 'accept-encoding': 'identity' } })
  const headers = ownHeaders(answer.headers)
  const body = await answer.bytes()
  await Bun.write(join(stage.folder, 'body.json'), body)
  const bare = await startBareServer(join(stage.folder, 'body.json'), headers)
  ends.defer(bare.end)
  const reading = await startBareServer(join(stage.folder, 'body.json'), headers, 'reading')
  ends.defer(reading.end)
  const usual = await startSqlBaseline(stage.database.adminUrl)
  ends.defer(usual.end)
  const nginx = await startNginx(stage.folder, 'body.json', headers)
  if (nginx) ends.defer(nginx.end)
  const usualBody = await (await fetch(usual.url + target)).bytes()
  if (
    !Bun.deepEquals(
      JSON.parse(Buffer.from(usualBody).toString()),
      JSON.parse(Buffer.from(body).toString()),
    )
  )
    throw new Error('the usual way answers something else')

  const servers = { cageside: running, bare, reading, usual, ...(nginx ? { nginx } : {}) }
  const rates = new Map<string, number[]>()
  for (const { url } of Object.values(servers)) await requestsPerSecond(url + target, 1)
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, { url }] of Object.entries(servers)) {
      const rate = await requestsPerSecond(url + target, seconds)
      rates.set(name, [...(rates.get(name) ?? []), rate])
    }
  }
  const bareMB = await residentMB(bare.pid)

  const own = rates.get('cageside') ?? []
  /** How many times as many answers as another, from rounds of the same moment. */
  const ratio = (name: string): Stat =>
    statOf((rates.get(name) ?? []).map((other, round) => (own[round] ?? 0) / other))
  const scale = String(stage.scale)
  const unit = 'times'
  const toBare = ratio('bare')
  const toUsual = ratio('usual')
  return [
    {
      what: `throughput of a stored body of ${body.length} bytes`,
      scale,
      unit: 'answers/s',
      figure: statOf(own),
      beside: Object.fromEntries(
        [...rates].filter(([name]) => name !== 'cageside').map(([name, of]) => [name, statOf(of)]),
      ),
      judged: 0,
      goal: null,
    },
    {
      what: 'throughput, against bare Bun.serve',
      scale,
      unit,
      figure: toBare,
      beside: {},
      judged: toBare.median,
      goal: { atLeast: 0.85 },
    },
    {
      what: 'throughput, against a bare server that reads what is to be read',
      scale,
      unit,
      figure: ratio('reading'),
      beside: {},
      judged: 0,
      goal: null,
    },
    {
      what: 'throughput, against Elysia and SQL',
      scale,
      unit,
      figure: toUsual,
      beside: {},
      judged: toUsual.median,
      goal: { atLeast: 8 },
    },
    ...(nginx
      ? [
          {
            what: 'throughput, against a file of nginx',
            scale,
            unit,
            figure: ratio('nginx'),
            beside: {},
            judged: 0,
            goal: null,
          },
        ]
      : []),
    {
      what: 'resident memory of the bare server after its load',
      scale,
      unit: 'MiB',
      figure: statOf([bareMB]),
      beside: {},
      judged: 0,
      goal: null,
    },
  ]
}

const timeToAnswer = async (
  start: () => Promise<{ url: string; end: () => Promise<void> }>,
): Promise<number> => {
  const started = performance.now()
  const { url, end } = await start()
  await (await fetch(`${url}/tournaments`)).bytes()
  const ms = performance.now() - started
  await end()
  return ms
}

const startGoalMs = new Map([
  ['1', 700],
  ['10', 5000],
])

/** From the start of the process to its first answer, in turns with a bare server. */
const startRow = async (stage: Stage, { startRounds }: Profile): Promise<Row> => {
  const [own, bare]: [number[], number[]] = [[], []]
  for (let round = 0; round < startRounds; round += 1) {
    own.push(
      await timeToAnswer(async () => {
        const running = await startPinned(stage, { SNAPSHOT: stage.snapshotPath })
        return { url: running.url, end: () => endService(running) }
      }),
    )
    bare.push(await timeToAnswer(() => startBareServer(stage.snapshotPath, {})))
  }
  const atMost = startGoalMs.get(String(stage.scale))
  return {
    what: 'start to first answer, from a snapshot',
    scale: String(stage.scale),
    unit: 'ms',
    figure: statOf(own),
    beside: { bare: statOf(bare) },
    judged: statOf(own).median,
    goal: atMost === undefined ? null : { atMost },
  }
}

export const servingRows = async (stage: Stage, effort: Profile): Promise<Row[]> => {
  await using ends = new AsyncDisposableStack()
  const throughput = await throughputRows(stage, effort, ends)
  await ends.disposeAsync()
  return [...throughput, await startRow(stage, effort)]
}
