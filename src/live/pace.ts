import type { Fight, Tournament } from '../league/types.ts'

/** The pace of a league in its last events; seconds, each list ascending. */
export interface Pace {
  /** Durations of fights. */
  readonly durations: readonly number[]
  /** From the end of a fight to the next start in its cage, breaks left out. */
  readonly gaps: readonly number[]
  /** From the end of a fight to the next start of the same bot on that day. */
  readonly rests: readonly number[]
  /** From the call of the players to the start. */
  readonly leads: readonly number[]
  /** From the planned to the real start. */
  readonly delays: readonly number[]
}

/** A fight that has begun. */
export interface Span {
  readonly fight: Fight
  readonly start: number
  /** Null while it is under way. */
  readonly stop: number | null
}

/** Tournaments that the pace is taken from. */
const recentTournaments = 12
/** A longer gap is a night. */
export const nightSeconds = 4 * 3600
/** Without as many samples nothing is said. */
export const minSamples = 20
/** A cage without a start for as many usual turns has a break. */
export const breakTurns = 3

const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b)

/** The value below which a share of a sorted list is; 0 of an empty one. */
export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1)

/** Without what is longer than three times the median: breaks and repairs of a cage. */
export const withoutBreaks = (values: readonly number[]): readonly number[] => {
  const sorted = ascending(values)
  const limit = breakTurns * quantile(sorted, 0.5)
  return sorted.filter((value) => value <= limit)
}

/**
 * Fights that have begun, by start; one without a start began when it ended, as forfeits do. Times after `now`
 * count as `now`, as clocks of an event may be wrong.
 */
export const spansOf = (fights: Iterable<Fight>, now = Number.POSITIVE_INFINITY): Span[] => {
  const spans: Span[] = []
  for (const fight of fights) {
    const { state, startUnix, stopUnix, endUnix } = fight
    const end = state === 'done' ? (stopUnix ?? endUnix ?? startUnix) : null
    const start = startUnix ?? end
    if (start === null) continue
    const stop = end === null ? null : Math.min(now, Math.max(start, end))
    spans.push({ fight, start: Math.min(now, start), stop })
  }
  return spans.sort((a, b) => a.start - b.start)
}

/** Seconds from the end of each span to the start of the next one. */
export const gapsOf = (spans: readonly Span[]): readonly number[] =>
  spans.flatMap(({ start }, index) => {
    const stop = spans[index - 1]?.stop ?? null
    const gap = stop === null ? -1 : start - stop
    return gap > 0 && gap < nightSeconds ? [gap] : []
  })

/** Gaps of each cage, in no order. */
export const cageGaps = (spans: readonly Span[]): readonly number[] =>
  gapsBy(spans, ({ cage }) => (cage === null ? [] : [cage]))

/** Rests of each bot, ascending. */
export const botRests = (spans: readonly Span[]): readonly number[] =>
  ascending(gapsBy(spans, ({ red, blue }) => [red.player.cleanName, blue.player.cleanName]))

const gapsBy = (spans: readonly Span[], keysOf: (fight: Fight) => readonly string[]) => {
  const lines = new Map<string, Span[]>()
  for (const span of spans) {
    for (const key of keysOf(span.fight)) {
      const line = lines.get(key)
      if (line) line.push(span)
      else lines.set(key, [span])
    }
  }
  return [...lines.values()].flatMap(gapsOf)
}

/** Seconds from a moment of a fight to its start, ascending. */
const untilStart = (spans: readonly Span[], from: (fight: Fight) => number | null) =>
  ascending(
    spans.flatMap(({ fight, start }) => {
      const wait = start - (from(fight) ?? Number.NaN)
      return Math.abs(wait) < nightSeconds ? [wait] : []
    }),
  )

/** The pace of some tournaments. */
export const paceOf = (tournaments: readonly Tournament[]): Pace => {
  const spans = spansOf(tournaments.flatMap(({ fights }) => fights))
  const durations = spans.map(({ start, stop }) => (stop ?? start) - start)
  return {
    durations: ascending(durations.filter((seconds) => seconds > 0)),
    gaps: withoutBreaks(cageGaps(spans)),
    rests: botRests(spans),
    leads: untilStart(spans, ({ calledUnix }) => calledUnix),
    delays: untilStart(spans, ({ scheduledUnix }) => scheduledUnix),
  }
}

let known: { readonly from: readonly Tournament[]; readonly pace: Pace } | undefined

/** The pace of the last tournaments that are over; the last one asked for is kept. */
export const leaguePace = (tournaments: readonly Tournament[]): Pace => {
  const from: Tournament[] = []
  for (const tournament of tournaments) {
    if (!tournament.info.active && tournament.completedFights > 0) from.push(tournament)
    if (from.length === recentTournaments) break
  }
  const isKnown =
    known?.from.length === from.length && from.every((each, index) => each === known?.from[index])
  if (!known || !isKnown) known = { from, pace: paceOf(from) }
  return known.pace
}

/** Fights of the active tournaments, those begun on this day, and the seconds that a bot needs between two. */
export const dayOf = (tournaments: readonly Tournament[], now: number) => {
  const active = tournaments.filter(({ info }) => info.active)
  const fights = active.flatMap((tournament) => tournament.fights)
  const before = leaguePace(tournaments)
  // The first event of a league has its own.
  const pace = before.gaps.length < minSamples ? paceOf(active) : before
  const all = spansOf(fights, now)
  const firstToday = all.findLastIndex(
    ({ start }, index) => start - (all[index - 1]?.start ?? 0) > nightSeconds,
  )
  const spans = all.slice(firstToday)
  const [usual, today] = [pace.rests, botRests(spans)].map((rests) => quantile(rests, 0.1))
  return { fights, pace, spans, repair: Math.min(usual || Infinity, today || Infinity, 3600) }
}
