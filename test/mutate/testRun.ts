import { cp, mkdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CommandError } from '../../scripts/command.ts'
import { temporaryFolder } from '../process.ts'
import { type Coverage, hasRun, parseCoverage } from './coverage.ts'

/** A copy of the project in which files may be changed; packages are shared. */
export const copyProject = async (from: string, files: readonly string[]): Promise<string> => {
  const folder = await temporaryFolder()
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(join(from, file), join(folder, file), { verbatimSymlinks: true })
  }
  await symlink(join(from, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

export const recordedAnswers = 'test/answers/answers.test.ts'

/** Of a process, for each ms of CPU time it may take: the limit for one that waits for ever. */
const msOfWaiting = 10

/**
 * Runs tests up to the first failure; undefined where they fail, otherwise the CPU time (ms). A process that takes
 * more of it than `withinMs` is ended: unlike the duration, it does not depend on what else the machine does.
 */
const runTests = async (
  folder: string,
  parameters: readonly string[],
  withinMs: number,
): Promise<number | undefined> => {
  const limited = `ulimit -t ${Math.ceil(withinMs / 1000)}; exec "$@"`
  const command = [process.execPath, 'test', '--bail', '--timeout=60000', ...parameters]
  const child = Bun.spawn(['sh', '-c', limited, 'sh', ...command], {
    cwd: folder,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
    timeout: Math.ceil(withinMs * msOfWaiting),
    killSignal: 'SIGKILL',
  })
  if ((await child.exited) !== 0) return
  return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000
}

/** What a file of tests does without a fault: its CPU time (ms) and the lines that it runs. */
export interface Baseline {
  readonly test: string
  readonly ms: number
  readonly coverage: Coverage
}

/** Undefined where the tests fail three times even without a fault. */
export const measureTest = async (folder: string, test: string): Promise<Baseline | undefined> => {
  const reports = await temporaryFolder()
  const coverage = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${reports}`]
  for (let tries = 0; tries < 3; tries++) {
    const ms = await runTests(folder, [...coverage, `./${test}`], 60_000)
    if (ms === undefined) continue
    const report = await Bun.file(join(reports, 'lcov.info')).text()
    return { test, ms, coverage: parseCoverage(report) }
  }
  // Without them up to a quarter of the faults of a folder would count as unnoticed.
  if (test === recordedAnswers) throw new CommandError(`${test} fails without a fault`)
  return undefined
}

/**
 * The tests that run one of the lines, the quickest first, as many as fit in a CPU time (ms). The recorded answers
 * are not limited: the share noticed in a folder falls by up to 25 points without them. Those of `also` run for every fault.
 */
export const testsFor = (
  baselines: readonly Baseline[],
  also: readonly string[],
  file: string,
  [first, last]: readonly [first: number, last: number],
  withinMs: number,
): Baseline[] => {
  let total = 0
  return baselines.filter(({ test, ms, coverage }) => {
    if (also.includes(test)) return true
    if (!hasRun(coverage, file, first, last)) return false
    if (test === recordedAnswers) return true
    total += ms
    return total <= withinMs
  })
}

/** Groups of tests, in their order, that take about as long as all before them: few starts, early ends. */
export const batchesOf = (tests: readonly Baseline[]): Baseline[][] => {
  const batches: Baseline[][] = []
  let total = 0
  let room = 0
  for (const baseline of tests) {
    room -= baseline.ms
    if (room < 0 || batches.length === 0) {
      batches.push([])
      room = total - baseline.ms
    }
    batches.at(-1)?.push(baseline)
    total += baseline.ms
  }
  return batches
}

/** Whether the types of the whole project and the linter accept a changed file. */
export const isChecked = async (folder: string, file: string): Promise<boolean> => {
  const bin = join(folder, 'node_modules')
  for (const command of [
    [join(bin, '.bin/biome'), 'lint', '--error-on-warnings', file],
    ['node', join(bin, 'typescript-native/bin/tsc'), '--tsBuildInfoFile', 'types.tsbuildinfo'],
  ]) {
    const child = Bun.spawn(command, { cwd: folder, stdout: 'ignore', stderr: 'ignore' })
    if ((await child.exited) !== 0) return false
  }
  return true
}

/** Runs files of tests in few processes; a fault that makes them much slower counts as a failure. */
export const allPass = async (folder: string, tests: readonly Baseline[]): Promise<boolean> => {
  for (const batch of batchesOf(tests)) {
    const ms = batch.reduce((total, baseline) => total + baseline.ms, 0)
    const files = batch.map(({ test }) => `./${test}`)
    if ((await runTests(folder, files, 3 * ms + 20_000)) === undefined) return false
  }
  return true
}
