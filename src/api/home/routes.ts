import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { prefersHtml } from '../../http/negotiation.ts'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Operation } from '../../openapi/document.ts'
import { searchTournaments } from '../../search/tournamentSearch.ts'
import { viewCages } from '../live/lookup.ts'
import { cageStates } from '../live/view.ts'
import { findBots } from '../search/lookup.ts'
import { buildPage, contentSecurityPolicy, type Results } from './page.ts'
import { ApiIndex } from './schema.ts'
import { apiIndex } from './view.ts'

const maxBots = 10
const maxTournaments = 5
const maxFights = 10

const find = ({ botSearch, tournamentSearch, dataset }: TrackedArchive, query: string): Results => {
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

/** Files that the page loads, by name. */
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
 * The page for browsers and the JSON index, at one URL. `Vary` has `Accept-Encoding` only, so
 * caches cannot tell them apart: both are `private, no-cache`, kept out of shared caches and
 * revalidated by browsers.
 */
export const homeRoutes = (basePath: string, operations: () => readonly Operation[]) =>
  new Elysia({ tags: ['service'] })
    .use(requestContext)
    .get(
      basePath || '/',
      ({ archive, cached, query: { q, isPage }, set }) => {
        set.headers['cache-control'] = caching.negotiated
        if (!isPage) return cached(apiIndex(operations(), basePath))
        const cages = archive?.cages
        const page = buildPage({
          basePath,
          cages:
            cages &&
            archive.timed(viewCages(cages, (now) => Object.values(cageStates(cages, now)))),
          results: archive && q !== undefined ? find(archive, q) : undefined,
        })
        set.headers['content-security-policy'] = contentSecurityPolicy
        set.headers['content-type'] = 'text/html; charset=utf-8'
        return new Response(page.toString())
      },
      {
        ...parameters({
          query: Type.Object({
            q: Type.Optional(
              Type.String({
                description: 'search text of the page for browsers; ignored by the index',
              }),
            ),
          }),
          varyOn: 'accept',
          normalize: ({ q }, { header }) => {
            const isPage = prefersHtml(header)
            return { isPage, q: isPage ? q : undefined }
          },
        }),
        response: { 200: ApiIndex },
        detail: {
          operationId: 'getIndex',
          summary: 'Index of the endpoints',
          description:
            'JSON unless `Accept` prefers `text/html`: browsers get a page with a search box and the cages.',
        },
      },
    )
    .get(
      `${basePath}/home/:asset`,
      async ({ cached, set, params: { asset }, status }) => {
        const file = assets.get(asset)
        if (!file) return status(404, { error: 'path not found' })
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = file.type
        return cached(await Bun.file(new URL(file.address)).text())
      },
      { detail: { hide: true } },
    )
