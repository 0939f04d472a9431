/** What a load generator looks at of an answer. */
export interface Answer {
  readonly status: number
  readonly etag: string | null
}

export interface Connection {
  /** Sends the bytes of one request; the next may follow when its answer has come. */
  readonly send: (request: string, isHead: boolean) => void
  readonly close: () => void
}

const headersEnd = '\r\n\r\n'

/**
 * Keeps a connection to this machine. `onAnswer` hears of each answer when all of it is there, and of
 * undefined when the connection was closed or what came is no answer; the next request then opens
 * another connection.
 */
export const connectTo = (
  port: number,
  onAnswer: (answer: Answer | undefined) => void,
): Connection => {
  let socket: Bun.Socket<undefined> | undefined
  let isWaiting = false
  let isHead = false
  let headers = ''
  let answer: Answer | undefined
  let bodyBytes = 0

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
  /** Gives what of the chunk belongs to the body; undefined while headers are missing. */
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
    answer = { status, etag: head.match(/\r\netag: (.*)\r/i)?.[1] ?? null }
    return text.length - end - headersEnd.length
  }
  const handlers: Bun.SocketHandler<undefined> = {
    data: (from, chunk) => {
      if (from !== socket) return
      const bytes = answer ? chunk.length : readHeaders(chunk)
      if (bytes === undefined) return
      bodyBytes -= bytes
      // Neither is true of an answer that does not say how long it is.
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
    try {
      const opened = await Bun.connect<undefined>({
        hostname: '127.0.0.1',
        port,
        data: undefined,
        socket: handlers,
      })
      socket = opened
      opened.write(request)
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
