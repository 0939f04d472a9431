import type { Tournament } from '../../data/league/types.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import { bandDeviations } from './points.ts'
import type { Ratings } from './ratings.ts'
import { rules } from './simpleRules.ts'

export interface Calibration {
  /** Number of fights that one of the corners won. */
  readonly fights: number
  /** Errors of the chances of each rule, lower is better; empty without a fight. */
  readonly scores: readonly {
    readonly rule: (typeof rules)[number]
    /** Mean of the negative natural logarithm of the chance that the winner had. */
    readonly logLoss: number
    /** Mean square of the difference between chance and result. */
    readonly brier: number
  }[]
  /** Bins with a fight, by the chance of the likelier corner, ascending. */
  readonly bins: readonly {
    /** Bounds of the chance. */
    readonly from: number
    readonly to: number
    readonly fights: number
    /** Mean chance, and share of fights that the likelier corner won with its 95 % range (Wilson 1927). */
    readonly predicted: number
    readonly observed: number
    readonly low: number
    readonly high: number
  }[]
}

/** A fight that one corner won, with the chances of red by each of the {@link rules}; 0.5 by default. */
export interface Foretold {
  readonly chances: readonly number[]
  readonly redWon: boolean
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Chances are rounded to 32 bits: a chance within 10⁻⁸ of certain would count as certain. */
const lossOf = (chance: number): number => -Math.log(Math.max(1e-7, chance))

/** Bins from 0.5 to 1. */
const binCount = 5
const lowerBound = (index: number): number => Number((0.5 + index / (2 * binCount)).toFixed(1))

/** Range that the true share lies within in 95 % of cases. */
const wilsonRange = (share: number, count: number): { low: number; high: number } => {
  const z = bandDeviations ** 2 / count
  const middle = (share + z / 2) / (1 + z)
  const half =
    (bandDeviations * Math.sqrt((share * (1 - share)) / count + z / (4 * count))) / (1 + z)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

export const calibrationOf = (fights: readonly Foretold[]): Calibration => {
  const likelier = fights.map(({ chances: [ofRed = 0.5], redWon }) => ({
    chance: Math.max(ofRed, 1 - ofRed),
    // Equal chances count as half a win, because some leagues list winners as red.
    won: ofRed === 0.5 ? 0.5 : Number(redWon === ofRed > 0.5),
  }))
  const bins = Map.groupBy(likelier, ({ chance }) =>
    Math.min(binCount - 1, Math.floor((2 * chance - 1) * binCount)),
  )
  return {
    fights: fights.length,
    scores: rules.flatMap((rule, index) => {
      if (fights.length === 0) return []
      const chances = fights.map(({ chances, redWon }) => {
        const chance = chances[index] ?? 0.5
        return redWon ? chance : 1 - chance
      })
      return {
        rule,
        logLoss: meanOf(chances.map(lossOf)),
        brier: meanOf(chances.map((chance) => (1 - chance) ** 2)),
      }
    }),
    bins: [...bins]
      .sort(([a], [b]) => a - b)
      .map(([index, own]) => {
        const observed = meanOf(own.map(({ won }) => won))
        return {
          from: lowerBound(index),
          to: lowerBound(index + 1),
          fights: own.length,
          predicted: meanOf(own.map(({ chance }) => chance)),
          observed,
          ...wilsonRange(observed, own.length),
        }
      }),
  }
}

/** The record of the chances of some tournaments. */
export function* calibrationSteps(
  { odds }: Ratings,
  tournaments: readonly Pick<Tournament, 'info'>[],
): Steps<Calibration> {
  const foretold: Foretold[] = []
  for (const { info } of tournaments) {
    yield
    for (const { score, chance, simpleChances } of odds.get(info.id)?.values() ?? []) {
      const chances = [chance, ...simpleChances]
      if (score === 0 || score === 1) foretold.push({ chances, redWon: score === 1 })
    }
  }
  return calibrationOf(foretold)
}
