import { KindGuard, type TSchema } from '@sinclair/typebox'
import type { OpenAPIV3 } from 'openapi-types'
import packageFile from '../../../package.json' with { type: 'json' }
import { createTimeSlice } from '../../runtime/timeSlice.ts'
import { ErrorBody } from '../errors.ts'
import { isCharged, isUngated } from '../gate.ts'
import { createComponents } from './components.ts'
import { isOfRatings } from './ofRatings.ts'
import { headerParameters, headers, pathParameters } from './shared.ts'
import { description, tags } from './texts.ts'

/** Properties of a route that the document uses. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly hooks: {
    readonly detail?: OpenAPIV3.OperationObject & {
      readonly hide?: boolean
      readonly 'x-ungated'?: boolean
    }
    readonly query?: unknown
    readonly response?: unknown
  }
}

interface SharedResponse {
  readonly name: string
  readonly description: string
  /** Headers besides the common ones. */
  readonly headers?: readonly string[]
}

/** Responses shared by all operations, by status. */
const shared: Readonly<Record<string, SharedResponse>> = {
  302: { name: 'Found', description: 'see the Location header', headers: ['Location', 'Link'] },
  304: {
    name: 'NotModified',
    description: 'the response named by If-None-Match is current',
    headers: ['ETag', 'Link', 'Accept-Ranges', 'X-Data-Clock'],
  },
  400: { name: 'BadRequest', description: 'the request is invalid' },
  404: { name: 'NotFound', description: 'not found' },
  410: {
    name: 'CursorGone',
    description: 'the cursor is unknown, too old, or from before a removal',
  },
  414: { name: 'AddressTooLong', description: 'the URL is longer than 8 KiB' },
  416: {
    name: 'RangeNotSatisfiable',
    description: 'the range begins after the end of the file',
    headers: ['ETag', 'Accept-Ranges', 'Content-Range', 'X-Data-Clock'],
  },
  429: {
    name: 'TooManyRequests',
    description: 'the client is beyond its limits, if the operator sets any',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  500: {
    name: 'InternalError',
    description: 'internal error; the log holds its cause under the X-Request-Id',
  },
  502: { name: 'BadGateway', description: 'the streaming server is unreachable' },
  503: {
    name: 'Unavailable',
    description: 'the data is not loaded yet, a file is being made, or the service is overloaded',
    headers: ['Retry-After'],
  },
}

const templateOf = ({ path }: Route): string =>
  path.replace(/(.)\/$/, '$1').replace(/:(\w+)/g, '{$1}')

const refTo = (
  kind: 'headers' | 'parameters' | 'responses',
  name: string,
): OpenAPIV3.ReferenceObject => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Headers of every response, without the general headers of HTTP and CORS. */
const commonHeaders =
  'X-Data-Version X-Data-Age X-Request-Id X-Ignored-Parameters Cache-Control'.split(' ')

/** Headers of a file and of its parts. */
const fileHeaders = ['ETag', 'Accept-Ranges', 'Content-Disposition', 'X-Data-Clock']

const json = 'application/json'
const contentType = (schema: TSchema): string => schema['x-content-type'] ?? json

const isSchema = (value: unknown): value is TSchema => KindGuard.IsSchema(value)

const responseSchemas = ({ hooks }: Route): Record<string, TSchema> => {
  const declared = Object.entries(hooks.response ?? {}).filter(([, schema]) => isSchema(schema))
  // Gated routes answer 503 under overload and until the data is loaded, 429 beyond a limit.
  const limited = isUngated({ hooks }) && !isCharged({ hooks }) ? {} : { 429: ErrorBody }
  const unavailable = isUngated({ hooks }) ? limited : { ...limited, 503: ErrorBody }
  return { ...Object.fromEntries(declared), 414: ErrorBody, 500: ErrorBody, ...unavailable }
}

/** True if a schema requires the sentence that every error has. */
const isError = ({ required }: TSchema): boolean => required?.includes('error') === true

const isShown = ({ method, hooks }: Route): boolean => method === 'GET' && !hooks.detail?.hide

/** All operations, without their responses. */
export const listOperations = (routes: readonly Route[]) =>
  routes
    .filter(({ method }) => method === 'GET')
    .map((route) => {
      const { summary = '', tags = [] } = route.hooks.detail ?? {}
      const { query } = route.hooks
      const parameters: Readonly<Record<string, TSchema>> = isSchema(query) ? query.properties : {}
      return {
        path: templateOf(route),
        summary,
        tags,
        /** True if it is not in the document, such as a page. */
        isHidden: !isShown(route),
        query: parameters,
      }
    })
export type Operation = ReturnType<typeof listOperations>[number]

export interface DocumentOptions {
  /** URL before the paths; empty for the one of the document. */
  readonly server?: string
  readonly dataLicense?: OpenAPIV3.LicenseObject | undefined
  /** True if there are ratings; the default. */
  readonly hasRatings?: boolean
}

/**
 * Builds the OpenAPI 3.0.3 document of all visible routes from the schemas that validate responses. Paths are absolute,
 * because many clients ignore the `servers` of a path and the legacy routes have their own base. Built in time slices;
 * as a whole it takes 20 ms. Rejects if a route has no operationId.
 */
export const buildDocument = async (
  routes: readonly Route[],
  { server = '', dataLicense, hasRatings = true }: DocumentOptions = {},
): Promise<OpenAPIV3.Document> => {
  const slice = createTimeSlice()
  const { schemas, convert } = createComponents((schema) => hasRatings || !isOfRatings(schema))
  const responses: Record<string, OpenAPIV3.ResponseObject> = {}
  const parameters: Record<string, OpenAPIV3.ParameterObject> = { ...headerParameters }

  const response = (
    description: string,
    names: readonly string[],
    schema: TSchema | undefined,
  ): OpenAPIV3.ResponseObject => ({
    description,
    headers: Object.fromEntries(
      [...commonHeaders, ...names].map((name) => [name, refTo('headers', name)]),
    ),
    ...(schema ? { content: { [contentType(schema)]: { schema: convert(schema) } } } : {}),
  })

  const sharedOf = (status: string): SharedResponse => {
    const found = shared[status]
    if (!found) throw new Error(`a response of status ${status} is not described`)
    return found
  }

  const sharedResponse = (status: string, schema?: TSchema): OpenAPIV3.ReferenceObject => {
    const { name, description, headers = [] } = sharedOf(status)
    responses[name] ??= response(description, headers, schema)
    return refTo('responses', name)
  }

  /** Errors and redirects of an operation. All its errors have one schema, because some generators refuse two. */
  const otherResponses = (declared: Readonly<Record<string, TSchema>>) => {
    const own = Object.values(declared).find((schema) => isError(schema) && schema !== ErrorBody)
    return Object.fromEntries(
      Object.entries(declared).map(([status, schema]) => {
        if (Number(status) < 400) return [status, sharedResponse(status)]
        const { description, headers = [] } = sharedOf(status)
        return [status, own ? response(description, headers, own) : sharedResponse(status, schema)]
      }),
    )
  }

  const pathParameter = (name: string): OpenAPIV3.ReferenceObject => {
    const parameter = pathParameters[name]
    if (!parameter) throw new Error(`{${name}} is not described`)
    parameters[name] = { name, in: 'path', required: true, ...parameter }
    return refTo('parameters', name)
  }

  const queryParameters = (query: unknown): OpenAPIV3.ParameterObject[] =>
    isSchema(query)
      ? Object.entries<TSchema>(query.properties).map(([name, declared]) => {
          // Checked by the handler, for its own error message.
          const minLength = declared['x-minLength']
          const schema = minLength === undefined ? declared : { ...declared, minLength }
          const { description, 'x-values': values } = schema
          return {
            name,
            in: 'query',
            required: schema['x-required'] === true,
            ...(description ? { description } : {}),
            ...(values
              ? {
                  explode: false,
                  schema: { type: 'array', items: { type: 'string', enum: values } },
                }
              : { schema: convert(schema) }),
          }
        })
      : []

  const operation = (route: Route): OpenAPIV3.OperationObject => {
    const { detail, query } = route.hooks
    if (!detail?.operationId) throw new Error(`${route.path} has no operationId`)
    const named = [...templateOf(route).matchAll(/\{(\w+)\}/g)]
    const { 200: success, 206: part, ...failures } = responseSchemas(route)
    const links = detail.deprecated === true || success?.properties?.pagination !== undefined
    const isStream = success !== undefined && !part && contentType(success) !== json
    const sent = links ? ['ETag', 'Link'] : ['ETag']
    const headers = part ? fileHeaders : isStream ? ['X-Accel-Buffering'] : sent
    const read: readonly (keyof typeof headerParameters)[] = [
      ...(success && !isStream ? (['IfNoneMatch'] as const) : []),
      'ApiKey',
      ...(isStream ? (['LastEventID'] as const) : []),
      ...(part ? (['Range', 'IfRange'] as const) : []),
    ]
    const { hide: _hide, 'x-ungated': _ungated, ...described } = detail
    return {
      ...described,
      parameters: [
        ...named.map(([, name = '']) => pathParameter(name)),
        ...queryParameters(query),
        ...read.map((name) => refTo('parameters', name)),
      ],
      responses: {
        ...(success && {
          200: response('success', headers, success),
          ...(part && {
            206: response('the part that Range asks for', [...headers, 'Content-Range'], part),
          }),
          ...(!isStream && { 304: sharedResponse('304') }),
        }),
        ...otherResponses(failures),
      },
    }
  }

  const paths: OpenAPIV3.PathsObject = {}
  for (const route of routes.filter(isShown)) {
    paths[templateOf(route)] = { get: operation(route) }
    if (slice.isOver()) await slice.next()
  }
  const info = {
    title: 'Cageside',
    version: '2.0.0',
    'x-program-version': packageFile.version,
    description,
    license: dataLicense ?? { name: 'MIT', url: 'https://opensource.org/license/mit' },
  }
  return {
    openapi: '3.0.3',
    info,
    servers: [{ url: server || '/' }],
    security: [],
    tags: [...tags],
    paths,
    components: { schemas, headers, parameters, responses },
  }
}
