import type { Strength } from './state.ts'

/** Points of a unit of strength: 400 are a factor of ten in odds, as in chess. */
const pointsPerUnit = 400 / Math.LN10
const middle = 1500
/** Normal deviations that 95 % lie within. */
export const bandDeviations = 1.96

const rounded = (points: number): number => Math.round(10 * points) / 10

/** A length in points, such as a deviation. */
export const toPoints = (units: number): number => rounded(pointsPerUnit * units)

/** A strength as a rating with its band. */
export interface Rating {
  readonly rating: number
  readonly deviation: number
  /** 95 % lie between these. */
  readonly low: number
  readonly high: number
}

export const toRating = ({ mean, variance }: Strength): Rating => {
  const band = bandDeviations * Math.sqrt(variance)
  return {
    rating: rounded(middle + pointsPerUnit * mean),
    deviation: toPoints(Math.sqrt(variance)),
    low: rounded(middle + pointsPerUnit * (mean - band)),
    high: rounded(middle + pointsPerUnit * (mean + band)),
  }
}
