import { lookUpUsage } from '../src/api/usage/lookup.ts'
import { findUsageFolders } from '../src/usage/folders.ts'
import { createUsageReader, type UsageReader } from '../src/usage/reader.ts'
import { maxReportDays } from '../src/usage/report.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { usageText } from './usage/text.ts'

const help = `Usage: ${program} usage-report FOLDER… [--days N] [--endpoint T] [--json]
       ${program} usage-report FOLDER… --serve PORT

Adds up the usage of several services and prints the report of /usage. Reads only; the services may run.

  FOLDER        a DATA_DIR or its usage folder; one for each service
  --days N      days counted, today included, 1 to ${maxReportDays} (default 30)
  --endpoint T  one route template, such as /tournaments/:tournamentID
  --json        the JSON of /usage instead of text
  --serve PORT  serve /usage on 127.0.0.1; days and endpoint are those of each request
  --help        this text

What cannot be counted is on stderr, one line for each kind and folder.`

/** Reads a whole number in decimal digits. */
const readInteger = (
  name: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): number => {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new CommandError(`--${name} must be ${min} to ${max} (see --help)`)
}

/** Prints each new problem once, after every reading. */
const withWarnings = (reader: UsageReader): UsageReader => {
  const printed = new Set<string>()
  return {
    ...reader,
    prepare: async (days) => {
      await reader.prepare(days)
      for (const problem of reader.problems()) {
        if (!printed.has(problem)) console.error(problem)
        printed.add(problem)
      }
    },
  }
}

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(
    {
      days: { type: 'string' },
      endpoint: { type: 'string' },
      json: { type: 'boolean' },
      serve: { type: 'string' },
      help: { type: 'boolean' },
    },
    args,
  )
  if (values.help) return console.log(help)
  if (positionals.length === 0) throw new CommandError('a folder is expected (see --help)')
  const { endpoint, json } = values
  const days = readInteger('days', values.days ?? '30', { min: 1, max: maxReportDays })
  const folders = await findUsageFolders(positionals)
  const reader = withWarnings(createUsageReader(folders))
  if (values.serve !== undefined) {
    if (values.days !== undefined || endpoint !== undefined || json) {
      throw new CommandError('--serve has no other options (see --help)')
    }
    const port = readInteger('serve', values.serve, { min: 0, max: 65_535 })
    // Loaded on demand: a report needs no routes.
    const { serveUsage } = await import('./usage/serve.ts')
    console.log(`listening on ${(await serveUsage(reader, port)).url.origin}/usage`)
    return
  }
  const body = await lookUpUsage(reader, { days, endpoint, basePath: '' })
  console.log(json ? JSON.stringify(body) : usageText(body.usage, folders.length))
}

if (import.meta.main) await runCommand(main)
