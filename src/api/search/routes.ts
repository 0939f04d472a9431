import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import type { Bot } from '../../careers/bots.ts'
import { suggestPairs } from '../../careers/headToHead.ts'
import { cleanWords } from '../../derived/nameWords.ts'
import { searchTournaments } from '../../derived/tournamentSearch.ts'
import { ErrorBody } from '../../http/errors.ts'
import { archived, exchangeOf } from '../../http/exchange.ts'
import { limitParameter } from '../../http/paging.ts'
import { lenient } from '../../http/parameters.ts'
import { botSummary } from '../bots/view.ts'
import { fightSummary } from '../fights/view.ts'
import { tournamentView } from '../tournaments/view.ts'
import { findBots } from './lookup.ts'
import { SearchResults, Suggestions } from './schema.ts'
import { pairSuggestion, suggestion, tournamentSuggestion } from './view.ts'

const shortestQuery = 2
const maxBots = 10
const maxTournaments = 5
const maxPairs = 5
const maxFights = 20
/** Characters of a text in a search box that count, spaces between words included. */
const maxTyped = 48

/** The words of a text and nothing else: every spelling of them is one request. */
export const cleanTyped = (q: string): string =>
  cleanWords(q).join(' ').slice(0, maxTyped).trimEnd()

const kinds = ['bot', 'tournament', 'pair'] as const

/** The known kinds of a list, in one order; bots where there is none. */
const readKinds = (text: string): readonly (typeof kinds)[number][] => {
  const named = new Set(text.toLowerCase().split(/[\s,]+/))
  const known = kinds.filter((kind) => named.has(kind))
  return known.length > 0 ? known : ['bot']
}

const autocompleteQuery = lenient(
  Type.Object({
    q: Type.Optional(Type.String({ description: 'what is typed so far' })),
    limit: limitParameter(20, 8),
    weightClass: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description: 'only bots that fought in this class, in pounds',
      }),
    ),
    kind: Type.Optional(
      Type.String({
        default: 'bot',
        description:
          'what to suggest, comma-separated: `bot`, `tournament` and `pair` (two bots, such as `wynk vs gon`)',
      }),
    ),
  }),
)

/** Every spelling of a request has one stored answer: known before it is looked for. */
const withCleanText = ({ request }: { request: Request }): void => {
  const exchange = exchangeOf(request)
  const canonical = new URLSearchParams(exchange.query)
  canonical.set('q', cleanTyped(canonical.get('q') ?? ''))
  canonical.set('kind', readKinds(canonical.get('kind') ?? '').join())
  exchange.query = canonical.toString()
}

export const searchRoutes = () =>
  new Elysia({ tags: ['search'] })
    .use(archived)
    .get(
      '/search',
      ({ archive, query: { q } }) => {
        if (q === undefined || [...q].length < shortestQuery) {
          return status(400, { error: 'q must have at least 2 characters' })
        }
        const { botSearch, tournamentSearch, dataset } = archive
        const { found, meeting } = findBots(botSearch, q, maxBots)
        return {
          query: q,
          bots: found.map(({ bot, score }) => ({ ...botSummary(bot), score })),
          tournaments: searchTournaments(tournamentSearch, dataset, q, maxTournaments).map(
            ({ tournament, score }) => ({ ...tournamentView(tournament.info), score }),
          ),
          fights: meeting?.fights.slice(0, maxFights).map(fightSummary) ?? [],
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
            'Finds misspelt, half-typed and run-together names, names by some of their words in any order, by initials, without vowels or with digits for letters. The exact name comes first; then the fit and, among names that fit alike, the fights of a bot. Words such as `team`, `robot`, weight classes, dates and the name of the league are ignored beside a name. A text that names two bots (`a vs b`, `a b`, `AvsB`) finds their fights, too.',
        },
      },
    )
    .get(
      '/autocomplete',
      ({ archive, query: { q = '', limit, weightClass, kind = '' } }) => {
        const typed = cleanTyped(q)
        const { botSearch, tournamentSearch, dataset } = archive
        const wanted = readKinds(kind)
        const accepts =
          weightClass === undefined
            ? undefined
            : ({ totalsByClass }: Bot) => totalsByClass.has(weightClass)
        const found = wanted.includes('bot') ? findBots(botSearch, typed, limit, accepts).found : []
        return {
          query: typed,
          suggestions: found.map(suggestion),
          ...(wanted.includes('tournament') && {
            tournaments: searchTournaments(
              tournamentSearch,
              dataset,
              typed,
              Math.min(limit, maxTournaments),
            ).map(tournamentSuggestion),
          }),
          ...(wanted.includes('pair') && {
            pairs: suggestPairs(botSearch, typed, Math.min(limit, maxPairs)).map(pairSuggestion),
          }),
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
            'Small answers for a search box, ranked as in `/search`. Texts of the same words in the same order have the same answer, whatever their case and punctuation; the first 48 characters count. `match` is what to highlight. With `kind`, tournaments and pairs of bots are suggested, too.',
        },
      },
    )
