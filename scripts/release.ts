import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenAPIV3 } from 'openapi-types'
import packageFile from '../package.json' with { type: 'json' }
import { openLiveStreams } from '../src/api/streams/liveStreams.ts'
import { createApp, openCompanions } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { type ArchiveService, nothingLoaded } from '../src/data/archive/archive.ts'
import { createLog } from '../src/runtime/log.ts'
import { build } from './build.ts'
import { CommandError, type Main, program, readArguments, runCommand } from './command.ts'
import { text } from './option.ts'

const help = `Usage: ${program} release [--out FOLDER]

Makes what a release of this version consists of: an executable for each architecture of Linux, the list of
its libraries, the Containerfile, the description of the API, notes from the CHANGELOG, and the SHA-256 of all of
them. With a new version, the description is also kept in test/description, and later ones are compared with it.

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

/** The description that this version serves at `/openapi`, without examples. */
export const describeApi = async (): Promise<OpenAPIV3.Document> => {
  const log = createLog('silent')
  const config = readConfig({})
  const service: ArchiveService = {
    archive: () => undefined,
    rows: () => undefined,
    status: () => nothingLoaded('snapshot'),
    now: () => 0,
  }
  const app = createApp(service, {
    log,
    basePath: '',
    legacyBase: config.legacyBase,
    companions: openCompanions(config, log),
    liveStreams: openLiveStreams(config, log),
    pictureSizes: async () => undefined,
  })
  const answer = await app(new Request('http://localhost/openapi'))
  return JSON.parse(await answer.text())
}

/** Replaces the description of the last release if this is another version. */
const keepDescription = async (text: string): Promise<void> => {
  const path = join(folder, 'test/description/released.json')
  const { info } = await Bun.file(path).json()
  if (info['x-program-version'] === packageFile.version) return
  await Bun.write(`${path}.new`, text)
  await rename(`${path}.new`, path)
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
  const description = `${JSON.stringify(await describeApi(), null, 2)}\n`
  await writeFile(join(out, 'openapi.json'), description)
  await keepDescription(description)
  const files = ['Containerfile', 'NOTES.md', 'cageside.cdx.json', 'openapi.json']
  const names = [...Object.keys(targets), ...files]
  const sums = await Promise.all(
    names.map(async (name) => `${await sha256(join(out, name))}  ${name}`),
  )
  await writeFile(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
  console.log(`${out}: version ${packageFile.version}, ${names.length} files and SHA256SUMS`)
}

if (import.meta.main) await runCommand(main)
