import { dirname, join, normalize } from 'node:path'
import { CommandError, readArguments, runCommand } from '../scripts/command.ts'
import { text } from '../scripts/option.ts'
import { projectFolder, runToEnd } from './process.ts'

const help = `Usage: bun run mutate FILE [--most N]

Plants one fault after the other in a file of src, runs the test files that import it, the nearest first, and prints
the faults that no test noticed. Of the tests over HTTP, those in the folder of the same name and the recorded answers
run; none that starts a process. The file has its own text again at the end.

  --most N   faults tried, evenly spread (default 60)
  --help     this text`

/** Mistakes of a person: a bound, a condition, a sign, a sort, a default. */
const faults: readonly (readonly [RegExp, string])[] = [
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \?\? /g, ' && '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/\bif \((?=.*\))/g, 'if (!'],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\b[1-9]\b/g, '$& + 1'],
  [/\.(?:toSorted|sort)\((?:[^()]|\([^()]*\))*\)/g, ''],
  [/\.pad(?:Start|End)\([^()]*\)/g, ''],
  [/\.toReversed\(\)/g, ''],
]

interface Fault {
  readonly line: number
  readonly found: string
  readonly text: string
}

const faultsOf = (source: string): Fault[] => {
  const planted = faults.flatMap(([pattern, replacement]) =>
    [...source.matchAll(pattern)].flatMap(({ 0: found, index }) => {
      const before = source.slice(0, index)
      const lineStart = before.slice(before.lastIndexOf('\n') + 1)
      if (/^\s*(\*|\/\/|\/\*|import )/.test(lineStart)) return []
      const after = source.slice(index + found.length)
      return {
        line: before.split('\n').length,
        found: `${found.trim()} → ${replacement.trim()}`,
        text: before + replacement.replace('$&', found) + after,
      }
    }),
  )
  return planted.sort((a, b) => a.line - b.line)
}

const transpiler = new Bun.Transpiler({ loader: 'ts' })

/** Test files that import a module, directly or through others, the nearest first. */
const testsOf = async (module: string): Promise<string[]> => {
  const importers = new Map<string, string[]>()
  for await (const file of new Bun.Glob('{src,scripts,test}/**/*.ts').scan(projectFolder)) {
    const source = await Bun.file(join(projectFolder, file)).text()
    for (const { path } of transpiler.scanImports(source)) {
      const imported = normalize(join(file, '..', path))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  const reached = new Set([module])
  // A module that imports the whole service imports everything.
  for (const file of reached)
    if (file !== 'src/app.ts') for (const each of importers.get(file) ?? []) reached.add(each)
  const near = [...reached].filter((file) => /^test\/(?!e2e).*\.test\.ts$/.test(file))
  // These tests use HTTP: `test/api/bots.test.ts`, `test/companions/feeds/feeds.test.ts`.
  const sameFolder = `test/${dirname(module).slice('src/'.length)}`
  const beside = [...new Bun.Glob('test/**/*.test.ts').scanSync(projectFolder)].filter((file) =>
    [`${sameFolder}/`, `${sameFolder}.`].some((start) => file.startsWith(start)),
  )
  return [...new Set([...near.slice(0, 20), ...beside, 'test/answers/answers.test.ts'])]
}

await runCommand(async (args) => {
  const { values, positionals } = readArguments(help, args, { most: text })
  const file = positionals[0] ?? ''
  const source = Bun.file(join(projectFolder, file))
  if (!file.startsWith('src/') || !(await source.exists()))
    throw new CommandError('name one file of src')
  const original = await source.text()
  const tests = (await testsOf(file)).map((test) => `./${test}`)
  const pass = async () => {
    const run = [process.execPath, 'test', '--bail', '--timeout=60000', ...tests]
    return (await runToEnd(run, { cwd: projectFolder })).code === 0
  }
  const restore = () => Bun.write(source, original)
  process.on('SIGINT', () => void restore().then(() => process.exit(1)))
  if (!(await pass())) throw new CommandError('its tests fail without a fault')
  const all = faultsOf(original)
  const step = Math.max(1, all.length / Number(values.most ?? 60))
  const tried = all.filter(
    (_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step),
  )
  let survived = 0
  try {
    for (const { line, found, text } of tried) {
      await Bun.write(source, text)
      if (!(await pass())) continue
      survived += 1
      console.log(`${file}:${line}: ${found}`)
    }
  } finally {
    await restore()
  }
  console.log(`${survived} of ${tried.length} faults noticed by none of ${tests.length} test files`)
})
