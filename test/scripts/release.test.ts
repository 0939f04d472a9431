import { expect, test } from 'bun:test'
import { join } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { notesOf } from '../../scripts/release.ts'
import { projectFolder } from '../process.ts'

const changelog = await Bun.file(join(projectFolder, '.github/CHANGELOG.md')).text()
const versions = [...changelog.matchAll(/^## (\d.+)$/gm)].map(([, version = '']) => version)

test('the notes of each version begin with its upgrade, and end before the next version', () => {
  expect(versions[0]).toBe(packageFile.version)
  for (const version of versions) {
    const notes = notesOf(changelog, version)
    expect(notes).toStartWith(`## ${version}\n\nUpgrade: `)
    expect(notes.match(/^## /gm)).toHaveLength(1)
  }
  expect(() => notesOf(changelog, '2.4')).toThrow('the CHANGELOG has no entry for 2.4')
})

test('workflows only run commands and files that exist', async () => {
  const folder = join(projectFolder, '.github/workflows')
  for (const name of new Bun.Glob('*.yml').scanSync(folder)) {
    const text = await Bun.file(join(folder, name)).text()
    expect(Bun.YAML.parse(text)).toHaveProperty('jobs')
    const commands = [...text.matchAll(/run: (.+)$/gm)].map(([, command = '']) => command)
    expect(commands).toContain('.ci/run')
    for (const [, script = ''] of commands.join('\n').matchAll(/bun run (\S+)/g)) {
      expect(Object.keys(packageFile.scripts)).toContain(script)
    }
  }
})

test('no command, unit or container sets a JavaScript engine option, as a later Bun may reject it', async () => {
  const files = [
    'package.json',
    ...new Bun.Glob('scripts/deploy/**').scanSync({ cwd: projectFolder, dot: true }),
  ]
  for (const file of files) {
    expect(`${file}: ${await Bun.file(join(projectFolder, file)).text()}`).not.toContain('BUN_JSC_')
  }
})
