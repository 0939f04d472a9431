import { inOrderOfPlay, newestFirst } from '../../data/league/order.ts'
import { positionAfter } from '../../data/league/sortedList.ts'
import type { Dataset, Fight, Tournament } from '../../data/league/types.ts'
import { weightClassKey } from '../../data/league/weightClass.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import type { Score } from './odds.ts'
import type { Place } from './state.ts'

/** The class within which bots are compared; a bot has a strength in each that it fights in. */
export type RatingClass = string | number
export const ratingClassOf = weightClassKey

/** Whether ratings and chances are about the fight: both bots have a name, and it is not the same. */
export const hasOdds = ({ red, blue }: Fight): boolean =>
  red.player.cleanName !== '' &&
  blue.player.cleanName !== '' &&
  red.player.cleanName !== blue.player.cleanName

const isBout = (fight: Fight): boolean => fight.isCompleted && hasOdds(fight)

const knownBouts = new WeakMap<readonly Fight[], readonly Fight[]>()

/** Rated fights of a tournament in order of play; built once per version of the tournament. */
export const boutsOf = ({ fights }: Pick<Tournament, 'fights'>): readonly Fight[] =>
  knownBouts.getOrInsertComputed(fights, () => fights.filter(isBout).reverse())

/** The fight at a place; versions of a league that are equal up to there have the same one. */
const fightAt = ({ tournamentsByID }: Dataset, place: Place | undefined): Fight | undefined => {
  const tournament = place && tournamentsByID.get(place.tournament.id)
  return tournament && boutsOf(tournament)[place.playIndex]
}

/** Fights of one step: a tenth of a millisecond, more where each is in another class. */
const stepFights = 50
/** Fights that are passed over in one step. */
const stepOldFights = 5000

/** Rated fights of the league after `after`, in order of play. */
export function* boutsAfter(
  dataset: Dataset,
  after: Place | undefined,
): Generator<readonly Fight[], undefined, undefined> {
  const { fights } = dataset
  const last = fightAt(dataset, after)
  // Newest first, with fights that are not done before and after those that are.
  const old = last ? positionAfter(fights, (fight) => newestFirst(fight, last) < 0) : fights.length
  for (let end = old; end > 0; end -= stepFights) {
    yield fights
      .slice(Math.max(0, end - stepFights), end)
      .filter(isBout)
      .reverse()
  }
}

/** Fights further apart belong to different sessions. */
const sessionSeconds = 12 * 3600

/** The first fight of the newest session; undefined if it had begun with or before `after`. */
export function* newestSession(
  dataset: Dataset,
  after: Place | undefined,
): Steps<Fight | undefined> {
  const last = fightAt(dataset, after)
  let first: Fight | undefined
  for (const [index, fight] of dataset.fights.entries()) {
    if (index % stepOldFights === 0) yield
    if (!isBout(fight)) continue
    const isTaken = last !== undefined && inOrderOfPlay(last, fight) >= 0
    const isApart = first && first.momentUnix - fight.momentUnix > sessionSeconds
    if (isApart) return first
    if (isTaken) return undefined
    first = fight
  }
  return first
}

/** A double forfeit and an annulled fight, done with neither a winner nor a tie, have no score. */
export const scoreOf = ({ red, blue }: Fight): Score => {
  if (red.isWinner) return 1
  if (blue.isWinner) return 0
  return red.state === 'tie' && blue.state === 'tie' ? 0.5 : null
}

/** Whether two fights at the same place of the order teach the same. */
export const teachesSame = (a: Fight, b: Fight): boolean =>
  a.id === b.id &&
  a.momentUnix === b.momentUnix &&
  a.startUnix === b.startUnix &&
  a.red.player.cleanName === b.red.player.cleanName &&
  a.blue.player.cleanName === b.blue.player.cleanName &&
  a.red.player.team === b.red.player.team &&
  a.blue.player.team === b.blue.player.team &&
  scoreOf(a) === scoreOf(b)
