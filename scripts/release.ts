import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import packageFile from '../package.json' with { type: 'json' }
import { build } from './build.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { text } from './option.ts'

const help = `Usage: ${program} release [--out FOLDER]

Makes what a release of this version consists of: an executable for each architecture of Linux, the list of
its libraries, the Containerfile, notes from the CHANGELOG, and the SHA-256 of all of them.

  --out FOLDER   folder to write them into (default dist/release)
  --help         this text`

const folder = join(import.meta.dirname, '..')

/** Executables by name, with the targets of Bun's compiler. */
const targets = {
  'cageside-linux-x64': 'bun-linux-x64',
  'cageside-linux-arm64': 'bun-linux-arm64',
} as const

/** The part of the CHANGELOG about a version. */
export const notesOf = (changelog: string, version: string): string => {
  const parts = changelog.split(/^(?=## )/m)
  const found = parts.find((part) => part.split('\n', 1)[0] === `## ${version}`)
  if (found === undefined) throw new CommandError(`the CHANGELOG has no entry for ${version}`)
  return `${found.trimEnd()}\n`
}

const sha256 = async (path: string): Promise<string> => {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}

const main: Main = async (args) => {
  const { values } = readArguments(help, args, { out: text })
  const out = values.out ?? join(folder, 'dist/release')
  const changelog = await Bun.file(join(folder, '.github/CHANGELOG.md')).text()
  const notes = notesOf(changelog, packageFile.version)
  await mkdir(out, { recursive: true })
  for (const [name, target] of Object.entries(targets)) await build(join(out, name), target)
  await copyFile(join(folder, 'dist/cageside.cdx.json'), join(out, 'cageside.cdx.json'))
  await copyFile(join(folder, 'scripts/deploy/Containerfile'), join(out, 'Containerfile'))
  await writeFile(join(out, 'NOTES.md'), notes)
  const names = [...Object.keys(targets), 'Containerfile', 'NOTES.md', 'cageside.cdx.json']
  const sums = await Promise.all(
    names.map(async (name) => `${await sha256(join(out, name))}  ${name}`),
  )
  await writeFile(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
  console.log(`${out}: version ${packageFile.version}, ${names.length} files and SHA256SUMS`)
}

if (import.meta.main) await runCommand(main)
