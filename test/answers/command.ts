import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError, readArguments, runCommand } from '../../scripts/command.ts'
import { flag } from '../../scripts/option.ts'
import { answersFolder, recordAnswers } from './recorded.ts'

const help = `Usage: bun test/answers/command.ts --renew

Writes the answers over the small league (test/league.ts) to test/answers, one file for each route.
See what changed with git diff.

  --renew   writes them
  --help    this text`

await runCommand(async (args) => {
  const { values } = readArguments(help, args, { renew: flag })
  if (!values.renew) throw new CommandError('name --renew')
  const files = await recordAnswers()
  for await (const name of new Bun.Glob('*.txt').scan(answersFolder))
    if (!files.has(name)) await rm(join(answersFolder, name))
  for (const [name, text] of files) await Bun.write(join(answersFolder, name), text)
})
