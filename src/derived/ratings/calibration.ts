import type { Dataset, Tournament } from '../../data/league/types.ts'
import { inSlices, type Steps } from '../../runtime/timeSlice.ts'
import { boutsAfter } from './bouts.ts'
import { readOdds } from './odds.ts'
import { bandDeviations } from './points.ts'
import type { Ratings } from './ratings.ts'
import { createElo, createWinRate, rules } from './simpleRules.ts'

export interface Calibration {
  /** Fights that one of the corners won. */
  readonly fights: number
  /** How good the chances of each rule were, lower is better; empty without a fight. */
  readonly scores: readonly {
    readonly rule: (typeof rules)[number]
    /** Mean of the negative natural logarithm of the chance that the winner had. */
    readonly logLoss: number
    /** Mean square of the difference between chance and result. */
    readonly brier: number
  }[]
  /** By the chance of the likelier corner, ascending; those with a fight. */
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

/** Bins from 0.5 to 1. */
const binCount = 5

/** Sums over decided fights: their number; log loss and Brier score of each rule; fights, chances and wins of each bin. */
type Sums = Float64Array
const ruleAt = 1
const binAt = ruleAt + 2 * rules.length
export const newSums = (): Sums => new Float64Array(binAt + 3 * binCount)

const add = (sums: Sums, at: number, value: number): void => {
  sums[at] = (sums[at] ?? 0) + value
}

/** Adds a fight; `chances` of red are in the order of {@link rules}, 0.5 by default. */
export const addFight = (sums: Sums, chances: readonly number[], redWon: boolean): void => {
  add(sums, 0, 1)
  for (let rule = 0; rule < rules.length; rule += 1) {
    const chance = chances[rule] ?? 0.5
    // The chances are kept in 32 bits: one within 10⁻⁸ of certain would count as certain.
    add(sums, ruleAt + 2 * rule, -Math.log(Math.max(1e-7, redWon ? chance : 1 - chance)))
    add(sums, ruleAt + 2 * rule + 1, (chance - Number(redWon)) ** 2)
  }
  const [ofRed = 0.5] = chances
  const chance = Math.max(ofRed, 1 - ofRed)
  const at = binAt + 3 * Math.min(binCount - 1, Math.floor((2 * chance - 1) * binCount))
  add(sums, at, 1)
  add(sums, at + 1, chance)
  // Where none is likelier: half a win, as some leagues list winners as red.
  add(sums, at + 2, ofRed === 0.5 ? 0.5 : Number(redWon === ofRed > 0.5))
}

const lowerBound = (index: number): number => Number((0.5 + index / (2 * binCount)).toFixed(1))

/** Range that the true share lies within in 95 % of cases. */
const wilsonRange = (share: number, count: number): { low: number; high: number } => {
  const z = bandDeviations ** 2 / count
  const middle = (share + z / 2) / (1 + z)
  const half =
    (bandDeviations * Math.sqrt((share * (1 - share)) / count + z / (4 * count))) / (1 + z)
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

export const calibrationOf = (sums: Sums): Calibration => {
  const [fights = 0] = sums
  const mean = (at: number): number => (sums[at] ?? 0) / fights
  return {
    fights,
    scores: rules.flatMap((rule, index) => {
      const at = ruleAt + 2 * index
      return fights === 0 ? [] : { rule, logLoss: mean(at), brier: mean(at + 1) }
    }),
    bins: Array.from({ length: binCount }, (_, index) => index).flatMap((index) => {
      const at = binAt + 3 * index
      const [own = 0, predicted = 0, won = 0] = sums.subarray(at, at + 3)
      return own === 0
        ? []
        : {
            from: lowerBound(index),
            to: lowerBound(index + 1),
            fights: own,
            predicted: predicted / own,
            observed: won / own,
            ...wilsonRange(won / own, own),
          }
    }),
  }
}

/** By tournament id. The simple rules go through all fights of the league, in the order of their end. */
export function* sumSteps(dataset: Dataset, { odds }: Ratings): Steps<ReadonlyMap<string, Sums>> {
  const [winRate, elo] = [createWinRate(), createElo()]
  const found = new Map<string, { readonly sums: Sums; next: number }>()
  for (const fights of boutsAfter(dataset, undefined)) {
    for (const { tournament } of fights) {
      const own = found.getOrInsertComputed(tournament.id, () => ({ sums: newSums(), next: 0 }))
      const values = odds.get(tournament.id)
      if (!values) continue
      const { red, blue, score, chance } = readOdds(values, own.next)
      own.next += 1
      const chances = [chance, winRate(red, blue, score), elo(red, blue, score)]
      if (score === 0 || score === 1) addFight(own.sums, chances, score === 1)
    }
    yield
  }
  return new Map([...found].map(([id, { sums }]) => [id, sums]))
}

const known = new WeakMap<Ratings, Promise<ReadonlyMap<string, Sums>>>()

/** The record of the chances of some tournaments; that of all is made when it is first asked for. */
export const calibrate = async (
  dataset: Dataset,
  ratings: Ratings,
  tournaments: readonly Pick<Tournament, 'info'>[],
): Promise<Calibration> => {
  const byTournament = await known.getOrInsertComputed(ratings, () =>
    inSlices(sumSteps(dataset, ratings)),
  )
  const all = newSums()
  for (const { info } of tournaments) {
    for (const [at, value] of (byTournament.get(info.id) ?? []).entries()) add(all, at, value)
  }
  return calibrationOf(all)
}
