import { type Feed, feedsOf } from '../../data/league/progression.ts'
import type { Corner, Fight, Game, Tournament } from '../../data/league/types.ts'
import { perValue } from '../../runtime/once.ts'

/**
 * True if the bot of a corner depends on an outcome: of a fight that feeds it, or of qualifying for its bracket or
 * round.
 */
export const followsFromOutcome = (
  { round, bracketID, tournament }: Game,
  { prevGameID }: Corner,
): boolean =>
  prevGameID !== null ||
  round >= (tournament.qualifiedFrom.get(bracketID) ?? Number.POSITIVE_INFINITY)

/** True if the bot of a corner may be named. */
export const isCornerNamed = (
  { showsOutcomes }: { readonly showsOutcomes: boolean },
  game: Game,
  corner: Corner,
): boolean => showsOutcomes || !followsFromOutcome(game, corner)

/**
 * True if a game may be named: a second grand final, whose corners both come from the first, is played after only one
 * outcome of the first.
 */
export const isNamed = (
  { showsOutcomes }: { readonly showsOutcomes: boolean },
  { red, blue }: Game,
): boolean => showsOutcomes || red.prevGameID === null || red.prevGameID !== blue.prevGameID

/** The completed fights of a tournament that may be named. */
export const namedFights = (
  viewing: { readonly showsOutcomes: boolean },
  { fights }: Tournament,
): readonly Fight[] => fights.filter((fight) => fight.isCompleted && isNamed(viewing, fight))

/** True if neither corner of a fight follows from an outcome. */
export const isDrawn = (fight: Fight): boolean =>
  !followsFromOutcome(fight, fight.red) && !followsFromOutcome(fight, fight.blue)

const feedsOfGames = perValue((games: Tournament['games']): ReadonlyMap<Corner, Feed> => {
  const feeds = feedsOf([...games.values()])
  return new Map(feeds.map((feed) => [feed.target[feed.corner === 0 ? 'red' : 'blue'], feed]))
})

/** The feeds of a tournament by the corner that each leads to. */
export const feedsByCorner = ({ games }: Tournament): ReadonlyMap<Corner, Feed> =>
  feedsOfGames(games)
