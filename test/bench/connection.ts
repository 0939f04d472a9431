/** The part of a response that a load generator checks. */
export interface Answer {
  readonly status: number
  readonly etag: string | null
}

export interface Connection {
  /** Sends one request; the next may follow after its response. */
  readonly send: (request: string, isHead: boolean) => void
  readonly close: () => void
}

const headersEnd = '\r\n\r\n'
/** The last bytes of a chunked body. */
const lastChunk = '\r\n0\r\n\r\n'

/**
 * A keep-alive connection to a server of this machine. `onAnswer` gets each complete response, or undefined if the
 * connection closed or the response is malformed; the next request then opens a new connection.
 */
export const connectTo = (
  url: string,
  onAnswer: (answer: Answer | undefined) => void,
): Connection => {
  const { port, protocol } = new URL(url)
  const isSecure = protocol === 'https:'
  let socket: Bun.Socket<undefined> | undefined
  let isWaiting = false
  let isHead = false
  let headers = ''
  let answer: Answer | undefined
  let bodyBytes = 0
  let isChunked = false
  let lastBytes = ''

  const finish = (finished: Answer | undefined): void => {
    if (!isWaiting) return
    isWaiting = false
    answer = undefined
    headers = ''
    if (!finished) {
      socket?.end()
      socket = undefined
    }
    onAnswer(finished)
  }
  /** Returns the bytes of the chunk that belong to the body; undefined while headers are incomplete. */
  const readHeaders = (chunk: Buffer): number | undefined => {
    const text = headers + chunk.toString('latin1')
    const end = text.indexOf(headersEnd)
    if (end < 0) {
      headers = text
      return undefined
    }
    const head = text.slice(0, end + 2)
    const status = Number(head.slice(9, 12))
    const length = head.match(/\r\ncontent-length: (\d+)\r/i)?.[1]
    const hasBody = !isHead && status !== 204 && status !== 304
    bodyBytes = hasBody ? Number(length ?? Number.NaN) : 0
    isChunked = hasBody && /\r\ntransfer-encoding: chunked\r/i.test(head)
    lastBytes = ''
    answer = { status, etag: head.match(/\r\netag: (.*)\r/i)?.[1] ?? null }
    return text.length - end - headersEnd.length
  }
  const handlers: Bun.SocketHandler<undefined> = {
    data: (from, chunk) => {
      if (from !== socket) return
      const bytes = answer ? chunk.length : readHeaders(chunk)
      if (bytes === undefined) return
      if (isChunked) {
        const bytesAtEnd = chunk.subarray(-lastChunk.length).toString('latin1')
        lastBytes = (lastBytes + bytesAtEnd).slice(-lastChunk.length)
        if (lastBytes === lastChunk) finish(answer)
        return
      }
      bodyBytes -= bytes
      // Neither is true without a Content-Length: NaN.
      if (bodyBytes === 0) finish(answer)
      else if (!(bodyBytes > 0)) finish(undefined)
    },
    close: (from) => {
      if (from !== socket) return
      socket = undefined
      finish(undefined)
    },
    error: () => undefined,
  }
  const open = async (request: string): Promise<void> => {
    const handshake = (to: Bun.Socket<undefined>): void => void to.write(request)
    try {
      const opened = await Bun.connect<undefined>({
        hostname: '127.0.0.1',
        port: Number(port),
        // Certificates of tests are self-signed.
        tls: isSecure && { rejectUnauthorized: false },
        data: undefined,
        socket: { ...handlers, ...(isSecure && { handshake }) },
      })
      socket = opened
      if (!isSecure) opened.write(request)
    } catch {
      finish(undefined)
    }
  }
  return {
    send: (request, head) => {
      isWaiting = true
      isHead = head
      if (socket) socket.write(request)
      else void open(request)
    },
    close: () => {
      isWaiting = false
      socket?.end()
      socket = undefined
    },
  }
}
