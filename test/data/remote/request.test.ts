import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  RequestError,
  type RequestOptions,
  readBody,
  readText,
  reasonOf,
  request,
} from '../../../src/data/remote/request.ts'
import { temporaryFolder } from '../../process.ts'

const asked: (readonly [string, string | null])[] = []
/** Resolves when the reader of an endless answer has left. */
const endless = Promise.withResolvers<void>()
const answer = (request: Request): Response => {
  const { pathname, searchParams, origin } = new URL(request.url)
  asked.push([`${origin}${pathname}`, request.headers.get('x-api-key')])
  const to = searchParams.get('to')
  const status = Number(searchParams.get('status') ?? 302)
  if (to !== null) return new Response(null, { status, headers: { Location: to } })
  if (pathname === '/endless') {
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      await Bun.sleep(1)
      controller.enqueue(new Uint8Array(64 * 1024))
    }
    return new Response(new ReadableStream({ pull, cancel: endless.resolve }))
  }
  if (pathname === '/capitals')
    return new Response('{}', { headers: { 'Content-Type': ' Application/JSON ; charset=utf-8' } })
  return pathname === '/missing' ? new Response('', { status: 404 }) : Response.json({ fine: true })
}
const serve = (tls?: { readonly key: string; readonly cert: string }) =>
  Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer, ...(tls && { tls }) })

const own = serve()
const other = serve()
let secure: ReturnType<typeof serve>
const { NODE_TLS_REJECT_UNAUTHORIZED: before } = process.env

beforeAll(async () => {
  const folder = await temporaryFolder()
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const made = Bun.spawnSync(
    [
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
    ].concat(['-days', '1', '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', cert]),
  )
  expect(made.exitCode).toBe(0)
  secure = serve({ key: await Bun.file(key).text(), cert: await Bun.file(cert).text() })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
})
afterAll(async () => {
  if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  for (const server of [own, other, secure]) await server.stop(true)
})

const outcome = (path: string, options: Partial<RequestOptions> = {}): Promise<string> =>
  request(
    `${own.url.origin}${path}`,
    { signal: AbortSignal.timeout(5000), headers: { 'X-API-Key': 'secret' }, ...options },
    (found) => readText(found, { maxBytes: 1000 }),
  ).catch((error) => (error instanceof RequestError ? error.message : Promise.reject(error)))
const redirect = (target: string) => `/?to=${encodeURIComponent(target)}`
const found = '{"fine":true}'

test('a redirect leads only to the same origin, or to a public one by https', async () => {
  const everywhere: Partial<RequestOptions> = { reachOf: () => 'public' }
  const within: Partial<RequestOptions> = { reachOf: () => 'local' }
  for (const isTrusted of [true, false]) {
    expect(await outcome(redirect('/found'), { isTrusted })).toBe(found)
    for (const { url } of [other, secure]) {
      const target = redirect(`${url.origin}/found`)
      expect(await outcome(target, { isTrusted, ...within })).toBe('the address is not allowed')
    }
    const target = redirect(`${other.url.origin}/found`)
    expect(await outcome(target, { isTrusted, ...everywhere })).toBe('the address is not allowed')
    const byHttps = redirect(`${secure.url.origin}/found`)
    expect(await outcome(byHttps, { isTrusted, ...everywhere })).toBe(found)
  }
})

test.each([300, 301, 302, 303, 304, 305, 307, 308, 309])(
  'an address in an answer is followed or not by its status %d',
  async (status) => {
    const isFollowed = [301, 302, 303, 305, 307, 308].includes(status)
    const expected = isFollowed ? found : `the server answered ${status}`
    expect(await outcome(`${redirect('/found')}&status=${status}`)).toBe(expected)
  },
)

test('a connection ends with the use of its answer, read or not', async () => {
  const options = { signal: new AbortController().signal }
  expect(await request(`${own.url.origin}/endless`, options, async ({ status }) => status)).toBe(
    200,
  )
  await endless.promise
})

test('a key is sent only to the origin of the address', async () => {
  asked.length = 0
  const target = redirect(redirect(`${secure.url.origin}/found`))
  expect(await outcome(target, { reachOf: () => 'public' })).toBe(found)
  expect(asked).toEqual([
    [`${own.url.origin}/`, 'secret'],
    [`${own.url.origin}/`, 'secret'],
    [`${secure.url.origin}/found`, null],
  ])
})

test('a trusted address may be anywhere, but not the target of its redirect', async () => {
  const metadata = { reachOf: () => undefined }
  expect(await outcome('/found', metadata)).toBe('the address is not allowed')
  expect(await outcome('/found', { ...metadata, isTrusted: true })).toBe(found)
  const target = redirect(`${secure.url.origin}/found`)
  expect(await outcome(target, { ...metadata, isTrusted: true })).toBe('the address is not allowed')
  const ofLink = request('http://[fe80::1]/', { signal: AbortSignal.timeout(5000) }, async () => 0)
  await expect(ofLink).rejects.toThrow('the address is not allowed')
})

describe('a name', () => {
  /** A server in another network at the port of the test server. */
  const internal = Bun.serve({
    port: own.port ?? 0,
    hostname: '127.0.0.2',
    fetch: () => Response.json({ internal: true }),
  })
  afterAll(() => internal.stop(true))

  const resolved = (addresses: readonly string[], options: Partial<RequestOptions> = {}) =>
    request(
      `http://rival.example:${own.port}/found`,
      {
        signal: AbortSignal.timeout(5000),
        resolve: (_, __, callback) =>
          callback(
            null,
            addresses.map((address) => ({ address, family: 4 })),
          ),
        reachOf: (address) =>
          ({ '127.0.0.1': 'public' as const, '127.0.0.2': 'local' as const })[address],
        ...options,
      },
      (answer) => readText(answer, { maxBytes: 1000 }),
    )

  test.each([
    [['127.0.0.1']],
    [['127.0.0.2', '127.0.0.1']],
    [['127.0.0.3', '127.0.0.2', '127.0.0.1']],
  ])('a name for %j is requested at its public address', async (addresses) => {
    expect(await resolved(addresses)).toBe(found)
  })

  test('a name in a private network is requested there, but not after a redirect of a public server', async () => {
    expect(await resolved(['127.0.0.3', '127.0.0.2'])).toBe('{"internal":true}')
    let asked = 0
    const moving: RequestOptions['resolve'] = (_, __, callback) => {
      asked++
      callback(null, [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }])
    }
    const to = `http://rival.example:${own.port}/?to=${encodeURIComponent('/found')}`
    const options: RequestOptions = {
      signal: AbortSignal.timeout(5000),
      resolve: moving,
      reachOf: (address) => (address === '127.0.0.1' ? 'public' : 'local'),
    }
    const moved = request(to, options, (answer) => readText(answer, { maxBytes: 1000 }))
    await expect(moved).rejects.toThrow('the address is not allowed')
    expect(asked).toBe(2)
  })

  test('an unknown name, or one without a usable address, is not requested', async () => {
    await expect(resolved(['127.0.0.3'])).rejects.toThrow('the address is not allowed')
    await expect(resolved([])).rejects.toThrow('the address is not allowed')
    const unknown = Object.assign(new Error('at rival.example'), { code: 'ENOTFOUND' })
    const resolve: RequestOptions['resolve'] = (_, __, callback) => callback(unknown, [])
    await expect(resolved([], { resolve })).rejects.toThrow('no answer (ENOTFOUND)')
  })
})

test('a request never asks for a compressed answer, whatever its headers', async () => {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ headers }) => new Response(headers.get('accept-encoding')),
  })
  try {
    const headers = { 'accept-encoding': 'gzip' }
    const options = { signal: AbortSignal.timeout(5000), headers, openHeaders: headers }
    const asked = request(server.url, options, (answer) => readText(answer, { maxBytes: 100 }))
    expect(await asked).toBe('identity')
  } finally {
    await server.stop(true)
  }
})

test('redirects, sizes, media types and statuses are bounded, with one reason each', async () => {
  const loop = redirect(redirect(redirect(redirect('/found'))))
  expect(await outcome(loop)).toBe('there are too many redirects')
  expect(await outcome(redirect('/found'), { maxRedirects: 0 })).toBe('the server answered 302')
  expect(await outcome('/missing')).toBe('the server answered 404')
  const signal = AbortSignal.timeout(5000)
  const read = (options: Parameters<typeof readText>[1]) =>
    request(own.url, { signal }, (response) => readText(response, options))
  await expect(read({ maxBytes: 5 })).rejects.toThrow('the answer is too large')
  await expect(read({ maxBytes: 50, mediaTypes: ['text/xml', 'text/html'] })).rejects.toThrow(
    'the answer is not text/xml or text/html',
  )
  expect(await read({ maxBytes: 50, mediaTypes: ['application/json'] })).toBe(found)
  const capitals = await request(`${own.url}capitals`, { signal }, (response) =>
    readText(response, { maxBytes: 2, mediaTypes: ['application/json'] }),
  )
  expect(capitals).toBe('{}')
  const body = await request(own.url, { signal }, (response) => readBody(response, 13))
  expect(body.toString()).toBe(found)
})

test('an error of the reader of an answer passes unchanged', async () => {
  const mistake = new TypeError('mine')
  const signal = AbortSignal.timeout(5000)
  await expect(request(own.url, { signal }, () => Promise.reject(mistake))).rejects.toBe(mistake)
})

test.each<[string, unknown]>([
  ['no answer in time', new DOMException('', 'TimeoutError')],
  ['no answer in time', new DOMException('', 'AbortError')],
  ['no answer (EPIPE)', Object.assign(new Error('at 10.0.0.1'), { code: 'EPIPE' })],
  ['no answer (TypeError)', new TypeError('at 10.0.0.1')],
  ['no answer', 'at 10.0.0.1'],
])('an error has the reason "%s"', (reason, error) => {
  expect(reasonOf(error)).toBe(reason)
})
