import { CommandError } from '../command.ts'
import { numberOption } from './options.ts'
import { problemTable } from './problems.ts'
import { createProgress } from './progress.ts'
import { createRun, type ImportRun, summaryOf } from './run.ts'
import type { Target } from './target/target.ts'

interface RepeatOptions {
  readonly prune?: boolean | undefined
  readonly watch?: boolean | undefined
  readonly interval?: string | undefined
}

/** Exit status of an import that left something out. */
const incompleteStatus = 2

const untilAborted = async (ms: number, signal: AbortSignal): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(timer)
}

/** Lists what could not be imported, and returns how much. */
const showProblems = ({ result: { problems } }: ImportRun): number => {
  if (problems.length > 0) console.log(problemTable('Not imported', problems))
  return problems.length
}

/** One import into a target of its own; returns whether everything could be imported. */
const importOnce = async (
  open: () => Promise<Target>,
  prune: boolean,
  importInto: (run: ImportRun) => Promise<void>,
): Promise<boolean> => {
  const target = await open()
  const progress = createProgress('tournaments')
  const run = createRun({ target, prune, progress })
  try {
    await importInto(run)
    progress.stop()
    await target.close()
  } catch (error) {
    progress.stop()
    await target.abandon()
    showProblems(run)
    throw error
  }
  console.log(summaryOf(run.result))
  return showProblems(run) === 0
}

/** Unit of `interval`, and what stops the import as a signal does. */
interface RepeatClock {
  readonly unitMs?: number
  readonly controller?: AbortController
}

/** Stops a repeated import, and whether the round before it failed: then nothing of it may be written. */
export interface Round {
  readonly signal: AbortSignal
  readonly isAfterFailure: boolean
}

/**
 * Runs an import once, or with `watch` until SIGINT or SIGTERM. What was committed before an interruption stays,
 * and the next run goes on from there.
 */
export const repeatImport = async (
  { prune = false, watch = false, interval }: RepeatOptions,
  open: () => Promise<Target>,
  importInto: (run: ImportRun, round: Round) => Promise<void>,
  { unitMs = 1000, controller = new AbortController() }: RepeatClock = {},
): Promise<void> => {
  if (interval !== undefined && !watch) throw new CommandError('--interval needs --watch')
  const seconds = numberOption('interval', interval, { min: 5, max: 86_400, preset: 30 })
  const { signal } = controller
  const stop = (): void => controller.abort(new CommandError('interrupted; run it again to go on'))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let isAfterFailure = false
  try {
    for (;;) {
      try {
        const isComplete = await importOnce(open, prune, (run) =>
          importInto(run, { signal, isAfterFailure }),
        )
        isAfterFailure = false
        if (!watch && !isComplete) process.exitCode = incompleteStatus
      } catch (error) {
        if (!watch || (signal.aborted && !(error instanceof CommandError))) throw error
        if (signal.aborted) return
        isAfterFailure = true
        console.error(error instanceof Error ? error.message.split('\n', 1)[0] : String(error))
      }
      if (!watch) return
      await untilAborted(seconds * unitMs, signal)
      if (signal.aborted) return
    }
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
