import { checkCages, checkTournament, type OnBadRow } from '../src/data/source/check.ts'
import { connect, type Query } from '../src/data/source/connection.ts'
import { type Head, readTransaction } from '../src/data/source/postgres.ts'
import { eachTournament } from '../src/data/source/readTournaments.ts'
import type { TournamentRows } from '../src/data/source/rows.ts'
import { writeSnapshot } from '../src/data/source/snapshot.ts'
import {
  CommandError,
  databaseUrl,
  type Main,
  program,
  readArguments,
  runCommand,
} from './command.ts'
import { flag, text } from './option.ts'

const help = `Usage: ${program} snapshot [--database-url URL] --out PATH [--all] [--captured-at TIME]

Writes a snapshot of a Postgres database: its public tournaments, as of one moment.

  --database-url URL   the database; a role of \`migrate --reader\` is enough without --all
                       (default: DATABASE_ADMIN_URL)
  --out PATH           file to write; an existing one is replaced once the new one is complete
  --all                WARNING: private, unlisted and test tournaments too. Such a file holds what is
                       not public and must not be passed on.
  --captured-at TIME   capture time in RFC 3339, such as 2026-03-14T15:00:00Z
                       (default: the database's clock)
  --help               this text`

export interface SnapshotOptions {
  readonly includeHidden?: boolean
  /** Capture time in Unix seconds; defaults to the database's clock. */
  readonly capturedAt?: number | undefined
}

/** Writes a snapshot of a database. Throws a one-line error. */
export const takeSnapshot = async (
  url: string,
  path: string,
  { includeHidden = false, capturedAt }: SnapshotOptions = {},
): Promise<{ tournaments: number; digest: string; sizeBytes: number }> => {
  const refuse: OnBadRow = ({ table, problem }) => {
    throw new CommandError(`the database holds a bad row in ${table}: ${problem}`)
  }
  const source = connect(url, { deadlineMs: 60_000 })
  try {
    const read = async (query: Query, head: Head) => {
      let tournaments = 0
      const checked = async function* (): AsyncGenerator<TournamentRows> {
        for await (const unchecked of eachTournament(query, { ...head, includeHidden })) {
          const rows = checkTournament(unchecked, refuse)
          if (!rows) continue
          tournaments++
          yield rows
        }
      }
      const written = await writeSnapshot(path, {
        capturedAt: capturedAt ?? head.now,
        ...checkCages(head, refuse),
        tournaments: checked(),
      })
      return { tournaments, ...written }
    }
    return await readTransaction(source, read, { includeHidden })
  } finally {
    await source.close()
  }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

const unixSeconds = (time: string): number => {
  const ms = rfc3339.test(time) ? Date.parse(time) : Number.NaN
  if (!(ms >= 0)) throw new CommandError('--captured-at must be like 2026-03-14T15:00:00Z')
  return Math.floor(ms / 1000)
}

export const main: Main = async (args) => {
  const { values, positionals } = readArguments(help, args, {
    'database-url': text,
    out: text,
    all: flag,
    'captured-at': text,
  })
  const { out, all: includeHidden = false, 'captured-at': time } = values
  if (out === undefined || positionals.length > 0) {
    throw new CommandError('--out PATH is expected, and nothing after it (see --help)')
  }
  const { tournaments, sizeBytes } = await takeSnapshot(databaseUrl(values['database-url']), out, {
    includeHidden,
    capturedAt: time === undefined ? undefined : unixSeconds(time),
  })
  console.log(`${tournaments} tournaments are in ${out} (${sizeBytes} bytes)`)
  if (includeHidden) console.log('the file may hold tournaments that are not public')
}

if (import.meta.main) await runCommand(main)
