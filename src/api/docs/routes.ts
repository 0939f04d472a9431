import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'
import { caching } from '../../http/caching.ts'
import { type Exchange, exchange } from '../../http/exchange.ts'
import { type Ask, withExamples } from '../../openapi/examples.ts'
import { assetFile, assets, buildPage, type Page } from './page.ts'

const Document = Type.Object(
  { openapi: Type.String() },
  { title: 'OpenAPIDocument', description: 'OpenAPI 3.0.3', additionalProperties: true },
)

const hidden = { detail: { hide: true } } as const

/** Nothing of it depends on the data. */
const keep = (exchange: Exchange): void => {
  exchange.validUntil = Number.POSITIVE_INFINITY
  exchange.holdsFor = () => true
}

/** The description of all routes, and a page to read and try it. `document` is built at first use. */
export const docsRoutes = (basePath: string, document: () => OpenAPIV3.Document, ask: Ask) => {
  let page: Promise<Page> | undefined
  return new Elysia({ prefix: basePath, tags: ['service'] })
    .use(exchange)
    .get(
      '/openapi',
      async ({ exchange, set }) => {
        const { archive } = exchange
        set.headers['cache-control'] = caching.archive
        if (!archive) return document()
        const { dataVersion } = archive
        exchange.validUntil = Number.POSITIVE_INFINITY
        exchange.holdsFor = (other) => other.dataVersion === dataVersion
        return withExamples(document(), archive, ask)
      },
      {
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
      async ({ exchange, set }) => {
        keep(exchange)
        page ??= buildPage(basePath)
        const { html, contentSecurityPolicy } = await page
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = 'text/html; charset=utf-8'
        set.headers['content-security-policy'] = contentSecurityPolicy
        return html
      },
      hidden,
    )
    .get(
      '/docs/:asset',
      ({ exchange, set, params: { asset }, status }) => {
        const type = assets.get(asset)
        if (!type) return status(404, { error: 'path not found' })
        keep(exchange)
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = type
        // As text: of a file Elysia makes an answer to a question for a range.
        return assetFile(asset).text()
      },
      hidden,
    )
}
