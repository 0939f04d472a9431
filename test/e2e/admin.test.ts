import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { freePort } from '../freePort.ts'
import { projectFolder, type Running, spawnService, startService, stopService } from '../process.ts'
import { smallSnapshot } from '../smallLeague.ts'
import { until } from '../until.ts'

const SNAPSHOT = await smallSnapshot()

describe('ADMIN_PORT', () => {
  const adminUrl = `http://127.0.0.1:${freePort()}`
  const adminPort = new URL(adminUrl).port
  let service: Running
  beforeAll(async () => {
    service = await startService({ SNAPSHOT, ADMIN_PORT: adminPort, LOG_LEVEL: 'debug' })
  })

  const metric = async (start: string): Promise<number> => {
    const lines = (await (await fetch(`${adminUrl}/metrics`)).text()).split('\n')
    const line = lines.find((each) => each.startsWith(start))
    return line === undefined ? Number.NaN : Number(line.slice(line.lastIndexOf(' ') + 1))
  }

  test('/metrics counts requests by route template and status, also of unknown paths', async () => {
    const name = 'cageside_http_request_duration_seconds_count'
    await fetch(`${service.url}/fights/recent`)
    const cached = await metric('cageside_http_cached_responses_total')
    for (const [tag, status] of [
      ['', 200],
      ['""', 200],
      ['*', 304],
    ] as const) {
      const headers = { 'if-none-match': tag }
      expect((await fetch(`${service.url}/fights/recent`, { headers })).status).toBe(status)
    }
    await fetch(`${service.url}/bots?q=secret-query`)
    await fetch(`${service.url}/secret-path`)
    expect(await metric('cageside_http_cached_responses_total')).toBe(cached + 3)
    expect(await metric(`${name}{route="/fights/recent",status="200"}`)).toBe(3)
    expect(await metric(`${name}{route="/fights/recent",status="304"}`)).toBe(1)
    expect(await metric(`${name}{route="/bots",status="200"}`)).toBe(1)
    expect(await metric(`${name}{route="(unmatched)",status="404"}`)).toBe(1)
    const text = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(text).not.toContain('secret')
    expect(text).toEndWith('# EOF\n')
    const { version } = await Bun.file(join(projectFolder, 'package.json')).json()
    expect(text).toMatch(new RegExp(`^cageside_build_info\\{.*version="${version}"`, 'm'))
  })

  test('ADMIN_PORT listens only on 127.0.0.1', async () => {
    await expect(fetch(`http://127.0.0.2:${adminPort}/metrics`)).rejects.toThrow()
  })

  test('/metrics counts streams while they are open', async () => {
    const leaving = new AbortController()
    // An unreferenced response is collected, and its connection closed.
    const { body } = await fetch(`${service.url}/changes/stream`, { signal: leaving.signal })
    expect(await metric('cageside_streams ')).toBe(1)
    expect(await metric('cageside_http_requests_in_flight ')).toBeGreaterThanOrEqual(1)
    expect(body?.locked).toBeFalse()
    leaving.abort()
  })

  test('ADMIN_PORT gives a heap snapshot and the bad rows', async () => {
    const response = await fetch(`${adminUrl}/heap-snapshot`, { method: 'POST' })
    const { snapshot } = JSON.parse(await response.text())
    expect(snapshot.node_count).toBeGreaterThan(10_000)
    expect(await (await fetch(`${adminUrl}/bad-rows`)).json()).toEqual({ badRows: [] })
    expect((await fetch(`${adminUrl}/heap-snapshot`)).status).toBe(404)
  })

  test('simultaneous requests for a heap snapshot share one', async () => {
    const post = async () => (await fetch(`${adminUrl}/heap-snapshot`, { method: 'POST' })).status
    let made = 0
    // The snapshot of the previous test may still hold others off.
    await until(async () => {
      const statuses = await Promise.all(Array.from({ length: 5 }, post))
      made = statuses.filter((status) => status === 200).length
      return made > 0
    })
    expect(made).toBe(1)
  })

  test.each([
    { origin: 'https://page.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${adminPort}` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('ADMIN_PORT refuses requests of web pages: %p', async (headers) => {
    for (const [method, path] of [
      ['POST', '/heap-snapshot'],
      ['GET', '/metrics'],
    ] as const) {
      expect((await fetch(adminUrl + path, { method, headers })).status).toBe(403)
    }
  })

  test.each(['none', 'same-origin'])(
    'ADMIN_PORT answers a person in a browser: %s',
    async (site) => {
      const headers = { 'sec-fetch-site': site }
      expect((await fetch(`${adminUrl}/metrics`, { headers })).status).toBe(200)
    },
  )

  test.each(['rebound.example', '127.0.0.1.rebound.example', 'localhost.rebound.example:80'])(
    'ADMIN_PORT refuses the host %s, which a web page can have',
    async (host) => {
      expect((await fetch(`${adminUrl}/metrics`, { headers: { host } })).status).toBe(403)
    },
  )

  test('an ADMIN_PORT in use ends the start with one line', async () => {
    const second = await spawnService({ SNAPSHOT, ADMIN_PORT: adminPort, LOG_LEVEL: 'error' })
    expect(await second.exited).toBe(1)
    expect(await new Response(second.stderr).text()).toBe(
      `cageside: cannot listen on ADMIN_PORT ${adminPort}: the port is in use\n`,
    )
  })

  test('replays and mirrors log that they are loaded, too', async () => {
    const settings = {
      replay: { SNAPSHOT, REPLAY: 'auto' },
      mirror: { SNAPSHOT: `${service.url}/snapshot` },
    }
    for (const [source, own] of Object.entries(settings)) {
      const other = await startService(own)
      await stopService(other)
      expect(await other.stderr()).toContain(`"message":"loaded","source":"${source}"`)
    }
  })

  afterAll(async () => {
    expect(await stopService(service)).toBe(0)
    // Every request has a line, without its sender and its query.
    const log = await service.stderr()
    const lines = log
      .split('\n')
      .filter((line) => line.includes('"message":"request"'))
      .map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThanOrEqual(6)
    for (const line of lines) {
      const { time, requestId, ms, bytes, openMs, ...rest } = line
      expect(Object.keys(rest).toSorted()).toEqual(
        ['isCached', 'level', 'message', 'method', 'route', 'status'].toSorted(),
      )
    }
    expect(log).not.toContain('secret')
    expect(log).toContain('"message":"loaded","source":"snapshot"')
  })
})
