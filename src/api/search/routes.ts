import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import { cleanName } from '../../dataset/cleanName.ts'
import { searchBots } from '../../derived/search.ts'
import { searchTournaments } from '../../derived/tournamentSearch.ts'
import { ErrorBody } from '../../http/errors.ts'
import { archived, exchangeOf } from '../../http/exchange.ts'
import { limitParameter } from '../../http/paging.ts'
import { lenient } from '../../http/parameters.ts'
import { botSummary } from '../bots/view.ts'
import { fightSummary } from '../fights/view.ts'
import { tournamentView } from '../tournaments/view.ts'
import { findBots, type Search } from './find.ts'
import { SearchResults, Suggestions } from './schema.ts'

const shortestQuery = 2
const mostTournaments = 5
const mostFights = 20
/** Of what is typed into a box, so many clean characters count. */
const longestTyped = 24

const cleanTyped = (q: string): string => cleanName(q).slice(0, longestTyped)

const autocompleteQuery = lenient(
  Type.Object({
    q: Type.Optional(Type.String({ description: 'what is typed so far' })),
    limit: limitParameter(20, 8),
  }),
)

/** One answer for all that cleans to the same text: known before a stored one is looked for. */
const withCleanText = ({ request }: { request: Request }): void => {
  const exchange = exchangeOf(request)
  const canonical = new URLSearchParams(exchange.query)
  canonical.set('q', cleanTyped(canonical.get('q') ?? ''))
  exchange.query = canonical.toString()
}

export const searchRoutes = (search: Search) =>
  new Elysia({ tags: ['search'] })
    .use(archived)
    .get(
      '/search',
      ({ archive, query: { q } }) => {
        if (q === undefined || [...q].length < shortestQuery) {
          return status(400, { error: 'q must have at least 2 characters' })
        }
        const { found, meeting } = findBots(search, archive, q)
        return {
          query: q,
          bots: found.map(({ bot, score }) => ({ ...botSummary(bot), score })),
          tournaments: searchTournaments(
            search.tournamentSearch,
            archive.dataset,
            q,
            mostTournaments,
          ).map(({ tournament, score }) => ({ ...tournamentView(tournament.info), score })),
          fights: meeting?.fights.slice(0, mostFights).map(fightSummary) ?? [],
        }
      },
      {
        ...lenient(
          Type.Object({
            q: Type.Optional(
              Type.String({
                'x-required': true,
                'x-minLength': shortestQuery,
                description: 'a bot, a tournament, or two bots; 2 characters or more',
              }),
            ),
          }),
        ),
        response: { 200: SearchResults, 400: ErrorBody },
        detail: {
          operationId: 'search',
          summary: 'Bots, tournaments, and fights between two bots',
          description:
            'Forgives typing errors, half-typed and run-together names and digits for letters. A text that names two bots, with or without `vs` between them, finds their fights, too.',
        },
      },
    )
    .get(
      '/autocomplete',
      ({ archive, query: { q = '', limit } }) => {
        const typed = cleanTyped(q)
        return {
          query: typed,
          suggestions: searchBots(search.botSearch, archive.bots, typed, limit).map(
            ({ bot, score }) => ({
              cleanName: bot.cleanName,
              name: bot.name,
              score,
              totalFights: bot.totals.fights,
              weightClasses: [...bot.totalsByClass.keys()],
            }),
          ),
        }
      },
      {
        ...autocompleteQuery,
        transform: [autocompleteQuery.transform, withCleanText],
        response: { 200: Suggestions },
        detail: {
          operationId: 'autocomplete',
          summary: 'Bots whose name is being typed, from one character on',
          description:
            'Small answers for a box that is typed into. What cleans to the same text has the same answer, and its first 24 clean characters count.',
        },
      },
    )
