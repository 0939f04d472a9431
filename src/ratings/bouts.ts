import { compareTexts } from '../compareTexts.ts'
import type { Dataset, Fight, Tournament } from '../league/types.ts'
import { weightClassKey } from '../league/weightClass.ts'
import type { Steps } from '../timeSlice.ts'
import type { Score } from './filter.ts'
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

/**
 * Completed fights in the order of their end. Those of one time, as where only the day is known, by start,
 * tournament and round.
 */
export const inOrderOfEnd = (a: Place, b: Place): number =>
  (a.finishUnix ?? 0) - (b.finishUnix ?? 0) ||
  (a.startUnix ?? 0) - (b.startUnix ?? 0) ||
  compareTexts(a.tournament.id, b.tournament.id) ||
  a.round - b.round ||
  a.id.length - b.id.length ||
  compareTexts(a.id, b.id)

/** The fights of a tournament that count, in the order of their end. */
export const boutsOf = ({ fights }: Pick<Tournament, 'fights'>): readonly Fight[] =>
  fights.filter(isBout).sort(inOrderOfEnd)

const isAtOnce = (a: Place, b: Place): boolean =>
  a.finishUnix === b.finishUnix && a.startUnix === b.startUnix

/** Fights of one step, which takes a millisecond. */
const stepFights = 5000

/** The fights of the league that count, from those after `after` on, in the order of their end. */
export function* boutsAfter(
  { fights }: Dataset,
  after: Place | undefined,
): Steps<readonly Fight[]> {
  const newer: Fight[] = []
  const sinceUnix = after?.finishUnix ?? Number.NEGATIVE_INFINITY
  for (const [index, fight] of fights.entries()) {
    // Newest first, with fights that are not done before and after those that are.
    if (fight.state === 'done' && (fight.finishUnix ?? 0) < sinceUnix) break
    if (isBout(fight) && (!after || inOrderOfEnd(after, fight) < 0)) newer.push(fight)
    if (index % stepFights === stepFights - 1) yield
  }
  const ordered: Fight[] = []
  let atOnce: Fight[] = []
  // Only fights of one time are ordered otherwise than in the dataset.
  for (let index = newer.length - 1; index >= -1; index -= 1) {
    const fight = newer[index]
    const [first] = atOnce
    if (first && !(fight && isAtOnce(first, fight))) {
      for (const each of atOnce.length === 1 ? atOnce : atOnce.sort(inOrderOfEnd))
        ordered.push(each)
      atOnce = []
    }
    if (fight) atOnce.push(fight)
    if (index % stepFights === 0) yield
  }
  return ordered
}

/** A double forfeit and an annulled fight, done with neither a winner nor a tie, have no score. */
export const scoreOf = ({ red, blue }: Fight): Score => {
  if (red.isWinner) return 1
  if (blue.isWinner) return 0
  return red.state === 'tie' && blue.state === 'tie' ? 0.5 : null
}

/** Whether two fights at the same place of the order teach the same. */
export const teachesSame = (a: Fight, b: Fight): boolean =>
  inOrderOfEnd(a, b) === 0 &&
  a.red.player.cleanName === b.red.player.cleanName &&
  a.blue.player.cleanName === b.blue.player.cleanName &&
  a.red.player.team === b.red.player.team &&
  a.blue.player.team === b.blue.player.team &&
  scoreOf(a) === scoreOf(b)
