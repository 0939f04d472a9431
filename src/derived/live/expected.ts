import type { Cages, Dataset, Fight } from '../../data/league/types.ts'
import { atOnce, type Steps } from '../../runtime/timeSlice.ts'
import { type Errors, errorSteps, errorsAt } from './errors.ts'
import { minSamples, nightSeconds, type Pace, pastOf, presentOf, quantile } from './pace.ts'
import { type Turn, turnsOf } from './turns.ts'

/** Expected start of a waiting fight, in Unix seconds. */
export interface Expected {
  /** Expected time; null if there is no estimate. */
  readonly at: {
    readonly start: number
    readonly from: number
    readonly to: number
    /** Seconds until the start; never negative. */
    readonly inSeconds: number
  } | null
  /** The cage where it will be, if known. */
  readonly cage: number | null
  /** Number of fights of that cage before it. */
  readonly ahead: number
  /** True if its cage has a break. */
  readonly isPaused: boolean
}

export type Expectations = ReadonlyMap<Fight, Expected>

/** Expected starts of every waiting fight of an active tournament. */
export interface ExpectedStarts {
  readonly fights: Expectations
  /** Unix seconds from which the value differs without a change of the data. */
  readonly validUntil: number
}

export const nothingExpected: ExpectedStarts = {
  fights: new Map(),
  validUntil: Number.POSITIVE_INFINITY,
}

/** Forecasts are made for the end of each period, so that none is in the past while it is valid. */
const periodSeconds = 30
/** Maximum width of a range, as a multiple of the league's. */
const maxWidth = 3

const unknown: Expected = { at: null, cage: null, ahead: 0, isPaused: false }

/** Expected starts before the first fight of a day: the plan, with the usual delay of the league. */
const planned = (fights: readonly Fight[], { delays }: Pace, now: number): Expectations => {
  const delay = (share: number): number => quantile(delays, share)
  return new Map(
    fights.map((fight): [Fight, Expected] => {
      const plan = fight.scheduledUnix
      const canBeSaid = fight.waitsAs !== 'hold' && delays.length >= minSamples
      const isKnown = canBeSaid && plan !== null && plan + delay(0.9) > now
      const at = isKnown
        ? {
            inSeconds: Math.max(0, plan + delay(0.5) - now),
            start: Math.max(now, plan + delay(0.5)),
            from: Math.max(now, plan + delay(0.1)),
            to: plan + delay(0.9),
          }
        : null
      return [fight, { ...unknown, at }]
    }),
  )
}

const expectedOf = (
  { start, cage, ahead, seconds, isPaused }: Turn,
  errors: readonly Errors[],
  width: number,
  now: number,
): Expected => {
  if (isPaused) return { at: null, cage, ahead, isPaused }
  const { early, late } = errorsAt(errors, (start - now) / seconds)
  const from = Math.max(now, Math.min(start + early * seconds * width, start - periodSeconds))
  const to = start + Math.max(late * seconds * width, periodSeconds)
  const at = {
    inSeconds: Math.round(start - now),
    start: Math.round(start),
    from: Math.round(from),
    to: Math.round(to),
  }
  return { at, cage, ahead, isPaused }
}

/**
 * Expected starts of all waiting fights of active tournaments, at a time in Unix seconds. Depends only on its
 * parameters; no time in it is before `now`.
 */
export const buildExpectations = (
  { tournaments }: Pick<Dataset, 'tournaments'>,
  cages: Cages,
  now: number,
): Expectations => {
  if (!tournaments.some(({ info }) => info.active)) return new Map()
  const { active, past, day } = presentOf(tournaments, now)
  const { spans } = day
  const { pace } = past
  const waiting = active.flatMap(({ fights }) => fights.filter(({ state }) => state === 'pending'))
  if (waiting.length === 0) return new Map()
  if (now - (spans.at(-1)?.start ?? 0) > nightSeconds) return planned(waiting, pace, now)
  const timed = spans.filter(({ fight }) => fight.startUnix !== null)
  const isTimed = timed.length >= spans.length / 2 && pace.durations.length > 0
  if (pace.gaps.length < minSamples || !isTimed)
    return new Map(waiting.map((fight) => [fight, unknown]))

  const queues = new Map<number, readonly Fight[]>()
  const queued = new Set<Fight>()
  for (const { number, fight, queue } of Object.values(cages)) {
    const own = fight?.state === 'pending' ? [fight, ...queue] : queue
    queues.set(number, own)
    for (const each of own) queued.add(each)
  }
  const others = waiting.filter((fight) => !queued.has(fight))
  const isCalled = ({ waitsAs }: Fight): boolean => waitsAs === 'called'
  const { turns, isPaused } = turnsOf({ day, queues, others, isCalled }, pace, now)
  const width = Math.min(maxWidth, Math.max(1, day.spread / (pace.spread || 1)))
  const errors = atOnce(errorSteps(past))
  return new Map(
    waiting.map((fight): [Fight, Expected] => {
      const turn = turns.get(fight)
      return [fight, turn ? expectedOf(turn, errors, width, now) : { ...unknown, isPaused }]
    }),
  )
}

/** Time until which a forecast is valid. */
export const periodEnd = (now: number): number =>
  (Math.floor(now / periodSeconds) + 1) * periodSeconds

/** Measures the league for expected starts beforehand, if there is an event; takes some ten milliseconds. */
export function* measureLeague({ tournaments }: Pick<Dataset, 'tournaments'>): Steps<void> {
  if (!tournaments.some(({ info }) => info.active)) return
  yield* errorSteps(yield* pastOf(tournaments))
}

const lastByCages = new WeakMap<Cages, ExpectedStarts>()

/** The expected starts of an archive at a time; the last one is kept. */
export const expectedAt = (
  { dataset, cages }: { readonly dataset: Dataset; readonly cages: Cages },
  now: number,
): ExpectedStarts => {
  const validUntil = periodEnd(now)
  const last = lastByCages.get(cages)
  if (last && (last.validUntil === validUntil || last === nothingExpected)) return last
  const fights = buildExpectations(dataset, cages, validUntil)
  const expected = fights.size === 0 ? nothingExpected : { fights, validUntil }
  lastByCages.set(cages, expected)
  return expected
}
