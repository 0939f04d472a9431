/** A value for each estimated standard deviation: of new bots, of a year's change, and of the form at an event. */
export interface ByEstimate<T> {
  readonly width: T
  readonly drift: T
  readonly form: T
}

/**
 * The filter runs once for each setting of three assumptions about the league: each is some way above (1) or below (-1)
 * its present estimate, so that results show the direction of a wrong estimate. Half of the combinations (two
 * assumptions above, or none) show the same as all of them for half the time; bands by the other half hold 1 % less.
 * Three settings have two differences for three estimates: bands by them hold 76 to 91 %.
 */
export const directions: ByEstimate<readonly (1 | -1)[]> = {
  width: [-1, 1, -1, 1],
  drift: [-1, -1, 1, 1],
  form: [-1, 1, 1, -1],
}
const settingCount = 4

/**
 * Number of fights that the estimates are made from; then one setting goes on, with fixed estimates, in a third of the
 * time.
 */
export const learningFights = 20_000

/** Distance of the settings from an estimate. */
export const spread = 0.2
/** Certainty of the first estimates: the inverse of their variance, in squares of {@link spread}. */
const firstInformation = (spread / 0.3) ** 2

export interface Estimate {
  /** Logarithm of the estimate. */
  readonly value: number
  /** Sum of squared slopes so far. */
  readonly information: number
}
const first = (value: number): Estimate => ({
  value: Math.log(value),
  information: firstInformation,
})
export const firstEstimates: ByEstimate<Estimate> = {
  width: first(0.75),
  drift: first(0.2),
  form: first(0.5),
}

/**
 * A value for each estimate that is learned like a strength: what a bot gains over its first fights, and the shares of
 * a strength that it brings into a further class and that a new bot has of the best of its team.
 */
export interface ByEffect<T> {
  readonly growth: T
  readonly class: T
  readonly team: T
}

const bySetting = (mean: number, variance: number) =>
  Array.from({ length: settingCount }, () => ({ mean, variance }))
export const firstEffects = {
  growth: bySetting(0.4, 0.1),
  class: bySetting(0.7, 0.1),
  team: bySetting(0.2, 0.04),
}
