import { direction, effects, estimates, settingCount, spread } from './settings.ts'
import {
  type Entrant,
  formSeconds,
  learn,
  learnSide,
  newSide,
  newSquares,
  readSide,
  type Side,
  setSquares,
  strengthOfSide,
} from './sides.ts'
import { eloChance, eloGain, eloStart, winRateChance } from './simpleRules.ts'
import {
  effectStride,
  effectsAt,
  eloAt,
  estimatesAt,
  type FilterState,
  fightsAt,
  floatStride,
  informationAt,
  inheritedAt,
  intStride,
  meanAt,
  newestShared,
  type Place,
  previousMeanAt,
  type SlotValues,
  type Strength,
  sharedBefore,
  sharedStride,
  teamStrengthAt,
  varianceAt,
  winsAt,
} from './state.ts'
import { joinTeam, originOf } from './teams.ts'

/** Result for red: 1 won, 0 lost, 0.5 drawn; null, as of a double forfeit, teaches nothing. */
export type Score = 1 | 0 | 0.5 | null

/** A completed fight between two bots, by their slots in its weight class. */
export interface Bout {
  readonly red: number
  readonly blue: number
  /** Keys of their teams in that class, see {@link teamKey}. */
  readonly redTeam: number
  readonly blueTeam: number
  readonly score: Score
  readonly place: Place
}

/** What is kept of a fight. */
export interface Odds {
  /** Chance of red, from what was decided before the fight began. */
  readonly chance: number
  /** The same by two simple rules. */
  readonly winRate: number
  readonly elo: number
  /** Strengths after the fight, without form. */
  readonly redAfter: Strength
  readonly blueAfter: Strength
}

/** A start further before the end is a mistake. */
const maxFightSeconds = 12 * 3600

const scratch = {
  red: newSide(),
  blue: newSide(),
  /** By setting: the chance of red, and the slope of the logistic curve for the variance of both. */
  chances: new Float64Array(settingCount),
  slopes: new Float64Array(settingCount),
  squares: newSquares(),
}

/** Chance of red; leaves those by setting in `scratch`. The integral of MacKay (1992) over a logistic curve. */
const chanceOf = (red: Side, blue: Side, shared: Float64Array, at: number): number => {
  let chance = 0
  for (let k = 0; k < settingCount; k += 1) {
    let mean =
      (red.means[k] ?? 0) -
      (blue.means[k] ?? 0) +
      (red.formMeans[k] ?? 0) -
      (blue.formMeans[k] ?? 0)
    let variance =
      (red.variances[k] ?? 0) +
      (blue.variances[k] ?? 0) +
      (red.formVariances[k] ?? 0) +
      (blue.formVariances[k] ?? 0) +
      2 * ((red.covariances[k] ?? 0) + (blue.covariances[k] ?? 0))
    for (let index = 0; index < effects.length; index += 1) {
      const place = at + effectsAt + index * effectStride + k
      const effect = (red.effects[index] ?? 0) - (blue.effects[index] ?? 0)
      mean += (shared[place] ?? 0) * effect
      variance += (shared[place + settingCount] ?? 0) * effect * effect
    }
    const slope = 1 / Math.sqrt(1 + (Math.PI / 8) * variance)
    const own = 1 / (1 + Math.exp(-slope * mean))
    scratch.slopes[k] = slope
    scratch.chances[k] = own
    chance += own / settingCount
  }
  return chance
}

/** Chance of red at a time by a row of shared estimates; leaves both corners in `scratch`. */
const meet = (
  values: Pick<FilterState, 'floats' | 'ints' | 'forms' | 'shared'>,
  at: number,
  red: Entrant,
  blue: Entrant,
  atUnix: number,
): number => {
  const squares = setSquares(scratch.squares, values.shared, at)
  readSide(scratch.red, values, squares, red, atUnix)
  readSide(scratch.blue, values, squares, blue, atUnix)
  return chanceOf(scratch.red, scratch.blue, values.shared, at)
}

/** When a fight is met that began at a time, or with null has not begun, as of its end or of the newest end. */
const meetingUnix = (startUnix: number | null, endUnix: number): number =>
  Math.max(startUnix ?? endUnix, endUnix - maxFightSeconds)

/** Chance that red wins a fight that began at a time, or with null that has not begun. */
export const chanceAt = (
  state: FilterState,
  red: Entrant,
  blue: Entrant,
  startUnix: number | null,
): number => {
  const atUnix = meetingUnix(startUnix, state.newest?.finishUnix ?? 0)
  return meet(state, sharedBefore(state, startUnix), red, blue, atUnix)
}

/** Strength in a fight at a time; the form at this event included, of others that of any day. */
export const strengthAt = (state: FilterState, entrant: Entrant, atUnix: number): Strength => {
  const at = newestShared(state)
  const squares = setSquares(scratch.squares, state.shared, at)
  return strengthOfSide(
    readSide(scratch.red, state, squares, entrant, atUnix),
    state.shared,
    at,
    true,
  )
}

/** Where both sides foretell alike estimates are half a {@link spread} too large, by leagues with known strengths. */
const bias = 0.5
/** Bound of the step of an estimate after one fight, in {@link spread}; the first ones would be too long. */
const maxStep = 0.25

const likelihoodOf = (score: 1 | 0 | 0.5, chance: number): number =>
  score === 1 ? chance : score === 0 ? 1 - chance : Math.sqrt(chance * (1 - chance))

/** Takes fights into a copy of a state. */
export interface Filter {
  /** Takes in the next fight. A bot without one in this class begins with `inherited`, see {@link originOf}. */
  readonly take: (bout: Bout, inherited: (slot: number) => number) => Odds
  /** Makes the present state the checkpoint, without forms that have ended whichever fight comes next. */
  readonly keepCheckpoint: () => void
  /** Tables of the slots so far, which the next fight changes. */
  readonly values: () => SlotValues
  /** The state so far. The filter must not be used afterwards. */
  readonly state: () => FilterState
}

export const createFilter = (before: FilterState): Filter => {
  let { fights, newest, checkpoint } = before
  let floats = before.floats.slice()
  let ints = before.ints.slice()
  const shared = before.shared.slice()
  let forms = new Map(before.forms)
  let changed = new Map(checkpoint?.slots)
  if (checkpoint) checkpoint = { ...checkpoint, slots: changed }

  const enlarge = (slots: number): void => {
    if (slots * intStride <= ints.length) return
    const size = Math.ceil(slots * 1.25) + 16
    const larger = {
      floats: new Float32Array(size * floatStride),
      ints: new Uint32Array(size * intStride),
    }
    larger.floats.set(floats)
    larger.ints.set(ints)
    floats = larger.floats
    ints = larger.ints
  }

  const keepForCheckpoint = (slot: number): void => {
    if (!checkpoint || changed.has(slot)) return
    changed.set(slot, {
      floats: floats.slice(slot * floatStride, (slot + 1) * floatStride),
      ints: ints.slice(slot * intStride, (slot + 1) * intStride),
    })
  }

  const enter = (
    slot: number,
    team: number,
    startUnix: number | null,
    inheritedOf: (slot: number) => number,
  ): Entrant => {
    keepForCheckpoint(slot)
    const values = { floats, ints }
    const first = slot * floatStride
    if ((ints[slot * intStride + fightsAt] ?? 0) === 0) {
      const origin = originOf(values, inheritedOf(slot), team, startUnix)
      floats[first + eloAt] = eloStart
      floats[first + inheritedAt] = origin.inherited
      floats[first + teamStrengthAt] = origin.team
      floats[first + previousMeanAt] = Number.NaN
    } else floats[first + previousMeanAt] = floats[first + meanAt] ?? 0
    joinTeam(values, slot, team)
    return {
      slot,
      inherited: floats[first + inheritedAt] ?? 0,
      team: floats[first + teamStrengthAt] ?? 0,
    }
  }

  /** Adds what a result teaches to both corners and to the shared estimates. */
  const update = (score: 1 | 0 | 0.5, at: number): void => {
    const { red, blue, chances, slopes } = scratch
    for (let k = 0; k < settingCount; k += 1) {
      const chance = chances[k] ?? 0
      const slope = slopes[k] ?? 0
      const gradient = slope * (score - chance)
      const curvature = slope * slope * chance * (1 - chance)
      learnSide(red, k, gradient, curvature)
      learnSide(blue, k, -gradient, curvature)
      for (let index = 0; index < effects.length; index += 1) {
        const factor = (red.effects[index] ?? 0) - (blue.effects[index] ?? 0)
        learn(shared, at + effectsAt + index * effectStride + k, factor, gradient, curvature)
      }
    }
    for (let j = 0; j < estimates.length; j += 1) {
      let larger = 0
      let smaller = 0
      for (let k = 0; k < settingCount; k += 1) {
        const likelihood = likelihoodOf(score, chances[k] ?? 0)
        if (direction(k, j) === 1) larger += likelihood
        else smaller += likelihood
      }
      const slope = Math.log(larger / smaller) / 2
      const information = (shared[at + informationAt + j] ?? 0) + slope * slope
      shared[at + informationAt + j] = information
      const wanted = (slope - bias * slope * slope) / information
      const step = Math.max(-maxStep, Math.min(maxStep, wanted))
      shared[at + estimatesAt + j] = Math.max(
        -3,
        (shared[at + estimatesAt + j] ?? 0) + step * spread,
      )
    }
  }

  const write = (slot: number, side: Side, endUnix: number, wins: number, at: number): Strength => {
    const first = slot * floatStride
    const form = new Float32Array(3 * settingCount)
    for (let k = 0; k < settingCount; k += 1) {
      floats[first + k] = side.means[k] ?? 0
      floats[first + settingCount + k] = side.variances[k] ?? 0
      form[k] = side.formMeans[k] ?? 0
      form[settingCount + k] = side.formVariances[k] ?? 0
      form[2 * settingCount + k] = side.covariances[k] ?? 0
    }
    forms.set(slot, form)
    side.fights += 1
    side.effects[0] = 1 - Math.exp(-side.fights / 2)
    const strength = strengthOfSide(side, shared, at, false)
    floats[first + meanAt] = strength.mean
    floats[first + varianceAt] = strength.variance
    ints[slot * intStride] = endUnix
    ints[slot * intStride + fightsAt] = side.fights
    ints[slot * intStride + winsAt] = (ints[slot * intStride + winsAt] ?? 0) + 2 * wins
    return strength
  }

  const record = (slot: number): { wins: number; fights: number } => ({
    wins: (ints[slot * intStride + winsAt] ?? 0) / 2,
    fights: ints[slot * intStride + fightsAt] ?? 0,
  })

  return {
    keepCheckpoint: () => {
      const sinceUnix = (newest?.finishUnix ?? 0) - formSeconds - maxFightSeconds
      forms = new Map([...forms].filter(([slot]) => (ints[slot * intStride] ?? 0) >= sinceUnix))
      changed = new Map()
      checkpoint = { fights, newest, slots: changed, forms: new Map(forms), shared: shared.slice() }
    },
    values: () => ({ floats, ints }),
    take: ({ red, blue, redTeam, blueTeam, score, place }, inherited) => {
      const endUnix = place.finishUnix ?? 0
      const atUnix = meetingUnix(place.startUnix, endUnix)
      enlarge(Math.max(red, blue) + 1)
      const entrants = [
        enter(red, redTeam, place.startUnix, inherited),
        enter(blue, blueTeam, place.startUnix, inherited),
      ] as const
      const redElo = floats[red * floatStride + eloAt] ?? 0
      const blueElo = floats[blue * floatStride + eloAt] ?? 0
      const elo = eloChance(redElo, blueElo)
      const winRate = winRateChance(record(red), record(blue))
      const known = newestShared({ fights })
      const then = sharedBefore({ fights, shared }, place.startUnix)
      const chance = meet({ floats, ints, forms, shared }, then, ...entrants, atUnix)
      // Leaves in `scratch` what the result corrects.
      if (then !== known) meet({ floats, ints, forms, shared }, known, ...entrants, atUnix)
      fights += 1
      newest = place
      const at = newestShared({ fights })
      shared.copyWithin(at, known, known + sharedStride)
      shared[at] = endUnix
      if (score !== null) {
        update(score, at)
        const gain = eloGain(elo, score)
        floats[red * floatStride + eloAt] = redElo + gain
        floats[blue * floatStride + eloAt] = blueElo - gain
      }
      return {
        chance,
        winRate,
        elo,
        redAfter: write(red, scratch.red, endUnix, score ?? 0, at),
        blueAfter: write(blue, scratch.blue, endUnix, score === null ? 0 : 1 - score, at),
      }
    },
    state: () => ({ fights, newest, floats, ints, forms, shared, checkpoint }),
  }
}
