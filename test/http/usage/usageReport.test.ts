import { expect, test } from 'bun:test'
import { sumUsage } from '../../../scripts/usage/sum.ts'
import { usageText } from '../../../scripts/usage/text.ts'
import { main } from '../../../scripts/usageReport.ts'
import type { UsageStats } from '../../../src/api/usage/schema.ts'

const listed = <Each>(length: number, make: (index: number) => Each): Each[] =>
  Array.from({ length }, (_, index) => make(index))

/** The report of a service that had 100 requests for each of its routes, 10 of them errors. */
const reportOf = (routes: number, over: Partial<UsageStats> = {}): UsageStats => ({
  ...{ days: 3, from: '2026-03-13', to: '2026-03-15', endpoint: null },
  totalRequests: 100 * routes,
  totalErrors: 10 * routes,
  errorRate: 0.1,
  uniqueClients: 7,
  totalBytes: 1000 * routes,
  responseTimeMs: { average: 2, p50: 1, p95: 4, p99: 8, max: 16 },
  perDay: ['2026-03-13', '2026-03-14', '2026-03-15'].map((date, index) => {
    const requests = index === 1 ? 0 : 50 * routes
    return { date, requests, errors: requests / 10, uniqueClients: index, averageMs: 2, bytes: 8 }
  }),
  perEndpoint: listed(routes, (index) => ({
    ...{ endpoint: `/r${index}`, requests: 100, errors: 10, errorRate: 0.1 },
    ...{ averageMs: 2, p95Ms: 4, bytes: 1000 },
  })),
  statusCodes: { 200: 90 * routes, 404: 10 * routes },
  topClients: [],
  consumers: [],
  ...over,
})

test('figures of services are added, averages weighted by requests, and the busiest listed', () => {
  const one = reportOf(1, {
    topClients: listed(15, (index) => ({ client: `a${index}`, requests: 40 - 2 * index })),
    consumers: listed(60, (index) => ({ name: `c${index}`, requests: 99, lastSeen: 5 })),
  })
  const other = reportOf(3, {
    responseTimeMs: { average: 4.0004, p50: 3, p95: 3, p99: 9, max: 15 },
    topClients: listed(15, (index) => ({ client: `b${index}`, requests: 41 - 2 * index })),
    consumers: listed(60, (index) => ({ name: `c${index + 50}`, requests: 1, lastSeen: 9 })),
    perEndpoint: reportOf(3).perEndpoint.map((each, index) => ({
      ...each,
      ...(index === 2 && { requests: 300, errors: 1, errorRate: 0.0033, p95Ms: 1 }),
    })),
  })
  const sum = sumUsage([one, other])
  expect(sum).toMatchObject({
    ...{ totalRequests: 400, totalErrors: 40, errorRate: 0.1, uniqueClients: 14, totalBytes: 4000 },
    // The average is (100 × 2 + 300 × 4.0004) / 400.
    responseTimeMs: { average: 3.5, p50: 3, p95: 4, p99: 9, max: 16 },
    statusCodes: { 200: 360, 404: 40 },
  })
  expect(sum.perDay.map(({ requests, uniqueClients }) => [requests, uniqueClients])).toEqual([
    [200, 0],
    [0, 2],
    [200, 4],
  ])
  expect(sum.perDay.map(({ averageMs }) => averageMs)).toEqual([2, 0, 2])
  expect(sum.perEndpoint).toMatchObject([
    { endpoint: '/r2', requests: 300, errorRate: 0.0033, p95Ms: 1 },
    { endpoint: '/r0', requests: 200, errors: 20, errorRate: 0.1, bytes: 2000, p95Ms: 4 },
    { endpoint: '/r1', requests: 100 },
  ])
  expect(sum.topClients.map(({ requests }) => requests)).toEqual(listed(20, (index) => 41 - index))
  expect(sum.consumers).toHaveLength(100)
  expect(sum.consumers[0]).toEqual({ name: 'c50', requests: 100, lastSeen: 9 })
  expect(sum.consumers[10]).toEqual({ name: 'c0', requests: 99, lastSeen: 5 })
})

test('the text of a report has the newest day first, and tables of 30 rows', () => {
  const report = reportOf(31, {
    totalErrors: 0,
    errorRate: 0,
    topClients: listed(11, (index) => ({ client: `a${index}`, requests: 2000 - index })),
    consumers: listed(30, (index) => ({
      ...{ name: `bot\u001b[2J ${index}`, requests: 1, lastSeen: 1_773_500_700 + index },
    })),
  })
  const lines = usageText(report, 1).split('\n')
  expect(lines.slice(0, 17)).toEqual([
    'Usage of 1 service, 2026-03-13 to 2026-03-15',
    '',
    'Requests       3,100',
    'Errors         0 (0 %)',
    'Bytes          31,000',
    'Response time  average 2 ms, p50 1, p95 4, p99 8, max 16',
    'Clients        7',
    'Top clients    2,000, 1,999, 1,998, 1,997, 1,996, 1,995, 1,994, 1,993, 1,992, 1,991 requests',
    '',
    'Day         Requests  Errors  Clients  Average ms  Bytes',
    '2026-03-15     1,550     155        2           2      8',
    '2026-03-13     1,550     155        0           2      8',
    '',
    'Endpoint  Requests  Errors  Average ms  p95 ms  Bytes',
    '/r0            100      10           2       4  1,000',
    '/r1            100      10           2       4  1,000',
    '/r2            100      10           2       4  1,000',
  ])
  expect(lines.slice(43, 51)).toEqual([
    '/r29           100      10           2       4  1,000',
    'and 1 more',
    '',
    'Status  Requests',
    '200        2,790',
    '404          310',
    '',
    'Caller      Requests      Last request',
  ])
  expect(lines[51]).toBe('bot\uFFFD[2J 0          1  2026-03-14 15:05')
  expect(lines).toHaveLength(81)
  const [title, ...rest] = usageText({ ...report, endpoint: '/bots/:bot' }, 2).split('\n')
  expect(title).toBe('Usage of 2 services, 2026-03-13 to 2026-03-15, /bots/:bot')
  expect(rest[5]).toBe('Clients        7 at most: a client of several services counts for each')
})

const nobody = 'http://127.0.0.1:1'
test.each([
  [[], 'an address is expected'],
  [[nobody, 'http://127.0.0.1:2', nobody], 'an address is given twice'],
  [['ftp://127.0.0.1'], 'ftp://127.0.0.1 is not an http(s) URL'],
  [[nobody, '--days', '0'], '--days must be 1 to 365'],
  [[nobody, '--days', '366'], '--days must be 1 to 365'],
  // These are requested, but do not answer.
  [[nobody, '--days', '1'], `${nobody}: `],
  [[nobody, '--days', '365'], `${nobody}: `],
])('the report with the arguments %j says: %s', async (args, message) => {
  await expect((async () => main(args))()).rejects.toThrow(message)
})
