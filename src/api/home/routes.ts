import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'
import type { Archive } from '../../archive/archive.ts'
import { searchTournaments } from '../../derived/tournamentSearch.ts'
import { caching } from '../../http/caching.ts'
import { dependsOnNothing, exchange, exchangeOf } from '../../http/exchange.ts'
import { prefersHtml } from '../../http/negotiation.ts'
import { lenient } from '../../http/parameters.ts'
import { cageStates } from '../live/view.ts'
import { findBots } from '../search/lookup.ts'
import { buildPage, contentSecurityPolicy, type Results } from './page.ts'
import { ApiIndex } from './schema.ts'
import { apiIndex } from './view.ts'

const maxBots = 10
const maxTournaments = 5
const maxFights = 10

const find = ({ botSearch, tournamentSearch, dataset }: Archive, query: string): Results => {
  const { found, meeting } = findBots(botSearch, query, maxBots)
  return {
    query,
    bots: found.map(({ bot }) => bot),
    tournaments: searchTournaments(tournamentSearch, dataset, query, maxTournaments).map(
      ({ tournament }) => tournament.info,
    ),
    fights: meeting?.fights.slice(0, maxFights) ?? [],
  }
}

/** The files that the page loads, by name. */
const assets: ReadonlyMap<string, { readonly type: string; readonly address: string }> = new Map([
  ['home.css', { type: 'text/css; charset=utf-8', address: import.meta.resolve('./home.css') }],
  [
    'home.js',
    { type: 'text/javascript; charset=utf-8', address: import.meta.resolve('./home.js') },
  ],
  [
    'combobox-nav.js',
    {
      type: 'text/javascript; charset=utf-8',
      address: import.meta.resolve('@github/combobox-nav'),
    },
  ],
])

/**
 * The page for browsers and the index for programs, at one address. `Vary` names `Accept-Encoding`
 * alone, so no cache may choose between the two by itself: both are `private, no-cache`, which keeps them
 * out of shared caches and makes a browser ask each time, with a 304 for what it has. The shell stores
 * neither, because it looks answers up by address.
 */
export const homeRoutes = (basePath: string, describe: () => OpenAPIV3.Document) =>
  new Elysia({ tags: ['service'] })
    .use(exchange)
    .get(
      basePath || '/',
      ({ exchange: { moment }, query: { q }, request, set }) => {
        set.headers['cache-control'] = caching.negotiated
        if (!prefersHtml(request.headers.get('accept'))) return apiIndex(describe(), basePath)
        const { archive, now } = moment
        const page = buildPage({
          basePath,
          cages: archive && Object.values(cageStates(archive.cages, now)),
          results: archive && q !== undefined ? find(archive, q) : undefined,
        })
        set.headers['content-security-policy'] = contentSecurityPolicy
        set.headers['content-type'] = 'text/html; charset=utf-8'
        return new Response(page.toString())
      },
      {
        ...lenient(
          Type.Object({
            q: Type.Optional(
              Type.String({
                description: 'what the page for browsers searches; no part of the index',
              }),
            ),
          }),
        ),
        response: { 200: ApiIndex },
        detail: {
          operationId: 'getIndex',
          summary: 'The endpoints, by path',
          description:
            'JSON unless `Accept` prefers `text/html`: browsers get a page with a search box and the cages.',
        },
      },
    )
    .get(
      `${basePath}/home/:asset`,
      ({ set, params: { asset }, status }) => {
        const file = assets.get(asset)
        if (!file) return status(404, { error: 'path not found' })
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = file.type
        return Bun.file(new URL(file.address)).text()
      },
      {
        transform: ({ request }) => {
          const exchange = exchangeOf(request)
          exchange.validUntil = Number.POSITIVE_INFINITY
          dependsOnNothing(exchange)
        },
        detail: { hide: true },
      },
    )
