import type { Fight } from '../../data/league/types.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import { dayFrom, mean, minSamples, type Past, quantile, type Span } from './pace.ts'
import { turnsOf } from './turns.ts'

/** Errors of starts, in turns of their cage. */
export interface Errors {
  /** Number of turns from a forecast to the start in it: the mean of the samples. */
  readonly lead: number
  /** Bounds of an 80 % range. Delays are longer than gains, so 5 % begin before it and 15 % after it. */
  readonly early: number
  readonly late: number
}

/** Number of forecasts per day that are compared with the actual starts. */
const forecastsOfDay = 24
/** Errors are grouped from these places in a cage on, and errors of its next fight from these leads on. */
const places = [1, 2, 4, 8, 13] as const
const leads = [0, 0.3, 0.6, 1] as const

/** A day as it was at a time. */
const stateAt = (day: readonly Span[], now: number) => {
  const queues = new Map<number, Fight[]>()
  const today: Span[] = []
  const others: Fight[] = []
  for (const span of day) {
    const { fight, start, stop } = span
    const number = Number(fight.cage?.slice('Cage '.length))
    if (!queues.has(number)) queues.set(number, [])
    if (start <= now) today.push(stop === null || stop <= now ? span : { ...span, stop: null })
    else if ((fight.calledUnix ?? now + 1) <= now) queues.get(number)?.push(fight)
    else if ((fight.availableUnix ?? now) <= now) others.push(fight)
  }
  return {
    day: dayFrom(today),
    queues,
    others,
    isCalled: ({ calledUnix }: Fight) => (calledUnix ?? now + 1) <= now,
  }
}

function* measure({ days, pace }: Past): Steps<readonly Errors[]> {
  const samples: { readonly leads: number[]; readonly errors: number[] }[] = [
    ...leads,
    ...places,
  ].map(() => ({ leads: [], errors: [] }))
  /** Turns of a cage on all days. */
  let turns = 0
  for (const day of days) {
    const lines = [...Map.groupBy(day, ({ fight }) => fight.cage).values()]
    turns += day.length / lines.length
    const moments = day.flatMap(({ start, stop, fight }) => [
      start,
      stop ?? start,
      fight.calledUnix ?? start,
    ])
    moments.sort((a, b) => a - b)
    for (let index = 0; index < forecastsOfDay; index += 1) {
      yield
      const now = moments[Math.floor((moments.length * index) / forecastsOfDay)] ?? 0
      const forecast = turnsOf(stateAt(day, now), pace, now).turns
      for (const line of lines) {
        const next = line.findIndex(({ start }) => start > now)
        if (next < 0) continue
        for (const [place, { fight, start }] of line.slice(next).entries()) {
          const turn = forecast.get(fight)
          if (!turn || turn.isPaused) continue
          const lead = (turn.start - now) / turn.seconds
          const bin =
            place === 0
              ? leads.findLastIndex((each) => each <= lead)
              : leads.length + places.findLastIndex((each) => each <= place)
          samples[bin]?.leads.push(lead)
          samples[bin]?.errors.push((start - turn.start) / turn.seconds)
        }
      }
    }
  }
  const all = samples.flatMap(({ leads, errors }) => {
    if (errors.length < minSamples) return []
    const sorted = Float64Array.from(errors).sort()
    const lead = mean(leads)
    // A few days have few stretches as long as the lead, because breaks are common to all cages.
    const few = lead / turns
    const late = quantile(sorted, Math.min(0.97, 0.85 * (1 + few)))
    return { lead, early: quantile(sorted, 0.05), late }
  })
  all.sort((a, b) => a.lead - b.lead)
  // All fights of a few days can be late. A bound is at least half-way to the bound of shorter leads, which are surer.
  let widest = 0
  return all.map((each) => {
    widest = Math.min(widest, each.early)
    return { ...each, early: (each.early + widest) / 2 }
  })
}

const errorsByPast = new WeakMap<Past, readonly Errors[]>()

/** The errors of forecasts made on some days, by lead. */
export function* errorSteps(past: Past): Steps<readonly Errors[]> {
  const errors = errorsByPast.get(past) ?? (yield* measure(past))
  errorsByPast.set(past, errors)
  return errors
}

/**
 * Errors of forecasts `lead` turns ahead; without samples, from half the lead too early to the whole lead and one turn
 * too late.
 */
export const errorsAt = (errors: readonly Errors[], lead: number): Errors => {
  const above = errors.findIndex((each) => each.lead >= lead)
  const last = errors.at(-1)
  if (!last) return { lead, early: -lead / 2, late: lead + 1 }
  const high = errors[above] ?? last
  const low = errors[above - 1] ?? high
  const between = (from: number, to: number): number =>
    above < 0
      ? (to * lead) / last.lead
      : high === low
        ? to
        : from + ((lead - low.lead) / (high.lead - low.lead)) * (to - from)
  return {
    lead,
    early: between(low.early, high.early),
    late: between(low.late, high.late),
  }
}
