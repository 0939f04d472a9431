import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type OpenMetricsContentType,
  Registry,
} from 'prom-client'
import type { ArchiveService } from '../../data/archive/archive.ts'
import type { Observer } from '../recordUsage.ts'
import type { Usage } from '../usage/usage.ts'

/** Bounds in seconds: a cached response takes 20 µs, an expensive one some milliseconds. */
const requestBuckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5]
const delayBuckets = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
/** Interval of the timer whose lateness is the event loop delay. */
const delaySampleMs = 20

/** Metrics of prom-client that Bun does not fill. */
const notInBun = /^nodejs_(eventloop|active|heap_space|version|gc)|^process_(heap|virtual)_/

const contentType: OpenMetricsContentType =
  'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** A value that is read when it is rendered. */
export interface Metric {
  readonly kind: 'gauge' | 'counter'
  readonly name: string
  readonly help: string
  readonly read: () => number
}

export interface Measured {
  readonly service: ArchiveService
  readonly usage: Pick<Usage, 'logCounts'>
  /** Number of problems that `/health` lists. */
  readonly countProblems: () => number
  /** Values of the parts of the service. */
  readonly metrics: readonly Metric[]
  /** Number of requests whose response is not sent yet, streams included. */
  readonly pendingRequests: () => number
  readonly version: string
}

/** Counts garbage collections: each one collects the object registered after the previous one. */
const countCollections = (): (() => number) => {
  let count = 0
  const registry = new FinalizationRegistry(() => {
    count += 1
    registry.register({}, undefined)
  })
  registry.register({}, undefined)
  return () => count
}

/** Metrics of the process. Values that the service keeps anyway are read when they are rendered. */
export const createMetrics = (measured: Measured) => {
  const { service, usage, metrics, countProblems, pendingRequests, version } = measured
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(contentType)
  const registers = [registry]

  collectDefaultMetrics({ register: registry })
  for (const { name } of registry.getMetricsAsArray()) {
    if (notInBun.test(name)) registry.removeSingleMetric(name)
  }

  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  /** A counter kept elsewhere. */
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }

  const durations = new Histogram({
    name: 'cageside_http_request_duration_seconds',
    help: 'Time from the arrival of a request to its response being ready, without waits of streams',
    labelNames: ['route', 'status'],
    buckets: requestBuckets,
    registers,
  })
  const bodyBytes = new Counter({
    name: 'cageside_http_response_body_bytes_total',
    help: 'Bytes of response bodies as sent',
    labelNames: ['route'],
    registers,
  })
  let cached = 0
  counter(
    'cageside_http_cached_responses_total',
    'Responses from the response cache: no handler ran',
    () => cached,
  )
  gauge(
    'cageside_http_requests_in_flight',
    'Requests whose response is not sent yet, streams included',
    pendingRequests,
  )
  for (const { kind, name, help, read } of metrics) {
    if (kind === 'gauge') gauge(name, help, read)
    else counter(name, help, read)
  }

  const delays = new Histogram({
    name: 'cageside_event_loop_delay_seconds',
    help: `Lateness of a timer that runs each ${delaySampleMs} ms`,
    buckets: delayBuckets,
    registers,
  })
  let dueMs = performance.now() + delaySampleMs
  setInterval(() => {
    const nowMs = performance.now()
    delays.observe(Math.max(0, nowMs - dueMs) / 1000)
    dueMs = nowMs + delaySampleMs
  }, delaySampleMs).unref()
  counter('cageside_gc_total', 'Garbage collections seen', countCollections())

  new Gauge({
    name: 'cageside_data_age_seconds',
    help: 'Seconds since the data was last known to be current; absent before the first load',
    labelNames: ['source'],
    registers,
    collect() {
      const { source, currentAt } = service.status()
      this.reset()
      if (currentAt !== null) this.set({ source }, Math.max(0, service.now() - currentAt))
    },
  })
  new Counter({
    name: 'cageside_refreshes_total',
    help: 'Refreshes from Postgres by outcome',
    labelNames: ['outcome'],
    registers,
    collect() {
      const { complete = 0, incomplete = 0, failed = 0 } = service.status().refreshes ?? {}
      this.reset()
      for (const [outcome, count] of Object.entries({ complete, incomplete, failed })) {
        this.inc({ outcome }, count)
      }
    },
  })
  counter(
    'cageside_refresh_duration_seconds_total',
    'Total duration of all refreshes',
    () => (service.status().refreshes?.ms ?? 0) / 1000,
  )
  gauge(
    'cageside_last_refresh_duration_seconds',
    'Duration of the last refresh or load',
    () => (service.status().lastRefresh.ms ?? 0) / 1000,
  )
  gauge(
    'cageside_bad_rows',
    'Rows left out of the served data because they break their schema',
    () => service.status().badRows,
  )
  gauge(
    'cageside_held_back_tournaments',
    'Tournaments kept at their last good state, up to 100',
    () => service.status().heldBack?.length ?? 0,
  )
  gauge('cageside_problems', 'Problems listed by /health', countProblems)
  counter(
    'cageside_usage_events_written_total',
    'Events written to the usage log',
    () => usage.logCounts().written,
  )
  counter(
    'cageside_usage_events_dropped_total',
    'Events lost because the usage log could not be written',
    () => usage.logCounts().dropped,
  )
  gauge('cageside_usage_log_bytes', 'Size of the usage logs', () => usage.logCounts().bytes)
  new Gauge({
    name: 'cageside_build_info',
    help: '1, with the versions of the service and of Bun',
    labelNames: ['version', 'bun'],
    registers,
  }).set({ version, bun: Bun.version }, 1)

  return {
    contentType,
    render: (): Promise<string> => registry.metrics(),
    /** Counts one response, in about 1 µs. */
    observe: ({ route, status, durationUs, bytes, isCached }: Parameters<Observer>[0]): void => {
      durations.observe({ route, status }, durationUs / 1e6)
      bodyBytes.inc({ route }, bytes)
      if (isCached) cached += 1
    },
  }
}
export type Metrics = ReturnType<typeof createMetrics>
