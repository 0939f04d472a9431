/**
 * The filter runs once for each setting of three assumptions about the league: each is some way above or below its
 * present estimate, so that results show in which direction an estimate is wrong. Half of the combinations, those with two
 * assumptions above or none, show the same as all of them for half the time; bands by the other half hold 1 % less. Three
 * settings have two differences for three estimates: bands by them hold 76 to 91 %.
 */
export const settingCount = 4

/**
 * Fights that the estimates are made from; then one setting goes on, with the estimates as they are, for a third of the
 * time.
 */
export const learningFights = 20_000

/** Estimates: the standard deviations of new bots, of a year's change, and of the form at an event, as logarithms. */
export const estimates = ['width', 'drift', 'form'] as const
export const firstEstimates: readonly number[] = [0.75, 0.2, 0.5].map(Math.log)
/** Distance of the settings from an estimate. */
export const spread = 0.2
/** How sure the first estimates are: the inverse of their variance, in squares of {@link spread}. */
export const firstInformation = (spread / 0.3) ** 2

/**
 * Estimates that are learned like strengths, with their first mean and variance: what a bot gains over its first fights,
 * and the shares of a strength that it brings into a further class and that a new bot has of the best of its team.
 */
export const effects = [
  { name: 'growth', mean: 0.4, variance: 0.1 },
  { name: 'class', mean: 0.7, variance: 0.1 },
  { name: 'team', mean: 0.2, variance: 0.04 },
] as const

/** Whether a setting has the larger value of an estimate: 1, else -1. */
export const directions = [
  [-1, 1, -1, 1],
  [-1, -1, 1, 1],
  [-1, 1, 1, -1],
] as const satisfies readonly (readonly (1 | -1)[])[]
