import { basename } from 'node:path'
import { CommandError, program, readArguments } from '../../command.ts'
import { silentProgress } from '../../progress.ts'
import { cellOptions, readInput, timeHelp, timeOptions } from '../input.ts'
import { commonHelp, openTarget, targetOptions, withoutOptions } from '../options.ts'
import { type Problem, problemTable } from '../problems.ts'
import { createRun, type ImportRun, summaryOf } from '../run.ts'
import { assignRecordings, readFootageFile, writeRecordings } from './recordings.ts'

export const recordingsHelp = `Usage: ${program} import recordings FILE [options]

Adds recordings to fights that are there. FILE is CSV with headings or NDJSON (one JSON object a line) with
the same names: tournament, fight, cage, start, camera, address, proxy720, proxy360, proxy72. A
recording without a fight is assigned to the one that ran in its cage at its start, or began there
within ten minutes.

  FILE                CSV or NDJSON
${timeHelp}
${withoutOptions(commonHelp, ['recordings', 'prune'])}

Examples:
  ${program} import recordings videos.csv --time-zone America/New_York
  ${program} import recordings videos.ndjson --out my-league.cageside`

/**
 * Adds the recordings of a file to what the target holds. Nothing is written if a line cannot be used, unless
 * bad lines are skipped. Returns the problems.
 */
export const addRecordings = async (
  run: ImportRun,
  path: string,
  values: Parameters<typeof cellOptions>[0] & { readonly 'skip-bad'?: boolean | undefined },
): Promise<readonly Problem[]> => {
  const problems: Problem[] = []
  const report = (problem: Problem): void => void problems.push(problem)
  const footage = readFootageFile(basename(path), await readInput(path), cellOptions(values), {
    report,
    ignore: () => undefined,
  })
  const assigned = await assignRecordings(run, footage, new Map(), report)
  if (problems.length > 0 && !values['skip-bad']) {
    console.log(problemTable('Lines that cannot be used', problems))
    throw new CommandError(
      `no recording is written: mend these lines, or leave them out with --skip-bad`,
    )
  }
  await writeRecordings(run, assigned)
  return problems
}

export const recordingsCommand = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(recordingsHelp, args, {
    ...targetOptions,
    ...timeOptions,
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0) {
    throw new CommandError('one file is expected (see --help)')
  }
  const target = await openTarget(values)
  try {
    const run = createRun({ target, prune: false, progress: silentProgress })
    const problems = [...(await addRecordings(run, path, values)), ...run.result.problems]
    await target.close()
    console.log(summaryOf(run.result))
    if (problems.length > 0) {
      console.log(problemTable('Not imported', problems))
      process.exitCode = 2
    }
  } catch (error) {
    await target.abandon()
    throw error
  }
}
