import { directions, effects, estimates, settingCount, spread } from './settings.ts'
import {
  blockOf,
  covarianceAt,
  effectStride,
  effectsAt,
  estimatesAt,
  fightsAt,
  formAt,
  isSettledAt,
  lastUnixAt,
  meanAt,
  originAt,
  placeOfSlot,
  type SlotValues,
  settingsAt,
  yearSeconds,
} from './state.ts'

/** A form is of one event: it ends when a bot has not fought for this long. */
const formSeconds = 36 * 3600

/** A bot as it enters a fight. Written by {@link readSide}. */
export interface Side {
  /** By setting, in the order of the values of a slot. */
  readonly values: Float64Array
  /** How much of each of the {@link effects} counts: share of the growth that is behind it, strengths that it began with. */
  readonly effects: Float64Array
}

export const newSide = (): Side => ({
  values: new Float64Array(meanAt),
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

/** Squares of the assumptions of each setting, one after the other, then the estimates that they are around and the number of settings. */
export type Squares = Float64Array
const centresAt = estimates.length * settingCount
const countAt = centresAt + estimates.length
export const newSquares = (): Squares => new Float64Array(countAt + 1)
const [driftSquare, formSquare] = [settingCount, 2 * settingCount]
const [larger, smaller] = [Math.exp(2 * spread), Math.exp(-2 * spread)]

/** Fills in the settings around the estimates of a row. */
export const setSquares = (squares: Squares, shared: Float64Array, at: number): void => {
  const count = shared[at + settingsAt] ?? 0
  for (let j = 0; j < estimates.length; j += 1) {
    const centre = shared[at + estimatesAt + j] ?? 0
    if (squares[centresAt + j] === centre && squares[countAt] === count) continue
    squares[centresAt + j] = centre
    const square = Math.exp(2 * centre)
    for (let k = 0; k < count; k += 1) {
      const factor = count === 1 ? 1 : directions[j]?.[k] === 1 ? larger : smaller
      squares[j * settingCount + k] = square * factor
    }
  }
  squares[countAt] = count
}

/** Replaces the means and variances of settings from `first` on by those of their mixture, in the first one. */
export const settle = (values: Float64Array, first: number): void => {
  let mean = 0
  let square = 0
  let variance = 0
  for (let k = first; k < first + settingCount; k += 1) {
    const own = values[k] ?? 0
    mean += own / settingCount
    square += (own * own) / settingCount
    variance += (values[k + settingCount] ?? 0) / settingCount
  }
  values[first] = mean
  values[first + settingCount] = variance + Math.max(0, square - mean * mean)
}

/** The same of strength and form. */
const settleSide = (values: Float64Array): void => {
  let product = 0
  for (let k = 0; k < settingCount; k += 1) {
    product += (values[covarianceAt + k] ?? 0) + (values[k] ?? 0) * (values[formAt + k] ?? 0)
  }
  settle(values, 0)
  settle(values, formAt)
  values[covarianceAt] = product / settingCount - (values[0] ?? 0) * (values[formAt] ?? 0)
}

/**
 * Reads a bot at a time: with the drift since its last fight, and a new form unless it has one at this event. The origin
 * of a new bot is in its slot if none is given.
 */
export const readSide = (
  { values, effects: own }: Side,
  table: SlotValues,
  squares: Squares,
  slot = -1,
  origin: Origin | undefined,
  atUnix: number,
): void => {
  const block = blockOf(table, slot)
  const place = placeOfSlot(slot)
  const fights = block[place + fightsAt] ?? 0
  const isNew = fights === 0
  own[0] = grownShare(fights)
  own[1] = isNew && origin ? origin.inherited : (block[place + originAt] ?? 0)
  own[2] = isNew && origin ? origin.team : (block[place + originAt + 1] ?? 0)
  const count = squares[countAt] ?? 0
  const isSettled = block[place + isSettledAt] === 1
  if (isSettled || count === settingCount) {
    for (let k = 0; k < count; k += 1) {
      const from = isSettled ? place : place + k
      for (let at = k; at < meanAt; at += settingCount) values[at] = block[from + at - k] ?? 0
    }
  } else {
    for (let at = 0; at < meanAt; at += 1) values[at] = block[place + at] ?? 0
    settleSide(values)
  }
  const elapsed = Math.max(0, atUnix - lastUnixAt(block, place))
  const years = elapsed / yearSeconds
  const hasForm = !isNew && elapsed <= formSeconds
  for (let k = 0; k < count; k += 1) {
    const variance = k + settingCount
    if (isNew) {
      values[k] = 0
      values[variance] = squares[k] ?? 0
    } else values[variance] = (values[variance] ?? 0) + (squares[driftSquare + k] ?? 0) * years
    if (hasForm) continue
    values[formAt + k] = 0
    values[formAt + variance] = squares[formSquare + k] ?? 0
    values[covarianceAt + k] = 0
  }
}

/** A mean and a variance by setting. */
export const newTotals = (): Float64Array => new Float64Array(2 * settingCount)
const ownTotals = newTotals()

/** Adds the effects by a row of shared estimates, from `at` on. */
export const addEffects = (
  totals: Float64Array,
  factors: Float64Array,
  shared: Float64Array,
  at: number,
  count: number,
): void => {
  for (let index = 0; index < effects.length; index += 1) {
    const factor = factors[index] ?? 0
    if (factor === 0) continue
    const first = at + effectsAt + index * effectStride
    for (let k = 0; k < count; k += 1) {
      const variance = k + settingCount
      totals[k] = (totals[k] ?? 0) + (shared[first + k] ?? 0) * factor
      totals[variance] = (totals[variance] ?? 0) + (shared[first + variance] ?? 0) * factor * factor
    }
  }
}

/**
 * The estimates are less sure than the settings are apart, and one setting does not show it at all: without it bands held
 * 93.6 % on leagues with known strengths.
 */
const [widening, settledWidening] = [1.1, 1.2]

/** Writes mean and variance of the mixture of the first settings; `shared` is a row of estimates from `at` on. */
export const mixSettings = (
  mixed: Float64Array,
  { values, effects: own }: Side,
  shared: Float64Array,
  at: number,
  count: number,
  withForm: boolean,
): void => {
  for (let k = 0; k < count; k += 1) {
    const variance = k + settingCount
    ownTotals[k] = (values[k] ?? 0) + (withForm ? (values[formAt + k] ?? 0) : 0)
    ownTotals[variance] =
      (values[variance] ?? 0) +
      (withForm ? (values[formAt + variance] ?? 0) + 2 * (values[covarianceAt + k] ?? 0) : 0)
  }
  addEffects(ownTotals, own, shared, at, count)
  let mean = 0
  let square = 0
  let variance = 0
  for (let k = 0; k < count; k += 1) {
    const ownMean = ownTotals[k] ?? 0
    mean += ownMean / count
    square += (ownMean * ownMean) / count
    variance += (ownTotals[k + settingCount] ?? 0) / count
  }
  mixed[0] = mean
  mixed[1] =
    (count === 1 ? settledWidening : widening) * (variance + Math.max(0, square - mean * mean))
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
