/**
 * A worker that sends the same request over and over, several at a time on each of its connections,
 * and posts how many answers a second came. It is told `{port, request, ms}`.
 */
declare const self: Worker

const connections = 16
const atOnce = 8
const answerStart = 'HTTP/1.1 200'

const run = async (port: number, request: string, ms: number): Promise<number> => {
  const batch = request.repeat(atOnce)
  let answers = 0
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => {
      let inBatch = 0
      let rest = ''
      return Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          open: (socket) => void socket.write(batch),
          data: (socket, chunk) => {
            const text = rest + chunk.toString('latin1')
            let seen = 0
            for (let at = text.indexOf(answerStart); at >= 0; seen += 1) {
              at = text.indexOf(answerStart, at + answerStart.length)
            }
            rest = text.slice(-answerStart.length + 1)
            answers += seen
            inBatch += seen
            if (inBatch < atOnce) return
            inBatch -= atOnce
            socket.write(batch)
          },
        },
      })
    }),
  )
  // The first moments are not those of a busy server.
  await Bun.sleep(ms / 4)
  const [started, before] = [performance.now(), answers]
  await Bun.sleep(ms)
  const perSecond = ((answers - before) / (performance.now() - started)) * 1000
  for (const socket of sockets) socket.end()
  return perSecond
}

self.onmessage = async ({ data }: MessageEvent<{ port: number; request: string; ms: number }>) => {
  self.postMessage(await run(data.port, data.request, data.ms))
}
