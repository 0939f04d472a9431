import { KindGuard, type TSchema } from '@sinclair/typebox'
import { ElysiaCustomStatusResponse } from 'elysia'
import { Memoirist } from 'memoirist'
import { compiled } from '../runtime/once.ts'
import type { Bytes } from './encoding.ts'
import { isCharged, isUngated } from './gate.ts'
import { readingOf, readPathParameter, readQuery } from './parameters.ts'
import { type BodyStream, type Given, given, type Late, requireArchive } from './requestContext.ts'
import { nothingRead, trackReads } from './trackedArchive.ts'

/** A route as Elysia holds it: its handler, the hooks before it, and the schemas of its responses. */
export interface DeclaredRoute {
  readonly method: string
  readonly path: string
  readonly handler: unknown
  readonly hooks: {
    readonly transform?: unknown
    readonly query?: unknown
    readonly response?: unknown
    readonly detail?: object
  }
}

/** Context shared by the hooks and the handler of a request: the part of Elysia's that routes use. */
export interface HandlerContext extends Given {
  readonly request: Request
  readonly params: Record<string, string>
  query: unknown
  readonly set: { status?: number | string; readonly headers: Record<string, unknown> }
}

/** Result of a handler, as it is sent. */
export interface Handled {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Bytes | BodyStream | Late
  /** The returned value, by identity. */
  readonly value: unknown
}

type Hook = (context: HandlerContext) => unknown
const isHook = (value: unknown): value is Hook => typeof value === 'function'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isStream = (value: unknown): value is BodyStream => isObject(value) && 'open' in value
const isLate = (value: unknown): value is Late => isObject(value) && 'isWait' in value

/** In order; those that give something have `subType`. */
const hooksOf = (transform: unknown): readonly { readonly fn: Hook; readonly gives: boolean }[] =>
  (Array.isArray(transform) ? transform : []).flatMap(({ fn, subType }) =>
    isHook(fn) && fn !== given ? { fn, gives: subType === 'derive' } : [],
  )

/** One for all routes that respond with a schema. */
const compiledChecks = new WeakMap<TSchema, ReturnType<typeof compiled>>()

/** Throws for a value that breaks its schema; compiled at first use. */
const checkOf = (schema: TSchema) => {
  const compiledCheck = compiledChecks.getOrInsertComputed(schema, compiled)
  return (value: unknown): void => {
    const check = compiledCheck()
    if (check.Check(value)) return
    const error = check.Errors(value).First()
    throw new TypeError(`the response breaks its schema at ${error?.path}: ${error?.message}`)
  }
}

const encoder = new TextEncoder()

const encode = (value: unknown): { readonly bytes: Bytes; readonly type?: string } => {
  if (value === undefined || value === null || value === '') return { bytes: new Uint8Array() }
  if (typeof value === 'string') {
    return { bytes: encoder.encode(value), type: 'text/plain; charset=utf-8' }
  }
  return { bytes: encoder.encode(JSON.stringify(value)), type: 'application/json' }
}

const fromResponse = async (
  response: Response,
  headers: Readonly<Record<string, string>>,
): Promise<Handled> => ({
  status: response.status,
  headers: { ...Object.fromEntries(response.headers), ...headers },
  body: new Uint8Array(await response.arrayBuffer()),
  value: response,
})

/** Result of a handler or an error page, with the headers that it set, as it is sent. */
export const toHandled = (
  returned: unknown,
  { headers: set, status: setStatus }: HandlerContext['set'],
  check?: (status: number, value: unknown) => void,
): Handled | Promise<Handled> => {
  const isStatus = returned instanceof ElysiaCustomStatusResponse
  const value: unknown = isStatus ? returned.response : returned
  const headers: Record<string, string> = {}
  for (const name in set) headers[name] = String(set[name])
  if (isStream(value)) return { status: value.status ?? 200, headers, body: value, value }
  if (isLate(value)) return { status: 200, headers, body: value, value }
  if (value instanceof Response) return fromResponse(value, headers)
  const status = isStatus ? Number(returned.code) : Number(setStatus ?? 200)
  check?.(status, value)
  const { bytes: body, type } = encode(value)
  return { status, headers: { ...(type && { 'content-type': type }), ...headers }, body, value }
}

/** A declared route, ready to be called. */
const toRoute = ({ path, handler, hooks }: DeclaredRoute) => {
  if (!isHook(handler)) throw new TypeError(`${path} has no handler`)
  const { transform, query, response } = hooks
  const before = hooksOf(transform)
  const checks = new Map(
    Object.entries(response ?? {}).flatMap(([status, schema]) =>
      KindGuard.IsSchema(schema) ? [[Number(status), checkOf(schema)] as const] : [],
    ),
  )
  const check = (status: number, value: unknown): void => checks.get(status)?.(value)
  const reading = readingOf(query)
  const tags: unknown = Reflect.get(hooks.detail ?? {}, 'tags')
  return {
    template: path,
    /** It bypasses the gate and the limits of clients. */
    isUngated: isUngated({ hooks }),
    isCharged: isCharged({ hooks }),
    /** A response that read nothing of the archive is then not cached. */
    needsArchive: before.some(({ fn }) => Object.is(fn, requireArchive)),
    /** Whether it has a page for browsers, which get its errors as pages, too. */
    hasPage: reading.variesBy.includes('accept') || (Array.isArray(tags) && tags.includes('pages')),
    ...reading,
    /** Runs the hooks: reads the parameters. Throws where the archive is needed and not loaded. */
    prepare: (context: HandlerContext): void => {
      for (const { fn, gives } of before) {
        const result = fn(context)
        if (gives) Object.assign(context, result)
      }
    },
    /** Runs the handler; rejects for a response that breaks its schema. */
    call: async (context: HandlerContext): Promise<Handled> =>
      toHandled(await handler(context), context.set, check),
  }
}
type Route = ReturnType<typeof toRoute>

/** A route, and the decoded parameters in the path of a request. */
export interface Found {
  readonly route: Route
  readonly params: Record<string, string>
}

/** Arguments of a handler, and the values read and declared during the call. */
export const openContext = (
  { request, moment, sender }: Pick<HandlerContext, 'request' | 'moment' | 'sender'>,
  { route, params }: Found,
) => {
  const { archive, now } = moment
  const { tracked, reads } = archive
    ? trackReads(archive, now)
    : { tracked: undefined, reads: () => nothingRead }
  let declared: { readonly body: unknown } | undefined
  const context: HandlerContext = {
    request,
    params,
    query: {},
    set: { headers: {} },
    archive: tracked,
    cached: (body) => {
      declared = { body }
      return body
    },
    moment,
    given: readQuery(request, route.lists),
    sender,
  }
  const isDeclared = (value: unknown): boolean => declared !== undefined && declared.body === value
  return { context, reads, isDeclared }
}

/** Finds the route of a canonical path, see `target.ts`; of two with one path the last one. */
export const createRoutes = (
  declared: readonly DeclaredRoute[],
): ((path: string) => Found | undefined) => {
  const tree = new Memoirist<Route>({ onParam: readPathParameter })
  for (const route of declared) {
    if (route.method === 'GET') tree.add('GET', route.path.replace(/(.)\/$/, '$1'), toRoute(route))
  }
  return (path) => {
    const found = tree.find('GET', path)
    return found ? { route: found.store, params: found.params } : undefined
  }
}
