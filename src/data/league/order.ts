import { compareTexts } from '../../runtime/compareTexts.ts'
import type { Clip, Fight, Still, Tournament, TournamentInfo } from './types.ts'

const stateRanks = { active: 0, done: 1, pending: 2 } as const

/** Place of a fight in the order of play of the league. */
export interface PlaceInOrder {
  readonly momentUnix: number
  readonly playIndex: number
  readonly tournament: { readonly id: string }
}

/** The order of play of the league, see `orderOfPlay`: by moment, then tournament, then order within the tournament. */
export const inOrderOfPlay = (a: PlaceInOrder, b: PlaceInOrder): number =>
  a.momentUnix - b.momentUnix ||
  compareTexts(a.tournament.id, b.tournament.id) ||
  a.playIndex - b.playIndex

/** Fights under way, then done ones, both newest first; then pending ones in order of play. */
export const newestFirst = (a: Fight, b: Fight): number =>
  stateRanks[a.state] - stateRanks[b.state] ||
  (a.state === 'pending' ? inOrderOfPlay(a, b) : inOrderOfPlay(b, a))

/** Start of a tournament as far as it is known: its start, else its scheduled start, else its creation. */
export const tournamentStart = ({
  startUnix,
  scheduledStartUnix,
  createUnix,
}: TournamentInfo): number => startUnix ?? scheduledStartUnix ?? createUnix

/** Tournaments by `tournamentStart`, latest first, then by id. */
export const tournamentsNewestFirst = (a: Tournament, b: Tournament): number =>
  tournamentStart(b.info) - tournamentStart(a.info) || compareTexts(a.info.id, b.info.id)

/** Clips by creation, latest first, then by token. */
export const newestClipFirst = (a: Clip, b: Clip): number =>
  b.createdUnix - a.createdUnix || compareTexts(a.token, b.token)

/** Stills by the time they were taken, latest first; within one second the higher number first. */
export const newestStillFirst = (a: Still, b: Still): number =>
  b.takenUnix - a.takenUnix || b.id - a.id
