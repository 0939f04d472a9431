import type { Fight, Tournament } from '../../data/league/types.ts'
import { hasOdds, isBout, ratingClassOf } from './bouts.ts'
import type { TournamentOdds } from './odds.ts'
import { chanceOf, type RatedLeague } from './ratings.ts'

/** True if other results change the chance of a fight: it has not begun, or is under way. */
const isOpen = ({ state, tournament }: Fight): boolean =>
  state !== 'done' && tournament.endUnix === null

/** True if a fight of a tournament is undecided. */
export const hasOpenFights = ({ fights }: Tournament): boolean => fights.some(isOpen)

/** Chance of the red corner in a coming fight, by all fights so far. */
export const openChance = (league: RatedLeague, fight: Fight): number => {
  const { red, blue, tournament, startUnix } = fight
  return chanceOf(league, ratingClassOf(tournament), red.player, blue.player, startUnix)
}

/**
 * Chance of the red corner: for a decided fight its chance beforehand, from `odds` of its tournament; for a coming
 * fight its chance by `open`. Null if there is none: a corner without a name, a fight that nobody decided, or a
 * tournament that is over.
 */
export const chanceIn = (
  odds: TournamentOdds | undefined,
  fight: Fight,
  open: (fight: Fight) => number | null,
): number | null => {
  if (isBout(fight)) return odds?.get(fight.id)?.chance ?? null
  return isOpen(fight) && hasOdds(fight) ? open(fight) : null
}
