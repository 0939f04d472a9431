import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { OpenAPIV3 } from 'openapi-types'
import { caching } from '../../http/caching.ts'
import { notFound } from '../../http/errors.ts'
import { exampleTournament, withExamples } from '../../http/openapi/examples.ts'
import { requestContext } from '../../http/requestContext.ts'
import { once } from '../../runtime/once.ts'
import { assets, buildPage, type Destinations } from './page.ts'

const Document = Type.Object(
  { openapi: Type.String() },
  { title: 'OpenAPIDocument', description: 'OpenAPI 3.0.3', additionalProperties: true },
)

/**
 * The OpenAPI document of all routes, and a page that shows it. `document` is built at first use.
 */
export const docsRoutes = (
  {
    basePath,
    linkPath,
    destinations,
  }: {
    readonly basePath: string
    readonly linkPath: string
    readonly destinations: Destinations | undefined
  },
  document: () => Promise<OpenAPIV3.Document>,
) => {
  const page = once(() => buildPage(linkPath, destinations))
  return new Elysia({ prefix: basePath, tags: ['service'] })
    .use(requestContext)
    .get(
      '/openapi',
      async ({ archive, cached, set }) => {
        set.headers['cache-control'] = caching.archive
        if (!archive) return document()
        return cached(withExamples(await document(), archive.lookup(exampleTournament)))
      },
      {
        response: { 200: Document },
        detail: {
          operationId: 'getOpenAPI',
          summary: 'The OpenAPI document',
          description: 'OpenAPI 3.0.3; its parameters have values of this league as examples.',
        },
      },
    )
    .get(
      '/docs',
      async ({ cached, set }) => {
        const { html, contentSecurityPolicy } = await page()
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = 'text/html; charset=utf-8'
        set.headers['content-security-policy'] = contentSecurityPolicy
        return cached(html)
      },
      { detail: { hide: true } },
    )
    .get(
      '/docs/:asset',
      async ({ cached, set, params: { asset } }) => {
        const file = assets.get(asset)
        if (!file) return notFound('path')
        set.headers['cache-control'] = caching.archive
        set.headers['content-type'] = file.type
        // Sent as text: Elysia answers range requests for a file.
        return cached(await Bun.file(file.path).text())
      },
      { detail: { hide: true } },
    )
}
