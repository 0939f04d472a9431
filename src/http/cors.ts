import { cors as elysiaCors } from '@elysiajs/cors'

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

/** Open to every origin, without credentials. The pipeline replaces the plugin's own `Vary`. */
export const cors = () =>
  elysiaCors({
    origin: '*',
    methods: ['GET', 'HEAD', 'OPTIONS'],
    allowedHeaders: ['X-API-Key', 'If-None-Match', 'Content-Type'],
    exposeHeaders: exposedHeaders,
    credentials: false,
    maxAge: 86_400,
  })
