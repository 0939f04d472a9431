/**
 * The least that a server can do: sends the same bytes and headers to everybody. Takes the path of a file
 * with the body, and the headers as JSON; prints where it listens.
 */
const [path = '', headers = '{}'] = Bun.argv.slice(2)
const body = await Bun.file(path).bytes()
const init = { headers: new Headers(JSON.parse(headers)) }
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(body, init),
})
process.stdout.write(`listening on http://127.0.0.1:${server.port}\n`)

export {}
