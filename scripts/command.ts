import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { SourceError } from '../src/source/connection.ts'

/** Invalid call of a script, or a reason not to run; one line. */
export class CommandError extends Error {}

/** `parseArgs` with one-line errors that refer to `--help`. */
export const readArguments = <Options extends ParseArgsOptionsConfig>(options: Options) => {
  try {
    return parseArgs({
      args: Bun.argv.slice(2),
      options,
      allowPositionals: true,
      strict: true,
    })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new CommandError(`${why.split('. ', 1)[0]} (see --help)`)
  }
}

/** URL of the database: `--database-url`, else `DATABASE_ADMIN_URL`. */
export const databaseUrl = (option: string | undefined): string => {
  const url = option ?? process.env.DATABASE_ADMIN_URL
  if (!url) throw new CommandError('--database-url or DATABASE_ADMIN_URL must name the database')
  return url
}

/** Runs a script. An error is one line on stderr and exit status 1. */
export const runCommand = async (main: () => Promise<void>): Promise<void> => {
  try {
    await main()
  } catch (thrown) {
    // From 'await using': the error of a cleanup, which names the cause when a process ended early.
    const error: unknown = thrown instanceof SuppressedError ? thrown.error : thrown
    const message = error instanceof Error ? error.message : String(error)
    const detail = error instanceof SourceError && error.detail ? `: ${error.detail}` : ''
    console.error((message + detail).split('\n', 1)[0])
    process.exitCode = 1
  }
}
