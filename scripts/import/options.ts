import { CommandError, databaseUrl } from '../command.ts'
import { flag, text } from '../option.ts'
import { timeHelp, timeOptions } from './input.ts'
import { openPostgresTarget } from './target/postgresTarget.ts'
import { openSnapshotTarget } from './target/snapshotTarget.ts'
import type { Target } from './target/target.ts'

/** Options of every source. */
export const targetOptions = { 'database-url': text, out: text, 'skip-bad': flag }

/** Options of sources that are servers. */
export const serverOptions = {
  ...targetOptions,
  ...timeOptions,
  ...{ source: text, recordings: text, prune: flag, rate: text, watch: flag, interval: text },
}

export const commonHelp = `  --database-url URL  the database, as a role of \`migrate --writer\` (default: DATABASE_ADMIN_URL)
  --out PATH          a snapshot file instead of a database; one that exists is added to
  --prune             also remove what is no longer in the source
  --recordings FILE   also import recordings from a CSV or NDJSON file
  --skip-bad          write the good rows of files that have bad ones
  --help              this text`

/** A help text without the lines of some options. */
export const withoutOptions = (help: string, names: readonly string[]): string =>
  help
    .split('\n')
    .filter((line) => !names.some((name) => line.startsWith(`  --${name} `)))
    .join('\n')

export const serverHelp = `${timeHelp}
  --source NAME       name of the league in the database, such as the one that it had before its address
                      changed (default: one made of the address)
  --rate N            requests per second, at most 4 at a time (default 5)
  --watch             go on: import again and again
  --interval SECONDS  time between two imports with --watch, at least 5 (default 30)
${commonHelp}`

/** The one argument that is no option. */
export const onlyArgument = ([first, ...more]: readonly string[], noun: string): string => {
  if (first === undefined || more.length > 0) {
    throw new CommandError(`one ${noun} is expected (see --help)`)
  }
  return first
}

/** A number within bounds from an option. */
export const numberOption = (
  name: string,
  value: string | undefined,
  { min, max, preset }: { readonly min: number; readonly max: number; readonly preset: number },
): number => {
  if (value === undefined) return preset
  const number = /^\d{1,6}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN
  if (!(number >= min && number <= max)) {
    throw new CommandError(`--${name} must be a number from ${min} to ${max}`)
  }
  return number
}

/** An http(s) base address without query, fragment and trailing slash. */
export const baseAddress = (name: string, value: string): string => {
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) {
    throw new CommandError(`${name} must be an http(s) address without user, query and fragment`)
  }
  return url.href.replace(/\/+$/, '')
}

const begunUnix = Math.floor(performance.timeOrigin / 1000)

/**
 * The database, or the snapshot file of `--out`. With `watch` the file's capture time is at the latest the start of
 * this process: the clock of a service starts there, and an event may have stood still for days before.
 */
export const openTarget = async (values: {
  readonly out?: string | undefined
  readonly 'database-url'?: string | undefined
  readonly watch?: boolean | undefined
}): Promise<Target> => {
  const { out, 'database-url': url, watch = false } = values
  if (out === undefined) return openPostgresTarget(databaseUrl(url))
  if (url !== undefined) throw new CommandError('--out and --database-url exclude each other')
  if (out === '') throw new CommandError('--out needs the path of a file')
  const now = () => Date.now() / 1000
  return openSnapshotTarget(out, { now, ...(watch && { notBefore: begunUnix }) })
}
