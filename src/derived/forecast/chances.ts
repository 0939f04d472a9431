/** Chances of the bots of a plan. */
export interface Chances {
  /** Number of simulated runs; 0 if the chances are calculated. */
  readonly runs: number
  /** To win, by bot. */
  readonly winning: Float64Array
  /** To reach a round, at `round * bots.length + bot`. */
  readonly reaching: Float64Array
}
