/** Chances of the bots of a plan. */
export interface Chances {
  /** Number of simulated runs; 0 if the chances are calculated. */
  readonly runs: number
  /** Chance to win, by bot. */
  readonly winning: Float64Array
  /** Chance to reach a round, at `round * bots.length + bot`. */
  readonly reaching: Float64Array
}
