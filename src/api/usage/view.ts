import { randomBytes } from 'node:crypto'
import type { RequestTotals } from '../../http/usage/counts.ts'
import type { UsageReport } from '../../http/usage/report.ts'
import type { UsageStats } from './schema.ts'

const milliseconds = (us: number): number => Math.round(us) / 1000
const average = ({ totalUs, requests }: RequestTotals): number =>
  requests === 0 ? 0 : milliseconds(totalUs / requests)
const errorRate = ({ errors, requests }: RequestTotals): number =>
  requests === 0 ? 0 : Math.round((errors / requests) * 10_000) / 10_000

/**
 * Replaces client ids by random ones for each report: constant ids would let anyone join reports
 * and follow a visitor of a rare endpoint through all others.
 */
const unlinkable = (clients: UsageReport['topClients']): UsageStats['topClients'] =>
  clients
    .map(({ requests }) => ({ client: randomBytes(8).toString('hex'), requests }))
    // The order of ties must not depend on the logged ids.
    .sort((one, other) => other.requests - one.requests || (one.client < other.client ? -1 : 1))

export const usageStats = (report: UsageReport, endpoint: string | undefined): UsageStats => ({
  days: report.days.length,
  from: report.from,
  to: report.to,
  endpoint: endpoint ?? null,
  totalRequests: report.totals.requests,
  totalErrors: report.totals.errors,
  errorRate: errorRate(report.totals),
  uniqueClients: report.uniqueClients,
  totalBytes: report.totals.bytes,
  responseTimeMs: {
    average: average(report.totals),
    p50: milliseconds(report.p50Us),
    p95: milliseconds(report.p95Us),
    p99: milliseconds(report.p99Us),
    max: milliseconds(report.maxUs),
  },
  perDay: report.days.map((day) => ({
    date: day.date,
    requests: day.requests,
    errors: day.errors,
    uniqueClients: day.uniqueClients,
    averageMs: average(day),
    bytes: day.bytes,
  })),
  perEndpoint: report.endpoints.map((each) => ({
    endpoint: each.route,
    requests: each.requests,
    errors: each.errors,
    errorRate: errorRate(each),
    averageMs: average(each),
    p95Ms: milliseconds(each.p95Us),
    bytes: each.bytes,
  })),
  statusCodes: Object.fromEntries(report.statuses),
  topClients: unlinkable(report.topClients),
  consumers: report.callers.map((each) => ({ ...each })),
})
