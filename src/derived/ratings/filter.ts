import type { Player } from '../../data/league/types.ts'
import type { RatingClass } from './bouts.ts'
import { oddsStride, packScore, type Score } from './odds.ts'
import { directions, effects, estimates, learningFights, settingCount, spread } from './settings.ts'
import {
  addEffects,
  type Entrant,
  grownShare,
  learn,
  learnSide,
  mixSettings,
  newSide,
  newSquares,
  newTotals,
  type Origin,
  readSide,
  type Side,
  setSquares,
  settle,
} from './sides.ts'
import {
  blockOf,
  copyBlocks,
  covarianceAt,
  effectStride,
  effectsAt,
  enterEnd,
  estimatesAt,
  type FilterState,
  fightsAt,
  formAt,
  informationAt,
  isOneRow,
  isSettledAt,
  learnedAt,
  maxFightSeconds,
  meanAt,
  newestShared,
  originAt,
  type Place,
  placeOfSlot,
  type SlotValues,
  type Strength,
  settingsAt,
  sharedBefore,
  sharedStride,
  slotStride,
  varianceAt,
} from './state.ts'
import { hasTeam, joinTeam, noTeam, originOf, teamKey } from './teams.ts'

/** A bot as it enters a fight: by its team alone if it is new. */
export type Rated = Pick<Player, 'cleanName' | 'team'>

/** A completed fight between two bots, by their slots in its weight class. */
export interface Bout {
  readonly ratingClass: RatingClass
  readonly red: number
  readonly blue: number
  readonly redPlayer: Rated
  readonly bluePlayer: Rated
  readonly score: Score
  readonly startUnix: number | null
  readonly place: Place
}

const scratch = {
  red: newSide(),
  blue: newSide(),
  /** How much more of each of the {@link effects} counts for red. */
  factors: new Float64Array(effects.length),
  /** Difference of both corners. */
  totals: newTotals(),
  /** By setting: the chance of red, the slope of the logistic curve for the variance of both, and the likelihood of a result. */
  chances: new Float64Array(settingCount),
  slopes: new Float64Array(settingCount),
  likelihoods: new Float64Array(settingCount),
  mixed: new Float64Array(2),
  squares: newSquares(),
}

const settingsOf = (shared: Float64Array, at: number): number => shared[at + settingsAt] ?? 0

/** Chance of red; leaves those by setting in `scratch`. The integral of MacKay (1992) over a logistic curve. */
const chanceOf = (shared: Float64Array, at: number, count: number): number => {
  const { red, blue, factors, totals, chances, slopes } = scratch
  const own = red.values
  const other = blue.values
  for (let k = 0; k < count; k += 1) {
    const variance = k + settingCount
    totals[k] = (own[k] ?? 0) - (other[k] ?? 0) + (own[formAt + k] ?? 0) - (other[formAt + k] ?? 0)
    totals[variance] =
      (own[variance] ?? 0) +
      (other[variance] ?? 0) +
      (own[formAt + variance] ?? 0) +
      (other[formAt + variance] ?? 0) +
      2 * ((own[covarianceAt + k] ?? 0) + (other[covarianceAt + k] ?? 0))
  }
  for (let index = 0; index < effects.length; index += 1) {
    factors[index] = (red.effects[index] ?? 0) - (blue.effects[index] ?? 0)
  }
  addEffects(totals, factors, shared, at, count)
  let chance = 0
  for (let k = 0; k < count; k += 1) {
    const slope = 1 / Math.sqrt(1 + (Math.PI / 8) * (totals[k + settingCount] ?? 0))
    const ofSetting = 1 / (1 + Math.exp(-slope * (totals[k] ?? 0)))
    slopes[k] = slope
    chances[k] = ofSetting
    chance += ofSetting / count
  }
  return chance
}

/** Chance of red at a time by a row of shared estimates; leaves both corners in `scratch`. */
const meet = (
  values: SlotValues,
  shared: Float64Array,
  at: number,
  red: number | undefined,
  redOrigin: Origin | undefined,
  blue: number | undefined,
  blueOrigin: Origin | undefined,
  atUnix: number,
): number => {
  const { squares } = scratch
  setSquares(squares, shared, at)
  readSide(scratch.red, values, squares, red, redOrigin, atUnix)
  readSide(scratch.blue, values, squares, blue, blueOrigin, atUnix)
  return chanceOf(shared, at, settingsOf(shared, at))
}

/** When a fight is met that began at a time, or with null has not begun, as of its end or of the newest end. */
const meetingUnix = (startUnix: number | null, endUnix: number): number =>
  Math.max(startUnix ?? endUnix, endUnix - maxFightSeconds)

/** The same as of the newest end, null for a fight that has not begun. */
export const meetingTime = ({ newest }: FilterState, startUnix: number | null): number | null =>
  startUnix === null ? null : meetingUnix(startUnix, newest?.momentUnix ?? 0)

/** Chance that red wins a fight that began at a time, or with null that has not begun. */
export const chanceAt = (
  state: FilterState,
  red: Entrant,
  blue: Entrant,
  startUnix: number | null,
): number => {
  const atUnix = meetingUnix(startUnix, state.newest?.momentUnix ?? 0)
  const at = sharedBefore(state, meetingTime(state, startUnix))
  return meet(state, state.shared, at, red.slot, red, blue.slot, blue, atUnix)
}

/** Strength in a fight at a time; the form at this event included, of others that of any day. */
export const strengthAt = (state: FilterState, entrant: Entrant, atUnix: number): Strength => {
  const { red, mixed, squares } = scratch
  const at = newestShared(state)
  setSquares(squares, state.shared, at)
  readSide(red, state, squares, entrant.slot, entrant, atUnix)
  mixSettings(mixed, red, state.shared, at, settingsOf(state.shared, at), true)
  const [mean = 0, variance = 0] = mixed
  return { mean, variance }
}

/** Where both sides foretell alike estimates are half a {@link spread} too large, by leagues with known strengths. */
const bias = 0.5
/** Bound of the step of an estimate after one fight, in {@link spread}; the first ones would be too long. */
const maxStep = 0.25

const likelihoodOf = (score: 1 | 0 | 0.5, chance: number): number =>
  score === 1 ? chance : score === 0 ? 1 - chance : Math.sqrt(chance * (1 - chance))

/** Moves an estimate towards the side that gave the result the larger likelihood. */
const estimate = (j: number, shared: Float64Array, at: number): void => {
  let larger = 0
  let smaller = 0
  for (let k = 0; k < settingCount; k += 1) {
    const likelihood = scratch.likelihoods[k] ?? 0
    if (directions[j]?.[k] === 1) larger += likelihood
    else smaller += likelihood
  }
  const slope = Math.log(larger / smaller) / 2
  const information = (shared[at + informationAt + j] ?? 0) + slope * slope
  const wanted = (slope - bias * slope * slope) / information
  const step = Math.max(-maxStep, Math.min(maxStep, wanted))
  shared[at + informationAt + j] = information
  shared[at + estimatesAt + j] = Math.max(-3, (shared[at + estimatesAt + j] ?? 0) + step * spread)
}

/** Adds what a result teaches to both corners in `scratch` and to a row of shared estimates. */
const update = (score: 1 | 0 | 0.5, shared: Float64Array, at: number, count: number): void => {
  const { red, blue, factors, chances, slopes, likelihoods } = scratch
  for (let k = 0; k < count; k += 1) {
    const chance = chances[k] ?? 0
    const slope = slopes[k] ?? 0
    const gradient = slope * (score - chance)
    const curvature = slope * slope * chance * (1 - chance)
    likelihoods[k] = likelihoodOf(score, chance)
    learnSide(red, k, gradient, curvature)
    learnSide(blue, k, -gradient, curvature)
    for (let index = 0; index < effects.length; index += 1) {
      const factor = factors[index] ?? 0
      if (factor === 0) continue
      learn(shared, at + effectsAt + index * effectStride + k, factor, gradient, curvature)
    }
  }
  if (settingsOf(shared, at) === 1) return
  for (let j = 0; j < estimates.length; j += 1) estimate(j, shared, at)
  shared[at + learnedAt] = (shared[at + learnedAt] ?? 0) + 1
}

/** Ends the learning of estimates: one setting goes on. */
const settleShared = (shared: Float64Array, at: number): void => {
  if (settingsOf(shared, at) === 1) return
  shared[at + settingsAt] = 1
  for (let index = 0; index < effects.length; index += 1) {
    settle(shared, at + effectsAt + index * effectStride)
  }
}

/** Strength of a bot in another class, by the tables of the slots so far. */
type Inherited = (values: SlotValues, bout: Bout, cleanName: string) => number

/** Takes fights into a copy of a state. A bot without one in a class begins with `inheritedOf`, see {@link originOf}. */
export const createFilter = (before: FilterState, inheritedOf: Inherited = () => 0) => {
  let { newest, row, checkpoint } = before
  const tables = copyBlocks(before)
  const shared = before.shared.slice()
  let changed = new Map(checkpoint?.slots)

  const enter = (slot: number, player: Rated, bout: Bout, atUnix: number): void => {
    const block = tables.change(slot)
    const place = placeOfSlot(slot)
    if (checkpoint && !changed.has(slot)) {
      changed.set(slot, block.slice(place, place + slotStride))
    }
    const key = hasTeam(block, place) ? noTeam : teamKey(bout.ratingClass, player.team)
    if (block[place + fightsAt] === 0) {
      const inherited = inheritedOf(tables, bout, player.cleanName)
      const origin = originOf(tables, inherited, key, bout.startUnix === null ? null : atUnix)
      block[place + originAt] = origin.inherited
      block[place + originAt + 1] = origin.team
    }
    joinTeam(tables, slot, key)
  }

  /** Writes a corner after a fight to its slot, and its strength to the odds. */
  const write = (
    slot: number,
    side: Side,
    endUnix: number,
    row: number,
    count: number,
    odds: Float32Array,
    own: number,
  ): void => {
    const { values } = side
    const block = blockOf(tables, slot)
    const place = placeOfSlot(slot)
    enterEnd(block, place, endUnix)
    for (let index = 0; index < meanAt; index += 1) block[place + index] = values[index] ?? 0
    side.effects[0] = grownShare(block[place + fightsAt] ?? 0)
    block[place + isSettledAt] = count === 1 ? 1 : 0
    mixSettings(scratch.mixed, side, shared, row, count, false)
    const mean = scratch.mixed[0] ?? 0
    const variance = scratch.mixed[1] ?? 0
    block[place + meanAt] = mean
    block[place + varianceAt] = variance
    odds[own] = mean
    odds[own + 1] = Math.sqrt(variance)
  }

  return {
    /** Makes the present state the checkpoint. */
    keepCheckpoint: (): void => {
      changed = new Map()
      checkpoint = {
        row,
        newest,
        slots: changed,
        shared: shared.slice(),
      }
    },
    /** Takes in the next fight, and writes it to a row of odds, see `readOdds`. */
    take: (bout: Bout, odds: Float32Array, index: number): void => {
      const { red, blue, score, place, startUnix } = bout
      const endUnix = place.momentUnix
      const atUnix = meetingUnix(startUnix, endUnix)
      enter(red, bout.redPlayer, bout, atUnix)
      enter(blue, bout.bluePlayer, bout, atUnix)
      const own = index * oddsStride
      odds[own] = packScore(red, score)
      odds[own + 1] = blue
      const then = sharedBefore({ row, shared }, startUnix === null ? null : atUnix)
      odds[own + 2] = meet(tables, shared, then, red, undefined, blue, undefined, atUnix)
      const known = newestShared({ row })
      if (!isOneRow(shared[known] ?? 0, endUnix)) row += 1
      const at = newestShared({ row })
      if (at !== known) {
        shared.copyWithin(at, known, known + sharedStride)
        if ((shared[at + learnedAt] ?? 0) >= learningFights) settleShared(shared, at)
      }
      shared[at] = endUnix
      newest = place
      const count = settingsOf(shared, then)
      if (score !== null) update(score, shared, at, count)
      write(red, scratch.red, endUnix, at, count, odds, own + 3)
      write(blue, scratch.blue, endUnix, at, count, odds, own + 5)
    },
    /** The state so far. The filter must not be used afterwards. */
    state: (): FilterState => ({
      blocks: tables.blocks,
      shared,
      row,
      newest,
      checkpoint: checkpoint && { ...checkpoint, slots: changed },
    }),
  }
}
