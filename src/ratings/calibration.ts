import type { Steps } from '../timeSlice.ts'
import { oddsLength, readOdds } from './odds.ts'
import { bandDeviations } from './points.ts'
import { type Rule, rules } from './simpleRules.ts'

/** How good the chances of a rule were; lower is better. */
export interface RuleScore {
  readonly rule: Rule
  /** Mean of the negative natural logarithm of the chance that the winner had. */
  readonly logLoss: number
  /** Mean square of the difference between chance and result. */
  readonly brier: number
}

/** Fights in which the likelier corner had like chances. */
export interface CalibrationBin {
  /** Bounds of the chance. */
  readonly from: number
  readonly to: number
  readonly fights: number
  /** Mean chance, and share of fights that the likelier corner won with its 95 % range (Wilson 1927). */
  readonly predicted: number
  readonly observed: number
  readonly low: number
  readonly high: number
}

export interface Calibration {
  /** Fights that one of the corners won. */
  readonly fights: number
  /** Empty without a fight. */
  readonly scores: readonly RuleScore[]
  /** Those with a fight, ascending. */
  readonly bins: readonly CalibrationBin[]
}

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

/** Chances before decided fights, beside their results. */
export const createCalibration = () => {
  let fights = 0
  const sums = rules.map((rule) => ({ rule, logLoss: 0, likelihood: 1, brier: 0 }))
  const bins = Array.from({ length: binCount }, () => ({ fights: 0, predicted: 0, won: 0 }))
  return {
    /** `chances` in the order of {@link rules}. */
    add: (chances: readonly number[], redWon: boolean): void => {
      fights += 1
      let rule = 0
      for (const sum of sums) {
        const chance = chances[rule] ?? 0.5
        rule += 1
        // The chances are kept in 32 bits: one within 10⁻⁸ of certain would count as certain.
        sum.likelihood *= Math.max(1e-7, redWon ? chance : 1 - chance)
        // One logarithm for many fights.
        if (sum.likelihood < 1e-250) {
          sum.logLoss -= Math.log(sum.likelihood)
          sum.likelihood = 1
        }
        sum.brier += (chance - Number(redWon)) ** 2
      }
      const [ofRed = 0.5] = chances
      const chance = Math.max(ofRed, 1 - ofRed)
      const bin = bins[Math.min(binCount - 1, Math.floor((2 * chance - 1) * binCount))]
      if (!bin) return
      bin.fights += 1
      bin.predicted += chance
      // Where none is likelier: half a win, as some leagues list winners as red.
      bin.won += ofRed === 0.5 ? 0.5 : Number(redWon === ofRed > 0.5)
    },
    result: (): Calibration => ({
      fights,
      scores:
        fights === 0
          ? []
          : sums.map(({ rule, logLoss, likelihood, brier }) => ({
              rule,
              logLoss: (logLoss - Math.log(likelihood)) / fights,
              brier: brier / fights,
            })),
      bins: bins.flatMap(({ fights: own, predicted, won }, index) =>
        own === 0
          ? []
          : {
              from: lowerBound(index),
              to: lowerBound(index + 1),
              fights: own,
              predicted: predicted / own,
              observed: won / own,
              ...wilsonRange(won / own, own),
            },
      ),
    }),
  }
}

/** The record of the chances of some tournaments, by their values in `Ratings`. */
export function* calibrationSteps(tournaments: Iterable<Float32Array>): Steps<Calibration> {
  const calibration = createCalibration()
  for (const odds of tournaments) {
    for (let index = 0; index < oddsLength(odds); index += 1) {
      const { score, chance, winRate, elo } = readOdds(odds, index)
      if (score === 0 || score === 1) calibration.add([chance, winRate, elo], score === 1)
    }
    yield
  }
  return calibration.result()
}
