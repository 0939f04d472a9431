import type { UsageStats } from '../../src/api/usage/schema.ts'

/** Max rows of a table. */
const maxRows = 30

const number = (value: number): string => value.toLocaleString('en')
const percent = (share: number): string => `${number(share * 100)} %`

/** Names come from callers and files: nothing in them may control a terminal. */
const printable = (name: string): string =>
  name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\uFFFD')

/** `2026-03-14 17:05`; aggregates can hold any number. */
const minute = (unixSeconds: number): string => {
  const date = new Date(unixSeconds * 1000)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 16).replace('T', ' ')
}

const pad = (cell: string, width: number, isText: boolean): string => {
  const space = ' '.repeat(Math.max(0, width - Bun.stringWidth(cell)))
  return isText ? cell + space : space + cell
}

/** Lines of a table: the first column is text, the others are numbers. */
const table = (
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): readonly string[] => {
  if (rows.length === 0) return []
  const cells = [
    headings,
    ...rows
      .slice(0, maxRows)
      .map((row) => row.map((cell) => (typeof cell === 'number' ? number(cell) : printable(cell)))),
  ]
  const widths = headings.map((_, column) =>
    Math.max(...cells.map((row) => Bun.stringWidth(row[column] ?? ''))),
  )
  const lines = cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column === 0))
      .join('  ')
      .trimEnd(),
  )
  const more = rows.length - maxRows
  return ['', ...lines, ...(more > 0 ? [`and ${number(more)} more`] : [])]
}

/** Max clients whose requests are printed. */
const maxClients = 10

const clientNote = (services: number): string =>
  services === 1 ? '' : ' at most: a client of several services counts for each'

/** The main figures of a report as text, of `services` folders. */
export const usageText = (usage: UsageStats, services: number): string => {
  const { responseTimeMs: times, endpoint } = usage
  const topClients = usage.topClients.slice(0, maxClients).map(({ requests }) => number(requests))
  const days = usage.perDay.filter(({ requests }) => requests > 0).toReversed()
  return [
    `Usage of ${services} ${services === 1 ? 'service' : 'services'}, ${usage.from} to ${usage.to}${
      endpoint === null ? '' : `, ${printable(endpoint)}`
    }`,
    '',
    `Requests       ${number(usage.totalRequests)}`,
    `Errors         ${number(usage.totalErrors)} (${percent(usage.errorRate)})`,
    `Bytes          ${number(usage.totalBytes)}`,
    `Response time  average ${number(times.average)} ms, p50 ${number(times.p50)}, p95 ${number(times.p95)}, p99 ${number(times.p99)}, max ${number(times.max)}`,
    `Clients        ${number(usage.uniqueClients)}${clientNote(services)}`,
    ...(topClients.length === 0 ? [] : [`Top clients    ${topClients.join(', ')} requests`]),
    ...table(
      ['Day', 'Requests', 'Errors', 'Clients', 'Average ms', 'Bytes'],
      days.map((day) => [
        day.date,
        day.requests,
        day.errors,
        day.uniqueClients,
        day.averageMs,
        day.bytes,
      ]),
    ),
    ...table(
      ['Endpoint', 'Requests', 'Errors', 'Average ms', 'p95 ms', 'Bytes'],
      usage.perEndpoint.map((each) => [
        each.endpoint,
        each.requests,
        each.errors,
        each.averageMs,
        each.p95Ms,
        each.bytes,
      ]),
    ),
    ...table(
      ['Status', 'Requests'],
      Object.entries(usage.statusCodes).map(([status, requests]) => [status, requests]),
    ),
    ...table(
      ['Caller', 'Requests', 'Last request'],
      usage.consumers.map(({ name, requests, lastSeen }) => [name, requests, minute(lastSeen)]),
    ),
  ].join('\n')
}
