import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'
import type { Archive } from '../../archive/archive.ts'
import { caching } from '../../http/caching.ts'
import { dependsOnNothing, dependsOnParts, exchange, exchangeOf } from '../../http/exchange.ts'
import type { Tournament } from '../../league/types.ts'
import { type Ask, exampleTournament, withExamples } from '../../openapi/examples.ts'
import { assetFile, assets, buildPage, type Page } from './page.ts'

const Document = Type.Object(
  { openapi: Type.String() },
  { title: 'OpenAPIDocument', description: 'OpenAPI 3.0.3', additionalProperties: true },
)

/** Nothing of it depends on the data; it is no part of the description. */
const fixed = {
  transform: ({ request }: { readonly request: Request }): void => {
    const exchange = exchangeOf(request)
    exchange.validUntil = Number.POSITIVE_INFINITY
    dependsOnNothing(exchange)
  },
  detail: { hide: true },
} as const

/** The description of all routes, and a page to read and try it. `document` is built at first use. */
export const docsRoutes = (basePath: string, document: () => OpenAPIV3.Document, ask: Ask) => {
  let page: Promise<Page> | undefined
  let made:
    | {
        readonly tournament: Tournament | undefined
        readonly document: Promise<OpenAPIV3.Document>
      }
    | undefined
  /** Made at first use, and anew when the tournament of its examples changes or is hidden. */
  const described = (archive: Archive): Promise<OpenAPIV3.Document> => {
    const tournament = exampleTournament(archive)
    if (!made || made.tournament !== tournament) {
      const making = { tournament, document: withExamples(document(), tournament, ask) }
      made = making
      making.document.catch(() => {
        if (made === making) made = undefined
      })
    }
    return made.document
  }
  return new Elysia({ prefix: basePath, tags: ['service'] })
    .use(exchange)
    .get(
      '/openapi',
      async ({ exchange, set }) => {
        const { archive } = exchange.moment
        set.headers['cache-control'] = caching.archive
        return archive ? described(archive) : document()
      },
      {
        transform: ({ request }) => {
          const exchange = exchangeOf(request)
          const { archive } = exchange.moment
          if (!archive) return
          exchange.validUntil = Number.POSITIVE_INFINITY
          dependsOnParts(exchange, archive, ['examples'], exampleTournament)
        },
        response: { 200: Document },
        detail: {
          operationId: 'getOpenAPI',
          summary: 'This description',
          description: 'OpenAPI 3.0.3; its examples are answers of this very service.',
        },
      },
    )
    .get(
      '/docs',
      async ({ set }) => {
        page ??= buildPage(basePath)
        const { html, contentSecurityPolicy } = await page
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = 'text/html; charset=utf-8'
        set.headers['content-security-policy'] = contentSecurityPolicy
        return html
      },
      fixed,
    )
    .get(
      '/docs/:asset',
      ({ set, params: { asset }, status }) => {
        const type = assets.get(asset)
        if (!type) return status(404, { error: 'path not found' })
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = type
        // As text: of a file Elysia makes an answer to a question for a range.
        return assetFile(asset).text()
      },
      fixed,
    )
}
