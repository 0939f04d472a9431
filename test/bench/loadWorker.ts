/**
 * The load generator: a process that sends requests, checks the status of each response, and reports. Its parent sends
 * {@link LoadTask}s one at a time; each gets a {@link LoadReply}. With a rate, requests are due at even intervals
 * regardless of responses: the latency of a request that waited for a free connection counts from its due time, in
 * ticks of a millisecond.
 */

import { readCatalog } from './catalog.ts'
import { type Answer, type Connection, connectTo } from './connection.ts'
import { createEventTraffic } from './eventTraffic.ts'
import { createHostileTraffic } from './hostileTraffic.ts'
import { createCheapTraffic, createExpensiveTraffic } from './overloadTraffic.ts'
import { createPollingTraffic } from './pollingTraffic.ts'
import { type Summary, summary } from './stats.ts'
import { getRequest, type Traffic, type TrafficRequest } from './traffic.ts'

const traffics = {
  event: createEventTraffic,
  polling: createPollingTraffic,
  hostile: createHostileTraffic,
  expensive: createExpensiveTraffic,
  cheap: createCheapTraffic,
}

export interface LoadTask {
  /** The base URL of a service; the only URL with `single`. */
  readonly url: string
  readonly traffic: keyof typeof traffics | 'single'
  readonly seed: number
  /** Headers of a single URL. */
  readonly headers?: Readonly<Record<string, string>>
  /** Expected status of the responses of a single URL; 200 or 304 by default. */
  readonly status?: number
  readonly connections: number
  /** Ends after this many requests or milliseconds. */
  readonly requests?: number
  readonly ms?: number
  /** Requests per second; unlimited by default. */
  readonly perSecond?: number
}

export interface LoadResult {
  readonly responses: number
  readonly perSecond: number
  /** Missing responses and unexpected statuses. */
  readonly failures: number
  readonly examples: readonly string[]
  readonly statuses: Readonly<Record<string, number>>
  readonly latencyMs: Summary
  /** CPU time of this process as a share of one core: near 1, the load is the bottleneck. */
  readonly cpuShare: number
}

export type LoadReply = { readonly result: LoadResult } | { readonly error: string }

/** The load is kept while tasks are for the same service, so that traffic continues where it stopped. */
interface Session {
  readonly key: string
  readonly traffic: Traffic
  readonly etags: Map<string, string>
}
let session: Session | undefined

const createTraffic = async ({
  url,
  traffic,
  seed,
  headers,
  status: expected,
}: LoadTask): Promise<Traffic> => {
  if (traffic !== 'single') return traffics[traffic](await readCatalog(url), seed)
  const { pathname, search } = new URL(url)
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`)
  const isExpected = (status: number): boolean =>
    expected === undefined ? status === 200 || status === 304 : status === expected
  const request = { ...getRequest(pathname + search, isExpected), headers: lines.join('') }
  return () => request
}

const sessionOf = async (task: LoadTask): Promise<Session> => {
  const key = JSON.stringify([task.url, task.traffic, task.seed, task.headers, task.status])
  if (session?.key !== key) session = { key, traffic: await createTraffic(task), etags: new Map() }
  return session
}

const requestText = ({ method, path, headers }: TrafficRequest, etag: string | undefined): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}` +
  `${etag === undefined ? '' : `If-None-Match: ${etag}\r\n`}\r\n`

const run = async (task: LoadTask): Promise<LoadResult> => {
  const { traffic, etags } = await sessionOf(task)
  const { requests = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY, perSecond } = task
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  const examples: string[] = []
  let [failures, sent, pending] = [0, 0, 0]
  let isOver = false
  const done = Promise.withResolvers<void>()

  const check = (request: TrafficRequest, answer: Answer | undefined): void => {
    const status = answer?.status ?? 'none'
    statuses[status] = (statuses[status] ?? 0) + 1
    if (request.revalidates && answer?.etag) etags.set(request.path, answer.etag)
    if (answer && request.isExpected(answer.status)) return
    failures += 1
    if (examples.length < 5)
      examples.push(`${request.method} ${request.path.slice(0, 200)}: ${status}`)
  }
  /** Due times of requests without a connection, oldest first. */
  const waiting: number[] = []
  const free: ((due: number) => void)[] = []
  const connections: Connection[] = []
  const startedCpu = process.cpuUsage()
  const started = performance.now()

  const next = (send: (due: number) => void): void => {
    const due = perSecond === undefined ? performance.now() : waiting.shift()
    isOver ||= sent >= requests || performance.now() - started >= ms
    if (isOver || due === undefined) {
      free.push(send)
      if (isOver && pending === 0) done.resolve()
      return
    }
    send(due)
  }
  for (let number = 0; number < task.connections; number += 1) {
    let request: TrafficRequest
    let due = 0
    const connection = connectTo(task.url, (answer) => {
      latencies.push(performance.now() - due)
      pending -= 1
      check(request, answer)
      next(send)
    })
    const send = (dueAt: number): void => {
      request = traffic()
      due = dueAt
      sent += 1
      pending += 1
      const etag = request.revalidates ? etags.get(request.path) : undefined
      connection.send(requestText(request, etag), request.method === 'HEAD')
    }
    connections.push(connection)
    next(send)
  }
  if (perSecond !== undefined) {
    let released = 0
    while (!isOver) {
      await Bun.sleep(1)
      const now = performance.now()
      const dueByNow = Math.min(requests, ((now - started) / 1000) * perSecond)
      for (; released < dueByNow; released += 1) waiting.push(now)
      while (waiting.length > 0 && free.length > 0) {
        const send = free.pop()
        if (send) next(send)
      }
      if (now - started >= ms || (sent >= requests && waiting.length === 0)) isOver = true
    }
    if (pending === 0) done.resolve()
  }
  await done.promise
  const seconds = (performance.now() - started) / 1000
  for (const connection of connections) connection.close()
  const { user, system } = process.cpuUsage(startedCpu)
  return {
    responses: latencies.length,
    perSecond: latencies.length / seconds,
    failures,
    examples,
    statuses,
    latencyMs: summary(latencies),
    cpuShare: (user + system) / 1e6 / seconds,
  }
}

process.on('message', async (task: LoadTask) => {
  const reply: LoadReply = await run(task).then(
    (result) => ({ result }),
    (error) => ({ error: String(error) }),
  )
  process.send?.(reply)
})

process.on('disconnect', () => process.exit())
