import type { Loose } from '../values.ts'

/** Responses of the API on one fight; undefined if the request failed. */
export interface FightResponses {
  /** Element of `/tournaments/ID/fights`; undefined for a game that only brackets have. */
  readonly summary?: Loose
  /** Row of the legacy scripts; some times are only there. */
  readonly legacyRow?: Loose
  /** Element of `/schedule`. */
  readonly match?: Loose
  /** State of the cage with the fight. */
  readonly cage?: Loose
  /** `fight` of `/tournaments/ID/fights/GAME`. */
  readonly details?: Loose | undefined
  /** `fightStats` of `/stats/fight/ID/GAME`. */
  readonly stats?: Loose | undefined
}

/** Responses of the API on one tournament. */
export interface TournamentResponses {
  /** An element of `/tournaments`. */
  readonly tournament: Loose
  /** `/tournaments/ID/brackets`; empty on a server without it. */
  readonly brackets: Loose
  /** Responses by game id. */
  readonly fights: ReadonlyMap<string, FightResponses>
  /** Elements of `/clips` and `/stills`. */
  readonly clips: readonly Loose[] | undefined
  readonly stills: readonly Loose[] | undefined
  /** Ids of curated hero stills; undefined if unknown. */
  readonly curatedStills: ReadonlySet<number> | undefined
}
