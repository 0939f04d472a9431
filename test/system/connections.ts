import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  projectFolder,
  type Running,
  runToEnd,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { until } from '../until.ts'

/** Maximum time of a connection without progress. */
const withinMs = 30_000

let running: Running
/** The body is larger than the kernel's buffers of a connection, and is made before the clocks of the tests run. */
let large: string
beforeAll(async () => {
  large = join(await temporaryFolder(), 'large.cageside')
  const generate = ['scripts/generate.ts', '--scale', '5', '--out', large]
  await runToEnd([process.execPath, ...generate], { cwd: projectFolder })
  running = await startService()
})
afterAll(async () => {
  expect(await stopService(running)).toBe(0)
})

const servicePort = (): number => Number(new URL(running.url).port)

/** Sends some bytes, then one more every three seconds; returns the time until the connection is closed. */
const lastsMs = async (begin: string, more: string): Promise<number> => {
  const closed = Promise.withResolvers<void>()
  const started = performance.now()
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: servicePort(),
    socket: { data: () => undefined, close: () => closed.resolve(), error: () => undefined },
  })
  socket.write(begin)
  const timer = setInterval(() => {
    if (more !== '') socket.write(more)
  }, 3000)
  await Promise.race([closed.promise, Bun.sleep(withinMs + 5000)])
  clearInterval(timer)
  socket.terminate()
  return performance.now() - started
}

describe('connections with half a request', () => {
  const head = 'POST /fights HTTP/1.1\r\nHost: x\r\n'
  test.concurrent.each([
    ['nothing at all', '', ''],
    ['half a header', 'GET /fights HTTP/1.1\r\nHost: x\r\nX-A: ', ''],
    ['a header, byte by byte', 'GET /fights HTTP/1.1\r\nHost: x\r\nX-A: ', 'a'],
    ['half a body', `${head}Content-Length: 100\r\n\r\nabc`, ''],
    ['a body, byte by byte', `${head}Content-Length: 100\r\n\r\nabc`, 'a'],
    ['a body without an end', `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
    ['a body of a GET', 'GET /fights HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc', 'a'],
  ])('a connection ends within 30 s if it stays open with %s', async (_, begin, more) => {
    expect(await lastsMs(begin, more)).toBeLessThan(withinMs)
  })
})

test.concurrent.each([
  ['a small body', '/ready'],
  ['a body over 64 KiB', '/openapi'],
])('a connection stays usable for over 30 s after %s', async (_, path) => {
  let [answers, isClosed] = ['', false]
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: servicePort(),
    socket: {
      data: (_, bytes) => {
        answers += bytes.toString()
      },
      close: () => {
        isClosed = true
      },
    },
  })
  const count = () => answers.match(/HTTP\/1\.1 200/g)?.length ?? 0
  for (const answered of [1, 2]) {
    if (answered === 2) await Bun.sleep(withinMs)
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await until(() => isClosed || count() === answered)
    expect([answered, isClosed]).toEqual([answered, false])
  }
  socket.terminate()
})

/**
 * Bytes that wait in the kernel on the service's end of the connection from this local port; undefined once it is
 * closed.
 */
const queuedBytes = async (from: number, to: number): Promise<string | undefined> => {
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1)
  const portOf = (address = ''): number => Number.parseInt(address.split(':')[1] ?? '', 16)
  for (const line of lines) {
    // An orphaned socket, which the kernel still sends from, has the inode 0.
    const [, local, remote, , queued, , , , , inode] = line.trim().split(/\s+/)
    if (portOf(local) === to && portOf(remote) === from && inode !== '0') return queued
  }
  return undefined
}

test.concurrent('an answer that nobody reads holds its connection for about 30 s', async () => {
  const service = await startService({ SNAPSHOT: large })
  const port = Number(new URL(service.url).port)
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: { data: () => undefined, error: () => undefined },
  })
  socket.pause()
  socket.write('GET /snapshot HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(async () => (await queuedBytes(socket.localPort, port)) !== undefined)
  // Making the answer takes a while on a busy machine: the time counts from the last bytes sent.
  let [sentAt, queued] = [performance.now(), '']
  await until(async () => {
    const now = await queuedBytes(socket.localPort, port)
    if (now !== undefined && now !== queued) [sentAt, queued] = [performance.now(), now]
    return now === undefined
  })
  // The service takes 24 s and Bun's timer of connections up to 4 s; the rest is for a busy machine.
  expect(performance.now() - sentAt).toBeLessThan(withinMs + 10_000)
  socket.terminate()
  expect(await stopService(service)).toBe(0)
})
