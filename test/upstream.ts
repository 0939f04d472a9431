import { createServer, type Socket } from 'node:net'

/** A loopback server that responds with arbitrary bytes, and counts what it could send. */
export interface Upstream {
  readonly url: string
  /** Requests so far. */
  readonly requests: () => number
  readonly sentBytes: () => number
  readonly openConnections: () => number
  readonly stop: () => void
}

/**
 * A TCP server that hands each request and its path over to `respond`. It does nothing of HTTP itself, so it can be
 * silent or wrong.
 */
export const rawUpstream = (respond: (socket: Socket, path: string) => void): Promise<Upstream> => {
  const sockets = new Set<Socket>()
  let requests = 0
  let closedBytes = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      closedBytes += socket.bytesWritten
    })
    socket.once('data', (chunk) => {
      requests += 1
      respond(socket, chunk.toString('latin1').split(' ')[1] ?? '')
    })
  })
  const { promise, resolve, reject } = Promise.withResolvers<Upstream>()
  server.once('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address !== 'object' || !address) return reject(new Error('no port'))
    resolve({
      url: `http://127.0.0.1:${address.port}`,
      requests: () => requests,
      sentBytes: () => [...sockets].reduce((sum, each) => sum + each.bytesWritten, closedBytes),
      openConnections: () => sockets.size,
      stop: () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      },
    })
  })
  return promise
}

/** The head of an answer of unknown length, followed by the body. */
export const head = (contentType: string, status = '200 OK', more = ''): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${contentType}\r\nConnection: close\r\n${more}\r\n`
