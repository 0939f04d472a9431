import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Value } from '@sinclair/typebox/value'
import { UsageBody } from '../../src/api/usage/schema.ts'
import { oneFight } from '../oneFight.ts'
import {
  projectFolder,
  type Running,
  runToEnd,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { type LoggedEvent, readEvents } from '../runningUsage.ts'
import { until } from '../until.ts'

/** Holds the folders of two machines, a and b. */
let folder: string
let machines: readonly { readonly dataDir: string; readonly service: Running }[]
const urls = (): readonly string[] => machines.map(({ service }) => service.url)
const dataDirs = (): readonly string[] => machines.map(({ dataDir }) => dataDir)
const eventsOfAll = async (): Promise<readonly LoggedEvent[]> =>
  (await Promise.all(dataDirs().map(readEvents))).flat()

let sent = 0
/** Requests of two clients at each machine. */
const send = async (path: string, { service }: (typeof machines)[number], key?: string) => {
  sent += 1
  const headers = { 'user-agent': `agent ${(sent % 7) >> 2}`, ...(key && { 'x-api-key': key }) }
  await (await fetch(service.url + path, { headers })).arrayBuffer()
}

beforeAll(async () => {
  folder = await temporaryFolder()
  machines = await Promise.all(
    ['a', 'b'].map(async (name) => {
      const dataDir = join(folder, name)
      const settings = { SNAPSHOT: await oneFight(), DATA_DIR: dataDir, LOG_LEVEL: 'error' }
      return { dataDir, service: await startService(settings) }
    }),
  )
  for (const [index, machine] of machines.entries()) {
    for (let each = 0; each < 40 + 20 * index; each += 1) {
      await send('/fights/recent', machine, each % 3 ? undefined : 'my bot')
      if (each % 4 === 0) await send('/search', machine, each % 8 ? 'my bot' : undefined)
      if (each % 5 === 0) await send('/bots/nobody', machine, `overlay ${index}`)
    }
  }
  await until(async () => (await eventsOfAll()).length === 100 + 25 + 20)
})
afterAll(async () => {
  for (const { service } of machines) expect(await stopService(service)).toBe(0)
})

const command = [process.execPath, 'scripts/usageReport.ts']
const run = (...args: readonly string[]) => runToEnd([...command, ...args], { cwd: projectFolder })

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)

describe('bun run usage-report on two running services', () => {
  test('usage-report counts every line of both logs once', async () => {
    // The logs are read before the report, whose own requests are logged too.
    const events = await eventsOfAll()
    const { code, output, errors } = await run(...urls(), '--json')
    expect([code, errors]).toEqual([0, ''])
    const body: unknown = JSON.parse(output)
    expect([...Value.Errors(UsageBody, body)]).toEqual([])
    const requestsBy = (keyOf: (event: LoggedEvent) => string) =>
      Object.fromEntries([...Map.groupBy(events, keyOf)].map(([key, { length }]) => [key, length]))
    const { usage } = Value.Decode(UsageBody, body)
    expect(usage).toMatchObject({
      days: 30,
      totalRequests: events.length,
      totalErrors: 45,
      totalBytes: sum(events.map(({ bytes }) => bytes)),
      uniqueClients: 4,
      statusCodes: requestsBy(({ status }) => String(status)),
    })
    const { average, max } = usage.responseTimeMs
    expect(max).toBe(Math.max(...events.map(({ ms }) => ms)))
    expect(average).toBeCloseTo(sum(events.map(({ ms }) => ms)) / events.length, 2)
    const named = (rows: readonly { readonly requests: number }[], name: string) =>
      Object.fromEntries(rows.map((row) => [Object(row)[name], row.requests]))
    expect(named(usage.perEndpoint, 'endpoint')).toEqual(requestsBy(({ route }) => route))
    const unnamed = requestsBy(({ key, client }) => (key === undefined ? client : ''))
    delete unnamed['']
    expect(usage.topClients.map(({ requests }) => requests)).toEqual(
      Object.values(unnamed).toSorted((one, other) => other - one),
    )
    const callers = requestsBy(({ key }) => key ?? '')
    delete callers['']
    expect(named(usage.consumers, 'name')).toEqual(callers)

    const days = Map.groupBy(events, ({ time }) => new Date(time).toISOString().slice(0, 10))
    expect(usage.perDay.filter(({ requests }) => requests > 0)).toMatchObject(
      [...days].map(([date, own]) => ({
        ...{ date, requests: own.length, bytes: sum(own.map(({ bytes }) => bytes)) },
        uniqueClients: new Set(own.map(({ client }) => client)).size,
      })),
    )

    // Figures that are not sums are the maximum of the services.
    const parts = await Promise.all(
      urls().map(async (url) => {
        const part: unknown = await (await fetch(`${url}/usage?days=30`)).json()
        return Value.Decode(UsageBody, part).usage
      }),
    )
    for (const { name, lastSeen } of usage.consumers) {
      const seen = parts.flatMap(({ consumers }) => consumers.filter((each) => each.name === name))
      expect(lastSeen).toBe(Math.max(...seen.map((each) => each.lastSeen)))
    }
    for (const { endpoint, p95Ms } of usage.perEndpoint) {
      const own = parts.flatMap((part) =>
        part.perEndpoint.filter((each) => each.endpoint === endpoint),
      )
      if (endpoint !== '/usage') expect(p95Ms).toBe(Math.max(...own.map((each) => each.p95Ms)))
    }
  })

  test('usage-report prints text for one endpoint', async () => {
    const { code, output, errors } = await run(
      ...urls(),
      '--days',
      '7',
      '--endpoint',
      '/fights/recent',
    )
    expect([code, errors]).toEqual([0, ''])
    expect(output).toStartWith('Usage of 2 services, ')
    expect(output).toMatch(/\nRequests +100\n(.*\n)*my bot +34 /)
    const none = await run(...urls(), '--endpoint', '/clips')
    // Every table has a line.
    expect([none.code, none.output.match(/^(Day|Endpoint|Status|Caller)\b/gm)]).toEqual([0, null])
  })

  test.each([
    [() => `${urls()[0]}/bots/nobody`, /^\S+: status 404\n$/],
    [() => 'http://127.0.0.1:1', /^http:\/\/127\.0\.0\.1:1: .+\n$/],
  ])(
    'usage-report names in one line why something is no service (%#)',
    async (address, message) => {
      const failed = await run(address())
      expect([failed.code, failed.output]).toEqual([1, ''])
      expect(failed.errors).toMatch(message)
    },
  )
})

describe('the queries of README, in DuckDB', () => {
  type Row = Readonly<Record<string, unknown>>
  let results: readonly (readonly Row[])[]
  let events: readonly LoggedEvent[]
  let all: readonly LoggedEvent[]

  beforeAll(async () => {
    const copies = await temporaryFolder()
    Bun.spawnSync(['cp', '-r', ...dataDirs(), copies])
    const [first, second] = [join(copies, 'a'), join(copies, 'b')]
    events = await readEvents(first)
    all = [...events, ...(await readEvents(second))]
    // The log has a torn line, as during a write.
    const [log = ''] = (await readdir(join(first, 'usage'))).filter((name) => /jsonl$/.test(name))
    await appendFile(join(first, 'usage', log), '{"time":17')

    const readme = await readFile(join(projectFolder, 'src/http/usage/README.md'), 'utf8')
    const queries = [...readme.matchAll(/```sql\n([^`]+)```/g)].map(([, sql = '']) =>
      sql.replaceAll('/var/lib/cageside/3000', first).replaceAll('/srv/usage', copies),
    )
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const found: (readonly Row[])[] = []
    for (const query of queries) {
      const reader = await connection.runAndReadAll(query)
      // Counts are texts because they may exceed a number.
      const rows: readonly Row[] = reader.getRowObjectsJson()
      found.push(
        rows.map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name,
              /^\d+$/.test(String(value)) ? Number(value) : value,
            ]),
          ),
        ),
      )
    }
    connection.closeSync()
    instance.closeSync()
    results = found.slice(1)
  })

  const groups = (from: readonly LoggedEvent[], keyOf: (event: LoggedEvent) => unknown[]) =>
    [...Map.groupBy(from, (event) => JSON.stringify(keyOf(event)))].map(([key, members]) => {
      const values: readonly unknown[] = JSON.parse(key)
      return { values, members }
    })
  const utc = (time: number, length: number): string =>
    new Date(time).toISOString().slice(0, length).replace('T', ' ')
  /** Rows are compared in any order because some are equal in the sorted column. */
  const expectRows = (found: readonly Row[] | undefined, expected: readonly Row[]): void => {
    expect(expected.length).toBeGreaterThan(1)
    const sorted = (rows: readonly Row[]) =>
      rows.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
    expect(sorted(found ?? [])).toEqual(sorted(expected))
  }

  test('the DuckDB query of the README gives requests per hour and route', () => {
    expectRows(
      results[0],
      groups(events, ({ time, route }) => [`${utc(time, 13)}:00:00`, route]).map(
        ({ values: [hour, route], members }) => ({
          hour,
          route,
          requests: members.length,
          bytes: sum(members.map(({ bytes }) => bytes)),
        }),
      ),
    )
  })

  test('the DuckDB query of the README gives response times per day and route', () => {
    expectRows(
      results[1],
      groups(events, ({ time, route }) => [utc(time, 10), route]).map(
        ({ values: [day, route], members }) => {
          const times = members.map(({ ms }) => ms).toSorted((one, other) => one - other)
          const at = (share: number) => times[Math.ceil(share * times.length) - 1]
          return { day, route, requests: times.length, p50: at(0.5), p99: at(0.99) }
        },
      ),
    )
  })

  test('the DuckDB query of the README gives errors by caller', () => {
    const errors = events.filter(({ status }) => status >= 400)
    expectRows(
      results[2]?.map(({ last, ...row }) => ({ ...row, last: String(last).slice(0, 19) })),
      groups(errors, ({ key = '(no name)', route, status }) => [key, route, status]).map(
        ({ values: [caller, route, status], members }) => ({
          caller,
          route,
          status,
          errors: members.length,
          last: utc(Math.max(...members.map(({ time }) => time)), 19),
        }),
      ),
    )
  })

  test('the DuckDB query of the README covers several machines', () => {
    const ofB = all.slice(events.length)
    const row = (machine: string, from: readonly LoggedEvent[]) => ({
      machine,
      requests: from.length,
      errors: from.filter(({ status }) => status >= 400).length,
    })
    expectRows(results[3], [row('a', events), row('b', ofB)])
    expect(results).toHaveLength(4)
  })
})
