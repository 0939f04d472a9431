import { type TSchema, TypeGuard } from '@sinclair/typebox'
import type { OpenAPIV3 } from 'openapi-types'
import { ErrorBody } from '../http/errors.ts'
import { createComponents } from './components.ts'
import { headers, parameters, pathParameters } from './shared.ts'
import { description, tags } from './texts.ts'

/** What the document needs of a route of the app. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly hooks: {
    readonly detail?: OpenAPIV3.OperationObject & { readonly hide?: boolean }
    readonly query?: unknown
    readonly response?: unknown
  }
}

/** Where the app is mounted. */
export interface Bases {
  readonly basePath: string
  readonly legacyBase: string
}

/** Routes that answer without data; all others are 503 until it is loaded. */
const needNoData: ReadonlySet<string> = new Set(['/health', '/live/streams', '/openapi', '/usage'])

const reasons: Readonly<Record<string, string>> = {
  200: 'success',
  302: 'the address is in the Location header',
  304: 'what the client has, as told by its If-None-Match, is current',
  400: 'the request cannot be answered',
  404: 'there is no such thing',
  500: 'the service failed; tell its operator the X-Request-Id',
  502: 'the streaming server is unreachable',
  503: 'the data is not loaded yet',
}

/** The path of a route as OpenAPI writes it, relative to its base. */
const relative = (path: string, base: string): string =>
  path
    .slice(base.length)
    .replace(/(.)\/$/, '$1')
    .replace(/:(\w+)/g, '{$1}')

const refTo = (kind: 'headers' | 'parameters', name: string): OpenAPIV3.ReferenceObject => ({
  $ref: `#/components/${kind}/${name}`,
})

const always = [
  'X-Data-Version',
  'X-Data-Age',
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'X-Content-Type-Options',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Date',
]

const headerNames: Readonly<Record<string, readonly string[]>> = {
  200: [...always, 'ETag', 'Content-Length', 'Content-Encoding'],
  302: [...always, 'Location'],
  304: [...always, 'ETag'],
  503: [...always, 'Content-Length', 'Retry-After'],
}

const isSchema = (value: unknown): value is TSchema => TypeGuard.IsSchema(value)

const responseSchemas = ({ hooks }: Route, template: string): Record<string, TSchema> => {
  const declared = Object.entries(hooks.response ?? {}).filter(([, schema]) => isSchema(schema))
  const noData = needNoData.has(template) ? {} : { 503: ErrorBody }
  return { ...Object.fromEntries(declared), 500: ErrorBody, ...noData }
}

/**
 * The description of every route of the app that is not hidden, as OpenAPI 3.0.3, made from the very
 * schemas that answers are checked against. Throws for a route without a name for its operation.
 */
export const buildDocument = (
  routes: readonly Route[],
  { basePath, legacyBase }: Bases,
): OpenAPIV3.Document => {
  const { schemas, convert } = createComponents()

  const response = (
    status: string,
    schema: TSchema | undefined,
    links: boolean,
  ): OpenAPIV3.ResponseObject => {
    const names = [...(headerNames[status] ?? [...always, 'Content-Length'])]
    if (links && Number(status) < 400) names.push('Link')
    return {
      description: reasons[status] ?? status,
      headers: Object.fromEntries(names.map((name) => [name, refTo('headers', name)])),
      ...(schema && !TypeGuard.IsVoid(schema)
        ? { content: { 'application/json': { schema: convert(schema) } } }
        : {}),
    }
  }

  const queryParameters = (query: unknown): OpenAPIV3.ParameterObject[] =>
    isSchema(query)
      ? Object.entries<TSchema>(query.properties).map(([name, schema]) => {
          const { description } = schema
          return {
            name,
            in: 'query',
            required: schema['x-required'] === true,
            ...(description ? { description } : {}),
            schema: convert(schema),
          }
        })
      : []

  const isLegacy = ({ hooks }: Route): boolean => hooks.detail?.tags?.includes('legacy') === true
  const templateOf = (route: Route): string =>
    relative(route.path, isLegacy(route) ? legacyBase : basePath)

  const operation = (route: Route): OpenAPIV3.OperationObject => {
    const { detail, query } = route.hooks
    if (!detail?.operationId) throw new Error(`${route.path} has no operationId`)
    const template = templateOf(route)
    const named = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
      const parameter = pathParameters[name]
      if (!parameter) throw new Error(`{${name}} is not described`)
      return { name, in: 'path', required: true, ...parameter }
    })
    const bodies = responseSchemas(route, template)
    const links = detail.deprecated === true || bodies[200]?.properties?.pagination !== undefined
    const responses = Object.entries(bodies).map(([status, schema]) => [
      status,
      response(status, schema, links),
    ])
    const { hide: _hide, ...described } = detail
    return {
      ...described,
      parameters: [
        ...named,
        ...queryParameters(query),
        ...Object.keys(parameters).map((name) => refTo('parameters', name)),
      ],
      responses: Object.fromEntries(
        bodies[200] ? [...responses, ['304', response('304', undefined, links)]] : responses,
      ),
    }
  }

  const shown = routes.filter(({ method, hooks }) => method === 'GET' && !hooks.detail?.hide)
  const paths = Object.fromEntries(
    shown.map((route) => [
      templateOf(route),
      {
        ...(isLegacy(route) ? { servers: [{ url: legacyBase || '/' }] } : {}),
        get: operation(route),
      },
    ]),
  )
  return {
    openapi: '3.0.3',
    info: {
      title: 'Cageside',
      version: '2.0.0',
      description,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: basePath || '/' }],
    security: [],
    tags: [...tags],
    paths,
    components: { schemas, headers, parameters },
  }
}
