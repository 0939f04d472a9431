import { listSettings } from '../src/config.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'

/** A line for each setting: name, meaning, default. */
const settingLines = (): readonly string[] =>
  listSettings().map(({ name, fallback, meaning }) => {
    const plain = meaning.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    return `  ${name.padEnd(24)} ${plain} (default: ${fallback})`.replaceAll('`', '')
  })

const help = (): string => `Usage: ${program === 'cageside' ? 'cageside serve' : 'bun run start'}

Runs the service. Its settings are environment variables:

${settingLines().join('\n')}`

/** Starts the service. */
export const main: Main = async (args) => {
  const { positionals } = readArguments(help(), args, {})
  if (positionals.length > 0) throw new CommandError('no arguments are expected (see --help)')
  // The imported module is the running process.
  await import('../src/main.ts')
}

if (import.meta.main) await runCommand(main)
