import packageFile from '../package.json' with { type: 'json' }
import { CommandError, type Main, runCommand } from './command.ts'

interface Command {
  readonly summary: string
  readonly load: () => Promise<{ readonly main: Main }>
}

/** Subcommands of the executable; each is loaded on demand. */
const commands: ReadonlyMap<string, Command> = new Map([
  ['serve', { summary: 'run the service', load: () => import('./serve.ts') }],
  ['migrate', { summary: 'make or update the tables', load: () => import('./migrate.ts') }],
  ['load', { summary: 'put a snapshot into a database', load: () => import('./load.ts') }],
  ['import', { summary: 'import a league from elsewhere', load: () => import('./import.ts') }],
  ['snapshot', { summary: 'write a snapshot of a database', load: () => import('./snapshot.ts') }],
  ['mirror', { summary: 'copy the league of a service', load: () => import('./mirror.ts') }],
  ['replay', { summary: 'serve an event as it went on', load: () => import('./replay.ts') }],
  [
    'usage-report',
    { summary: 'add up the usage of several services', load: () => import('./usageReport.ts') },
  ],
  ['generate', { summary: 'invent a league', load: () => import('./generate.ts') }],
])

const help = (): string => `Usage: cageside COMMAND [OPTIONS]

${[...commands].map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`).join('\n')}

  --version  version of this program
  --help     this text; cageside COMMAND --help: that of a command`

const main: Main = async ([name, ...args]) => {
  if (name === '--help' || name === 'help') return console.log(help())
  if (name === '--version') {
    return console.log(`cageside ${packageFile.version} (Bun ${Bun.version})`)
  }
  if (name === undefined) throw new CommandError('a command is expected (see --help)')
  const command = commands.get(name)
  if (!command) throw new CommandError(`there is no such command (see --help)`)
  const { main: run } = await command.load()
  await run(args)
}

await runCommand(main)
