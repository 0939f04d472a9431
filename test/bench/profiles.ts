import type { Scale } from '../../scripts/league/league.ts'

/** How long everything is measured, and on leagues of which sizes. */
export interface Profile {
  readonly scales: readonly Scale[]
  /** Sizes at which one changed fight is measured. */
  readonly changeScales: readonly Scale[]
  /** Turns of the servers that are compared, and how long each is asked. */
  readonly rounds: number
  readonly seconds: number
  readonly startRounds: number
  /** Mixed requests before memory is looked at. */
  readonly requests: number
  /** Windows with and without changes, in turns, and how long each is. */
  readonly windows: number
  readonly windowMs: number
  readonly changes: number
  readonly searches: number
  readonly hostileRequests: number
}

/** To judge by, on a machine that has nothing else to do; takes half an hour. */
export const full: Profile = {
  scales: [1, 10],
  changeScales: [1, 10, 100],
  rounds: 5,
  seconds: 3,
  startRounds: 5,
  requests: 100_000,
  windows: 5,
  windowMs: 10_000,
  changes: 50,
  searches: 1000,
  hostileRequests: 200_000,
}

/** To see that everything runs; its figures say little. */
export const quick: Profile = {
  scales: ['sample'],
  changeScales: ['sample'],
  rounds: 1,
  seconds: 1,
  startRounds: 1,
  requests: 5000,
  windows: 1,
  windowMs: 2000,
  changes: 5,
  searches: 10,
  hostileRequests: 5000,
}
