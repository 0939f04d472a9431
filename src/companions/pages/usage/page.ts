import type { UsageStats } from '../../../api/usage/schema.ts'
import { once } from '../../../runtime/once.ts'
import { type Bar, barChart } from '../charts.ts'
import { type Column, chips, table, termList } from '../elements.ts'
import { html, type Part } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Viewing } from '../site.ts'

const whole = once(() => new Intl.NumberFormat('en'))
const count = (value: number): string => whole().format(value)
const milliseconds = (value: number): string =>
  value >= 100 ? count(Math.round(value)) : value.toFixed(value >= 1 ? 1 : 2)
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const
const bytes = (value: number): string => {
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3))
  const scaled = value / 1000 ** power
  return `${power === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${units[power]}`
}
const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`

const periods = [7, 30, 90, 365] as const

/** Figures for each name in the first column; undefined without rows. */
const figures = (
  title: string,
  [first = '', ...others]: readonly string[],
  rows: readonly (readonly Part[])[],
): Part =>
  rows.length > 0 &&
  html`
  <div class="block">
    <h2>${title}</h2>${table([[first, 'name'], ...others.map((head): Column => [head, 'number'])], rows)}
  </div>`

const bars = (
  { perDay }: UsageStats,
  value: (day: UsageStats['perDay'][number]) => number,
  text: (value: number) => string,
): readonly Bar[] =>
  perDay.map((day) => ({ label: day.date, value: value(day), text: text(value(day)) }))

const pathOf = (days: number, endpoint: string | null): string =>
  `/usage?days=${days}${endpoint === null ? '' : `&endpoint=${encodeURIComponent(endpoint)}`}`

/** Page with the callers of the service, and response times. */
export const usagePage = (viewing: Viewing, usage: UsageStats): Page => {
  const { responseTimeMs: times, endpoint, days } = usage
  return {
    title: 'Usage',
    description: 'Requests to this service by day and by endpoint, and how fast they are answered.',
    path: pathOf(days, endpoint),
    body: html`
<section class="lead">
  <h1>Usage</h1>
  <p>${usage.from} to ${usage.to}${endpoint !== null && html`, only <code>${endpoint}</code> (<a href="${viewing.href(pathOf(days, null))}">all</a>)`}.
    Clients are counted without their addresses.</p>${chips(
      'Period',
      periods.map((period) => [
        viewing.href(pathOf(period, endpoint)),
        `${period} days`,
        period === days,
      ]),
    )}${termList([
      ['requests', count(usage.totalRequests)],
      ['clients', count(usage.uniqueClients)],
      ['errors', percent(usage.errorRate)],
      ['sent', bytes(usage.totalBytes)],
      ['median', html`${milliseconds(times.p50)} ms`],
      ['95 % within', html`${milliseconds(times.p95)} ms`],
      ['99 % within', html`${milliseconds(times.p99)} ms`],
      ['slowest', html`${milliseconds(times.max)} ms`],
    ])}
</section>
<section class="columns">${barChart(
      'Requests a day',
      'requests',
      bars(usage, ({ requests }) => requests, count),
    )}${barChart(
      'Response time, daily average',
      'ms',
      bars(usage, ({ averageMs }) => averageMs, milliseconds),
    )}
</section>
<section>${figures(
      'By endpoint',
      ['Endpoint', 'Requests', 'Errors', 'Average, ms', '95 %, ms', 'Sent'],
      usage.perEndpoint.map((each) => [
        html`<a href="${viewing.href(pathOf(days, each.endpoint))}"><code>${each.endpoint}</code></a>`,
        count(each.requests),
        percent(each.errorRate),
        milliseconds(each.averageMs),
        milliseconds(each.p95Ms),
        bytes(each.bytes),
      ]),
    )}
</section>
<section class="columns">${figures(
      'By status',
      ['Status', 'Requests'],
      Object.entries(usage.statusCodes).map(([status, requests]) => [status, count(requests)]),
    )}${figures(
      'Callers by name',
      ['Name', 'Requests'],
      usage.consumers.map(({ name, requests }) => [html`<bdi>${name}</bdi>`, count(requests)]),
    )}
</section>`,
  }
}
