import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError, readArguments, runCommand } from '../../scripts/command.ts'
import { flag, text } from '../../scripts/option.ts'
import { projectFolder, runToEnd, temporaryFolder } from '../process.ts'
import { differences, recordedAnswer, writeDigests } from './digests.ts'
import { sites } from './sites.ts'

const help = `Usage: bun test/answers/command.ts [--renew | --against COMMIT | --print] [SITE ADDRESS]

Lists the answers that are not the recorded ones (test/snapshots/answers.txt), as SITE and ADDRESS.

  --renew           records all answers as they are now
  --against COMMIT  shows how the listed answers, or one, differ from those of a commit
  --print           prints one answer
  --help            this text`

const maxShown = 20

const changed = async (): Promise<string[]> => (await Array.fromAsync(differences())).flat()

const print = async (name: string, address: string): Promise<string> => {
  for await (const site of sites()) if (site.name === name) return recordedAnswer(site, address)
  throw new CommandError(`there is no site ${name}`)
}

/** Prints how answers differ from those of a commit. */
const compare = async (commit: string, asked: readonly string[]): Promise<void> => {
  const folder = join(await temporaryFolder(), 'commit')
  const git = (...args: string[]) => runToEnd(['git', ...args], { cwd: projectFolder })
  const added = await git('worktree', 'add', '--detach', folder, commit)
  if (added.code !== 0) throw new CommandError(added.errors.trim())
  try {
    await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'))
    for (const each of asked.slice(0, maxShown)) {
      const [site = '', address = ''] = each.split(/ (.*)/)
      const command = [process.execPath, 'test/answers/command.ts', '--print', site, address]
      const { output } = await runToEnd(command, { cwd: folder })
      await writeFile(join(folder, 'before.txt'), output)
      await writeFile(join(folder, 'now.txt'), await print(site, address))
      console.log(`== ${each}`)
      const shown = await runToEnd(
        ['git', 'diff', '--no-index', '--word-diff=color', '-U1', 'before.txt', 'now.txt'],
        {
          cwd: folder,
        },
      )
      console.log(shown.output.split('\n').slice(4).join('\n'))
    }
    if (asked.length > maxShown) console.log(`… and ${asked.length - maxShown} more`)
  } finally {
    await git('worktree', 'remove', '--force', folder)
  }
}

await runCommand(async (args) => {
  const { values, positionals } = readArguments(help, args, {
    renew: flag,
    against: text,
    print: flag,
  })
  const [site, address] = positionals
  if (values.renew) return writeDigests()
  if (values.print) {
    if (site === undefined || address === undefined) throw new CommandError('name SITE and ADDRESS')
    return void (await Bun.write(Bun.stdout, await print(site, address)))
  }
  const asked = site === undefined ? await changed() : [positionals.join(' ')]
  if (values.against !== undefined) return compare(values.against, asked)
  for (const each of asked) console.log(each)
})
