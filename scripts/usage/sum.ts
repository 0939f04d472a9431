import type { UsageStats } from '../../src/api/usage/schema.ts'

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0)
const max = (numbers: readonly number[]): number => Math.max(0, ...numbers)

interface Measured {
  readonly requests: number
  readonly averageMs: number
}
/** Rounded to microseconds, as in the reports. */
const averageMs = (parts: readonly Measured[]): number => {
  const requests = sum(parts.map((part) => part.requests))
  const total = sum(parts.map((part) => part.requests * part.averageMs))
  return requests === 0 ? 0 : Math.round((1000 * total) / requests) / 1000
}
const errorRate = (errors: number, requests: number): number =>
  requests === 0 ? 0 : Math.round((errors / requests) * 10_000) / 10_000

const totals = (
  parts: readonly { readonly requests: number; readonly errors: number; readonly bytes: number }[],
) => ({
  requests: sum(parts.map(({ requests }) => requests)),
  errors: sum(parts.map(({ errors }) => errors)),
  bytes: sum(parts.map(({ bytes }) => bytes)),
})

const groups = <Item>(
  lists: readonly (readonly Item[])[],
  keyOf: (item: Item) => string,
): readonly (readonly [string, readonly Item[]])[] => [...Map.groupBy(lists.flat(), keyOf)]

const busiestFirst = (one: { requests: number }, other: { requests: number }): number =>
  other.requests - one.requests

/**
 * Adds up reports of several services over the same days. Sums and averages are exact; percentiles are the
 * largest of the services; a client counts once for each service.
 */
export const sumUsage = (reports: readonly [UsageStats, ...UsageStats[]]): UsageStats => {
  const [first] = reports
  const totalRequests = sum(reports.map((each) => each.totalRequests))
  const totalErrors = sum(reports.map((each) => each.totalErrors))
  const times = reports.map(({ responseTimeMs }) => responseTimeMs)
  return {
    days: first.days,
    from: first.from,
    to: first.to,
    endpoint: first.endpoint,
    totalRequests,
    totalErrors,
    errorRate: errorRate(totalErrors, totalRequests),
    uniqueClients: sum(reports.map((each) => each.uniqueClients)),
    totalBytes: sum(reports.map((each) => each.totalBytes)),
    responseTimeMs: {
      average: averageMs(
        reports.map((each) => ({
          requests: each.totalRequests,
          averageMs: each.responseTimeMs.average,
        })),
      ),
      p50: max(times.map(({ p50 }) => p50)),
      p95: max(times.map(({ p95 }) => p95)),
      p99: max(times.map(({ p99 }) => p99)),
      max: max(times.map((each) => each.max)),
    },
    perDay: groups(
      reports.map(({ perDay }) => perDay),
      ({ date }) => date,
    ).map(([date, days]) => ({
      date,
      ...totals(days),
      uniqueClients: sum(days.map(({ uniqueClients }) => uniqueClients)),
      averageMs: averageMs(days),
    })),
    perEndpoint: groups(
      reports.map(({ perEndpoint }) => perEndpoint),
      ({ endpoint }) => endpoint,
    )
      .map(([endpoint, each]) => {
        const { requests, errors, bytes } = totals(each)
        return {
          endpoint,
          requests,
          errors,
          errorRate: errorRate(errors, requests),
          averageMs: averageMs(each),
          p95Ms: max(each.map(({ p95Ms }) => p95Ms)),
          bytes,
        }
      })
      .sort(busiestFirst),
    statusCodes: Object.fromEntries(
      groups(
        reports.map(({ statusCodes }) => Object.entries(statusCodes)),
        ([status]) => status,
      ).map(([status, counts]) => [status, sum(counts.map(([, count]) => count))]),
    ),
    topClients: reports
      .flatMap(({ topClients }) => topClients)
      .sort(busiestFirst)
      .slice(0, 20),
    consumers: groups(
      reports.map(({ consumers }) => consumers),
      ({ name }) => name,
    )
      .map(([name, each]) => ({
        name,
        requests: sum(each.map(({ requests }) => requests)),
        lastSeen: max(each.map(({ lastSeen }) => lastSeen)),
      }))
      .sort(busiestFirst)
      .slice(0, 100),
  }
}
