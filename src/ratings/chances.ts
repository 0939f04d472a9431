import type { Fight, Tournament } from '../league/types.ts'
import { boutsOf, hasOdds, ratingClassOf } from './bouts.ts'
import { readOdds } from './odds.ts'
import { chanceOf, type Ratings } from './ratings.ts'

/** Whether the chance of a fight changes with the results of others: it has not begun, or is under way. */
const isOpen = ({ info }: Tournament, fight: Fight): boolean =>
  fight.state !== 'done' && info.endUnix === null

/** Whether any fight of a tournament is yet to be decided. */
export const hasOpenFights = (tournament: Tournament): boolean =>
  tournament.fights.some((fight) => isOpen(tournament, fight))

/**
 * Chance of the red corner in each fight of a tournament: of a decided one as it was before, from `odds`, its values in
 * {@link Ratings}; of one to come by all fights so far. Null where nothing can be said: a corner without a name, a
 * fight that nobody decided, or one of a tournament that is over.
 */
export const chancesIn = (
  tournament: Tournament,
  odds: Float32Array | undefined,
  ratings: () => Ratings | undefined,
): ((fight: Fight) => number | null) => {
  const indexes = new Map(boutsOf(tournament).map(({ id }, index) => [id, index]))
  return (fight) => {
    const index = indexes.get(fight.id)
    if (index !== undefined) return odds ? readOdds(odds, index).chance : null
    if (!isOpen(tournament, fight) || !hasOdds(fight)) return null
    const all = ratings()
    if (!all) return null
    return chanceOf(
      all,
      ratingClassOf(tournament.info),
      fight.red.player,
      fight.blue.player,
      fight.startUnix,
    )
  }
}
