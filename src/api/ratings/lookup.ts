import type { Fight, Tournament } from '../../data/league/types.ts'
import { findBot } from '../../derived/careers/bots.ts'
import { type Forecast, forecastOf, forecastStrengths } from '../../derived/forecast/forecast.ts'
import type { Refusal } from '../../derived/forecast/plan.ts'
import { chanceIn, openChance } from '../../derived/ratings/chances.ts'
import type { TournamentOdds } from '../../derived/ratings/odds.ts'
import { ratingsOfBot } from '../../derived/ratings/ranking.ts'
import type { Ratings } from '../../derived/ratings/ratings.ts'
import type { Data, Derive, Lookup } from '../../http/trackedArchive.ts'
import { toProbability } from '../fields.ts'
import type { BotRating, HeadToHeadChance } from './schema.ts'
import { botRating, headToHeadChance } from './view.ts'

const areShown = ({ ratings }: Data) => ratings !== undefined
const ratingsOf = ({ ratings }: Data) => ratings
const oddsWithID = ({ ratings }: Data, id: string) => ratings?.odds.get(id)

/** All ratings; undefined if they are turned off. */
export const findRatings = ({ lookup }: Lookup): Ratings | undefined => lookup(ratingsOf)

const ratingsIn = ({ bots, ratings }: Data, cleanName: string): { ratings?: BotRating[] } => {
  const bot = ratings && findBot(bots, cleanName)
  return ratings ? { ratings: bot ? ratingsOfBot(ratings, bot).map(botRating) : [] } : {}
}

/** Ratings of a bot as a field of a payload; the field is missing if ratings are turned off. */
export const findBotRatings = ({ derive }: Derive, cleanName: string) =>
  derive(ratingsIn, cleanName)

/** No bot has this clean name. */
const separator = ' '

const headToHeadIn = ({ bots, ratings }: Data, key: string): { chance?: HeadToHeadChance } => {
  const [one, other] = key.split(separator).map((name) => findBot(bots, name))
  return ratings
    ? { chance: one && other ? headToHeadChance({ ratings, bots }, one, other) : null }
    : {}
}

/** The chance of two bots by clean names as a field of a payload, see {@link findBotRatings}. */
export const findHeadToHeadChance = ({ derive }: Derive, one: string, other: string) =>
  derive(headToHeadIn, one + separator + other)

const strengthsIn = ({ dataset, bots, ratings }: Data, tournamentID: string) => {
  const tournament = dataset.tournamentsByID.get(tournamentID)
  return tournament && ratings && forecastStrengths(tournament, { ratings, bots })
}

/** The forecast of a tournament, or the reason why it has none; undefined if ratings are turned off. */
export const findForecast = async (
  { derive }: Derive,
  tournament: Tournament,
): Promise<Forecast | Refusal | undefined> => {
  const strengths = derive(strengthsIn, tournament.info.id)
  return strengths && forecastOf(tournament, strengths)
}

/** Odds of the decided fights of a tournament; undefined if ratings are turned off. */
export const findOdds = ({ lookup }: Lookup, tournamentID: string): TournamentOdds | undefined =>
  lookup(oddsWithID, tournamentID)

/** Chance of the red corner as a field of a payload; the field is missing if ratings are turned off. */
export interface ChanceField {
  readonly player1WinProbability?: number | null
}

export const chanceField = (chance: number | null): ChanceField => ({
  player1WinProbability: chance === null ? null : toProbability(chance),
})

/** An id that no bot has. */
const idSeparator = '\0'

const openChanceIn = ({ dataset, bots, ratings }: Data, key: string): number | null => {
  const [tournamentID = '', gameID = ''] = key.split(idSeparator)
  const fight = dataset.tournamentsByID.get(tournamentID)?.games.get(gameID)
  return ratings && fight?.isFight ? toProbability(openChance({ ratings, bots }, fight)) : null
}

/** Chances of fights. The chance of a decided fight depends on nothing that came after it. */
export const findChances = (archive: Lookup & Derive): ((fight: Fight) => ChanceField) => {
  if (!archive.lookup(areShown)) return () => ({})
  const open = ({ tournament, id }: Fight) =>
    archive.derive(openChanceIn, tournament.id + idSeparator + id)
  return (fight) => chanceField(chanceIn(findOdds(archive, fight.tournament.id), fight, open))
}
