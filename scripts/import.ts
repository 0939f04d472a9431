import { CommandError, type Main, program, runCommand } from './command.ts'
import { apiCommand, apiHelp } from './import/api/command.ts'
import { csvCommand, csvHelp } from './import/csv/command.ts'
import { recordingsCommand, recordingsHelp } from './import/recordings/command.ts'
import { trueFinalsCommand, trueFinalsHelp } from './import/truefinals/command.ts'

interface Source {
  readonly help: string
  readonly run: (args: readonly string[]) => Promise<void>
}

const sources: ReadonlyMap<string, Source> = new Map([
  ['api', { help: apiHelp, run: apiCommand }],
  ['csv', { help: csvHelp, run: csvCommand }],
  ['truefinals', { help: trueFinalsHelp, run: trueFinalsCommand }],
  ['recordings', { help: recordingsHelp, run: recordingsCommand }],
])

const help = [
  `Usage: ${program} import SOURCE [options]

Imports a league into a Postgres database or a snapshot file. Running it again writes only what differs.
SOURCE is ${[...sources.keys()].join(', ')}; each has --help.`,
  ...[...sources.values()].map((source) => source.help),
].join('\n\n')

export const main: Main = async ([name, ...args]) => {
  if (name === undefined || name === '--help') return console.log(help)
  const source = sources.get(name)
  if (!source) {
    throw new CommandError(`SOURCE must be one of ${[...sources.keys()].join(', ')} (see --help)`)
  }
  await source.run(args)
}

if (import.meta.main) await runCommand(main)
