import { direction, effects, estimates, settingCount, spread } from './settings.ts'
import {
  effectStride,
  effectsAt,
  estimatesAt,
  type FilterState,
  fightsAt,
  floatStride,
  inheritedAt,
  intStride,
  type SlotValues,
  type Strength,
  teamStrengthAt,
  yearSeconds,
} from './state.ts'

/** A form is of one event: it ends when a bot has not fought for this long. */
export const formSeconds = 36 * 3600

/** A bot as it enters a fight, by setting. Written by {@link readSide}. */
export interface Side {
  readonly means: Float64Array
  readonly variances: Float64Array
  readonly formMeans: Float64Array
  readonly formVariances: Float64Array
  /** Covariances of strength and form: results at one event tell only their sum. */
  readonly covariances: Float64Array
  fights: number
  /** How much of each of the {@link effects} counts: share of the growth that is behind it, strengths that it began with. */
  readonly effects: Float64Array
}

export const newSide = (): Side => ({
  means: new Float64Array(settingCount),
  variances: new Float64Array(settingCount),
  formMeans: new Float64Array(settingCount),
  formVariances: new Float64Array(settingCount),
  covariances: new Float64Array(settingCount),
  fights: 0,
  effects: new Float64Array(effects.length),
})

/** What a new bot begins with: its strength in another class, and that of the best of its team; 0 without. */
export interface Origin {
  readonly inherited: number
  readonly team: number
}

/** Slot of a bot that may have fought, or its origin. */
export interface Entrant extends Origin {
  readonly slot: number | undefined
}

/** Squares of the assumptions of each setting. */
export interface Squares {
  readonly width: Float64Array
  readonly drift: Float64Array
  readonly form: Float64Array
}

export const newSquares = (): Squares => ({
  width: new Float64Array(settingCount),
  drift: new Float64Array(settingCount),
  form: new Float64Array(settingCount),
})

/** Fills in the settings around the estimates of a row. */
export const setSquares = (squares: Squares, shared: Float64Array, at: number): Squares => {
  for (const [j, name] of estimates.entries()) {
    const estimate = shared[at + estimatesAt + j] ?? 0
    const larger = Math.exp(2 * (estimate + spread))
    const smaller = Math.exp(2 * (estimate - spread))
    for (let k = 0; k < settingCount; k += 1) {
      squares[name][k] = direction(k, j) === 1 ? larger : smaller
    }
  }
  return squares
}

type Values = SlotValues & Pick<FilterState, 'forms'>

/** Reads a bot at a time: with the drift since its last fight, and a new form unless it has one at this event. */
export const readSide = (
  side: Side,
  { floats, ints, forms }: Values,
  squares: Squares,
  { slot = -1, inherited, team }: Entrant,
  atUnix: number,
): Side => {
  const fights = slot < 0 ? 0 : (ints[slot * intStride + fightsAt] ?? 0)
  side.fights = fights
  side.effects[0] = 1 - Math.exp(-fights / 2)
  if (fights === 0) {
    side.means.fill(0)
    side.variances.set(squares.width)
    side.formMeans.fill(0)
    side.formVariances.set(squares.form)
    side.covariances.fill(0)
    side.effects[1] = inherited
    side.effects[2] = team
    return side
  }
  const first = slot * floatStride
  const elapsed = Math.max(0, atUnix - (ints[slot * intStride] ?? 0))
  const years = elapsed / yearSeconds
  const form = elapsed > formSeconds ? undefined : forms.get(slot)
  side.effects[1] = floats[first + inheritedAt] ?? 0
  side.effects[2] = floats[first + teamStrengthAt] ?? 0
  for (let k = 0; k < settingCount; k += 1) {
    side.means[k] = floats[first + k] ?? 0
    side.variances[k] = (floats[first + settingCount + k] ?? 0) + (squares.drift[k] ?? 0) * years
    side.formMeans[k] = form ? (form[k] ?? 0) : 0
    side.formVariances[k] = form ? (form[settingCount + k] ?? 0) : (squares.form[k] ?? 0)
    side.covariances[k] = form ? (form[2 * settingCount + k] ?? 0) : 0
  }
  return side
}

/** Mean and variance of the mixture of settings; `shared` is a row of estimates from `at` on. */
export const strengthOfSide = (
  side: Side,
  shared: Float64Array,
  at: number,
  withForm: boolean,
): Strength => {
  let mean = 0
  let square = 0
  let variance = 0
  for (let k = 0; k < settingCount; k += 1) {
    let own = (side.means[k] ?? 0) + (withForm ? (side.formMeans[k] ?? 0) : 0)
    let ownVariance =
      (side.variances[k] ?? 0) +
      (withForm ? (side.formVariances[k] ?? 0) + 2 * (side.covariances[k] ?? 0) : 0)
    for (let index = 0; index < effects.length; index += 1) {
      const place = at + effectsAt + index * effectStride + k
      const effect = side.effects[index] ?? 0
      own += (shared[place] ?? 0) * effect
      ownVariance += (shared[place + settingCount] ?? 0) * effect * effect
    }
    mean += own / settingCount
    square += (own * own) / settingCount
    variance += ownVariance / settingCount
  }
  return { mean, variance: variance + Math.max(0, square - mean * mean) }
}

/** Moves an estimate by what a fight taught; `factor` is how much of it counts for red. Weng and Lin (2011). */
export const learn = (
  shared: Float64Array,
  place: number,
  factor: number,
  gradient: number,
  curvature: number,
): void => {
  const variance = shared[place + settingCount] ?? 0
  const effect = factor * variance
  shared[place] = (shared[place] ?? 0) + effect * gradient
  shared[place + settingCount] = variance - effect * effect * curvature
}

/** Moves strength and form of a corner by what a fight taught of their sum. */
export const learnSide = (side: Side, k: number, gradient: number, curvature: number): void => {
  const covariance = side.covariances[k] ?? 0
  const strength = (side.variances[k] ?? 0) + covariance
  const form = (side.formVariances[k] ?? 0) + covariance
  side.means[k] = (side.means[k] ?? 0) + strength * gradient
  side.formMeans[k] = (side.formMeans[k] ?? 0) + form * gradient
  side.variances[k] = (side.variances[k] ?? 0) - strength * strength * curvature
  side.formVariances[k] = (side.formVariances[k] ?? 0) - form * form * curvature
  side.covariances[k] = covariance - strength * form * curvature
}
