/** A TCP relay to a server, whose connections can be cut. */
export interface Relay {
  readonly port: number
  /** Local ports of its connections to the server. */
  readonly ports: () => readonly number[]
  /** Ends all connections, and refuses new ones until {@link Relay.mend}. */
  readonly cut: () => void
  /** The same, but for the connection with this local port. */
  readonly cutOthers: (port: number) => void
  readonly mend: () => void
  readonly close: () => void
}

interface Pair {
  server: Bun.Socket<undefined> | undefined
  /** Received before the server is connected. */
  waiting: Buffer[]
}

/** Relays to the server of a URL. */
export const openRelay = (url: string): Relay => {
  const { hostname, port } = new URL(url)
  const clients = new Map<Bun.Socket<Pair>, Pair>()
  let isCut = false
  const listener = Bun.listen<Pair>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open: (client) => {
        if (isCut) {
          client.terminate()
          return
        }
        const pair: Pair = { server: undefined, waiting: [] }
        client.data = pair
        clients.set(client, pair)
        void Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            open: (server) => {
              pair.server = server
              for (const bytes of pair.waiting) server.write(bytes)
            },
            data: (_, bytes) => void client.write(bytes),
            close: () => void client.end(),
          },
        })
      },
      data: ({ data: { server, waiting } }, bytes) => {
        if (server) server.write(bytes)
        else waiting.push(bytes)
      },
      close: (client) => {
        clients.get(client)?.server?.end()
        clients.delete(client)
      },
      error: () => undefined,
    },
  })
  const cutOthers = (kept: number): void => {
    isCut = true
    for (const [client, { server }] of clients) {
      if (server?.localPort !== kept) client.terminate()
    }
  }
  return {
    port: listener.port,
    ports: () => [...clients.values()].flatMap(({ server }) => server?.localPort ?? []),
    cut: () => cutOthers(0),
    cutOthers,
    mend: () => {
      isCut = false
    },
    close: () => listener.stop(true),
  }
}
