import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Scale } from '../../scripts/league/league.ts'
import type { Steps } from '../../src/runtime/timeSlice.ts'

/** Size of a measurement: a league, repetitions, and a flag for a mere trial of a part. */
export interface Extent {
  readonly scale: Scale
  readonly rounds: number
  readonly isBrief: boolean
}

/** Three decimals below 10, one below 1000, none from there on. */
export const rounded = (value: number): number =>
  Number(value.toFixed(Math.abs(value) < 10 ? 3 : Math.abs(value) < 1000 ? 1 : 0))

/** Percentage, to one decimal. */
export const percentage = (part: number, whole: number): number =>
  Number(((100 * part) / (whole || 1)).toFixed(1))

/** Distribution of repeated measurements; zeros for none. */
export interface Summary {
  readonly median: number
  readonly min: number
  readonly p99: number
  readonly max: number
  readonly repetitions: number
}

export const summary = (values: readonly number[]): Summary => {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number =>
    rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { median: at(0.5), min: at(0), p99: at(0.99), max: at(1), repetitions: values.length }
}

/** Figures of several subjects by name, measured in turns. */
export const inTurns = async <Subject, Figure>(
  rounds: number,
  subjects: Readonly<Record<string, Subject>>,
  measure: (subject: Subject, round: number) => Promise<Figure>,
): Promise<Readonly<Record<string, readonly Figure[]>>> => {
  const names = Object.keys(subjects)
  const figures = names.map((): Figure[] => [])
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, subject] of Object.values(subjects).entries())
      figures[index]?.push(await measure(subject, round))
  }
  return Object.fromEntries(names.map((name, index) => [name, figures[index] ?? []]))
}

export const timed = async (work: () => unknown): Promise<number> => {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Result of a task, its duration, and the longest pause of the event loop meanwhile. */
export const watched = async <Result>(run: () => Promise<Result>) => {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  await Bun.sleep(5)
  delays.reset()
  const started = performance.now()
  const result = await run()
  const ms = performance.now() - started
  await Bun.sleep(5)
  delays.disable()
  return { result, figures: { ms: rounded(ms), longestPauseMs: rounded(delays.max / 1e6) } }
}

/** CPU time of this process during a call, in milliseconds. */
export const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** CPU time of each step. */
export const stepsMs = (steps: Steps<unknown>): readonly number[] => {
  const times: number[] = []
  let isDone = false
  while (!isDone)
    times.push(
      cpuMs(() => {
        isDone = steps.next().done ?? false
      }),
    )
  return times
}

export const median = (values: readonly number[]): number => summary(values).median

/** One measurement, several, or their distribution. */
export type Values = number | readonly number[] | Summary

const summaryOf = (values: Values): Summary => {
  if (typeof values === 'number') return summary([values])
  return 'median' in values ? values : summary(values)
}

type Goal = { readonly atLeast: number } | { readonly atMost: number }

/** One figure, next to the figures of others from the same run. */
export interface Row {
  readonly what: string
  readonly scale: string
  readonly unit: string
  readonly figure: Summary
  readonly beside: Readonly<Record<string, Summary>>
  /** Value compared with the goal: the median of the figure, or its ratio to another. */
  readonly judged: number
  readonly goal: Goal | null
}

/** A bound for all scales, or for some: the others have no goal. */
type Bound = number | Readonly<Partial<Record<Scale, number>>>

/** Makes rows of one scale. */
export const rowsOf =
  (scale: Scale) =>
  (
    what: string,
    unit: string,
    values: Values,
    { beside = {}, judged, atLeast, atMost }: RowOptions = {},
  ): Row => {
    const figure = summaryOf(values)
    const [least, most] = [atLeast, atMost].map((bound) =>
      typeof bound === 'object' ? bound[scale] : bound,
    )
    return {
      what,
      scale: String(scale),
      unit,
      figure,
      beside: Object.fromEntries(
        Object.entries(beside).map(([name, each]) => [name, summaryOf(each)]),
      ),
      judged: rounded(judged ?? figure.median),
      goal: least !== undefined ? { atLeast: least } : most !== undefined ? { atMost: most } : null,
    }
  }

export interface RowOptions {
  readonly beside?: Readonly<Record<string, Values>>
  readonly judged?: number
  readonly atLeast?: Bound
  readonly atMost?: Bound
}

/** True if the goal is met; null if there is none. */
export const isMet = ({ judged, goal }: Pick<Row, 'judged' | 'goal'>): boolean | null => {
  if (goal === null) return null
  return 'atLeast' in goal ? judged >= goal.atLeast : judged <= goal.atMost
}

const rangeText = ({ median, min, max }: Summary): string =>
  min === max ? String(median) : `${median} (${min}–${max})`

const goalText = (row: Row): string => {
  if (row.goal === null) return ''
  const bound = 'atLeast' in row.goal ? `≥ ${row.goal.atLeast}` : `≤ ${row.goal.atMost}`
  return `${row.judged} ${bound} ${isMet(row) ? 'met' : 'MISSED'}`
}

/** A table on stderr: a line for each row, then one for each additional figure. */
export const printRows = (rows: readonly Row[]): void => {
  const line = (what: string, row: Row, figure: Summary, goal: string) => ({
    what,
    scale: row.scale,
    'median (min–max)': rangeText(figure),
    unit: row.unit,
    goal,
  })
  const lines = rows.flatMap((row) => [
    line(row.what, row, row.figure, goalText(row)),
    ...Object.entries(row.beside).map(([name, figure]) =>
      line(`  beside ${name}`, row, figure, ''),
    ),
  ])
  console.error(Bun.inspect.table(lines))
}
