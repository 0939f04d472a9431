/**
 * Baseline: `Bun.serve` with a fixed response. Arguments: the path of the body, the headers as JSON, the status. Prints
 * its URL. With `reading` as a fourth argument it reads the same parts of a request as the service and sets a request
 * id, which shows the cost of only these calls.
 */
const [path = '', headers = '{}', status, mode] = Bun.argv.slice(2)
const body = await Bun.file(path).bytes()
const init = { headers: new Headers(JSON.parse(headers)), status: Number(status) }

/** Keeps the reads from being optimised away. */
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
