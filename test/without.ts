import { expect } from 'bun:test'
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { projectFolder } from './process.ts'

const help = `Usage: bun test/without.ts [NAME ...] [--tests]

Deletes each companion in a copy of this folder: its folder, its tests, and its import and name in src/app.ts. Then checks
the types of src and scripts and starts the service. All companions without a name.

  --tests   also run all tests that do not import the companion`

const companionsFolder = join(projectFolder, 'src/companions')

/** Removes the import and the name of a companion from the list in `app.ts`. */
const removeFromList = async (copy: string, name: string): Promise<void> => {
  const path = join(copy, 'src/app.ts')
  const text = await Bun.file(path).text()
  const list = /(CompanionKind<Config>\[\] = \[)([^\]]*)(\])/.exec(text)
  if (!list) throw new Error('app.ts has no list of companions')
  const [whole, opening, names = '', end] = list
  const rest = names
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && each !== name)
  const next = text
    .replace(whole, `${opening}${rest.join(', ')}${end}`)
    .replace(new RegExp(`^import .* from '\\./companions/${name}/.*\\n`, 'm'), '')
  await Bun.write(path, next)
}

/** Runs a command in a folder; throws with its output if it fails. */
const run = async (command: readonly string[], cwd: string): Promise<string> => {
  const child = Bun.spawn([...command], {
    cwd,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, TEST: '' },
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${output}${errors}`)
  return output
}

/** Starts the service, sends one request, and ends it. */
const start = async (cwd: string): Promise<void> => {
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd,
    stdout: 'pipe',
    stderr: 'inherit',
    env: { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' },
  })
  try {
    const decoder = new TextDecoder()
    let output = ''
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk)
      if (output.includes('\n')) break
    }
    const [, address] = /listening on (\S+)/.exec(output) ?? []
    if (!address) throw new Error(`the service does not start: ${output}`)
    const [health, index] = await Promise.all([fetch(`${address}/health`), fetch(`${address}/`)])
    const state: unknown = await health.json()
    expect([index.status, state]).toMatchObject([200, { problems: [] }])
  } finally {
    child.kill()
    await child.exited
  }
}

/** Test files and helpers that import a companion, directly or through others, by their runtime imports. */
const importers = async (copy: string, name: string): Promise<ReadonlySet<string>> => {
  const files = [...new Bun.Glob('test/**/*.ts').scanSync(copy)]
  const imports = new Map<string, readonly string[]>()
  for (const file of files) {
    const text = await Bun.file(join(copy, file)).text()
    const found = text.matchAll(/^(?:import|\} from) (?!type ).*?'(\.[^']+)'/gm)
    imports.set(
      file,
      [...found].map(([, path = '']) => join(file, '..', path)),
    )
  }
  const affected = new Set(
    files.filter((file) =>
      imports.get(file)?.some((path) => path.startsWith(`src/companions/${name}/`)),
    ),
  )
  for (let size = -1; size !== affected.size; ) {
    size = affected.size
    for (const [file, paths] of imports)
      if (paths.some((path) => affected.has(path))) affected.add(file)
  }
  return affected
}

/** Checks a copy of the project without a companion; throws if it fails. */
export const checkWithout = async (name: string, withTests = false): Promise<void> => {
  const copy = await mkdtemp(join(tmpdir(), 'without-'))
  try {
    for (const part of [
      'src',
      'scripts',
      'snapshot',
      'test',
      'package.json',
      'bunfig.toml',
      'README.md',
      '.github',
    ]) {
      await cp(join(projectFolder, part), join(copy, part), { recursive: true })
    }
    await symlink(join(projectFolder, 'node_modules'), join(copy, 'node_modules'))
    await rm(join(copy, 'src/companions', name), { recursive: true })
    await rm(join(copy, 'test/companions', name), { recursive: true, force: true })
    await removeFromList(copy, name)
    const config = await Bun.file(join(projectFolder, 'tsconfig.json')).json()
    const { tsBuildInfoFile: _, ...options } = config.compilerOptions
    await Bun.write(
      join(copy, 'tsconfig.json'),
      JSON.stringify({
        ...config,
        compilerOptions: { ...options, incremental: false },
        include: ['src', 'scripts'],
      }),
    )
    await run([process.execPath, 'run', 'types'], copy)
    await start(copy)
    if (!withTests) return
    for (const file of await importers(copy, name)) await rm(join(copy, file))
    await run([process.execPath, 'test', '--parallel=2', '--no-isolate', '--timeout=120000'], copy)
  } finally {
    await rm(copy, { recursive: true })
  }
}

export const companionNames = async (): Promise<readonly string[]> =>
  (await readdir(companionsFolder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { tests: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  })
  if (values.help) console.log(help)
  else {
    for (const name of positionals.length > 0 ? positionals : await companionNames()) {
      await checkWithout(name, values.tests)
      console.log(`without ${name}: types and start${values.tests ? ' and tests' : ''} are well`)
    }
  }
}
