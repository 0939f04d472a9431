import { basename } from 'node:path'
import { CommandError, program, readArguments } from '../../command.ts'
import type { CellOptions } from '../csv/cells.ts'
import { encodingNotes, encodingsOf } from '../csv/reading/encoding.ts'
import { cellOptions, readInput, timeHelp, timeOptions } from '../input.ts'
import { commonHelp, onlyArgument, openTarget, targetOptions, withoutOptions } from '../options.ts'
import { type Problem, problemTable } from '../problems.ts'
import { importOnce } from '../repeat.ts'
import type { ImportRun } from '../run.ts'
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

/** Adds the recordings of a file to the target; none if a line is unusable, unless bad lines are skipped. */
export const addRecordings = async (
  run: ImportRun,
  path: string,
  cells: CellOptions,
  skipsBad = false,
): Promise<void> => {
  const problems: Problem[] = []
  const report = (problem: Problem): void => void problems.push(problem)
  const contents = new Map([[basename(path), await readInput(path)]])
  const encodings = encodingsOf(contents, cells.encoding)
  const notes = problemTable('Files that are not Unicode', encodingNotes(contents, encodings))
  if (notes !== '') console.log(notes)
  const footage = [...contents].flatMap(([name, bytes]) => {
    const encoding = encodings.get(name)
    return readFootageFile(name, bytes, cells, { report, ignore: () => undefined, encoding })
  })
  const assigned = await assignRecordings(run, footage, new Map(), report)
  if (problems.length > 0 && !skipsBad) {
    console.log(problemTable('Lines that cannot be used', problems))
    throw new CommandError(
      `no recording is written: mend these lines, or leave them out with --skip-bad`,
    )
  }
  run.result.problems.push(...problems)
  await writeRecordings(run, assigned)
}

export const recordingsCommand = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = readArguments(recordingsHelp, args, {
    ...targetOptions,
    ...timeOptions,
  })
  const path = onlyArgument(positionals, 'file')
  const cells = cellOptions(values)
  await importOnce(
    () => openTarget(values),
    async (run) => {
      await addRecordings(run, path, cells, values['skip-bad'])
    },
  )
}
