import { type Static, Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import { closed, named } from '../api/fields.ts'
import { findTournament } from '../api/tournaments/lookup.ts'
import { BracketGame, Brackets, TournamentBody, Tournaments } from '../api/tournaments/schema.ts'
import { bracketsView, tournamentView } from '../api/tournaments/view.ts'
import { ErrorBody, notFound } from '../http/errors.ts'
import { archived } from '../http/exchange.ts'
import { idParameter, lenient } from '../http/parameters.ts'
import type { Tournament as DomainTournament } from '../league/types.ts'
import { documented, type Mount } from './mount.ts'

const SingleTournament = Type.Object(
  {
    ...TournamentBody.properties,
    ...Brackets.properties,
    games: Type.Array(
      Type.Object({ ...BracketGame.properties, bracketID: Type.String() }, closed),
      { description: 'the games of all brackets' },
    ),
  },
  named('LegacyTournament'),
)
type SingleTournament = Static<typeof SingleTournament>

const singleTournament = (tournament: DomainTournament): SingleTournament => {
  const { brackets, players, format } = bracketsView(tournament)
  return {
    tournament: tournamentView(tournament.info),
    players,
    brackets,
    games: brackets.flatMap(({ bracketID, games }) =>
      games.map((game) => ({ ...game, bracketID })),
    ),
    format,
  }
}

const list = 'getLocalTournaments'
const single = 'getSingleTournament'

/** Two functions, told apart by a parameter; any other one is 400. */
export const tournamentSource = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/tournamentSource${mount.suffix}`,
    ({ archive, query, exchange }) => {
      if (query.function === list) {
        exchange.query = `function=${list}`
        return {
          tournaments: archive.dataset.tournaments.map(({ info }) => tournamentView(info)),
        }
      }
      if (query.function !== single) {
        return status(400, { error: `function must be ${list} or ${single}` })
      }
      const tournament = findTournament({ archive, exchange }, query['params[tournamentId]'] ?? '')
      return tournament ? singleTournament(tournament) : notFound('tournament')
    },
    {
      ...lenient(
        Type.Object({
          function: Type.Optional(Type.Union([Type.Literal(list), Type.Literal(single)])),
          'params[tournamentId]': idParameter(`id of a tournament, for ${single}`),
        }),
      ),
      response: {
        200: Type.Union([Tournaments, SingleTournament], { title: 'LegacyTournamentSource' }),
        400: ErrorBody,
        404: ErrorBody,
      },
      detail: documented(
        mount,
        'tournamentSource',
        'All tournaments, or one with its full bracket',
      ),
    },
  )
