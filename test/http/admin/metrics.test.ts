import { expect, test } from 'bun:test'
import { createAccessLog } from '../../../src/http/admin/accessLog.ts'
import { createMetrics } from '../../../src/http/admin/metrics.ts'
import { createUsage } from '../../../src/http/usage/usage.ts'
import { archiveOf, serviceOf } from '../../fixtures.ts'
import { until } from '../../until.ts'

const refreshes = { complete: 7, incomplete: 5, failed: 3, ms: 2500 }
const lastRefresh = { at: 0, ms: 1500, changedRows: 0, error: null }

const service = serviceOf(archiveOf())
const usage = createUsage()
const heldBack = ['a', 'b'].map((tournamentID) => ({
  tournamentID,
  fights: 3,
  reason: 'it lacks fights',
}))
const open = (currentAt = () => service.status().currentAt) =>
  createMetrics({
    service: {
      ...service,
      status: () => ({
        ...service.status(),
        currentAt: currentAt(),
        refreshes,
        lastRefresh,
        badRows: 3,
        heldBack,
      }),
    },
    usage: {
      ...usage,
      logCounts: () => ({ ...usage.logCounts(), written: 11, dropped: 2, bytes: 640 }),
    },
    metrics: [
      { kind: 'gauge', name: 'cageside_streams', help: 'Open streams', read: () => 6 },
      { kind: 'counter', name: 'cageside_changes_total', help: 'Last change', read: () => 9 },
    ],
    countProblems: () => 0,
    pendingRequests: () => 4,
    version: '0',
  })
const answered = {
  method: 'GET',
  route: '/fights',
  status: 200,
  requestId: 'x',
  durationUs: 2400,
  bytes: 900,
  isCached: true,
}

test('a line of the access log has milliseconds and the labels of the metrics, nothing else', () => {
  const lines: unknown[] = []
  createAccessLog((...line) => lines.push(line))(answered)
  const { durationUs, ...rest } = answered
  expect(lines).toEqual([['debug', 'request', { ...rest, ms: 2.4 }]])
})

test('bounds of buckets ascend, and a response counts in the first that holds it', async () => {
  const metrics = open()
  metrics.observe(answered)
  const text = await metrics.render()
  for (const name of ['http_request_duration', 'event_loop_delay']) {
    const pattern = new RegExp(`^cageside_${name}_seconds_bucket\\{le="([\\d.]+)".* (\\d+)$`, 'gm')
    const buckets = [...text.matchAll(pattern)].map(([, le, count]) => [Number(le), Number(count)])
    const bounds = buckets.map(([le = 0]) => le)
    expect(bounds.length).toBeGreaterThan(9)
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
    if (name === 'http_request_duration')
      expect(buckets.map(([, count]) => count)).toEqual(bounds.map((le) => (le < 0.0024 ? 0 : 1)))
  }
})

test('metrics have their units, and the same values at each scrape', async () => {
  const metrics = open()
  metrics.observe(answered)
  const values = async () => {
    const lines = (await metrics.render()).split('\n')
    const value = (name: string) => lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1]
    return {
      seconds: value('cageside_http_request_duration_seconds_sum{route="/fights",status="200"}'),
      bytes: value('cageside_http_response_body_bytes_total{route="/fights"}'),
      cached: value('cageside_http_cached_responses_total'),
      pending: value('cageside_http_requests_in_flight'),
      age: value('cageside_data_age_seconds{source="snapshot"}'),
      complete: value('cageside_refreshes_total{outcome="complete"}'),
      incomplete: value('cageside_refreshes_total{outcome="incomplete"}'),
      failed: value('cageside_refreshes_total{outcome="failed"}'),
      refreshing: value('cageside_refresh_duration_seconds_total'),
      last: value('cageside_last_refresh_duration_seconds'),
      bad: value('cageside_bad_rows'),
      held: value('cageside_held_back_tournaments'),
      streams: value('cageside_streams'),
      changes: value('cageside_changes_total'),
      written: value('cageside_usage_events_written_total'),
      dropped: value('cageside_usage_events_dropped_total'),
      logged: value('cageside_usage_log_bytes'),
    }
  }
  for (let scrape = 0; scrape < 2; scrape += 1) {
    expect(await values()).toEqual({
      seconds: '0.0024',
      bytes: '900',
      cached: '1',
      pending: '4',
      age: '7',
      complete: '7',
      incomplete: '5',
      failed: '3',
      refreshing: '2.5',
      last: '1.5',
      bad: '3',
      held: '2',
      streams: '6',
      changes: '9',
      written: '11',
      dropped: '2',
      logged: '640',
    })
  }
})

test('the age of data is never negative or guessed, and a new response does not count as cached', async () => {
  let currentAt: number | null = service.now() + 5
  const metrics = open(() => currentAt)
  metrics.observe({ ...answered, isCached: false })
  const text = await metrics.render()
  expect(text).toContain('cageside_data_age_seconds{source="snapshot"} 0\n')
  expect(text).toContain('cageside_http_cached_responses_total 0\n')
  currentAt = null
  expect(await metrics.render()).not.toContain('cageside_data_age_seconds{')
})

test('all metrics have a value', async () => {
  const metrics = open()
  metrics.observe(answered)
  const text = await metrics.render()
  const names = [...text.matchAll(/^# TYPE cageside_(\w+)/gm)].map(([, name = '']) => name)
  const quiet = names.filter(
    (name) => !new RegExp(`^cageside_${name}\\S* [\\d.]+$`, 'm').test(text),
  )
  // Metrics of the process that Bun fills.
  const others = [...text.matchAll(/^# TYPE (?!cageside_)(\w+)/gm)].map(([, name = '']) => name)
  expect(others.toSorted()).toMatchInlineSnapshot(`
    [
      "nodejs_external_memory_bytes",
      "nodejs_heap_size_total_bytes",
      "nodejs_heap_size_used_bytes",
      "process_cpu_seconds",
      "process_cpu_system_seconds",
      "process_cpu_user_seconds",
      "process_max_fds",
      "process_open_fds",
      "process_resident_memory_bytes",
      "process_start_time_seconds",
    ]
  `)
  expect({ names: names.toSorted(), quiet }).toMatchInlineSnapshot(`
    {
      "names": [
        "bad_rows",
        "build_info",
        "changes",
        "data_age_seconds",
        "event_loop_delay_seconds",
        "gc",
        "held_back_tournaments",
        "http_cached_responses",
        "http_request_duration_seconds",
        "http_requests_in_flight",
        "http_response_body_bytes",
        "last_refresh_duration_seconds",
        "problems",
        "refresh_duration_seconds",
        "refreshes",
        "streams",
        "usage_events_dropped",
        "usage_events_written",
        "usage_log_bytes",
      ],
      "quiet": [],
    }
  `)
})

const gaugeOf = async ({ render }: ReturnType<typeof open>, name: string): Promise<number> =>
  Number(new RegExp(`^cageside_${name} (\\S+)$`, 'm').exec(await render())?.[1])

test('metrics count each garbage collection', async () => {
  const metrics = open()
  await until(async () => {
    Bun.gc(true)
    return (await gaugeOf(metrics, 'gc_total')) >= 3
  }, 10_000)
})

test('the delay of the event loop counts once, and at most the time that has passed', async () => {
  const started = performance.now()
  const metrics = open()
  Bun.sleepSync(200)
  await until(async () => (await gaugeOf(metrics, 'event_loop_delay_seconds_count')) >= 8)
  const passed = (performance.now() - started) / 1000
  expect(await gaugeOf(metrics, 'event_loop_delay_seconds_sum')).toBeLessThan(passed)
})
