import { type Static, Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import type { Tournament as DomainTournament } from '../../data/league/types.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { idParameter, parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { closed, named } from '../fields.ts'
import { tournamentList } from '../tournaments/list.ts'
import { findTournament } from '../tournaments/lookup.ts'
import { BracketGame, Brackets, TournamentBody, Tournaments } from '../tournaments/schema.ts'
import { bracketsView, tournamentView } from '../tournaments/view.ts'
import { documented, type Mount } from './mount.ts'

const SingleTournament = named('LegacyTournament', {
  ...TournamentBody.properties,
  ...Brackets.properties,
  games: Type.Array(closed({ ...BracketGame.properties, bracketID: Type.String() }), {
    description: 'games of all brackets',
  }),
})
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

/** Two functions, selected by a parameter; 400 for any other. */
export const tournamentSource = (mount: Mount) =>
  new Elysia().use(archived).get(
    `/tournamentSource${mount.suffix}`,
    async ({ archive, cached, query }) => {
      if (query.function === list) {
        const { dataset } = archive
        return cached(await tournamentList({ dataset }))
      }
      if (query.function !== single) {
        return status(400, { error: `function must be ${list} or ${single}` })
      }
      const tournament = findTournament(archive, query['params[tournamentId]'] ?? '')
      return tournament ? cached(singleTournament(tournament)) : notFound('tournament')
    },
    {
      ...parameters(
        {
          function: Type.Optional(Type.Union([Type.Literal(list), Type.Literal(single)])),
          'params[tournamentId]': idParameter(`id of a tournament, for ${single}`),
        },
        {
          // The list has no other parameter.
          normalize: ({ function: name, 'params[tournamentId]': id }) => ({
            'params[tournamentId]': name === single ? id : undefined,
          }),
        },
      ),
      response: {
        200: Type.Unsafe<SingleTournament | Response>(
          Type.Union([Tournaments, SingleTournament], { title: 'LegacyTournamentSource' }),
        ),
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
