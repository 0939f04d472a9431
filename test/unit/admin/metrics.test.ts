import { expect, test } from 'bun:test'
import { createMetrics } from '../../../src/admin/metrics.ts'
import { createChanges } from '../../../src/changes/changes.ts'
import { createUsage } from '../../../src/usage/usage.ts'
import { archiveOf, serviceOf } from '../../fixtures.ts'

const refreshes = { complete: 7, incomplete: 5, failed: 3, ms: 2500 }

test('values have their units, and the same ones at each scrape', async () => {
  const service = serviceOf(archiveOf())
  const metrics = createMetrics({
    service: { ...service, status: () => ({ ...service.status(), refreshes }) },
    usage: createUsage(),
    changes: createChanges(),
    problems: [],
    pendingRequests: () => 4,
    version: '0',
  })
  metrics.observe({
    method: 'GET',
    route: '/fights',
    status: 200,
    requestId: 'x',
    durationUs: 2400,
    bytes: 900,
    isCached: true,
  })
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
    })
  }
})
