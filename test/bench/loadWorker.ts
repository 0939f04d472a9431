/**
 * A process of its own that asks a service and holds every answer against what was expected. It is told
 * {@link LoadTask}s by its parent, one at a time, and answers each with a {@link LoadResult}.
 *
 * With a rate, requests are due at even distances whatever the answers do: the time of one that had to
 * wait for a free connection counts from when it was due, to the millisecond tick that releases it.
 */

import { readCatalog } from './catalog.ts'
import { type Answer, type Connection, connectTo } from './connection.ts'
import { createEventTraffic } from './eventTraffic.ts'
import { createHostileTraffic } from './hostileTraffic.ts'
import {
  createCheapTraffic,
  createExpensiveTraffic,
  createReportTraffic,
} from './overloadTraffic.ts'
import type { Traffic, TrafficRequest } from './traffic.ts'

const loads = {
  mix: createEventTraffic,
  hostile: createHostileTraffic,
  dear: createExpensiveTraffic,
  cheap: createCheapTraffic,
  reports: createReportTraffic,
}

export interface LoadTask {
  readonly url: string
  readonly load: keyof typeof loads
  readonly seed: number
  readonly connections: number
  /** Ends after so many requests, or so many milliseconds. */
  readonly requests?: number
  readonly ms?: number
  /** As fast as the answers come unless given. */
  readonly perSecond?: number
}

export interface LoadResult {
  readonly answers: number
  readonly perSecond: number
  /** Answers that did not come or had another status than the right one. */
  readonly failures: number
  readonly examples: readonly string[]
  readonly statuses: Readonly<Record<string, number>>
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Of one core, by this process: near 1, it is the load and not the service that is slow. */
  readonly load: number
}

/** Kept while the same service is asked, so that a load goes on where it stopped. */
interface Acquaintance {
  readonly key: string
  readonly load: Traffic
  readonly tags: Map<string, string>
}
let known: Acquaintance | undefined

const acquaint = async ({ url, load, seed }: LoadTask): Promise<Acquaintance> => {
  const key = `${url} ${load} ${seed}`
  if (known?.key === key) return known
  const world = await readCatalog(url)
  known = { key, load: loads[load](world, seed), tags: new Map() }
  return known
}

const requestText = ({ method, path, headers }: TrafficRequest, tag: string | undefined): string =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}` +
  `${tag === undefined ? '' : `If-None-Match: ${tag}\r\n`}\r\n`

const perform = async (order: LoadTask): Promise<LoadResult> => {
  const { load, tags } = await acquaint(order)
  const { requests = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY, perSecond } = order
  const port = Number(new URL(order.url).port)
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  const examples: string[] = []
  let failures = 0
  let sent = 0
  let underWay = 0
  let isOver = false
  const done = Promise.withResolvers<void>()

  const judge = (asked: TrafficRequest, answer: Answer | undefined): void => {
    const status = answer?.status ?? 'none'
    statuses[status] = (statuses[status] ?? 0) + 1
    if (asked.revalidates && answer?.etag) tags.set(asked.path, answer.etag)
    if (answer && asked.isExpected(answer.status)) return
    failures += 1
    if (examples.length < 5) examples.push(`${asked.method} ${asked.path.slice(0, 200)}: ${status}`)
  }
  /** When requests were due that wait for a connection, oldest first. */
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
      if (isOver && underWay === 0) done.resolve()
      return
    }
    send(due)
  }
  for (let number = 0; number < order.connections; number += 1) {
    let asked = load()
    let due = 0
    const send = (dueAt: number): void => {
      asked = load()
      due = dueAt
      sent += 1
      underWay += 1
      const tag = asked.revalidates ? tags.get(asked.path) : undefined
      connection.send(requestText(asked, tag), asked.method === 'HEAD')
    }
    const connection = connectTo(port, (answer) => {
      latencies.push(performance.now() - due)
      underWay -= 1
      judge(asked, answer)
      next(send)
    })
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
    if (underWay === 0) done.resolve()
  }
  await done.promise
  const seconds = (performance.now() - started) / 1000
  for (const connection of connections) connection.close()
  const { user, system } = process.cpuUsage(startedCpu)
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    answers: latencies.length,
    perSecond: latencies.length / seconds,
    failures,
    examples,
    statuses,
    latencyMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
    load: (user + system) / 1e6 / seconds,
  }
}

/** What the parent is told: a tale, or why there is none. */
export type LoadReply = { readonly tale: LoadResult } | { readonly error: string }

process.on('message', async (order: LoadTask) => {
  let reply: LoadReply
  try {
    reply = { tale: await perform(order) }
  } catch (error) {
    reply = { error: String(error) }
  }
  process.send?.(reply)
})

process.on('disconnect', () => process.exit())
