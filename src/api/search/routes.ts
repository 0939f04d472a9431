import { Elysia, status } from 'elysia'
import { type Bot, totalsIn } from '../../derived/careers/bots.ts'
import { typedWords } from '../../derived/search/nameWords.ts'
import { readText, suggestPairs } from '../../derived/search/pairs.ts'
import { searchTournaments } from '../../derived/search/tournamentSearch.ts'
import { ErrorBody } from '../../http/errors.ts'
import { limitParameter } from '../../http/paging.ts'
import { parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import { botSummary } from '../bots/view.ts'
import { fightSummary } from '../fights/view.ts'
import { tournamentView } from '../tournaments/view.ts'
import { classOrIgnored, weightClassParameter } from '../weightClass.ts'
import { fightsOf, findBots, findTeams } from './lookup.ts'
import { SearchResults, Suggestions } from './schema.ts'
import { foundTeam, pairSuggestion, suggestion, tournamentSuggestion } from './view.ts'

const shortestQuery = 2
const maxBots = 10
const maxTournaments = 5
const maxPairs = 5
const maxTeams = 5
const maxFights = 20
/** Maximum number of characters read from a text in a search box, with single spaces. */
const maxTyped = 48

/**
 * Normal form of a typed text, without punctuation and case: equivalent requests share a cached
 * response.
 */
export const cleanTyped = (q: string): string =>
  typedWords(q).join(' ').slice(0, maxTyped).trimEnd()

const kinds = ['bot', 'tournament', 'pair'] as const

/** Known kinds of a list, in a fixed order; bots if there is none. */
const readKinds = (text: string): readonly (typeof kinds)[number][] => {
  const named = new Set(text.toLowerCase().split(/[\s,]+/))
  const known = kinds.filter((kind) => named.has(kind))
  return known.length > 0 ? known : ['bot']
}

const autocompleteQuery = parameters(
  {
    q: textParameter('the text typed so far'),
    limit: limitParameter(20, 8),
    weightClass: weightClassParameter('only bots that fought in this weight class'),
    kind: textParameter(
      'kinds of suggestions, comma-separated: `bot`, `tournament` and `pair` (two bots, such as `wynk vs gon`)',
      { default: 'bot' },
    ),
  },
  {
    // Equivalent requests share a cached response.
    normalize: ({ q = '', kind = '' }) => ({ q: cleanTyped(q), kind: readKinds(kind).join() }),
  },
)

export const searchRoutes = (timeZone: string) =>
  new Elysia({ tags: ['search'] })
    .use(archived)
    .get(
      '/search',
      ({ archive, cached, query: { q } }) => {
        if (q === undefined || [...q].length < shortestQuery) {
          return status(400, { error: 'q must have at least 2 characters' })
        }
        const { bots, botSearch, tournamentSearch, dataset } = archive
        const { found, meeting } = findBots(readText(botSearch, q), maxBots)
        return cached({
          query: q,
          bots: found.map(({ bot, score }) => ({ ...botSummary(bot), score })),
          tournaments: searchTournaments(
            tournamentSearch,
            dataset,
            q,
            maxTournaments,
            timeZone,
          ).map(({ tournament, score }) => ({ ...tournamentView(tournament.info), score })),
          teams: findTeams(bots, q, maxTeams).map(foundTeam),
          fights: fightsOf(meeting, maxFights).map(fightSummary),
        })
      },
      {
        ...parameters({
          q: textParameter('a bot, a tournament, or two bots; 2 characters or more', {
            'x-required': true,
            'x-minLength': shortestQuery,
          }),
        }),
        response: { 200: SearchResults, 400: ErrorBody },
        detail: {
          operationId: 'search',
          summary: 'Bots, tournaments, teams, and fights between two bots',
          description:
            'Matches misspelt, partial and joined names, subsets of words in any order, initials, names without vowels or with digits for letters. Ranked by exact name, then by match quality, then by number of fights. Words such as `team`, `robot`, weight classes, dates and the name of the league are ignored beside a name. A text that names two bots (`a vs b`, `a b`, `AvsB`) also finds their fights, under way and to come too.',
        },
      },
    )
    .get(
      '/autocomplete',
      ({ archive, cached, query: { q: typed, limit, weightClass, kind }, set }) => {
        const { botSearch, tournamentSearch, dataset } = archive
        const wanted = readKinds(kind)
        const key = classOrIgnored(archive, weightClass, set)?.key
        const accepts =
          key === undefined ? undefined : (bot: Bot) => totalsIn(bot, key) !== undefined
        const text = readText(botSearch, typed)
        const found = wanted.includes('bot') ? findBots(text, limit, accepts).found : []
        return cached({
          query: typed,
          suggestions: found.map(suggestion),
          ...(wanted.includes('tournament') && {
            tournaments: searchTournaments(
              tournamentSearch,
              dataset,
              typed,
              Math.min(limit, maxTournaments),
              timeZone,
            ).map(tournamentSuggestion),
          }),
          ...(wanted.includes('pair') && {
            pairs: suggestPairs(text, Math.min(limit, maxPairs)).map(pairSuggestion),
          }),
        })
      },
      {
        ...autocompleteQuery,
        response: { 200: Suggestions },
        detail: {
          operationId: 'autocomplete',
          summary: 'Autocomplete of bot names, from one character on',
          description:
            'Small responses for a search box, ranked as in `/search`. Case and punctuation do not matter; the first 48 characters are read. `match` has the ranges to highlight. With `kind`, tournaments and pairs of bots are suggested, too.',
        },
      },
    )
