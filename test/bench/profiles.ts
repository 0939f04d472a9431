import type { Scale } from '../../scripts/league/league.ts'

/** Sizes, repetitions and durations of all measurements. */
export interface Profile {
  readonly scales: readonly Scale[]
  /** Sizes at which one changed fight is measured. */
  readonly changeScales: readonly Scale[]
  /** Turns of the servers compared for throughput, and the seconds of each. */
  readonly rounds: number
  readonly seconds: number
  readonly startRounds: number
  /** Mixed requests before memory is read, and the idle time after them. */
  readonly requests: number
  readonly idleMs: number
  /** Windows with and without changes, in turns, and the duration of each. */
  readonly windows: number
  readonly windowMs: number
  readonly changes: number
  readonly searches: number
  readonly hostileRequests: number
  /** Days of usage behind reports. */
  readonly usageDays: number
}

/** For judging, on an idle machine; takes half an hour. */
export const full: Profile = {
  scales: [1, 10],
  changeScales: [1, 10, 100],
  rounds: 5,
  seconds: 3,
  startRounds: 5,
  requests: 100_000,
  idleMs: 10_000,
  windows: 5,
  windowMs: 10_000,
  changes: 50,
  searches: 1000,
  hostileRequests: 200_000,
  usageDays: 365,
}

/** Shows that every part runs; the figures mean little. */
export const quick: Profile = {
  scales: ['sample'],
  changeScales: ['sample'],
  rounds: 1,
  seconds: 0.2,
  startRounds: 1,
  requests: 1000,
  idleMs: 100,
  windows: 1,
  windowMs: 300,
  changes: 3,
  searches: 2,
  hostileRequests: 800,
  usageDays: 3,
}
