import type { Dataset, Fight, Player } from '../../data/league/types.ts'
import { weightClassKey } from '../../data/league/weightClass.ts'
import type { Score } from './odds.ts'

/** The class within which bots are compared; a bot has a strength in each that it fights in. */
export type RatingClass = string | number
export const ratingClassOf = weightClassKey

/** True if ratings and chances apply to the fight: both bots have a name, and not the same one. */
export const hasOdds = ({ red, blue }: Fight): boolean =>
  red.player.cleanName !== '' &&
  blue.player.cleanName !== '' &&
  red.player.cleanName !== blue.player.cleanName

/** True for a completed fight between two bots: ratings are made of these. */
export const isBout = (fight: Fight): boolean => fight.isCompleted && hasOdds(fight)

/** Rated fights of the league in order of play. Does not read the fights again that begin the list `known`. */
export const boutsOf = ({ fights }: Dataset, known: readonly Fight[] = []): readonly Fight[] => {
  const bouts: Fight[] = []
  for (let index = fights.length - 1; index >= 0; index -= 1) {
    const fight = fights[index]
    if (fight && (fight === known[bouts.length] || isBout(fight))) bouts.push(fight)
  }
  return bouts
}

/** A double forfeit and an annulled fight have neither a winner nor a tie, and so no score. */
export const scoreOf = ({ red, blue }: Fight): Score => {
  if (red.isWinner) return 1
  if (blue.isWinner) return 0
  return red.state === 'tie' && blue.state === 'tie' ? 0.5 : null
}

/** A bot as it enters a fight; its team counts only if it is new. */
export type Rated = Pick<Player, 'cleanName' | 'team'>

/** A completed fight between two bots, with everything that ratings use of it. */
export interface Bout {
  readonly ratingClass: RatingClass
  readonly red: Rated
  readonly blue: Rated
  readonly score: Score
  readonly startUnix: number | null
  readonly endUnix: number
}

export const boutOf = (fight: Fight): Bout => ({
  ratingClass: ratingClassOf(fight.tournament),
  red: fight.red.player,
  blue: fight.blue.player,
  score: scoreOf(fight),
  startUnix: fight.startUnix,
  endUnix: fight.momentUnix,
})

/** True if two fights at the same place of the order give the same result. */
export const teachesSame = (a: Fight, b: Fight): boolean =>
  a === b ||
  (a.id === b.id &&
    a.tournament.id === b.tournament.id &&
    ratingClassOf(a.tournament) === ratingClassOf(b.tournament) &&
    a.momentUnix === b.momentUnix &&
    a.startUnix === b.startUnix &&
    a.red.player.cleanName === b.red.player.cleanName &&
    a.blue.player.cleanName === b.blue.player.cleanName &&
    a.red.player.team === b.red.player.team &&
    a.blue.player.team === b.blue.player.team &&
    scoreOf(a) === scoreOf(b))
