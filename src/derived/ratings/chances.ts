import type { Fight, Tournament } from '../../data/league/types.ts'
import { boutsOf, hasOdds, ratingClassOf } from './bouts.ts'
import { readOdds } from './odds.ts'
import { chanceOf, type RatedLeague } from './ratings.ts'

/** Whether the chance of a fight changes with the results of others: it has not begun, or is under way. */
const isOpen = ({ state, tournament }: Fight): boolean =>
  state !== 'done' && tournament.endUnix === null

/** Whether any fight of a tournament is yet to be decided. */
export const hasOpenFights = ({ fights }: Tournament): boolean => fights.some(isOpen)

/** Chance of the red corner in a fight to come, by all fights so far. */
export const openChance = (league: RatedLeague, fight: Fight): number => {
  const { red, blue, tournament, startUnix } = fight
  return chanceOf(league, ratingClassOf(tournament), red.player, blue.player, startUnix)
}

/**
 * Chance of the red corner in each fight of a tournament: of a decided one as it was before, from `odds`, its values in
 * `Ratings`; of one to come by `open`. Null where nothing can be said: a corner without a name, a fight that nobody
 * decided, or one of a tournament that is over.
 */
export const chancesIn = (
  tournament: Tournament,
  odds: Float32Array | undefined,
  open: (fight: Fight) => number | null,
): ((fight: Fight) => number | null) => {
  let indexes: ReadonlyMap<string, number> | undefined
  let isFirst = true
  /** Most requests are about one fight of a tournament: no index is made for it. */
  const indexOf = ({ id }: Fight): number => {
    const bouts = boutsOf(tournament)
    if (isFirst) {
      isFirst = false
      return bouts.findIndex((bout) => bout.id === id)
    }
    indexes ??= new Map(bouts.map((bout, index) => [bout.id, index]))
    return indexes.get(id) ?? -1
  }
  return (fight) => {
    const index = indexOf(fight)
    if (index >= 0) return odds ? readOdds(odds, index).chance : null
    return isOpen(fight) && hasOdds(fight) ? open(fight) : null
  }
}
