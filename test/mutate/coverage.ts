/** Lines of each source that ran, counted from 1; and all lines that could. */
export type Coverage = ReadonlyMap<
  string,
  { readonly lines: readonly number[]; readonly ran: ReadonlySet<number> }
>

/** Reads an LCOV report: `SF:` names a file, `DA:line,hits` a line. */
export const parseCoverage = (report: string): Coverage => {
  const coverage = new Map<string, { lines: number[]; ran: Set<number> }>()
  let current = { lines: [0], ran: new Set<number>() }
  for (const row of report.split('\n')) {
    const [key, value = ''] = row.split(':', 2)
    if (key === 'SF') {
      current = { lines: [], ran: new Set() }
      coverage.set(value, current)
    } else if (key === 'DA') {
      const [line = 0, hits = 0] = value.split(',').map(Number)
      current.lines.push(line)
      if (hits > 0) current.ran.add(line)
    }
  }
  return coverage
}

/** Whether one of the lines `first` to `last` ran. The report has only the first line of some statements. */
export const hasRun = (coverage: Coverage, file: string, first: number, last: number): boolean => {
  const reported = coverage.get(file)
  if (!reported) return false
  const from = reported.lines.findLast((line) => line <= first) ?? first
  return reported.lines.some((line) => line >= from && line <= last && reported.ran.has(line))
}
