/** A figure of several repetitions: its median, and from where to where they went. */
export interface Stat {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly repetitions: number
}

const rounded = (value: number): number =>
  Number(value.toFixed(Math.abs(value) < 10 ? 3 : Math.abs(value) < 1000 ? 1 : 0))

/** Zeros for no value. */
export const statOf = (values: readonly number[]): Stat => {
  const sorted = values.toSorted((a, b) => a - b)
  return {
    median: rounded(sorted[Math.floor(sorted.length / 2)] ?? 0),
    min: rounded(sorted[0] ?? 0),
    max: rounded(sorted.at(-1) ?? 0),
    repetitions: values.length,
  }
}

/** A median that was told with its greatest value alone. */
export const statOfSpread = (told: { readonly median: number; readonly max: number }): Stat => ({
  ...statOf([told.median]),
  max: rounded(told.max),
})

/** One line of the table: what was measured, next to what it is to be compared with. */
export interface Row {
  readonly what: string
  readonly scale: string
  readonly unit: string
  readonly figure: Stat
  /** The same of others, in the same run. */
  readonly beside: Readonly<Record<string, Stat>>
  /** What the goal is about: the figure itself, or what it is divided by the one it is held against. */
  readonly judged: number
  /** Null for a figure without a goal. */
  readonly goal: { readonly atLeast: number } | { readonly atMost: number } | null
}

/** Null where there is no goal. */
export const isMet = ({ judged, goal }: Row): boolean | null => {
  if (goal === null) return null
  return 'atLeast' in goal ? judged >= goal.atLeast : judged <= goal.atMost
}

const spreadText = ({ median, min: least, max: most }: Stat): string =>
  least === most ? String(median) : `${median} (${least}–${most})`

const verdict = (row: Row): string => {
  if (row.goal === null) return ''
  const bound = 'atLeast' in row.goal ? `≥ ${row.goal.atLeast}` : `≤ ${row.goal.atMost}`
  return `${rounded(row.judged)} ${bound} ${isMet(row) ? 'met' : 'MISSED'}`
}

/** Columns that are as wide as they must be. */
const columns = (lines: readonly (readonly string[])[]): string[] => {
  const widths: number[] = []
  for (const line of lines) {
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  return lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** The rows as text, a line for each and for each that stands beside it. */
export const table = (rows: readonly Row[]): string =>
  columns([
    ['what', 'scale', 'median (least–most)', 'unit', 'goal'],
    ...rows.flatMap((row) => [
      [row.what, row.scale, spreadText(row.figure), row.unit, verdict(row)],
      ...Object.entries(row.beside).map(([name, beside]) => [
        `  beside ${name}`,
        row.scale,
        spreadText(beside),
        row.unit,
        '',
      ]),
    ]),
  ]).join('\n')
