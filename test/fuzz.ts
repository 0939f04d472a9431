import fc from 'fast-check'
import type { OpenAPIV3 } from 'openapi-types'
import { createContract } from './contract.ts'

/** A request without an answer by then hangs: the longest take some milliseconds. */
const longestMs = 20_000

const wrongMethods = ['POST', 'PUT', 'DELETE', 'PATCH'] as const

/** Texts that have broken other services. */
const hostile = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e3',
    '0x10',
    'NaN',
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '..',
    '.',
    '%00',
    '%',
    '%E0%A4',
    '\u0000',
    "' OR 1=1 --",
    '<script>alert(1)</script>',
    '{{7*7}}',
    '../../etc/passwd',
    '\u202Etxt',
    '🤖'.repeat(20),
    'ﷺ',
    'x'.repeat(5000),
    '9'.repeat(400),
    '99999999999999999999',
    '2147483648',
    'é́́́',
    '(a+)+$',
    'a b c d e f g h i j',
    '\r\nX-Injected: 1',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

/** A text that is nearly the given one. */
const nearly = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(fc.nat(text.length), fc.string({ unit: 'grapheme', maxLength: 2 }), fc.boolean())
    .map(([at, inserted, drops]) => text.slice(0, at) + inserted + text.slice(drops ? at + 1 : at))

/** Mostly existing values, often nearly existing ones, sometimes anything. */
const around = (text: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(text) },
    { weight: 3, arbitrary: nearly(text) },
    { weight: 2, arbitrary: hostile },
  )

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** A value for a query parameter, from its schema. */
const queryValue = (schema: OpenAPIV3.SchemaObject, resolve: Resolve): fc.Arbitrary<string> => {
  if (schema.type === 'integer') {
    const { minimum = -5, maximum = 1000 } = schema
    return fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: minimum, max: maximum }).map(String) },
      { weight: 2, arbitrary: fc.integer().map(String) },
      { weight: 1, arbitrary: hostile },
    )
  }
  if (schema.type === 'boolean') return fc.oneof(fc.constantFrom('1', 'true', 'yes', '0'), hostile)
  if (schema.enum) return fc.oneof(fc.constantFrom(...schema.enum.map(String)), hostile)
  return fc.oneof(around(resolve('q')), around(resolve('tag')), hostile)
}

type Resolve = (name: string) => string

interface Sent {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

const headersArbitrary = fc.record(
  {
    'accept-encoding': fc.constantFrom('br', 'gzip', 'zstd', 'identity', '*;q=0', 'br;q=x, gzip'),
    'if-none-match': fc.constantFrom('*', '"x"', 'W/"x"', 'W/', '"', 'W/"a", W/"b"'),
    'x-api-key': fc.constantFrom(
      'fuzz',
      'sk_live_0123456789abcdef01234567',
      '<b>',
      'x'.repeat(500),
    ),
    accept: fc.constantFrom('*/*', 'text/html', 'application/xml', ';;;'),
    origin: fc.constantFrom('https://example.org', 'null'),
    range: fc.constantFrom('bytes=0-10', 'bytes=-1'),
  },
  { requiredKeys: [] },
)

const requestArbitrary = (
  template: string,
  parameters: readonly OpenAPIV3.ParameterObject[],
): fc.Arbitrary<Sent> => {
  const resolve: Resolve = (name) =>
    String(
      parameters.find((parameter) => parameter.name === name)?.example ??
        { q: 'wynk', tag: 'Hero-Bot' }[name] ??
        'none',
    )
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const path = fc.tuple(...names.map((name) => around(resolve(name)))).map((values) => {
    let at = 0
    return template.replace(/\{\w+\}/g, () => encode(values[at++] ?? ''))
  })
  const known = parameters
    // A long poll takes as long as requested.
    .filter((parameter) => parameter.in === 'query' && parameter.name !== 'wait')
    .map(({ name, schema }) =>
      queryValue(schema && !('$ref' in schema) ? schema : {}, resolve).map(
        (value) => `${name}=${encode(value)}`,
      ),
    )
  const strange = fc.tuple(hostile, hostile).map((pair) => pair.map(encode).join('='))
  const query = fc.array(fc.oneof(...known, strange), { maxLength: 4 })
  const method = fc.oneof(
    { weight: 12, arbitrary: fc.constant('GET') },
    { weight: 2, arbitrary: fc.constant('HEAD') },
    { weight: 1, arbitrary: fc.constantFrom('OPTIONS', ...wrongMethods) },
  )
  return fc.record({
    method,
    target: fc
      .tuple(path, query, fc.boolean())
      .map(
        ([path, parts, slash]) =>
          path + (slash ? '/' : '') + (parts.length ? '?' : '') + parts.join('&'),
      ),
    headers: headersArbitrary,
  })
}

const bodyOf = (bytes: Uint8Array): unknown =>
  bytes.length === 0
    ? undefined
    : JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))

/**
 * Sends `runs` requests made from the description that a service serves at `base`: valid, nearly valid and hostile
 * ones. Compares every answer with that description, and throws with the smallest request whose answer breaks it.
 */
export const fuzz = async (
  base: string,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<void> => {
  const document: unknown = await (await fetch(`${base}/openapi`)).json()
  const contract = createContract(document)
  const { origin } = new URL(base)

  const send = async ({ method, target, headers }: Sent) => {
    const signal = AbortSignal.timeout(longestMs)
    const response = await fetch(origin + target, { method, headers, redirect: 'manual', signal })
    const type = response.headers.get('content-type') ?? ''
    const isStream = type.startsWith('text/event-stream')
    if (isStream) await response.body?.cancel()
    const bytes = isStream ? new Uint8Array() : await response.bytes()
    const isFile = /^(application\/(gzip|vnd\.cageside)|text\/markdown)/.test(type)
    return { response, bytes, isStream, isFile }
  }

  const problems = async (sent: Sent): Promise<string[]> => {
    const { response, bytes, isStream, isFile } = await send(sent)
    const { status, headers } = response
    if (sent.method === 'OPTIONS') return status === 204 ? [] : [`OPTIONS: ${status}`]
    if (sent.method !== 'GET' && sent.method !== 'HEAD') {
      const isRefused = status === 405 && headers.get('allow') === 'GET, HEAD, OPTIONS'
      return isRefused ? [] : [`${sent.method}: ${status}`]
    }
    // The frames of a stream are checked by the tests of streams.
    if (isStream) return status === 200 ? [] : [`stream: ${status}`]
    const mayBeEmpty = sent.method === 'HEAD' || status === 302 || status === 304
    if (mayBeEmpty !== (bytes.length === 0)) return [`${status} with ${bytes.length} bytes`]
    // The request is refused before its path is known.
    if (status === 414) return sent.target.length > 8192 ? [] : ['414 for a short address']
    const { pathname } = new URL(response.url)
    if (isFile) {
      const isKnown = status === 200 || status === 206
      return [
        ...(isKnown ? [] : [`a file with ${status}`]),
        ...contract.problems(pathname, { status, headers, body: undefined }),
      ]
    }
    // Pages for browsers are not in the description.
    if (headers.has('content-security-policy')) return []
    // A segment with dots or slashes becomes another path when sent.
    return contract.problems(pathname, { status, headers, body: bodyOf(bytes) })
  }

  const requests = contract.operations.map(({ template, operation }) =>
    requestArbitrary(template, operation.parameters),
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(...requests), async (sent) => {
      const found = await problems(sent)
      if (found.length > 0) throw new Error(`${found.join('; ')}\n${JSON.stringify(sent)}`)
    }),
    { numRuns: runs, seed, interruptAfterTimeLimit: 3_600_000 },
  )
}
