import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../../http/caching.ts'
import { type HtmlPage, readSpoilers, type Spoilers } from '../../http/htmlPage.ts'
import { prefersHtml } from '../../http/negotiation.ts'
import type { Operation } from '../../http/openapi/document.ts'
import { parameters, textParameter } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { ApiIndex } from './schema.ts'
import { type Addresses, apiIndex } from './view.ts'

/** Input of the page for browsers. */
export interface HomeRequest {
  readonly archive: TrackedArchive | undefined
  readonly q: string | undefined
  readonly spoilers: Spoilers
}

/**
 * The JSON index and, with `page`, a page for browsers at the same URL. `Vary` has `Accept-Encoding` only, so
 * caches cannot distinguish them: both are `private, no-cache`, kept out of shared caches and
 * revalidated by browsers.
 */
export const homeRoutes = (
  { basePath, linkPath, dataLicense }: Addresses,
  operations: () => readonly Operation[],
  page: HtmlPage<HomeRequest> | undefined,
) =>
  new Elysia({ tags: ['service'] }).use(requestContext).get(
    basePath || '/',
    async ({ archive, cached, query: { q, spoilers, isPage }, set }) => {
      set.headers['cache-control'] = caching.negotiated
      if (!page || !isPage)
        return cached(apiIndex(operations(), { basePath, linkPath, dataLicense }))
      const response = await page({ archive, q, spoilers }, set)
      return archive ? cached(response) : response
    },
    {
      ...parameters(
        {
          q: textParameter('search text of the page for browsers; ignored by the index'),
        },
        {
          alsoRead: /^spoilers$/,
          varyOn: ['accept'],
          normalize: ({ q }, { headers, given }) => {
            const isPage = page !== undefined && prefersHtml(headers.get('accept'))
            return {
              isPage,
              q: isPage ? q : undefined,
              spoilers: isPage ? readSpoilers(given.get('spoilers')) : undefined,
            }
          },
        },
      ),
      response: { 200: Type.Unsafe<ApiIndex | Response>(ApiIndex) },
      detail: {
        operationId: 'getIndex',
        summary: 'Index of the endpoints',
        description:
          'JSON unless `Accept` prefers `text/html`: browsers get a page with a search box and the cages.',
      },
    },
  )
