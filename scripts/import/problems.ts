/** Something that could not be imported. */
export interface Problem {
  /** Place in the source: an address, or a file and line. */
  readonly where: string
  readonly reason: string
}
export type Report = (problem: Problem) => void

const maxShown = 200
const maxWidth = 60

/** One line without control characters, which could write over the terminal. */
export const printable = (text: string, maxLength = 300): string =>
  text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, maxLength)

/** Table of what could not be imported; empty if there is nothing. */
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
