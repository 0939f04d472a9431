import { describeMutant, lineOf, type Mutant, mutantsOf } from './mutants.ts'

/** A fault as an earlier run printed it, without its marks. */
export interface Printed {
  readonly file: string
  readonly line: number
  /** Kind, old and new text. */
  readonly change: string
}

/** The faults of what a run printed; other lines are passed over. */
export const readPrinted = (output: string): Printed[] =>
  output.split('\n').flatMap((row) => {
    const match =
      /^(\S+\.ts):(\d+): (.+ → .+?)(?: \((?:runs in no test|refused by types or lint)\))*$/.exec(
        row,
      )
    if (!match) return []
    const [, file = '', line = '', change = ''] = match
    return [{ file, line: Number(line), change }]
  })

/** The same fault in a source that may have changed since: the nearest one that is described alike. */
export const findAgain = ({ file, line, change }: Printed, text: string): Mutant | undefined => {
  const distance = (mutant: Mutant) => Math.abs(lineOf(text, mutant.start) - line)
  return mutantsOf(text)
    .filter((mutant) => describeMutant(file, text, mutant).endsWith(`: ${change}`))
    .sort((a, b) => distance(a) - distance(b))[0]
}
