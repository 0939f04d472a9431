import settings from '../src/README.md' with { type: 'text' }
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'

/** Rows of the table of settings: names, default, meaning. */
const settingLines = (): readonly string[] =>
  settings
    .split('\n')
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => {
      const [names = '', fallback = '', meaning = ''] = line
        .replaceAll('`', '')
        .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
      return `  ${names.padEnd(24)} ${meaning} (default: ${fallback})`
    })

const help = (): string => `Usage: ${program === 'cageside' ? 'cageside serve' : 'bun run start'}

Runs the service. Its settings are environment variables:

${settingLines().join('\n')}`

/** Starts the service. */
export const main: Main = async (args) => {
  const { positionals } = readArguments(help(), args, {})
  if (positionals.length > 0) throw new CommandError('no arguments are expected (see --help)')
  // Its module is the running process.
  await import('../src/main.ts')
}

if (import.meta.main) await runCommand(main)
