import { type Static, Type } from '@sinclair/typebox'
import { maxReportDays } from '../../http/usage/report.ts'
import { closed, count, listOf, named, orNull, share, timestamp, total } from '../fields.ts'

const bytes = total('bytes of response bodies, as sent')
const errors = total('responses with status 400 and above')
const milliseconds = Type.Number({ minimum: 0, description: 'milliseconds' })
const errorRate = share('share of requests, 4 decimals')
const clients = total(
  'distinct clients, by anonymous hash; exact of today up to 10,000, else ± 2.3 %; a client counts again after each key rotation',
)
const date = Type.String({ description: 'UTC, as 2026-03-14' })
const endpoint = Type.String({ description: 'route template, or (unmatched)' })

export const UsageStats = named('UsageStats', {
  days: Type.Integer({ minimum: 1, maximum: maxReportDays }),
  from: date,
  to: date,
  endpoint: orNull(endpoint, 'the requested endpoint; null for all'),
  totalRequests: count,
  totalErrors: errors,
  errorRate,
  uniqueClients: clients,
  totalBytes: bytes,
  responseTimeMs: closed(
    {
      average: milliseconds,
      p50: milliseconds,
      p95: milliseconds,
      p99: milliseconds,
      max: milliseconds,
    },
    { description: 'from the arrival of a request to its response; percentiles ± 1 %' },
  ),
  perDay: listOf('every day of the range, oldest first', {
    date,
    requests: count,
    errors,
    uniqueClients: clients,
    averageMs: milliseconds,
    bytes,
  }),
  perEndpoint: listOf('busiest first', {
    endpoint,
    requests: count,
    errors,
    errorRate,
    averageMs: milliseconds,
    p95Ms: milliseconds,
    bytes,
  }),
  statusCodes: Type.Record(Type.String(), count, { description: 'requests by status' }),
  topClients: Type.Array(
    closed({
      client: Type.String({ description: '16 hex digits, random for each report' }),
      requests: count,
    }),
    {
      maxItems: 20,
      description: 'busiest first; of days before today only the 20 busiest of each',
    },
  ),
  consumers: Type.Array(
    closed({ name: Type.String(), requests: count, lastSeen: timestamp('last request') }),
    { maxItems: 100, description: 'callers that sent a name as key; busiest first' },
  ),
})
export type UsageStats = Static<typeof UsageStats>

export const UsageBody = named('UsageBody', { usage: UsageStats })
export type UsageBody = Static<typeof UsageBody>
