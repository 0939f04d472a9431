import { directions, effects, estimates, settingCount, spread } from './settings.ts'
import {
  blockOf,
  covarianceAt,
  effectStride,
  effectsAt,
  estimatesAt,
  fightsAt,
  floatsAt,
  formAt,
  inheritedAt,
  intsAt,
  meanAt,
  type SlotValues,
  type Strength,
  teamStrengthAt,
  yearSeconds,
} from './state.ts'

/** A form is of one event: it ends when a bot has not fought for this long. */
const formSeconds = 36 * 3600

/** A bot as it enters a fight. Written by {@link readSide}. */
export interface Side {
  /** By setting, in the order of the floats of a slot. */
  readonly values: Float64Array
  fights: number
  /** How much of each of the {@link effects} counts: share of the growth that is behind it, strengths that it began with. */
  readonly effects: Float64Array
}

export const newSide = (): Side => ({
  values: new Float64Array(meanAt),
  fights: 0,
  effects: new Float64Array(effects.length),
})

/** Prior of a new bot: its strength in another class, and that of the best of its team; 0 without. */
export interface Origin {
  readonly inherited: number
  readonly team: number
}

/** Slot of a bot that may have fought, or its origin. */
export interface Entrant extends Origin {
  readonly slot: number | undefined
}

/** Shares of the growth by number of fights; after more of them it is whole in 64 bits. */
const grownShares = Float64Array.from({ length: 80 }, (_, fights) => 1 - Math.exp(-fights / 2))
export const grownShare = (fights: number): number => grownShares[Math.min(fights, 79)] ?? 1

/** Squares of the assumptions of each setting, one after the other, then the estimates that they are around. */
export type Squares = Float64Array
const centresAt = estimates.length * settingCount
export const newSquares = (): Squares => new Float64Array(centresAt + estimates.length).fill(NaN)
const [driftSquare, formSquare] = [settingCount, 2 * settingCount]
const [larger, smaller] = [Math.exp(2 * spread), Math.exp(-2 * spread)]

/** Fills in the settings around the estimates of a row. */
export const setSquares = (squares: Squares, shared: Float64Array, at: number): Squares => {
  for (let j = 0; j < estimates.length; j += 1) {
    const centre = shared[at + estimatesAt + j] ?? 0
    if (squares[centresAt + j] === centre) continue
    squares[centresAt + j] = centre
    const square = Math.exp(2 * centre)
    for (let k = 0; k < settingCount; k += 1) {
      squares[j * settingCount + k] = square * (directions[j]?.[k] === 1 ? larger : smaller)
    }
  }
  return squares
}

/**
 * Reads a bot at a time: with the drift since its last fight, and a new form unless it has one at this event. The origin
 * of a new bot is in its slot if none is given.
 */
export const readSide = (
  side: Side,
  table: SlotValues,
  squares: Squares,
  slot = -1,
  origin: Origin | undefined,
  atUnix: number,
): Side => {
  const { values } = side
  const { floats, ints } = blockOf(table, slot)
  const first = floatsAt(slot)
  const at = intsAt(slot)
  const fights = ints[at + fightsAt] ?? 0
  const isNew = fights === 0
  side.fights = fights
  side.effects[0] = grownShare(fights)
  side.effects[1] = isNew && origin ? origin.inherited : (floats[first + inheritedAt] ?? 0)
  side.effects[2] = isNew && origin ? origin.team : (floats[first + teamStrengthAt] ?? 0)
  for (let index = 0; index < meanAt; index += 1) {
    values[index] = isNew ? 0 : (floats[first + index] ?? 0)
  }
  const elapsed = Math.max(0, atUnix - (ints[at] ?? 0))
  const years = elapsed / yearSeconds
  for (let k = 0; k < settingCount; k += 1) {
    const variance = k + settingCount
    values[variance] = isNew
      ? (squares[k] ?? 0)
      : (values[variance] ?? 0) + (squares[driftSquare + k] ?? 0) * years
    if (!isNew && elapsed <= formSeconds) continue
    values[formAt + k] = 0
    values[formAt + variance] = squares[formSquare + k] ?? 0
    values[covarianceAt + k] = 0
  }
  return side
}

/** The estimates are less sure than the settings are apart: without it bands held 93.6 % on leagues with known strengths. */
const widening = 1.1

/** Mean and variance of the mixture of settings; `shared` is a row of estimates from `at` on. */
export const strengthOfSide = (
  { values, effects: own }: Side,
  shared: Float64Array,
  at: number,
  withForm: boolean,
): Strength => {
  let mean = 0
  let square = 0
  let variance = 0
  for (let k = 0; k < settingCount; k += 1) {
    let ownMean = values[k] ?? 0
    let ownVariance = values[settingCount + k] ?? 0
    if (withForm) {
      ownMean += values[formAt + k] ?? 0
      ownVariance += (values[formAt + settingCount + k] ?? 0) + 2 * (values[covarianceAt + k] ?? 0)
    }
    for (let index = 0; index < effects.length; index += 1) {
      const effect = own[index] ?? 0
      if (effect === 0) continue
      const place = at + effectsAt + index * effectStride + k
      ownMean += (shared[place] ?? 0) * effect
      ownVariance += (shared[place + settingCount] ?? 0) * effect * effect
    }
    mean += ownMean / settingCount
    square += (ownMean * ownMean) / settingCount
    variance += ownVariance / settingCount
  }
  return { mean, variance: widening * (variance + Math.max(0, square - mean * mean)) }
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

/** Updates strength and form of a corner by a result, which depends on their sum. */
export const learnSide = (
  { values }: Side,
  k: number,
  gradient: number,
  curvature: number,
): void => {
  const covariance = values[covarianceAt + k] ?? 0
  const strength = (values[settingCount + k] ?? 0) + covariance
  const form = (values[formAt + settingCount + k] ?? 0) + covariance
  values[k] = (values[k] ?? 0) + strength * gradient
  values[formAt + k] = (values[formAt + k] ?? 0) + form * gradient
  values[settingCount + k] = (values[settingCount + k] ?? 0) - strength * strength * curvature
  values[formAt + settingCount + k] =
    (values[formAt + settingCount + k] ?? 0) - form * form * curvature
  values[covarianceAt + k] = covariance - strength * form * curvature
}
