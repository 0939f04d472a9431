import type { Player } from '../league/types.ts'
import type { RatingClass } from './bouts.ts'
import { oddsStride, packScore, type Score } from './odds.ts'
import { directions, effects, estimates, settingCount, spread } from './settings.ts'
import {
  type Entrant,
  grownShare,
  learn,
  learnSide,
  newSide,
  newSquares,
  type Origin,
  readSide,
  type Side,
  setSquares,
  strengthOfSide,
} from './sides.ts'
import {
  blockOf,
  copyBlocks,
  covarianceAt,
  effectStride,
  effectsAt,
  estimatesAt,
  type FilterState,
  fightsAt,
  fightsOfSlot,
  floatStride,
  floatsAt,
  formAt,
  informationAt,
  inheritedAt,
  intStride,
  intsAt,
  isOneRow,
  keepMeans,
  maxFightSeconds,
  meanAt,
  newestShared,
  type Place,
  type SlotValues,
  type Strength,
  sharedBefore,
  sharedStride,
  teamStrengthAt,
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
  readonly place: Place
}

const scratch = {
  red: newSide(),
  blue: newSide(),
  /** By setting: the chance of red, and the slope of the logistic curve for the variance of both. */
  chances: new Float64Array(settingCount),
  slopes: new Float64Array(settingCount),
  /** By setting, of a result: its likelihood, and slope and curvature of its logarithm. */
  likelihoods: new Float64Array(settingCount),
  gradients: new Float64Array(settingCount),
  curvatures: new Float64Array(settingCount),
  squares: newSquares(),
}

/** Chance of red; leaves those by setting in `scratch`. The integral of MacKay (1992) over a logistic curve. */
const chanceOf = (shared: Float64Array, at: number): number => {
  const { red, blue } = scratch
  const own = red.values
  const other = blue.values
  let chance = 0
  for (let k = 0; k < settingCount; k += 1) {
    const variances = k + settingCount
    let mean = (own[k] ?? 0) - (other[k] ?? 0) + (own[formAt + k] ?? 0) - (other[formAt + k] ?? 0)
    let variance =
      (own[variances] ?? 0) +
      (other[variances] ?? 0) +
      (own[formAt + variances] ?? 0) +
      (other[formAt + variances] ?? 0) +
      2 * ((own[covarianceAt + k] ?? 0) + (other[covarianceAt + k] ?? 0))
    for (let index = 0; index < effects.length; index += 1) {
      const effect = (red.effects[index] ?? 0) - (blue.effects[index] ?? 0)
      if (effect === 0) continue
      const place = at + effectsAt + index * effectStride + k
      mean += (shared[place] ?? 0) * effect
      variance += (shared[place + settingCount] ?? 0) * effect * effect
    }
    const slope = 1 / Math.sqrt(1 + (Math.PI / 8) * variance)
    const ofSetting = 1 / (1 + Math.exp(-slope * mean))
    scratch.slopes[k] = slope
    scratch.chances[k] = ofSetting
    chance += ofSetting / settingCount
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
  const squares = setSquares(scratch.squares, shared, at)
  readSide(scratch.red, values, squares, red, redOrigin, atUnix)
  readSide(scratch.blue, values, squares, blue, blueOrigin, atUnix)
  return chanceOf(shared, at)
}

/** When a fight is met that began at a time, or with null has not begun, as of its end or of the newest end. */
const meetingUnix = (startUnix: number | null, endUnix: number): number =>
  Math.max(startUnix ?? endUnix, endUnix - maxFightSeconds)

/** The same as of the newest end, null for a fight that has not begun. */
export const meetingTime = ({ newest }: FilterState, startUnix: number | null): number | null =>
  startUnix === null ? null : meetingUnix(startUnix, newest?.finishUnix ?? 0)

/** Chance that red wins a fight that began at a time, or with null that has not begun. */
export const chanceAt = (
  state: FilterState,
  red: Entrant,
  blue: Entrant,
  startUnix: number | null,
): number => {
  const atUnix = meetingUnix(startUnix, state.newest?.finishUnix ?? 0)
  const at = sharedBefore(state, meetingTime(state, startUnix))
  return meet(state, state.shared, at, red.slot, red, blue.slot, blue, atUnix)
}

/** Strength in a fight at a time; the form at this event included, of others that of any day. */
export const strengthAt = (state: FilterState, entrant: Entrant, atUnix: number): Strength => {
  const at = newestShared(state)
  const squares = setSquares(scratch.squares, state.shared, at)
  const side = readSide(scratch.red, state, squares, entrant.slot, entrant, atUnix)
  return strengthOfSide(side, state.shared, at, true)
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
const update = (score: 1 | 0 | 0.5, shared: Float64Array, at: number): void => {
  const { red, blue, chances, slopes, likelihoods, gradients, curvatures } = scratch
  for (let k = 0; k < settingCount; k += 1) {
    const chance = chances[k] ?? 0
    const slope = slopes[k] ?? 0
    const gradient = slope * (score - chance)
    const curvature = slope * slope * chance * (1 - chance)
    likelihoods[k] = likelihoodOf(score, chance)
    gradients[k] = gradient
    curvatures[k] = curvature
    learnSide(red, k, gradient, curvature)
    learnSide(blue, k, -gradient, curvature)
  }
  for (let index = 0; index < effects.length; index += 1) {
    const factor = (red.effects[index] ?? 0) - (blue.effects[index] ?? 0)
    if (factor === 0) continue
    const first = at + effectsAt + index * effectStride
    for (let k = 0; k < settingCount; k += 1) {
      learn(shared, first + k, factor, gradients[k] ?? 0, curvatures[k] ?? 0)
    }
  }
  for (let j = 0; j < estimates.length; j += 1) estimate(j, shared, at)
}

/** Copy without references to the league, which would stay in memory. */
const placeOf = ({ finishUnix, startUnix, tournament, round, id }: Place): Place => ({
  finishUnix,
  startUnix,
  tournament: { id: tournament.id },
  round,
  id,
})

/** Strength of a bot in another class, by the tables of the slots so far. */
type Inherited = (values: SlotValues, ratingClass: RatingClass, cleanName: string) => number

/** Takes fights into a copy of a state. A bot without one in a class begins with `inheritedOf`, see {@link originOf}. */
export const createFilter = (before: FilterState, inheritedOf: Inherited = () => 0) => {
  let { newest, row, checkpoint } = before
  const tables = copyBlocks(before)
  const shared = before.shared.slice()
  let changed = new Map(checkpoint?.slots)

  const keepForCheckpoint = (slot: number): void => {
    if (!checkpoint || changed.has(slot)) return
    const { floats, ints } = blockOf(tables, slot)
    changed.set(slot, {
      floats: floats.slice(floatsAt(slot), floatsAt(slot) + floatStride),
      ints: ints.slice(intsAt(slot), intsAt(slot) + intStride),
    })
  }

  const enter = (
    slot: number,
    { cleanName, team }: Rated,
    { ratingClass, place }: Bout,
    atUnix: number,
  ): void => {
    const { floats } = tables.change(slot)
    keepForCheckpoint(slot)
    const first = floatsAt(slot)
    const isKnown = team === null || hasTeam(tables, slot)
    const key = isKnown ? noTeam : teamKey(ratingClass, team)
    if (fightsOfSlot(tables, slot) === 0) {
      const origin = originOf(
        tables,
        inheritedOf(tables, ratingClass, cleanName),
        key,
        place.startUnix === null ? null : atUnix,
      )
      floats[first + inheritedAt] = origin.inherited
      floats[first + teamStrengthAt] = origin.team
    }
    joinTeam(tables, slot, key)
  }

  /** Writes a corner after a fight to its slot, and its strength to the odds. */
  const write = (
    slot: number,
    side: Side,
    endUnix: number,
    row: number,
    odds: Float32Array,
    own: number,
  ): void => {
    const block = blockOf(tables, slot)
    const { floats, ints } = block
    const first = floatsAt(slot)
    const at = intsAt(slot)
    const { values } = side
    keepMeans(block, slot, endUnix)
    for (let index = 0; index < meanAt; index += 1) floats[first + index] = values[index] ?? 0
    side.fights += 1
    side.effects[0] = grownShare(side.fights)
    const strength = strengthOfSide(side, shared, row, false)
    floats[first + meanAt] = strength.mean
    floats[first + varianceAt] = strength.variance
    ints[at] = endUnix
    ints[at + fightsAt] = side.fights
    odds[own] = strength.mean
    odds[own + 1] = Math.sqrt(strength.variance)
  }

  return {
    /** Makes the present state the checkpoint. */
    keepCheckpoint: (): void => {
      changed = new Map()
      checkpoint = {
        row,
        newest: newest && placeOf(newest),
        slots: changed,
        shared: shared.slice(),
      }
    },
    /** Takes in the next fight, and writes it to a row of odds, see `readOdds`. */
    take: (bout: Bout, odds: Float32Array, index: number): void => {
      const { red, blue, score, place } = bout
      const endUnix = place.finishUnix ?? 0
      const atUnix = meetingUnix(place.startUnix, endUnix)
      enter(red, bout.redPlayer, bout, atUnix)
      enter(blue, bout.bluePlayer, bout, atUnix)
      const own = index * oddsStride
      odds[own] = packScore(red, score)
      odds[own + 1] = blue
      const then = sharedBefore({ row, shared }, place.startUnix === null ? null : atUnix)
      odds[own + 2] = meet(tables, shared, then, red, undefined, blue, undefined, atUnix)
      const known = newestShared({ row })
      if (!isOneRow(shared[known] ?? 0, endUnix)) row += 1
      const at = newestShared({ row })
      if (at !== known) shared.copyWithin(at, known, known + sharedStride)
      shared[at] = endUnix
      newest = place
      if (score !== null) update(score, shared, at)
      write(red, scratch.red, endUnix, at, odds, own + 3)
      write(blue, scratch.blue, endUnix, at, odds, own + 5)
    },
    /** The state so far. The filter must not be used afterwards. */
    state: (): FilterState => ({
      blocks: tables.blocks,
      shared,
      row,
      newest: newest && placeOf(newest),
      checkpoint: checkpoint && { ...checkpoint, slots: changed },
    }),
  }
}
