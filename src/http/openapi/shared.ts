import type { OpenAPIV3 } from 'openapi-types'

const text = (description: string, example: string): OpenAPIV3.HeaderObject => ({
  description,
  schema: { type: 'string' },
  example,
})

const count = (description: string, example: number): OpenAPIV3.HeaderObject => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
})

export const headers: Readonly<Record<string, OpenAPIV3.HeaderObject>> = {
  'X-Data-Version': text('version of the data; `none` until it is loaded', '9f2c1e07ab34d5c6'),
  'X-Data-Age': count('seconds since the data was last known to be current', 1),
  'X-Request-Id': text('id of the request in the log of the service', '019ab3f27d1c7a05-1k'),
  'X-Ignored-Parameters': text(
    'names of the parameters that the endpoint does not know, at most 10; absent without any',
    'sort, class',
  ),
  'Cache-Control': text('how long a cache may keep the response', 'public, max-age=60'),
  ETag: text(
    'tag of the uncompressed body; send it back as If-None-Match',
    'W/"Zm9vYmFyYmF6cXV4MTIzNA"',
  ),
  'Accept-Ranges': text('`bytes`: parts of the file can be requested', 'bytes'),
  'Content-Range': text('which bytes of how many these are', 'bytes 0-1023/482113'),
  'Content-Disposition': text('suggested name', 'attachment; filename="bots.csv.gz"'),
  'X-Data-Clock': count('time of the league in Unix seconds; of `/snapshot`', 1_773_520_271),
  Location: text('URL of the target', 'https://media.example/still-17.jpg'),
  'Retry-After': count('seconds to wait before a retry', 2),
  RateLimit: text('units left and seconds until there are more', '"client";r=0;t=2'),
  'RateLimit-Policy': text(
    'number of units, and the seconds until they return',
    '"client";q=500;w=25',
  ),
  'X-Accel-Buffering': text('`no`: proxies send each change at once', 'no'),
  Link: text('related URLs (RFC 8288)', '</fights?page=2&limit=100>; rel="next"'),
}

const headerParameter = (
  name: string,
  description: string,
  limits: OpenAPIV3.SchemaObject = {},
): OpenAPIV3.ParameterObject => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', ...limits },
})

/** Headers that operations read. */
export const headerParameters = {
  IfNoneMatch: headerParameter(
    'If-None-Match',
    'ETag of the cached response; 304 if it is current',
  ),
  ApiKey: headerParameter(
    'X-API-Key',
    'a name of your choice, published in /usage if it consists of words and short ' +
      'numbers between single separators; it never changes a response. The query parameter `key` ' +
      'has the same effect',
    { maxLength: 64 },
  ),
  LastEventID: headerParameter(
    'Last-Event-ID',
    'cursor of the last change that is known, as an EventSource sends it; before `since`',
  ),
  Range: headerParameter('Range', 'one range of bytes; of several the whole file is sent'),
  IfRange: headerParameter(
    'If-Range',
    'ETag of the file that the range is of; of another one the whole file is sent',
  ),
} as const

interface PathParameter {
  readonly description: string
  readonly schema: OpenAPIV3.SchemaObject
}

const textual = (description: string): PathParameter => ({
  description,
  schema: { type: 'string' },
})

export const pathParameters: Readonly<Record<string, PathParameter>> = {
  tournamentID: textual('id of a tournament'),
  gameID: textual('id of a game of the tournament, such as W-12'),
  playerID: textual('id of a player of the tournament'),
  recordingID: {
    description: 'number of a recording',
    schema: { type: 'integer', format: 'int64', minimum: 1 },
  },
  bot: textual('clean or display name of a bot'),
  bot1: textual('clean or display name of a bot'),
  bot2: textual('clean or display name of another bot'),
  token: textual('public share token of a clip'),
  stillID: textual('number or public share token of a still'),
  file: textual('name of a file in the index'),
  cageNumber: {
    description: 'number of a cage: 1, 2, 4, 5, 6, or another that the league has',
    schema: { type: 'integer', format: 'int32', minimum: 1 },
  },
}
