interface Pair {
  server: Bun.Socket<undefined> | undefined
  /** Received before the server is connected. */
  waiting: Buffer[]
}

/** A TCP relay to the server of a URL, whose connections can be cut or hang. */
export const openRelay = (serverUrl: string) => {
  const { hostname, port } = new URL(serverUrl)
  const clients = new Map<Bun.Socket<Pair>, Pair>()
  let isCut = false
  let isHanging = false
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
            data: (_, bytes) => void (isHanging || client.write(bytes)),
            close: () => void client.end(),
          },
        })
      },
      data: ({ data: { server, waiting } }, bytes) => {
        if (isHanging) return
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
  const url = new URL(serverUrl)
  url.host = `127.0.0.1:${listener.port}`
  return {
    url: url.href,
    port: listener.port,
    /** Local ports of its connections to the server. */
    ports: (): readonly number[] =>
      [...clients.values()].flatMap(({ server }) => server?.localPort ?? []),
    /** Ends all connections, and refuses new ones until it is mended. */
    cut: () => cutOthers(0),
    /** Ends all connections but the one with this local port. */
    cutOthers,
    /** Passes nothing on until it is mended; bytes sent meanwhile are lost. */
    hang: (): void => {
      isHanging = true
    },
    /** Accepts new connections after a cut. */
    accept: (): void => {
      isCut = false
    },
    mend: (): void => {
      isCut = false
      isHanging = false
    },
    close: () => listener.stop(true),
  }
}
