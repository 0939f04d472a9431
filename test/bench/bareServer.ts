/**
 * The least that a server can do: sends the same bytes and headers to everybody. Takes the path of a file
 * with the body, and the headers as JSON; prints where it listens. With `reading` as a third argument it
 * asks Bun for all that an answer of the service depends on or is counted by, and gives each its id: what
 * it then answers less is the price of these calls alone.
 */
const [path = '', headers = '{}', mode] = Bun.argv.slice(2)
const body = await Bun.file(path).bytes()
const init = { headers: new Headers(JSON.parse(headers)) }

/** Keeps what was read from being left out as useless. */
let seen = 0
const readHeaders = ['if-none-match', 'accept-encoding', 'user-agent', 'x-api-key']
const reading = (request: Request, listening: Bun.Server<undefined>): Response => {
  seen += request.url.length + (listening.requestIP(request)?.address.length ?? 0)
  for (const name of readHeaders) seen += request.headers.get(name)?.length ?? 0
  init.headers.set('x-request-id', `request-${seen.toString(36)}`)
  return new Response(body, init)
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: mode === 'reading' ? reading : () => new Response(body, init),
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)

export {}
