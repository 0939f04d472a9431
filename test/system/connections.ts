import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { type Running, startService, stopService } from '../process.ts'

/** How long a connection without progress may stay. */
const withinMs = 30_000

let running: Running
beforeAll(async () => {
  running = await startService()
})
afterAll(async () => {
  expect(await stopService(running)).toBe(0)
})

/** Sends some bytes, then one more every three seconds; gives the time until the connection is closed. */
const lastsMs = async (begin: string, more: string, reads = true): Promise<number> => {
  const closed = Promise.withResolvers<void>()
  const started = performance.now()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(running.url).port),
    socket: { data: () => undefined, close: () => closed.resolve(), error: () => undefined },
  })
  if (!reads) socket.pause()
  socket.write(begin)
  const timer = setInterval(() => {
    if (more !== '') socket.write(more)
  }, 3000)
  await Promise.race([closed.promise, Bun.sleep(withinMs + 5000)])
  clearInterval(timer)
  socket.terminate()
  return performance.now() - started
}

describe('a connection that is kept open by half a request ends within 30 s', () => {
  const head = 'POST /fights HTTP/1.1\r\nHost: x\r\n'
  test.concurrent.each([
    ['nothing at all', '', ''],
    ['half a header', 'GET /fights HTTP/1.1\r\nHost: x\r\nX-A: ', ''],
    ['a header, byte by byte', 'GET /fights HTTP/1.1\r\nHost: x\r\nX-A: ', 'a'],
    ['half a body', `${head}Content-Length: 100\r\n\r\nabc`, ''],
    ['a body, byte by byte', `${head}Content-Length: 100\r\n\r\nabc`, 'a'],
    ['a body without an end', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
    ['a body of a GET', 'GET /fights HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc', 'a'],
  ])('%s', async (_, begin, more) => {
    expect(await lastsMs(begin, more)).toBeLessThan(withinMs)
  })
})

test('an answer that nobody reads holds its connection for at most 30 s', async () => {
  const { pid } = running.process
  const open = async () => (await readdir(`/proc/${pid}/fd`)).length
  // Those of the tests before are closed by then.
  await Bun.sleep(1000)
  const before = await open()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: Number(new URL(running.url).port),
    socket: { data: () => undefined, error: () => undefined },
  })
  socket.pause()
  socket.write('GET /openapi HTTP/1.1\r\nHost: x\r\n\r\n')
  await Bun.sleep(2000)
  expect(await open()).toBeGreaterThan(before)
  await Bun.sleep(withinMs)
  expect(await open()).toBe(before)
  socket.terminate()
})
