import type { Loose } from '../values.ts'

/** What the API answers of one fight; undefined where it could not be had. */
export interface FightResponses {
  /** `fight` of `/tournaments/ID/fights/GAME`. */
  readonly details: Loose | undefined
  /** `fightStats` of `/stats/fight/ID/GAME`. */
  readonly stats: Loose | undefined
}

/** What the API answers of one tournament. */
export interface TournamentResponses {
  /** An element of `/tournaments`. */
  readonly tournament: Loose
  /** `/tournaments/ID/brackets`; empty on a server without it. */
  readonly brackets: Loose
  /** Elements of `/tournaments/ID/fights` by game id. */
  readonly summaries: ReadonlyMap<string, Loose>
  /** Rows of the legacy scripts by game id, which alone have some times. */
  readonly legacyRows: ReadonlyMap<string, Loose>
  readonly fights: ReadonlyMap<string, FightResponses>
  /** Elements of `/schedule` by game id. */
  readonly scheduled: ReadonlyMap<string, Loose>
  /** States of cages with a game of this tournament, by game id. */
  readonly cages: ReadonlyMap<string, Loose>
  /** Elements of `/clips` and `/stills`. */
  readonly clips: readonly Loose[] | undefined
  readonly stills: readonly Loose[] | undefined
  /** Ids of curated hero stills; undefined if they are not known. */
  readonly curatedStills: ReadonlySet<number> | undefined
}
