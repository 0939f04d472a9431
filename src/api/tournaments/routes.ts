import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import type { Tournament } from '../../data/league/types.ts'
import { caching } from '../../http/caching.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import type { Lookup } from '../../http/trackedArchive.ts'
import type { DayIn } from '../../runtime/timeZone.ts'
import { findFightDetails } from '../fights/lookup.ts'
import { FightBody, FightList } from '../fights/schema.ts'
import { expectation, fightSummary } from '../fights/view.ts'
import { findExpected, findRounds } from '../live/lookup.ts'
import { findForecast } from '../ratings/lookup.ts'
import { isInYear, tournamentList } from './list.ts'
import { findTournament } from './lookup.ts'
import {
  Brackets,
  ForecastBody,
  PlayerBody,
  Players,
  TournamentBody,
  Tournaments,
} from './schema.ts'
import { bracketsView, forecastView, playerDetails, playerView, tournamentView } from './view.ts'

/** A tournament; while it is active, its responses are cached like live data. */
const findLive = (
  archive: Lookup,
  { headers }: { readonly headers: Record<string, string | number> },
  tournamentID: string,
): Tournament | undefined => {
  const tournament = findTournament(archive, tournamentID)
  if (tournament?.info.active) headers['cache-control'] = caching.live
  return tournament
}

export const tournamentRoutes = (dayIn: DayIn) =>
  new Elysia({ prefix: '/tournaments', tags: ['tournaments'] })
    .use(archived)
    .get(
      '',
      async ({ archive: { dataset }, cached, query: { year } }) => {
        const list = await tournamentList({ dataset, year, dayIn })
        const isEmpty =
          year !== undefined && !dataset.tournaments.some(({ info }) => isInYear(info, year, dayIn))
        return isEmpty ? list : cached(list)
      },
      {
        ...parameters({
          year: Type.Optional(
            Type.Integer({
              minimum: 1970,
              maximum: 9999,
              description: 'year of the start, in the time zone of the events; all without it',
            }),
          ),
        }),
        response: { 200: Tournaments },
        detail: {
          operationId: 'listTournaments',
          summary: 'All tournaments, newest first',
          description:
            'Public tournaments only; private, unlisted and test tournaments are not served.',
        },
      },
    )
    .get(
      '/:tournamentID',
      ({ archive, cached, params: { tournamentID }, set }) => {
        const tournament = findLive(archive, set, tournamentID)
        return tournament
          ? cached({ tournament: tournamentView(tournament.info) })
          : notFound('tournament')
      },
      {
        response: { 200: TournamentBody, 404: ErrorBody },
        detail: {
          operationId: 'getTournament',
          summary: 'One tournament',
          description: 'Start and end default to the first start and the last end of its fights.',
        },
      },
    )
    .get(
      '/:tournamentID/brackets',
      ({ archive, cached, params: { tournamentID }, set }) => {
        const tournament = findLive(archive, set, tournamentID)
        if (!tournament) return notFound('tournament')
        return cached(bracketsView(tournament, findRounds(archive, tournament)))
      },
      {
        response: { 200: Brackets, 404: ErrorBody },
        detail: {
          operationId: 'getBrackets',
          summary: 'Brackets with the links between their games, players and format',
          description:
            'Games by bracket, then round and position. Each slot has the id of the game that feeds it. While the tournament is under way, games that are not done have `notBefore` and their open slots `mayBe`.',
        },
      },
    )
    .get(
      '/:tournamentID/forecast',
      async ({ archive, cached, params: { tournamentID }, set }) => {
        const tournament = findLive(archive, set, tournamentID)
        if (!tournament) return notFound('tournament')
        const forecast = await findForecast(archive, tournament)
        const none = 'the tournament has no forecast'
        if (!forecast) return status(404, { error: `${none}: ratings are turned off` })
        if ('reason' in forecast) return status(404, { error: `${none}: ${forecast.reason}` })
        return cached({ forecast: forecastView(tournament.info, forecast) })
      },
      {
        response: { 200: ForecastBody, 404: ErrorBody },
        detail: {
          operationId: 'getForecast',
          summary: 'Chance of each bot to win a tournament and to reach each round',
          description:
            'Made from decided games, the links between games, and ratings with their deviation; renewed after each completed fight. Calculated for single elimination, simulated 10,000 times otherwise. 404 with the reason if a bracket cannot be played out, such as before its first bots are known.',
        },
      },
    )
    .get(
      '/:tournamentID/players',
      ({ archive, cached, params: { tournamentID }, set }) => {
        const tournament = findLive(archive, set, tournamentID)
        return tournament
          ? cached({ players: tournament.players.map(playerView) })
          : notFound('tournament')
      },
      {
        response: { 200: Players, 404: ErrorBody },
        detail: {
          operationId: 'listPlayers',
          summary: 'Players of one tournament, by seed',
          description: 'Records count completed fights of this tournament, exhibitions included.',
        },
      },
    )
    .get(
      '/:tournamentID/players/:playerID',
      ({ archive, cached, params: { tournamentID, playerID }, set }) => {
        const tournament = findLive(archive, set, tournamentID)
        const record = tournament?.playersByID.get(playerID)
        return record ? cached({ player: playerDetails(record) }) : notFound('player')
      },
      {
        response: { 200: PlayerBody, 404: ErrorBody },
        detail: {
          operationId: 'getPlayer',
          summary: 'One player with all games played',
          description: 'A player is an entry of one tournament; `cleanName` identifies its bot.',
        },
      },
    )
    .get(
      '/:tournamentID/fights',
      ({ archive, cached, params: { tournamentID }, set }) => {
        const tournament = findLive(archive, set, tournamentID)
        if (!tournament) return notFound('tournament')
        const expected = findExpected(archive, tournament).fights
        return cached({
          fights: tournament.fights.map((fight) => ({
            ...fightSummary(fight),
            ...expectation(fight, expected.get(fight)),
          })),
        })
      },
      {
        response: { 200: FightList, 404: ErrorBody },
        detail: {
          operationId: 'listTournamentFights',
          summary: 'Fights of one tournament, newest first',
          description: 'Upcoming fights come last.',
        },
      },
    )
    .get(
      '/:tournamentID/fights/:gameID',
      ({ archive, cached, params, set }) => {
        findLive(archive, set, params.tournamentID)
        const fight = findFightDetails(archive, params)
        return fight ? cached({ fight }) : notFound('fight')
      },
      {
        response: { 200: FightBody, 404: ErrorBody },
        detail: {
          operationId: 'getFight',
          summary: 'One fight with both corners and all recordings',
          description:
            'Values of the corners and the tournament are text. `fightStartOffset` of the fight belongs to the available recording that started first; each recording has its own.',
        },
      },
    )
