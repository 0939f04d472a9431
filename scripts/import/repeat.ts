import { CommandError } from '../command.ts'
import { createProgress } from '../progress.ts'
import { numberOption } from './options.ts'
import { problemTable } from './problems.ts'
import { createRun, type ImportRun, summaryOf } from './run.ts'
import { isChange } from './target/difference.ts'
import type { Target } from './target/target.ts'

/** A refused source; printed each time, because a source is refused once until it changes. */
export class RefusedError extends CommandError {}

interface RepeatOptions {
  readonly prune?: boolean | undefined
  readonly watch?: boolean | undefined
  readonly interval?: string | undefined
}

/** Exit status of an import that left something out. */
const incompleteStatus = 2

/** Waits, at most until the signal. */
export const untilAborted = async (ms: number, signal: AbortSignal): Promise<void> => {
  // The event of an aborted signal does not come again.
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}

/** Table of the problems; empty without any. */
const problemsOf = ({ result }: ImportRun): string => problemTable('Not imported', result.problems)

/** Result of an import: `incomplete` left something out, `abandoned` wrote nothing. */
export type Outcome = 'complete' | 'incomplete' | 'abandoned'
type ImportInto = (run: ImportRun, round: Round) => Promise<Outcome | undefined>

/**
 * One import into a target of its own; the exit status is 2 if it leaves something out. An equal result is not printed
 * again.
 */
export const importOnce = async (
  open: () => Promise<Target>,
  importInto: (run: ImportRun) => ReturnType<ImportInto>,
  { prune = false, watch = false }: RepeatOptions = {},
  isRepeated: (run: ImportRun) => boolean = () => false,
): Promise<void> => {
  const target = await open()
  const progress = createProgress('tournaments')
  const run = createRun({ target, prune, progress })
  const print = (...lines: readonly string[]): void => {
    if (!isRepeated(run)) for (const line of lines.filter(Boolean)) console.log(line)
  }
  let outcome: Outcome | undefined
  try {
    outcome = await importInto(run)
    progress.stop()
    if (outcome === 'abandoned') return await target.abandon()
    await target.close()
  } catch (error) {
    progress.stop()
    await target.abandon()
    print(problemsOf(run))
    throw error
  }
  print(summaryOf(run.result), problemsOf(run))
  const isIncomplete = run.result.problems.length > 0 || outcome === 'incomplete'
  if (isIncomplete && !watch) process.exitCode = incompleteStatus
}

/** Begin of the next round, and a controller that stops the import like a signal. */
interface RepeatClock {
  /** Unit of `interval`. */
  readonly unitMs?: number
  /** Used instead of `interval`. */
  readonly untilNext?: (signal: AbortSignal, isAfterFailure: boolean) => Promise<void>
  readonly controller?: AbortController
}

/** Stops a repeated import; tells whether the previous round failed, because then nothing of it may be written. */
export interface Round {
  readonly signal: AbortSignal
  readonly isAfterFailure: boolean
}

/**
 * Runs an import once, or with `watch` until SIGINT or SIGTERM. Whatever was committed before an interruption stays,
 * and the next run goes on from there. An error that recurs in the next round is printed once.
 */
export const repeatImport = async (
  options: RepeatOptions,
  open: () => Promise<Target>,
  importInto: ImportInto,
  { unitMs = 1000, untilNext, controller = new AbortController() }: RepeatClock = {},
): Promise<void> => {
  const { watch = false, interval } = options
  if (interval !== undefined && !watch) throw new CommandError('--interval needs --watch')
  const seconds = numberOption('interval', interval, { min: 5, max: 86_400, preset: 30 })
  const { signal } = controller
  const stop = (): void => controller.abort(new CommandError('interrupted; run it again to go on'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let failure: string | undefined
  let problems: string | undefined
  /** True if a scheduled round changed nothing and lists the same as the previous one. */
  const isRepeated = (run: ImportRun): boolean => {
    const { changes, removed } = run.result
    const before = problems
    problems = problemsOf(run)
    return watch && !untilNext && before === problems && removed === 0 && !isChange(changes)
  }
  try {
    for (;;) {
      try {
        const round = { signal, isAfterFailure: failure !== undefined }
        await importOnce(open, (run) => importInto(run, round), options, isRepeated)
        failure = undefined
      } catch (error) {
        if (!watch || (signal.aborted && !(error instanceof CommandError))) throw error
        if (signal.aborted) return
        const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
        if (line !== failure || error instanceof RefusedError) console.error(line)
        failure = line
      }
      if (!watch) return
      if (untilNext) await untilNext(signal, failure !== undefined)
      else await untilAborted(seconds * unitMs, signal)
      if (signal.aborted) return
    }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
