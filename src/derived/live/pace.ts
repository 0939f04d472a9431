import { lowerBound } from '../../data/league/sortedList.ts'
import type { Fight, Tournament } from '../../data/league/types.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'

/** Seconds in ascending order. */
export type Sorted = Float64Array

/** The pace of a league in its last events. */
export interface Pace {
  /** Durations of fights. */
  readonly durations: Sorted
  readonly length: number
  /** Times from the end of a fight to the next start in its cage, without breaks. */
  readonly gaps: Sorted
  readonly gap: number
  /** Difference of the quartiles of the gaps, within the median day. */
  readonly spread: number
  /** Weight of the league against a day, and of a day against a cage, as a number of gaps. */
  readonly priorGaps: number
  /** Times from the end of a fight to the next start of the same bot on that day. */
  readonly rests: Sorted
  /** Times from the call of the players to the start. */
  readonly leads: Sorted
  /** Times from the planned to the actual start. */
  readonly delays: Sorted
}

/** A fight that has begun. */
export interface Span {
  readonly fight: Fight
  readonly start: number
  /** End of the fight; null while it is under way. */
  readonly stop: number | null
}

/** Maximum number of tournaments that the pace is taken from. */
const recentTournaments = 12
/** Minimum length of a gap that is a night. */
export const nightSeconds = 4 * 3600
/** Minimum number of samples for an estimate. */
export const minSamples = 20
/** A cage without a start for this many usual turns has a break. */
export const breakTurns = 3
const ascending = (values: readonly number[]): Sorted => Float64Array.from(values).sort()

/** Value below which a share of a sorted list lies; 0 for an empty list. */
export const quantile = (sorted: Sorted, share: number, from = 0): number =>
  sorted[Math.min(sorted.length - 1, from + Math.floor((sorted.length - from) * share))] ?? 0

export const mean = (values: Iterable<number>): number => {
  let [sum, count] = [0, 0]
  for (const value of values) {
    sum += value
    count += 1
  }
  return sum / (count || 1)
}

export const spreadOf = (sorted: Sorted): number => quantile(sorted, 0.75) - quantile(sorted, 0.25)

/** Index of the first value above a limit. */
const firstAbove = (sorted: Sorted, limit: number): number =>
  lowerBound((index) => (sorted[index] ?? 0) <= limit, 0, sorted.length)

/** Median of the rest of something that has lasted for some time. */
export const remaining = (sorted: Sorted, elapsed: number, scale = 1): number => {
  const from = firstAbove(sorted, elapsed / scale)
  return sorted.length - from < sorted.length / 50
    ? quantile(sorted, 0.5) * scale
    : quantile(sorted, 0.5, from) * scale - elapsed
}

/** Values up to three times the median: without breaks and repairs of a cage. */
export const withoutBreaks = (values: readonly number[]): Sorted => {
  const sorted = ascending(values)
  return sorted.subarray(0, firstAbove(sorted, breakTurns * quantile(sorted, 0.5)))
}

/** Fights that have begun, by start; a fight without a start began when it ended, as forfeits do. */
export const spansOf = (fights: Iterable<Fight>): Span[] => {
  const spans: Span[] = []
  for (const fight of fights) {
    const { state, startUnix, stopUnix, endUnix } = fight
    const end = state === 'done' ? (stopUnix ?? endUnix ?? startUnix) : null
    const start = startUnix ?? end
    if (start === null) continue
    spans.push({ fight, start, stop: end === null ? null : Math.max(start, end) })
  }
  return spans.sort((a, b) => a.start - b.start)
}

/** Gaps of each cage, in their order, rests of bots, and the last span of each. */
const gapsOf = (spans: readonly Span[]) => {
  const gaps = new Map<string, number[]>()
  const rests: number[] = []
  const lastIn = new Map<string, Span>()
  const lastOf = new Map<string, Span>()
  const gapTo = (start: number, { stop = null }: Partial<Span> = {}): number =>
    stop === null || start - stop >= nightSeconds ? 0 : start - stop
  for (const span of spans) {
    const { cage, red, blue } = span.fight
    if (cage !== null) {
      const gap = gapTo(span.start, lastIn.get(cage))
      if (gap > 0) gaps.getOrInsertComputed(cage, () => []).push(gap)
      lastIn.set(cage, span)
    }
    for (const bot of [red.player.cleanName, blue.player.cleanName]) {
      const rest = gapTo(span.start, lastOf.get(bot))
      if (rest > 0) rests.push(rest)
      lastOf.set(bot, span)
    }
  }
  return { gaps, rests: ascending(rests), lastIn, lastOf }
}

/** Seconds from a moment of a fight to its start, ascending. */
const untilStart = (spans: readonly Span[], from: (fight: Fight) => number | null): Sorted => {
  const waits: number[] = []
  for (const { fight, start } of spans) {
    const moment = from(fight)
    if (moment !== null && Math.abs(start - moment) < nightSeconds) waits.push(start - moment)
  }
  return ascending(waits)
}

/** Days of a league, each with its spans by start. */
export const daysOf = (spans: readonly Span[]): readonly (readonly Span[])[] => {
  const days: Span[][] = []
  let last = Number.NEGATIVE_INFINITY
  for (const span of spans) {
    if (span.start - last > nightSeconds) days.push([])
    days.at(-1)?.push(span)
    last = span.start
  }
  return days
}

/** Gaps of each cage on each day. */
type Groups = readonly (readonly number[])[]

/**
 * Number of league gaps that say as much as the gaps of one cage and day: variance within divided by variance between.
 */
const priorOf = (groups: Groups): number => {
  const long = groups.filter(({ length }) => length > 2)
  if (long.length < 3) return minSamples
  const means = long.map(mean)
  const variance = (values: readonly number[], centre: number): number =>
    values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1)
  const within = mean(long.map((group, index) => variance(group, means[index] ?? 0)))
  const between =
    variance(means, mean(means)) - within * mean(long.map((group) => 1 / group.length))
  return Math.min(minSamples, Math.max(1, within / Math.max(between, 1)))
}

/** Mean of some values and of as many others. */
export const shrunk = (sum: number, count: number, prior: number, priorCount: number): number =>
  (sum + prior * priorCount) / (count + priorCount)

/** The pace of some days. */
function* paceSteps(days: readonly (readonly Span[])[]): Steps<Pace> {
  const spans = days.flat()
  const groups: (readonly number[])[][] = []
  const rests: number[] = []
  for (const day of days) {
    yield
    const found = gapsOf(day)
    groups.push([...found.gaps.values()])
    rests.push(...found.rests)
  }
  yield
  const gaps = withoutBreaks(groups.flat(2))
  const limit = gaps.at(-1) ?? 0
  const durations = ascending(
    spans.flatMap(({ start, stop }) => (stop === null || stop === start ? [] : [stop - start])),
  )
  return {
    durations,
    length: mean(durations),
    gaps,
    gap: mean(gaps),
    spread: quantile(ascending(groups.map((cages) => spreadOf(withoutBreaks(cages.flat())))), 0.5),
    priorGaps: priorOf(groups.flat().map((group) => group.filter((gap) => gap <= limit))),
    rests: ascending(rests),
    leads: untilStart(spans, ({ calledUnix }) => calledUnix),
    delays: untilStart(spans, ({ scheduledUnix }) => scheduledUnix),
  }
}

/** Seconds that a bot needs between two fights: the shortest tenth of rests in the league or on this day. */
export const repairOf = ({ rests }: Pace, today: Sorted): number =>
  Math.min(quantile(rests, 0.1) || Infinity, quantile(today, 0.1) || Infinity, 3600)

/** Days of a league with their pace. */
export interface Past {
  readonly days: readonly (readonly Span[])[]
  readonly pace: Pace
}

function* pastSteps(tournaments: readonly Tournament[]): Steps<Past> {
  const spans: Span[] = []
  for (const { fights } of tournaments) {
    spans.push(...spansOf(fights))
    yield
  }
  const days = daysOf(spans.sort((a, b) => a.start - b.start))
  return { days, pace: yield* paceSteps(days) }
}

/** The input of the past as text. */
const contentOf = (tournaments: readonly Tournament[]): string =>
  JSON.stringify(
    tournaments.map(({ info, fights }) => [
      info.id,
      spansOf(fights).map(({ fight, start, stop }) => {
        const { id, cage, red, blue, waitsAs, calledUnix, availableUnix, scheduledUnix } = fight
        const bots = [red.player.cleanName, blue.player.cleanName]
        return [id, start, stop, cage, bots, waitsAs, calledUnix, availableUnix, scheduledUnix]
      }),
    ]),
  )

const isSame = (a: readonly Tournament[] | undefined, b: readonly Tournament[]): boolean =>
  a?.length === b.length && b.every((each, index) => each === a[index])

let lastPast:
  | { readonly from: readonly Tournament[]; readonly content: string; readonly past: Past }
  | undefined

/** The last tournaments that are over; the last result is kept while its inputs are equal. */
export function* leaguePast(tournaments: readonly Tournament[]): Steps<Past> {
  const over: Tournament[] = []
  for (const tournament of tournaments) {
    if (!tournament.info.active && tournament.completedFights > 0) over.push(tournament)
    if (over.length === recentTournaments) break
  }
  if (lastPast && isSame(lastPast.from, over)) return lastPast.past
  const content = contentOf(over)
  const past = lastPast?.content === content ? lastPast.past : yield* pastSteps(over)
  lastPast = { from: over, content, past }
  return past
}

const activeOf = (tournaments: readonly Tournament[]): readonly Tournament[] =>
  tournaments.filter(({ info }) => info.active)

let lastOwnPast: { readonly of: readonly Tournament[]; readonly past: Past } | undefined

/** Source of the pace: tournaments that are over; for the first event of a league, the event itself. */
export function* pastOf(tournaments: readonly Tournament[]): Steps<Past> {
  const league = yield* leaguePast(tournaments)
  if (league.pace.gaps.length >= minSamples) return league
  const active = activeOf(tournaments)
  if (lastOwnPast && isSame(lastOwnPast.of, active)) return lastOwnPast.past
  const past = yield* pastSteps(active)
  lastOwnPast = { of: active, past }
  return past
}

/** Fights that began on a day, by start. */
export const dayFrom = (spans: readonly Span[]) => {
  const found = gapsOf(spans)
  const usedBy = new Map<string, Set<string>>()
  for (const { fight } of spans) {
    const used = usedBy.getOrInsertComputed(fight.tournament.id, () => new Set())
    if (fight.cage !== null) used.add(fight.cage)
  }
  const all = withoutBreaks([...found.gaps.values()].flat())
  /** `spread` comes from a {@link Pace}; `usedBy` has the cages of each tournament. */
  return { spans, ...found, usedBy, spread: spreadOf(all) }
}
export type Day = ReturnType<typeof dayFrom>

let lastDay:
  | { readonly of: readonly Tournament[]; readonly latest: number; readonly day: Day }
  | undefined

/** Fights that began on this day in tournaments under way; the last result is kept. */
const dayOf = (active: readonly Tournament[], now: number): Day => {
  if (lastDay && isSame(lastDay.of, active) && lastDay.latest <= now) return lastDay.day
  const spans = spansOf(active.flatMap(({ fights }) => fights))
  let latest = Number.NEGATIVE_INFINITY
  for (const { start, stop } of spans) latest = Math.max(latest, stop ?? start)
  // Clocks of an event may be wrong.
  const past = spans.map((span) =>
    latest > now
      ? { ...span, start: Math.min(now, span.start), stop: span.stop && Math.min(now, span.stop) }
      : span,
  )
  const day = dayFrom(daysOf(past).at(-1) ?? [])
  // A later time would be another one.
  if (latest <= now) lastDay = { of: active, latest, day }
  return day
}

/** The day of the tournaments under way, and the source of the pace. */
export const presentOf = (tournaments: readonly Tournament[], now: number) => {
  const active = activeOf(tournaments)
  return { active, past: atOnce(pastOf(tournaments)), day: dayOf(active, now) }
}
