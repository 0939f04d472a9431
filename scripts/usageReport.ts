import { Value } from '@sinclair/typebox/value'
import { UsageBody, type UsageStats } from '../src/api/usage/schema.ts'
import { maxReportDays } from '../src/http/usage/report.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { flag, text } from './option.ts'
import { sumUsage } from './usage/sum.ts'
import { usageText } from './usage/text.ts'

const help = `Usage: ${program} usage-report ADDRESS… [--days N] [--endpoint T] [--json]

Adds up the /usage of several services and prints it.

  ADDRESS       a service, such as http://10.0.0.2:3000, with its BASE_PATH
  --days N      days counted, today included, 1 to ${maxReportDays} (default 30)
  --endpoint T  one route template, such as /tournaments/:tournamentID
  --json        the JSON of /usage instead of text
  --help        this text

Sums and averages are exact. Percentiles are the largest of the services; a client counts for each
service that it used.`

const timeoutMs = 30_000

const readDays = (text: string): number => {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (days >= 1 && days <= maxReportDays) return days
  throw new CommandError(`--days must be 1 to ${maxReportDays} (see --help)`)
}

const addressOf = (base: string, query: URLSearchParams): string => {
  const address = `${base.replace(/\/+$/, '')}/usage?${query}`
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address
  throw new CommandError(`${base} is not an http(s) URL`)
}

const readUsage = async (base: string, query: URLSearchParams): Promise<UsageStats> => {
  const address = addressOf(base, query)
  const fail = (reason: string) => new CommandError(`${base}: ${reason}`)
  let response: Response
  let body: unknown
  try {
    response = await fetch(address, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' })
    body = await response.json()
  } catch (error) {
    throw fail(error instanceof SyntaxError ? 'no JSON' : String(error))
  }
  if (response.status !== 200) throw fail(`status ${response.status}`)
  // Later versions may have further fields.
  const known = Value.Clean(UsageBody, body)
  if (!Value.Check(UsageBody, known)) throw fail('no report of usage')
  return known.usage
}

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, {
    days: text,
    endpoint: text,
    json: flag,
  })
  const [first, ...others] = positionals
  if (first === undefined) throw new CommandError('an address is expected (see --help)')
  if (new Set(positionals).size < positionals.length)
    throw new CommandError('an address is given twice')
  const { endpoint, json } = values
  const query = new URLSearchParams({ days: String(readDays(values.days ?? '30')) })
  if (endpoint !== undefined) query.set('endpoint', endpoint)
  const usage = sumUsage([
    await readUsage(first, query),
    ...(await Promise.all(others.map((base) => readUsage(base, query)))),
  ])
  console.log(json ? JSON.stringify({ usage }) : usageText(usage, positionals.length))
}

if (import.meta.main) await runCommand(main)
