import { Elysia } from 'elysia'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { archived } from '../../http/exchange.ts'
import { FightBody, FightList } from '../fights/schema.ts'
import { fightDetails, fightSummary } from '../fights/view.ts'
import { findFight, findTournament } from './find.ts'
import { Brackets, PlayerBody, Players, TournamentBody, Tournaments } from './schema.ts'
import { bracketsView, playerDetails, playerView, tournamentView } from './view.ts'

export const tournamentRoutes = () =>
  new Elysia({ prefix: '/tournaments', tags: ['tournaments'] })
    .use(archived)
    .get(
      '',
      ({ archive }) => ({
        tournaments: archive.dataset.tournaments.map(({ info }) => tournamentView(info)),
      }),
      { response: { 200: Tournaments }, detail: { summary: 'All tournaments, newest first' } },
    )
    .get(
      '/:tournamentID',
      ({ archive, exchange, params: { tournamentID } }) => {
        const tournament = findTournament({ archive, exchange }, tournamentID)
        return tournament ? { tournament: tournamentView(tournament.info) } : notFound('tournament')
      },
      {
        response: { 200: TournamentBody, 404: ErrorBody },
        detail: { summary: 'One tournament' },
      },
    )
    .get(
      '/:tournamentID/brackets',
      ({ archive, exchange, params: { tournamentID } }) => {
        const tournament = findTournament({ archive, exchange }, tournamentID)
        return tournament ? bracketsView(tournament) : notFound('tournament')
      },
      {
        response: { 200: Brackets, 404: ErrorBody },
        detail: { summary: 'Brackets with the links between their games, players and format' },
      },
    )
    .get(
      '/:tournamentID/players',
      ({ archive, exchange, params: { tournamentID } }) => {
        const tournament = findTournament({ archive, exchange }, tournamentID)
        return tournament ? { players: tournament.players.map(playerView) } : notFound('tournament')
      },
      {
        response: { 200: Players, 404: ErrorBody },
        detail: { summary: 'Players of one tournament, by seed' },
      },
    )
    .get(
      '/:tournamentID/players/:playerID',
      ({ archive, exchange, params: { tournamentID, playerID } }) => {
        const tournament = findTournament({ archive, exchange }, tournamentID)
        const record = tournament?.playersByID.get(playerID)
        return record ? { player: playerDetails(record) } : notFound('player')
      },
      {
        response: { 200: PlayerBody, 404: ErrorBody },
        detail: { summary: 'One player with all games played' },
      },
    )
    .get(
      '/:tournamentID/fights',
      ({ archive, exchange, params: { tournamentID } }) => {
        const tournament = findTournament({ archive, exchange }, tournamentID)
        return tournament ? { fights: tournament.fights.map(fightSummary) } : notFound('tournament')
      },
      {
        response: { 200: FightList, 404: ErrorBody },
        detail: { summary: 'Fights of one tournament, newest first' },
      },
    )
    .get(
      '/:tournamentID/fights/:gameID',
      ({ archive, exchange, params }) => {
        const found = findFight({ archive, exchange }, params)
        return found ? { fight: fightDetails(found.tournament, found.fight) } : notFound('fight')
      },
      {
        response: { 200: FightBody, 404: ErrorBody },
        detail: { summary: 'One fight with both corners and all recordings' },
      },
    )
