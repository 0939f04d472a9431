import type { Bots } from '../careers/bots.ts'
import type { Bout, Rated, RatingClass } from './bouts.ts'
import type { FightOdds } from './odds.ts'
import { originOf, teamOf } from './origins.ts'
import { directions, type Estimate, learningFights, spread } from './settings.ts'
import {
  assumptionsOf,
  beliefAt,
  type Entrant,
  type Factors,
  factorsOf,
  learnBelief,
  learnEffect,
  settleEffect,
  strengthBy,
  withEffects,
} from './sides.ts'
import {
  eloChance,
  noRecord,
  recordsAfter,
  type SimpleRecord,
  winRateChance,
} from './simpleRules.ts'
import {
  type Belief,
  dayOf,
  type FilterState,
  isOneQuarter,
  maxFightSeconds,
  newestShared,
  type RatedBot,
  type Shared,
  type Strength,
  sharedBefore,
  sharedRows,
} from './state.ts'

/** A fight in one setting. */
interface SettingMeeting {
  readonly red: Belief
  readonly blue: Belief
  /** Chance of red, and the slope of the logistic curve for the variance of both. */
  readonly chance: number
  readonly slope: number
}

interface Meeting {
  /** Additional weight of each effect for red. */
  readonly factors: Factors
  readonly bySetting: readonly SettingMeeting[]
}

/** Both corners at a time. The chance is the integral of MacKay (1992) over a logistic curve. */
const meet = (shared: Shared, ofRed: Entrant, ofBlue: Entrant, atUnix: number): Meeting => {
  const own = factorsOf(ofRed.bot?.record.fights ?? 0, ofRed.origin)
  const other = factorsOf(ofBlue.bot?.record.fights ?? 0, ofBlue.origin)
  const factors = {
    growth: own.growth - other.growth,
    class: own.class - other.class,
    team: own.team - other.team,
  }
  const bySetting = assumptionsOf(shared).map((assumption, setting) => {
    const red = beliefAt(ofRed.bot, shared, setting, assumption, atUnix)
    const blue = beliefAt(ofBlue.bot, shared, setting, assumption, atUnix)
    const difference = {
      mean: red.mean - blue.mean + red.formMean - blue.formMean,
      variance:
        red.variance +
        blue.variance +
        red.formVariance +
        blue.formVariance +
        2 * (red.covariance + blue.covariance),
    }
    const { mean, variance } = withEffects(difference, factors, shared, setting)
    const slope = 1 / Math.sqrt(1 + (Math.PI / 8) * variance)
    return { red, blue, slope, chance: 1 / (1 + Math.exp(-slope * mean)) }
  })
  return { factors, bySetting }
}

const chanceIn = ({ bySetting }: Meeting): number => {
  let chance = 0
  for (const own of bySetting) chance += own.chance / bySetting.length
  return chance
}

/**
 * Time at which a fight is met that began at a time; null means that it has not begun, and gives its end or the newest
 * end.
 */
const meetingUnix = (startUnix: number | null, endUnix: number): number =>
  Math.max(startUnix ?? endUnix, endUnix - maxFightSeconds)

/** The time for the newest end; null for a fight that has not begun. */
export const meetingTime = (
  { presentUnix }: FilterState,
  startUnix: number | null,
): number | null => (startUnix === null ? null : meetingUnix(startUnix, presentUnix))

/** Chance that red wins a fight that began at a time; null means that it has not begun. */
export const chanceAt = (
  state: FilterState,
  red: Entrant,
  blue: Entrant,
  startUnix: number | null,
): number => {
  const shared = sharedBefore(state.shared, meetingTime(state, startUnix))
  return chanceIn(meet(shared, red, blue, meetingUnix(startUnix, state.presentUnix)))
}

/** Strength in a fight at a time. Form counts only at the event where it was shown. */
export const strengthAt = (
  state: FilterState,
  { bot, origin }: Entrant,
  atUnix: number,
): Strength => {
  const shared = newestShared(state)
  const withForm = assumptionsOf(shared).map((assumption, setting) => {
    const own = beliefAt(bot, shared, setting, assumption, atUnix)
    return {
      mean: own.mean + own.formMean,
      variance: own.variance + (own.formVariance + 2 * own.covariance),
    }
  })
  return strengthBy(withForm, factorsOf(bot?.record.fights ?? 0, origin), shared)
}

/** Estimates are half a {@link spread} too large if both sides predict alike, by leagues with known strengths. */
const bias = 0.5
/** Maximum step of an estimate after one fight, in {@link spread}; the first steps would be too long. */
const maxStep = 0.25

const likelihoodOf = (score: 1 | 0 | 0.5, chance: number): number =>
  score === 1 ? chance : score === 0 ? 1 - chance : Math.sqrt(chance * (1 - chance))

/** Moves an estimate towards the side that gave the result the larger likelihood; `directions` are by setting. */
const learnEstimate = (
  { value, information }: Estimate,
  directions: readonly (1 | -1)[],
  bySetting: readonly SettingMeeting[],
  score: 1 | 0 | 0.5,
): Estimate => {
  let larger = 0
  let smaller = 0
  for (let setting = 0; setting < bySetting.length; setting += 1) {
    const likelihood = likelihoodOf(score, bySetting[setting]?.chance ?? 0)
    if (directions[setting] === 1) larger += likelihood
    else smaller += likelihood
  }
  const slope = Math.log(larger / smaller) / 2
  const known = information + slope * slope
  const wanted = (slope - bias * slope * slope) / known
  const step = Math.max(-maxStep, Math.min(maxStep, wanted))
  return { value: Math.max(-3, value + step * spread), information: known }
}

/** Outcome of a result in one setting: both corners after it, and its lesson for the effects. */
const learn = ({ red, blue, chance, slope }: SettingMeeting, score: 1 | 0 | 0.5) => {
  const gradient = slope * (score - chance)
  const curvature = slope * slope * chance * (1 - chance)
  return {
    gradient,
    curvature,
    red: learnBelief(red, gradient, curvature),
    blue: learnBelief(blue, -gradient, curvature),
  }
}
type Lesson = ReturnType<typeof learn>

/** An effect after a fight; `factor` is its weight for red. */
const effectAfter = (
  before: readonly Strength[],
  factor: number,
  lessons: readonly Lesson[],
): readonly Strength[] => {
  if (factor === 0) return before
  return before.map((own, setting) => {
    const lesson = lessons[setting]
    return lesson ? learnEffect(own, factor, lesson.gradient, lesson.curvature) : own
  })
}

/** Values shared by the league after a fight; lessons are by setting. */
const learnShared = (
  { endUnix, isSettled, learned, estimates, effects }: Shared,
  { factors, bySetting }: Meeting,
  lessons: readonly Lesson[],
  score: 1 | 0 | 0.5,
): Shared => ({
  endUnix,
  isSettled,
  learned: isSettled ? learned : learned + 1,
  estimates: isSettled
    ? estimates
    : {
        width: learnEstimate(estimates.width, directions.width, bySetting, score),
        drift: learnEstimate(estimates.drift, directions.drift, bySetting, score),
        form: learnEstimate(estimates.form, directions.form, bySetting, score),
      },
  effects: {
    growth: effectAfter(effects.growth, factors.growth, lessons),
    class: effectAfter(effects.class, factors.class, lessons),
    team: effectAfter(effects.team, factors.team, lessons),
  },
})

/** Ends the learning of estimates: one setting goes on. */
const settle = (shared: Shared): Shared => ({
  ...shared,
  isSettled: true,
  effects: {
    growth: settleEffect(shared.effects.growth),
    class: settleEffect(shared.effects.class),
    team: settleEffect(shared.effects.team),
  },
})

const roundBelief = (own: Belief): Belief => ({
  mean: Math.fround(own.mean),
  variance: Math.fround(own.variance),
  formMean: Math.fround(own.formMean),
  formVariance: Math.fround(own.formVariance),
  covariance: Math.fround(own.covariance),
})

/** A bot after a fight, with its strength then. */
const afterFight = (
  { bot, origin, team }: Entrant & Pick<RatedBot, 'team'>,
  record: SimpleRecord,
  beliefs: readonly Belief[],
  shared: Shared,
): { readonly bot: RatedBot; readonly strength: Strength } => {
  const { endUnix } = shared
  const strength = strengthBy(beliefs, factorsOf(record.fights, origin), shared)
  const mean = bot ? bot.strength.mean : null
  const days = bot ? dayOf(endUnix) - dayOf(bot.lastUnix) : 0
  const isSameDay = bot !== undefined && days === 0
  return {
    strength,
    bot: {
      meanBeforeDay: isSameDay ? bot.meanBeforeDay : mean,
      meanDayBefore: isSameDay ? bot.meanDayBefore : bot && days === 1 ? bot.meanBeforeDay : mean,
      beliefs: beliefs.map(roundBelief),
      strength: {
        mean: Math.fround(strength.mean),
        variance: Math.fround(strength.variance),
      },
      origin,
      record,
      lastUnix: endUnix,
      team,
    },
  }
}

/** A class that is being changed. */
interface OpenClass {
  readonly bots: Map<string, RatedBot>
  readonly teams: Map<string, readonly string[]>
}

/** Takes fights into a copy of a state. `bots` tell which class a new bot comes from. */
export const createFilter = (before: FilterState, bots: Bots) => {
  const classes = new Map(before.classes)
  const openClasses = new Map<RatingClass, OpenClass>()
  const shared = [...before.shared]
  let { presentUnix } = before

  const open = (ratingClass: RatingClass): OpenClass =>
    openClasses.getOrInsertComputed(ratingClass, () => {
      const known = classes.get(ratingClass)
      const copy = { bots: new Map(known?.bots), teams: new Map(known?.teams) }
      classes.set(ratingClass, copy)
      return copy
    })

  const enter = ({ ratingClass, startUnix, endUnix }: Bout, rated: Rated, atUnix: number) => {
    const { cleanName } = rated
    const own = open(ratingClass)
    const bot = own.bots.get(cleanName)
    const entry = { startUnix, endUnix, atUnix: startUnix === null ? null : atUnix }
    const origin = bot?.origin ?? originOf(classes, bots, ratingClass, rated, entry)
    const team = bot?.team || teamOf(rated)
    if (team !== '' && bot?.team !== team) {
      own.teams.set(team, [...(own.teams.get(team) ?? []), cleanName])
    }
    return { bot, origin, team }
  }

  /** Values shared by the league in a fight that ends at a time. */
  const sharedAt = (endUnix: number): Shared => {
    const newest = newestShared({ shared })
    if (isOneQuarter(newest.endUnix, endUnix)) {
      shared.pop()
      return { ...newest, endUnix }
    }
    if (shared.length === sharedRows) shared.shift()
    const isSettling = !newest.isSettled && newest.learned >= learningFights
    return { ...(isSettling ? settle(newest) : newest), endUnix }
  }

  return {
    /** Takes in the next fight. */
    take: (bout: Bout): FightOdds => {
      const { score, startUnix, endUnix } = bout
      const atUnix = meetingUnix(startUnix, endUnix)
      const red = enter(bout, bout.red, atUnix)
      const blue = enter(bout, bout.blue, atUnix)
      const then = sharedBefore(shared, startUnix === null ? null : atUnix)
      const meeting = meet(then, red, blue, atUnix)
      const before = sharedAt(endUnix)
      const lessons = score === null ? [] : meeting.bySetting.map((own) => learn(own, score))
      const after = score === null ? before : learnShared(before, meeting, lessons, score)
      shared.push(after)
      presentUnix = endUnix
      const corners = score === null ? meeting.bySetting : lessons
      const known = { red: red.bot?.record ?? noRecord, blue: blue.bot?.record ?? noRecord }
      const simpleChances = [
        winRateChance(known.red, known.blue),
        eloChance(known.red, known.blue),
      ] as const
      const records = recordsAfter(known.red, known.blue, score, simpleChances[1])
      const ofRed = afterFight(
        red,
        records.red,
        corners.map((own) => own.red),
        after,
      )
      const ofBlue = afterFight(
        blue,
        records.blue,
        corners.map((own) => own.blue),
        after,
      )
      const own = open(bout.ratingClass)
      own.bots.set(bout.red.cleanName, ofRed.bot)
      own.bots.set(bout.blue.cleanName, ofBlue.bot)
      return {
        red: bout.red.cleanName,
        blue: bout.blue.cleanName,
        score,
        chance: Math.fround(chanceIn(meeting)),
        simpleChances,
        redMean: ofRed.bot.strength.mean,
        redDeviation: Math.fround(Math.sqrt(ofRed.strength.variance)),
        blueMean: ofBlue.bot.strength.mean,
        blueDeviation: Math.fround(Math.sqrt(ofBlue.strength.variance)),
      }
    },
    /** The state so far. The filter must not be used afterwards. */
    state: (): FilterState => ({ classes, shared, presentUnix }),
  }
}
