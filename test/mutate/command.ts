import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { CommandError, readArguments, runCommand } from '../../scripts/command.ts'
import { createRandom } from '../../scripts/league/random.ts'
import { text, texts } from '../../scripts/option.ts'
import { projectFolder, runToEnd } from '../process.ts'
import { findAgain, readPrinted } from './again.ts'
import { readImports, testsOf } from './importers.ts'
import { applyMutant, describeMutant, lineOf, type Mutant, mutantsOf } from './mutants.ts'
import {
  allPass,
  type Baseline,
  copyProject,
  isChecked,
  measureTest,
  recordedAnswers,
  testsFor,
} from './testRun.ts'

const help = `Usage: bun run mutate PATH… [--mutants N] [--seed N] [--minutes N] [--each N] [--jobs N] [--also TEST]… [--among PATH]…
       bun run mutate PATH… --again FILE | --own FILE [other options]

Makes one fault after the other in a copy of the project, in the files of each PATH (file or folder), and
runs the tests that run the changed line, the quickest first, up to the first that fails. Prints the faults
that no test noticed, marked where the compiler or the linter did, and at the end a table by PATH. Each PATH
has its turn, so that one that ends early has tried about as many faults in all. A file counts for the longest
PATH that holds it.
The tests outside test/e2e that reach the files by imports run once at first, to see which lines they run.

  --mutants N   faults for each PATH, drawn at random (default 60)
  --seed N      the same seed draws the same faults (default 1)
  --minutes N   ends after this long, once the fault under way is tried; half of it at most for the tests
                without a fault, the nearest first (default 30)
  --each N      CPU seconds of tests for a fault, by what they take without it (default 60); the recorded
                answers and the files of --also do not count
  --jobs N      copies at work side by side (default: half the cores, at least 1)
  --also TEST   a file of tests in test/e2e or test/system, for every fault; may be repeated
  --among PATH  only tests in this file or folder, for a first look; may be repeated
  --again FILE  instead of drawing, the faults that an earlier run printed: in a source that has changed since,
                the nearest fault that is described alike; the table has those that are left
  --own FILE    instead of drawing, faults of your own: a JSON array of [file, old text, new text], of which those
                in the files of each PATH are tried
  --help        this text`

interface Drawn {
  readonly file: string
  readonly text: string
  readonly mutant: Mutant
}

interface Tally {
  readonly path: string
  noticed: number
  /** By all tests; of them, `refused` by the compiler or the linter. */
  survived: number
  refused: number
}

const count = (name: string, text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new CommandError(`--${name} must be a whole number above 0`)
  return Number(text)
}

/** Draws up to `wanted` faults of all that the files can have. */
const draw = async (
  folder: string,
  files: readonly string[],
  wanted: number,
  seed: number,
): Promise<readonly Drawn[]> => {
  const all: Drawn[] = []
  for (const file of files) {
    const text = await Bun.file(join(folder, file)).text()
    for (const mutant of mutantsOf(text)) all.push({ file, text, mutant })
  }
  return createRandom(seed).shuffle(all).slice(0, wanted)
}

/** The faults of an earlier run's output that the files can still have. */
const drawAgain = async (
  folder: string,
  files: readonly string[],
  output: string,
): Promise<readonly Drawn[]> => {
  const drawn: Drawn[] = []
  for (const printed of readPrinted(output)) {
    if (!files.includes(printed.file)) continue
    const text = await Bun.file(join(folder, printed.file)).text()
    const mutant = findAgain(printed, text)
    if (mutant) drawn.push({ file: printed.file, text, mutant })
    else console.error(`gone: ${printed.file}:${printed.line}: ${printed.change}`)
  }
  return drawn
}

const Own = Type.Array(Type.Tuple([Type.String(), Type.String(), Type.String()]))

/** The faults that somebody wrote, in the files given. */
const readOwn = async (
  folder: string,
  files: readonly string[],
  written: unknown,
): Promise<readonly Drawn[]> => {
  if (!Value.Check(Own, written))
    throw new CommandError('--own needs [[file, old, new], …] in JSON')
  const drawn: Drawn[] = []
  for (const [file, old, replacement] of written.filter(([name]) => files.includes(name))) {
    const text = await Bun.file(join(folder, file)).text()
    const start = text.indexOf(old)
    if (old === '' || start < 0 || start !== text.lastIndexOf(old))
      throw new CommandError(`not once in ${file}: ${old}`)
    drawn.push({ file, text, mutant: { kind: 'own', start, end: start + old.length, replacement } })
  }
  return drawn
}

/**
 * What each test does without a fault, in the order of the CPU time. Tests that fail then are left out, and those that
 * are not begun at a time; the recorded answers are the first.
 */
const measureTests = async (
  folders: readonly string[],
  tests: readonly string[],
  untilMs: number,
) => {
  const baselines: Baseline[] = []
  const isFirst = (test: string): number => Number(test === recordedAnswers)
  const left = tests.toSorted((a, b) => isFirst(b) - isFirst(a))
  const measure = async (folder: string) => {
    while (left.length > 0 && performance.now() < untilMs) {
      const test = left.shift() ?? ''
      const baseline = await measureTest(folder, test)
      if (baseline) baselines.push(baseline)
      else console.error(`left out, fails without a fault: ${test}`)
    }
  }
  await Promise.all(folders.map(measure))
  if (left.length > 0) console.error(`left out, half of --minutes is over: ${left.length} files`)
  return baselines.sort((a, b) => a.ms - b.ms)
}

await runCommand(async (args) => {
  const { values, positionals } = readArguments(help, args, {
    mutants: { ...text, default: '60' },
    seed: { ...text, default: '1' },
    minutes: { ...text, default: '30' },
    each: { ...text, default: '60' },
    jobs: { ...text, default: String(Math.max(1, Math.floor(availableParallelism() / 2))) },
    also: { ...texts, default: [] },
    among: { ...texts, default: [''] },
    again: text,
    own: text,
  })
  const wanted = count('mutants', values.mutants)
  const seed = count('seed', values.seed)
  const minutes = count('minutes', values.minutes)
  const each = count('each', values.each) * 1000
  const jobs = count('jobs', values.jobs)
  if (positionals.length === 0) throw new CommandError('name a file or folder (see --help)')

  const listed = await runToEnd(['git', 'ls-files', '-co', '--exclude-standard'], {
    cwd: projectFolder,
  })
  const files = listed.output.split('\n').filter((file) => file !== '')
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  const imports = await readImports(projectFolder, sources)
  const drawnOf: { drawn: Drawn; tally: Tally }[][] = []
  const tallies: Tally[] = []
  const paths = positionals.map((path) => path.replace(/^\.\/|\/$/g, ''))
  const longestFirst = paths.toSorted((a, b) => b.length - a.length)
  const pathOf = (file: string): string | undefined =>
    longestFirst.find((path) => file === path || file.startsWith(`${path}/`))
  for (const path of paths) {
    const inPath = sources.filter((file) => pathOf(file) === path)
    if (inPath.length === 0) throw new CommandError(`${path} has no TypeScript files`)
    const tally = { path, noticed: 0, survived: 0, refused: 0 }
    tallies.push(tally)
    const drawn = values.own
      ? await readOwn(projectFolder, inPath, await Bun.file(values.own).json())
      : values.again
        ? await drawAgain(projectFolder, inPath, await Bun.file(values.again).text())
        : await draw(projectFolder, inPath, wanted, seed)
    drawnOf.push(drawn.map((mutant) => ({ drawn: mutant, tally })))
  }
  const longest = Math.max(...drawnOf.map((drawn) => drawn.length))
  const turns = Array.from({ length: longest }, (_, turn) =>
    drawnOf.flatMap((drawn) => drawn[turn] ?? []),
  )
  const queue = turns.flat()

  const folders = await Promise.all(
    Array.from({ length: jobs }, () => copyProject(projectFolder, files)),
  )
  const changed = new Set(queue.map(({ drawn }) => drawn.file))
  const reaching = new Set([...changed].flatMap((file) => testsOf(imports, file)))
  const isAmong = (test: string): boolean => values.among.some((path) => test.startsWith(path))
  const inProcess = [...reaching].filter((test) => !test.startsWith('test/e2e/') && isAmong(test))
  console.error(`${queue.length} faults; first ${inProcess.length} files of tests without one`)
  const beganMs = performance.now()
  const baselines = await measureTests(
    folders,
    [...inProcess, ...values.also],
    beganMs + minutes * 30_000,
  )
  const ends = beganMs + minutes * 60_000

  const work = async (folder: string) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (performance.now() > ends) return
      const { drawn, tally } = next
      const { file, text, mutant } = drawn
      const lines = [lineOf(text, mutant.start), lineOf(text, mutant.end)] as const
      const tests = testsFor(baselines, values.also, file, lines, each)
      await Bun.write(join(folder, drawn.file), applyMutant(drawn.text, drawn.mutant))
      const survives = await allPass(folder, tests)
      const isAccepted = survives && (await isChecked(folder, drawn.file))
      await Bun.write(join(folder, drawn.file), drawn.text)
      if (survives) {
        tally.survived++
        if (!isAccepted) tally.refused++
        const checked = isAccepted ? '' : ' (refused by types or lint)'
        const place = tests.length === 0 ? ' (runs in no test)' : ''
        console.log(describeMutant(drawn.file, drawn.text, drawn.mutant) + place + checked)
      } else tally.noticed++
    }
  }
  await Promise.all(folders.map(work))
  for (const { path, noticed, survived, refused } of tallies) {
    const tried = noticed + survived
    const share = tried === 0 ? '–' : `${Math.round((100 * noticed) / tried)} %`
    console.log(
      `${path}: ${noticed} of ${tried} noticed by tests (${share}), ${refused} only by types or lint`,
    )
  }
})
