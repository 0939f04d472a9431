import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { omissionsOf } from '../src/data/source/clientOptions.ts'
import { readConnection } from '../src/data/source/connectionString.ts'
import { SourceError } from '../src/data/source/sourceErrors.ts'
import { embeddedFiles } from '../src/runtime/files.ts'
import { readSecret } from '../src/runtime/secret.ts'
import { flag } from './option.ts'

/** Invalid call of a script, or a reason not to run; one line. */
export class CommandError extends Error {}

/** Way of calling the scripts: as subcommands of the executable, or by their names in package.json. */
export const program = embeddedFiles.size > 0 ? 'cageside' : 'bun run'

/** One line without control characters, which could write over the terminal. */
export const printable = (text: string, maxLength = 300): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, maxLength)

/** The part of a script that `runCommand` runs, with the arguments after its name. */
export type Main = (args: readonly string[]) => Promise<void>

/** Ends a script with its help, which {@link runCommand} prints. */
class HelpRequest extends Error {}

/** `parseArgs` with `--help`, and one-line errors that refer to it. */
export const readArguments = <Options extends ParseArgsOptionsConfig>(
  help: string,
  args: readonly string[],
  options: Options,
) => {
  const read = () => {
    try {
      const all = { ...options, help: flag }
      return parseArgs({ args: [...args], options: all, allowPositionals: true, strict: true })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new CommandError(`${why.split(/\.\s/, 1)[0]} (see --help)`)
    }
  }
  const found = read()
  if (Object.hasOwn(found.values, 'help')) throw new HelpRequest(help)
  return found
}

/** URL of the database: `--database-url`, else `DATABASE_ADMIN_URL` or its file. */
export const databaseUrl = (option: string | undefined): string => {
  const url = option ?? readSecret(process.env, 'DATABASE_ADMIN_URL')
  if (!url) throw new CommandError('--database-url or DATABASE_ADMIN_URL must name the database')
  omissionsOf(url)
  // The client tries several hosts for ever if all refuse (postgres 3.4.9).
  if (readConnection(url).hosts.length > 1)
    throw new CommandError('the database must have one host here')
  return url
}

/** Runs a script. An error is one line on stderr and exit status 1. */
export const runCommand = async (main: Main, args = Bun.argv.slice(2)): Promise<void> => {
  try {
    await main(args)
  } catch (thrown) {
    if (thrown instanceof HelpRequest) return console.log(thrown.message)
    // From 'await using': an error of the cleanup, which names the cause if a process ended early.
    const error: unknown = thrown instanceof SuppressedError ? thrown.error : thrown
    const message = error instanceof Error ? error.message : String(error)
    const detail = error instanceof SourceError && error.detail ? `: ${error.detail}` : ''
    console.error((message + detail).split('\n', 1)[0])
    process.exitCode = 1
  }
}
