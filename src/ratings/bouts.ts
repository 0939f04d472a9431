import { compareTexts } from '../compareTexts.ts'
import type { Dataset, Fight, Tournament } from '../league/types.ts'
import { weightClassKey } from '../league/weightClass.ts'
import type { Steps } from '../timeSlice.ts'
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

const knownBouts = new WeakMap<readonly Fight[], readonly Fight[]>()

/** The fights of a tournament that count, in the order of their end; sorted once for each version of it. */
export const boutsOf = ({ fights }: Pick<Tournament, 'fights'>): readonly Fight[] =>
  knownBouts.getOrInsertComputed(fights, () => fights.filter(isBout).sort(inOrderOfEnd))

const isAtOnce = (a: Place | undefined, b: Place | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  (a.finishUnix ?? 0) === (b.finishUnix ?? 0) &&
  (a.startUnix ?? 0) === (b.startUnix ?? 0)

/** Fights of one step: a tenth of a millisecond, more where each is in another class. */
const stepFights = 50
/** Fights that are passed over in one step. */
const stepOldFights = 5000

/** The fights of the league that count, from those after `after` on, in the order of their end. */
export function* boutsAfter(
  { fights }: Dataset,
  after: Place | undefined,
): Generator<readonly Fight[], undefined, undefined> {
  const sinceUnix = after?.finishUnix ?? Number.NEGATIVE_INFINITY
  // Newest first, with fights that are not done before and after those that are.
  const old = after
    ? fights.findIndex(({ state, finishUnix }) => state === 'done' && (finishUnix ?? 0) < sinceUnix)
    : -1
  /** One pass without copies: the values of each fight are read where they are not in the cache. */
  const take = (start: number, end: number): readonly Fight[] => {
    const step: Fight[] = []
    let isOrdered = true
    for (let index = end - 1; index >= start; index -= 1) {
      const fight = fights[index]
      if (!fight || !isBout(fight) || (after && inOrderOfEnd(after, fight) >= 0)) continue
      isOrdered &&= !isAtOnce(step.at(-1), fight)
      step.push(fight)
    }
    // Only fights of one time are ordered otherwise than in the dataset.
    return isOrdered ? step : step.sort(inOrderOfEnd)
  }
  for (let end = old === -1 ? fights.length : old; end > 0; ) {
    let start = Math.max(0, end - stepFights)
    while (start > 0 && isAtOnce(fights[start - 1], fights[start])) start -= 1
    yield take(start, end)
    end = start
  }
}

/** Fights further apart belong to different sessions. */
const sessionSeconds = 12 * 3600

/** The first fight of the newest session; undefined if it had begun with or before `after`. */
export function* newestSession(
  { fights }: Dataset,
  after: Place | undefined,
): Steps<Fight | undefined> {
  let first: Fight | undefined
  for (const [index, fight] of fights.entries()) {
    if (index % stepOldFights === 0) yield
    if (!isBout(fight)) continue
    const isTaken = after !== undefined && inOrderOfEnd(after, fight) >= 0
    const isApart = first && (first.finishUnix ?? 0) - (fight.finishUnix ?? 0) > sessionSeconds
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
  inOrderOfEnd(a, b) === 0 &&
  a.red.player.cleanName === b.red.player.cleanName &&
  a.blue.player.cleanName === b.blue.player.cleanName &&
  a.red.player.team === b.red.player.team &&
  a.blue.player.team === b.blue.player.team &&
  scoreOf(a) === scoreOf(b)
