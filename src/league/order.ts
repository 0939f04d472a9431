import { compareTexts } from '../compareTexts.ts'
import type { Clip, Fight, Still, Tournament, TournamentInfo } from './types.ts'

const stateRanks = { active: 0, done: 1, pending: 2 } as const

/**
 * Fights in progress, then done ones by `finishUnix`, then pending ones; each group by start, latest first,
 * then by tournament and game id.
 */
export const newestFirst = (a: Fight, b: Fight): number =>
  stateRanks[a.state] - stateRanks[b.state] ||
  (b.finishUnix ?? 0) - (a.finishUnix ?? 0) ||
  (b.startUnix ?? 0) - (a.startUnix ?? 0) ||
  compareTexts(a.tournament.id, b.tournament.id) ||
  compareTexts(a.id, b.id)

/** When a tournament starts as far as is known: its start, else its scheduled start, else its creation. */
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

/** Stills by the time they were taken, latest first; of the same second the higher number first. */
export const newestStillFirst = (a: Still, b: Still): number =>
  b.takenUnix - a.takenUnix || b.id - a.id
