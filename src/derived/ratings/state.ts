import type { RatingClass } from './bouts.ts'
import {
  type ByEffect,
  type ByEstimate,
  type Estimate,
  firstEffects,
  firstEstimates,
} from './settings.ts'
import type { SimpleRecord } from './simpleRules.ts'

/** A strength in natural units: the logarithm of the odds against a bot of strength 0. */
export interface Strength {
  readonly mean: number
  readonly variance: number
}

/** Strength and form of a bot in one setting, with their covariance: results at one event tell only their sum. */
export interface Belief extends Strength {
  readonly formMean: number
  readonly formVariance: number
  readonly covariance: number
}

/** Prior of a new bot: its strength in another class, and the strength of the best bot of its team; 0 without. */
export interface Origin {
  readonly inherited: number
  readonly team: number
}

/** A bot in a class after its last fight; means and variances are rounded to 32 bits. */
export interface RatedBot {
  /** Beliefs by setting; a single one once the estimates have settled. */
  readonly beliefs: readonly Belief[]
  /** Strength without form. */
  readonly strength: Strength
  readonly origin: Origin
  /** Mean before the day of its last fight, and before the day before that; null without earlier fights. */
  readonly meanBeforeDay: number | null
  readonly meanDayBefore: number | null
  readonly record: SimpleRecord
  /** End of its last fight. */
  readonly lastUnix: number
  /** Clean name of the first known team; empty without one. */
  readonly team: string
}

export interface RatedClass {
  /** Bots by clean name. */
  readonly bots: ReadonlyMap<string, RatedBot>
  /** Clean names of the bots of each team. */
  readonly teams: ReadonlyMap<string, readonly string[]>
}

/** Values that the whole league shares. */
export interface Shared {
  /** End of the last fight that it follows from. */
  readonly endUnix: number
  /** Number of fights that the estimates were made from. */
  readonly learned: number
  /** True once the estimates are fixed: one setting goes on. */
  readonly isSettled: boolean
  readonly estimates: ByEstimate<Estimate>
  /** Effects by setting. */
  readonly effects: ByEffect<readonly Strength[]>
}

/** The state after some fights: immutable, and equal for equal fights in equal order, bit for bit. */
export interface FilterState {
  readonly classes: ReadonlyMap<RatingClass, RatedClass>
  /** States after each quarter of an hour with the end of a fight, oldest first; the last {@link sharedRows}. */
  readonly shared: readonly Shared[]
  /** End of the newest fight; 0 without one. */
  readonly presentUnix: number
}

const atStart: Shared = {
  endUnix: Number.NEGATIVE_INFINITY,
  isSettled: false,
  learned: 0,
  estimates: firstEstimates,
  effects: firstEffects,
}

export const emptyState: FilterState = { classes: new Map(), shared: [atStart], presentUnix: 0 }

/** A start further before the end is a mistake. */
export const maxFightSeconds = 12 * 3600
const quarterSeconds = 900
/**
 * Number of quarters of an hour that a fight may last, however many others end meanwhile, and two around them.
 */
export const sharedRows = maxFightSeconds / quarterSeconds + 2

const startOfQuarter = (unix: number): number => Math.floor(unix / quarterSeconds) * quarterSeconds
export const isOneQuarter = (unix: number, other: number): boolean =>
  startOfQuarter(unix) === startOfQuarter(other)

export const newestShared = ({ shared }: Pick<FilterState, 'shared'>): Shared =>
  shared.at(-1) ?? atStart

/**
 * Values shared by the league before the quarter of an hour of `startUnix`: no fight that ends after a fight has begun
 * changes it. The newest values without a time.
 */
export const sharedBefore = (shared: readonly Shared[], startUnix: number | null): Shared => {
  const fromUnix = startUnix === null ? Number.POSITIVE_INFINITY : startOfQuarter(startUnix)
  return shared.findLast(({ endUnix }) => endUnix < fromUnix) ?? shared[0] ?? atStart
}

const daySeconds = 86_400
export const dayOf = (unix: number): number => Math.floor(unix / daySeconds)
export const startOfDay = (unix: number): number => unix - (unix % daySeconds)

/**
 * Mean of a bot before the day of a moment, at most a day before its last fight: no later fight changes it. Without a
 * time, the mean after its last fight. Null if it had not fought.
 */
export const meanBefore = (bot: RatedBot, unix: number | null): number | null => {
  const days = unix === null ? -1 : dayOf(bot.lastUnix) - dayOf(unix)
  if (days < 0) return bot.strength.mean
  return days === 0 ? bot.meanBeforeDay : bot.meanDayBefore
}

export const yearSeconds = 365.25 * daySeconds

/**
 * Estimated standard deviation of the strengths of new bots, of their change in a year, and of the form at an event.
 */
export const estimateOf = (state: FilterState, estimate: keyof ByEstimate<Estimate>): number =>
  Math.exp(newestShared(state).estimates[estimate].value)

/** Estimated gain of a bot over its first fights. */
export const growthOf = (state: FilterState): number => {
  const { isSettled, effects } = newestShared(state)
  const bySetting = isSettled ? effects.growth.slice(0, 1) : effects.growth
  return bySetting.reduce((sum, { mean }) => sum + mean, 0) / bySetting.length
}

/**
 * Variance that a strength gains in some time, as estimated: with two digits, so that most results change no rating of
 * bots that did not fight.
 */
export const driftVariance = (state: FilterState, seconds: number): number =>
  (Number((estimateOf(state, 'drift') ** 2).toPrecision(2)) * Math.max(0, seconds)) / yearSeconds
