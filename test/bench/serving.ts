import { join } from 'node:path'
import { startBareServer, startNginx, startSqlBaseline } from './baselines.ts'
import { ratesOf, type Server } from './loadGenerator.ts'
import { openStage, startPinned } from './stage.ts'
import { type Extent, type Row, type RowOptions, rowsOf } from './stats.ts'

const target = '/fights/recent?limit=10'
const unknown = '/bots/nobody'

/** The service's own headers, except the ones that change with the request. */
const ownHeaders = (headers: Headers): Record<string, string> => {
  const { 'content-length': _length, date: _date, ...own } = Object.fromEntries(headers)
  return own
}

/** Requests for a bot that does not exist, by the service and by a bare server. */
const ratesOfRefusals = async (
  service: Server,
  folder: string,
  options: { readonly rounds: number; readonly seconds: number },
) => {
  const answer = await fetch(service.url + unknown, { headers: { 'accept-encoding': 'identity' } })
  const { status, headers } = answer
  const path = join(folder, 'refusal.json')
  await Bun.write(path, await answer.text())
  await using bare = await startBareServer(path, ownHeaders(headers), { status })
  const { cageside = [], bare: own = [] } = await ratesOf({ cageside: service, bare }, unknown, {
    ...options,
    status,
  })
  return { cageside, bare: own }
}

/** Requests for one URL with a cached body, by the service and by each baseline. */
export const benchServe = async ({ scale, rounds, isBrief }: Extent): Promise<Row[]> => {
  await using stage = await openStage(scale)
  await using ends = new AsyncDisposableStack()
  const service = ends.use(await startPinned(stage, { SNAPSHOT: stage.snapshotPath }))
  // An index that a developer of the SQL baseline would add.
  await stage.admin`CREATE INDEX games_stop_time ON cageside.games (stop_time DESC)`
  // Uncompressed, as load generators request it.
  const answer = await fetch(service.url + target, { headers: { 'accept-encoding': 'identity' } })
  const headers = ownHeaders(answer.headers)
  const body = await answer.text()
  const bodyPath = join(stage.folder, 'body.json')
  await Bun.write(bodyPath, body)
  const bare = ends.use(await startBareServer(bodyPath, headers))
  const reading = ends.use(await startBareServer(bodyPath, headers, { mode: 'reading' }))
  const sqlBaseline = ends.use(await startSqlBaseline(stage.database.adminUrl))
  const nginx = await startNginx(stage.folder, 'body.json', headers)
  if (nginx) ends.use(nginx)
  const sqlBody = await (await fetch(sqlBaseline.url + target)).text()
  if (!Bun.deepEquals(JSON.parse(sqlBody), JSON.parse(body)))
    throw new Error('the SQL baseline answers something else')

  const seconds = isBrief ? 0.2 : 3
  const { cageside = [], ...others } = await ratesOf(
    { cageside: service, bare, reading, sqlBaseline, ...(nginx && { nginx }) },
    target,
    { rounds, seconds },
  )
  /** Ratio of the service to a baseline in the same round. */
  const ratios = (name: string, rate: 'perSecond' | 'perCPUSecond' = 'perCPUSecond'): number[] =>
    (others[name] ?? []).map((other, round) => (cageside[round]?.[rate] ?? 0) / other[rate])
  const refused = await ratesOfRefusals(service, stage.folder, { rounds, seconds })
  const row = rowsOf(scale)
  const against = (what: string, values: readonly number[], goal: RowOptions = {}): Row =>
    row(`throughput, against ${what}`, 'times', values, goal)
  const core = (rates: typeof cageside): number[] => rates.map(({ perCPUSecond }) => perCPUSecond)
  return [
    row(
      `throughput of a stored body of ${Buffer.byteLength(body)} bytes`,
      'requests/CPU second',
      core(cageside),
      {
        beside: Object.fromEntries(Object.entries(others).map(([name, own]) => [name, core(own)])),
      },
    ),
    against('bare Bun.serve', ratios('bare'), { atLeast: 0.6 }),
    against('a bare server that reads the same of a request', ratios('reading')),
    // A database works for this server, too.
    against('Elysia and SQL', ratios('sqlBaseline', 'perSecond'), { atLeast: 15 }),
    row('throughput of a 404 of an unknown bot', 'requests/CPU second', core(refused.cageside), {
      beside: { bare: core(refused.bare) },
    }),
    row(
      'throughput of it, against a bare 404',
      'times',
      refused.cageside.map(
        ({ perCPUSecond }, round) => perCPUSecond / (refused.bare[round]?.perCPUSecond ?? 0),
      ),
      { atLeast: 0.3 },
    ),
    ...(nginx ? [against('a file of nginx', ratios('nginx'), { atLeast: 0.7 })] : []),
  ]
}
