import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'
import type { Plain } from './responses.ts'

/** Headers that scripts of other origins can read. */
export const exposedHeaders = [
  'ETag',
  'Link',
  'Age',
  'Retry-After',
  'X-Data-Version',
  'X-Data-Age',
  'X-Request-Id',
  'X-Ignored-Parameters',
]

/** Open to every origin, without credentials. */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
} as const

const preflights = new Elysia().use(
  cors({
    origin: '*',
    methods: ['GET', 'HEAD', 'OPTIONS'],
    // Clients that read streams by fetch send the last two.
    allowedHeaders: [
      'X-API-Key',
      'If-None-Match',
      'Content-Type',
      'Last-Event-ID',
      'Cache-Control',
    ],
    exposeHeaders: exposedHeaders,
    credentials: false,
    maxAge: 86_400,
  }),
)

export const preflight = async (request: Request): Promise<Plain> => {
  const asked = new Request('http://localhost/', { method: 'OPTIONS', headers: request.headers })
  const { status, headers } = await preflights.handle(asked)
  return { status, headers: Object.fromEntries(headers), body: new Uint8Array() }
}
