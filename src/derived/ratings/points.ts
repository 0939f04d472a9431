import type { Strength } from './state.ts'

/** Points per unit of strength: 400 are a factor of ten in odds, as in chess. */
const pointsPerUnit = 400 / Math.LN10
const middle = 1500
/** Number of normal deviations that hold 95 %. */
export const bandDeviations = 1.96

const rounded = (points: number): number => Math.round(10 * points) / 10

/** A length, such as a deviation, in points. */
export const toPoints = (units: number): number => rounded(pointsPerUnit * units)

/** A strength as a rating with its band. */
export interface Rating {
  readonly rating: number
  readonly deviation: number
  /** The strength is between `low` and `high` with a probability of 95 %. */
  readonly low: number
  readonly high: number
}

/** Lower end of the band, by which bots are ranked. */
export const lowOf = ({ mean, variance }: Strength): number =>
  rounded(middle + pointsPerUnit * (mean - bandDeviations * Math.sqrt(variance)))

export const toRating = (strength: Strength): Rating => {
  const { mean, variance } = strength
  const deviation = Math.sqrt(variance)
  return {
    rating: rounded(middle + pointsPerUnit * mean),
    deviation: toPoints(deviation),
    low: lowOf(strength),
    high: rounded(middle + pointsPerUnit * (mean + bandDeviations * deviation)),
  }
}
