import type { Fight, Tournament } from '../../data/league/types.ts'
import { type Bot, findBot } from '../../derived/careers/bots.ts'
import { type Forecast, forecastOf, forecastStrengths } from '../../derived/forecast/forecast.ts'
import type { Refusal } from '../../derived/forecast/plan.ts'
import { ratingClassOf } from '../../derived/ratings/bouts.ts'
import { chancesIn, openChance } from '../../derived/ratings/chances.ts'
import { type HistorySource, lastHeld, ratedClasses } from '../../derived/ratings/history.ts'
import { ratingsOfBot } from '../../derived/ratings/ranking.ts'
import type { Ratings } from '../../derived/ratings/ratings.ts'
import { driftVariance } from '../../derived/ratings/state.ts'
import type { Data, Derive, Lookup } from '../../http/trackedArchive.ts'
import { toProbability } from '../fields.ts'
import { findTournament } from '../tournaments/lookup.ts'
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

const chanceIn = ({ bots, ratings }: Data, key: string): { chance?: HeadToHeadChance } => {
  const [one, other] = key.split(separator).map((name) => findBot(bots, name))
  return ratings
    ? { chance: one && other ? headToHeadChance({ ratings, bots }, one, other) : null }
    : {}
}

/** The chance of two bots by clean names as a field of a payload, see {@link findBotRatings}. */
export const findHeadToHeadChance = ({ derive }: Derive, one: string, other: string) =>
  derive(chanceIn, one + separator + other)

const strengthsIn = ({ dataset, bots, ratings }: Data, tournamentID: string) => {
  const tournament = dataset.tournamentsByID.get(tournamentID)
  return tournament && ratings && forecastStrengths(tournament, { ratings, bots })
}

/** The forecast of a tournament, or why it has none; undefined if ratings are turned off. */
export const findForecast = async (
  { derive }: Derive,
  tournament: Tournament,
): Promise<Forecast | Refusal | undefined> => {
  const strengths = derive(strengthsIn, tournament.info.id)
  return strengths && forecastOf(tournament, strengths)
}

/** Values of the decided fights of a tournament; undefined if ratings are turned off. */
export const findOdds = ({ lookup }: Lookup, tournamentID: string): Float32Array | undefined =>
  lookup(oddsWithID, tournamentID)

/** Chance of the red corner as a field of a payload; the field is missing if ratings are turned off. */
export interface ChanceField {
  readonly player1WinProbability?: number | null
}

export const chanceField = (chance: number | null): ChanceField => ({
  player1WinProbability: chance === null ? null : toProbability(chance),
})

/** A bot, and one of its classes. */
const ratedIn = ({ bots }: Data, key: string) => {
  const [cleanName = '', index] = key.split(separator)
  const bot = findBot(bots, cleanName)
  const weightClass = bot && ratedClasses(bot)[Number(index)]
  return weightClass && { bot, ratingClass: ratingClassOf(weightClass) }
}
const lastIn = (data: Data, key: string) => {
  const [{ dataset, ratings }, rated] = [data, ratedIn(data, key)]
  return ratings && rated && lastHeld(dataset, ratings, rated.bot, rated.ratingClass)
}
const slotIn = (data: Data, key: string) => {
  const rated = ratedIn(data, key)
  return rated && data.ratings?.slots.get(rated.ratingClass)?.get(rated.bot.cleanName)
}
const driftIn = ({ ratings }: Data) => ratings && driftVariance(ratings.state, 1)

/** Sources of the history of a bot, by class; undefined without ratings. */
export const findHistory = ({ lookup }: Lookup, bot: Bot): readonly HistorySource[] | undefined => {
  if (!lookup(areShown)) return undefined
  const drift = lookup(driftIn) ?? 0
  return ratedClasses(bot).map((_, index) => {
    const key = `${bot.cleanName}${separator}${index}`
    return { last: lookup(lastIn, key), slot: lookup(slotIn, key), drift }
  })
}

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
  const byTournament = new Map<string, (fight: Fight) => number | null>()
  return (fight) => {
    const { id } = fight.tournament
    const tournament = findTournament(archive, id)
    const known = byTournament.get(id)
    if (known || !tournament) return chanceField(known?.(fight) ?? null)
    const chances = chancesIn(tournament, findOdds(archive, id), open)
    byTournament.set(id, chances)
    return chanceField(chances(fight))
  }
}
