import { printable } from '../command.ts'
import { nameKey } from './values.ts'

/** Something that could not be imported. */
export interface Problem {
  /** Place in the source: a URL, or a file and line. */
  readonly where: string
  readonly reason: string
  /** The line as it was read. */
  readonly cells?: readonly string[]
  /** Consequence of an unusable line of these files that has all of these cells. */
  readonly missing?: Missing
}
interface Missing {
  readonly files: readonly string[]
  readonly cells?: readonly string[]
}

/** A cell that cannot be read; the message names the expected value. */
export class CellError extends Error {
  readonly missing: Missing | undefined
  constructor(message: string, missing?: Missing) {
    super(message)
    this.missing = missing
  }
}

/** Reads a line; an unreadable cell is reported and leaves the line out. */
export const reading = <T>(
  { where, cells }: { readonly where: string; readonly cells: object },
  report: Report,
  read: () => T,
): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CellError)) throw error
    const { message: reason, missing } = error
    report({ where, reason, cells: Object.values(cells), ...(missing && { missing }) })
    return undefined
  }
}

/** Files and cells that explain a missing fight; numeric ids move when a line is left out. */
export const missingFight = (id = '', names: readonly string[] = []): Missing => {
  const own = id === '' || /-\d+$/.test(id) ? [] : [id]
  return { files: ['tournaments.csv', 'fights.csv'], cells: names.length > 1 ? names : own }
}

/** File of a place; further files of fights are parts of `fights.csv`. */
export const fileOf = ({ where }: Problem): string =>
  (where.split(':', 1)[0] ?? '').replace(/^fights\b.*\.csv$/i, 'fights.csv')

/** Problems without consequences of other problems, which go once these are corrected. */
export const causesOf = (problems: readonly Problem[]): readonly Problem[] => {
  const byFile = Map.groupBy(problems, fileOf)
  const hasAll = (cells: readonly string[], sought: readonly string[]): boolean => {
    const found = new Set(cells.map(nameKey))
    return sought.every((each) => found.has(nameKey(each)))
  }
  const hides = ({ files, cells: sought = [] }: Missing): boolean =>
    files.some((file) =>
      byFile.get(file)?.some(({ cells }) => cells === undefined || hasAll(cells, sought)),
    )
  return problems.filter(({ missing }) => !missing || !hides(missing))
}

export type Report = (problem: Problem) => void

const maxShown = 200
const maxWidth = 60

/** Table of rows and files that could not be imported; empty if there are none. */
export const problemTable = (title: string, problems: readonly Problem[]): string => {
  if (problems.length === 0) return ''
  const shown = problems
    .slice(0, maxShown)
    .map(({ where, reason }) => [printable(where), printable(reason)] as const)
  const width = Math.min(maxWidth, Math.max(...shown.map(([where]) => where.length)))
  const more = problems.length - shown.length
  return [
    `${title} (${problems.length}):`,
    ...shown.map(([where, reason]) => `  ${where.padEnd(width)}  ${reason}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n')
}
