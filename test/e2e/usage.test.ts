import { describe, expect, test } from 'bun:test'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { oneFight } from '../oneFight.ts'
import {
  projectFolder,
  type Running,
  startService,
  stopService,
  temporaryFolder,
} from '../process.ts'
import { ask, type LoggedEvent, readEvents, readLog, readUsage } from '../runningUsage.ts'
import { runs } from '../runs.ts'
import { allAddressSettings } from '../site.ts'
import { until } from '../until.ts'

describe('many requests of every kind', () => {
  const requests = runs(700)
  const bots = ['clumsyzipper', 'clalibang', 'nobody-at-all']
  const kinds: readonly {
    readonly path: string
    readonly endpoint: string
    readonly init?: RequestInit
  }[] = [
    { path: '/tournaments', endpoint: '/tournaments' },
    { path: '/tournaments/', endpoint: '/tournaments' },
    { path: '/tournaments/unknown', endpoint: '/tournaments/:tournamentID' },
    ...bots.map((bot) => ({ path: `/bots/${bot}`, endpoint: '/bots/:bot' })),
    { path: '/fights?limit=10&page=2', endpoint: '/fights' },
    { path: '/fights/recent', endpoint: '/fights/recent' },
    { path: '/search?q=zipper', endpoint: '/search' },
    { path: '/search?q=', endpoint: '/search' },
    { path: '/stats/leaderboard', endpoint: '/stats/leaderboard' },
    { path: '/nowhere/at/all', endpoint: '(unmatched)' },
    { path: '/bots/%', endpoint: '(unmatched)' },
    { path: '/fights', endpoint: '/fights', init: { method: 'POST', body: 'x' } },
    { path: '/bots/axe', endpoint: '/bots/:bot', init: { method: 'HEAD' } },
    {
      path: '/tournaments',
      endpoint: '/tournaments',
      init: { headers: { 'if-none-match': '*' } },
    },
    {
      path: '/stats/leaderboard',
      endpoint: '/stats/leaderboard',
      init: { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } },
    },
  ]
  const callers = [null, null, null, 'Overlay', 'stats page', 'Böt'] as const

  /** Counts of the client. */
  const seen = {
    total: 0,
    errors: 0,
    bytes: 0,
    statuses: new Map<string, number>(),
    endpoints: new Map<string, { requests: number; errors: number; bytes: number }>(),
    clients: new Map<string, number>(),
    callers: new Map<string, number>(),
  }
  const bump = <Key>(counts: Map<Key, number>, key: Key): void => {
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const send = async (running: Running, number: number): Promise<void> => {
    const kind = kinds[(number * 7 + Math.floor(number / 17)) % kinds.length] ?? kinds[0]
    if (!kind) throw new Error('no kind')
    const { path, endpoint, init } = kind
    const caller = callers[number % callers.length] ?? null
    // Squares make some callers frequent and others rare.
    const who = Math.floor(((number * 31) % 1000) ** 2 / 2000)
    const address = `203.0.${who % 250}.${(who % 7) + 1}`
    const userAgent = `agent ${who}`
    const joined = path.includes('?') ? '&' : '?'
    const byQuery = caller !== null && number % 2 === 0
    const response = await fetch(
      running.url + path + (byQuery ? `${joined}key=${encodeURIComponent(caller)}` : ''),
      {
        ...init,
        decompress: false,
        headers: {
          ...init?.headers,
          'user-agent': userAgent,
          'x-forwarded-for': `198.51.100.${number % 200}, ${address}`,
          'accept-encoding': ['br', 'gzip', 'identity'][number % 3] ?? 'identity',
          ...(caller !== null && !byQuery && caller !== 'Böt' ? { 'x-api-key': caller } : {}),
        },
      },
    )
    const { length } = await response.bytes()
    const isError = response.status >= 400
    seen.total += 1
    seen.errors += Number(isError)
    seen.bytes += length
    bump(seen.statuses, String(response.status))
    const before = seen.endpoints.get(endpoint) ?? { requests: 0, errors: 0, bytes: 0 }
    seen.endpoints.set(endpoint, {
      requests: before.requests + 1,
      errors: before.errors + Number(isError),
      bytes: before.bytes + length,
    })
    const isNamed = caller !== null && (byQuery || caller !== 'Böt')
    const client = `${address} ${userAgent}`
    // A named caller counts as a client, but is only listed by name.
    seen.clients.set(client, (seen.clients.get(client) ?? 0) + Number(!isNamed))
    if (isNamed) bump(seen.callers, caller)
  }

  const check = async (running: Running, probes: number, dataDir: string): Promise<unknown> => {
    const all = await readUsage(running, '?days=2')
    const rest = await readEvents(dataDir)
    const isProbe = ({ route }: LoggedEvent) => route === '/usage' || route === '/health'
    const own = { bytes: 0, count: 0 }
    for (const event of rest.filter(isProbe).slice(0, probes)) {
      own.bytes += event.bytes
      own.count += 1
    }
    expect(own.count).toBe(probes)
    expect(all.totalRequests).toBe(seen.total + probes)
    expect(all.totalErrors).toBe(seen.errors)
    expect(all.errorRate).toBe(Math.round((seen.errors / all.totalRequests) * 1e4) / 1e4)
    expect(all.totalBytes).toBe(seen.bytes + own.bytes)
    expect(all.uniqueClients).toBe(seen.clients.size + Math.min(probes, 1))
    const statuses = new Map(seen.statuses)
    statuses.set('200', (statuses.get('200') ?? 0) + probes)
    expect(all.statusCodes).toEqual(Object.fromEntries(statuses))
    const days: readonly { requests: number; errors: number; bytes: number }[] = all.perDay
    const summed = (name: 'requests' | 'errors' | 'bytes') =>
      days.reduce((sum, each) => sum + each[name], 0)
    expect(summed('requests')).toBe(all.totalRequests)
    expect(summed('errors')).toBe(all.totalErrors)
    expect(summed('bytes')).toBe(all.totalBytes)

    const events = rest.filter((event) => !isProbe(event))
    for (const [endpoint, expected] of seen.endpoints) {
      const found = all.perEndpoint.find((each: { endpoint: string }) => each.endpoint === endpoint)
      expect(found).toMatchObject(expected)
      const times = events.filter(({ route }) => route === endpoint).map(({ ms }) => ms)
      const sum = times.reduce((total, ms) => total + ms, 0)
      expect(found.averageMs).toBeCloseTo(sum / times.length, 2)
      const usage = await readUsage(running, `?days=2&endpoint=${endpoint}`)
      expect(usage).toMatchObject({ totalRequests: expected.requests, totalBytes: expected.bytes })
      const sorted = times.toSorted((one, other) => one - other)
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        const exact = sorted[Math.floor(share * (sorted.length - 1))] ?? 0
        const found = usage.responseTimeMs[name]
        expect(Math.abs(found - exact)).toBeLessThanOrEqual(exact * 0.0101 + 0.001)
      }
      expect(usage.responseTimeMs.max).toBe(sorted.at(-1))
    }

    const top = [...seen.clients.values(), probes]
      .filter((requests) => requests > 0)
      .toSorted((one, other) => other - one)
      .slice(0, 20)
    expect(all.topClients.map((each: { requests: number }) => each.requests)).toEqual(top)
    const names = all.consumers.map((each: { name: string; requests: number }) => [
      each.name,
      each.requests,
    ])
    expect(new Map(names)).toEqual(seen.callers)
    const lastSeen = all.consumers.map((each: { lastSeen: number }) => each.lastSeen)
    for (const time of lastSeen) expect(Math.abs(time - Date.now() / 1000)).toBeLessThan(300)
    return all
  }

  test(`every figure of ${requests} equals the count of the client, after a restart too`, async () => {
    const dataDir = await temporaryFolder()
    const settings = { DATA_DIR: dataDir, TRUST_PROXY: '1', LOG_LEVEL: 'error' }
    const first = await startService(settings)
    let next = 0
    const worker = async (): Promise<void> => {
      while (next < requests) await send(first, next++)
    }
    await Promise.all(Array.from({ length: 32 }, worker))
    await Bun.sleep(1000)
    await check(first, 0, dataDir)
    expect(await stopService(first)).toBe(0)
    const probes = (await readEvents(dataDir)).filter(({ route }) => route === '/usage').length
    // Logged routes are the same at other addresses.
    const second = await startService({ ...settings, ...allAddressSettings })
    await check(second, probes, dataDir)
    // A second start reads only the log.
    await stopService(second)
    const folder = join(dataDir, 'usage')
    for (const name of await readdir(folder)) {
      if (name.endsWith('.aggregate')) await rm(join(folder, name))
    }
    const again = (await readEvents(dataDir)).filter(({ route }) => route === '/usage').length
    const third = await startService(settings)
    await check(third, again, dataDir)
    await stopService(third)
  }, 600_000)
})

test('SIGKILL at random times loses less than a second of events, and later lines are valid', async () => {
  const kills = runs(4)
  const dataDir = await temporaryFolder()
  /** Bytes of each file already checked. */
  const checked = new Map<string, number>()
  let logged = 0
  for (let kill = 0; kill < kills; kill += 1) {
    const running = await startService({
      SNAPSHOT: await oneFight(),
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
    })
    const answeredAt: number[] = []
    let [sent, killed] = [0, false]
    const worker = async (): Promise<void> => {
      while (!killed) {
        sent += 1
        try {
          await (await fetch(`${running.url}/fights/recent`)).arrayBuffer()
          answeredAt.push(performance.now())
          await Bun.sleep(10)
        } catch {
          return
        }
      }
    }
    const load = Promise.all(Array.from({ length: 8 }, worker))
    await Bun.sleep(Math.random() * (kill % 2 ? 1800 : 300))
    killed = true
    const killedAt = performance.now()
    running.process.kill('SIGKILL')
    await running.process.exited
    await load

    const folder = join(dataDir, 'usage')
    let fresh = 0
    for (const name of (await readdir(folder)).filter((each) => each.endsWith('.jsonl'))) {
      const from = checked.get(name) ?? 0
      const text = await Bun.file(join(folder, name)).slice(from).text()
      // The last line feed is followed by a torn line or nothing.
      const whole = text.slice(0, text.lastIndexOf('\n') + 1)
      for (const line of whole.split('\n').slice(0, -1)) {
        JSON.parse(line)
        fresh += 1
      }
      checked.set(name, from + Buffer.byteLength(whole))
    }
    // A machine too busy for answers is too busy for the log.
    const pausesMs = answeredAt.map((at, index) => at - (answeredAt[index - 1] ?? at))
    const lateMs = 1000 + 2 * Math.max(0, ...pausesMs)
    const early = answeredAt.filter((at) => at < killedAt - lateMs).length
    expect(fresh).toBeGreaterThanOrEqual(early)
    expect(fresh).toBeLessThanOrEqual(sent)
    logged += fresh
  }
  const running = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: dataDir })
  expect((await readUsage(running, '?days=2')).totalRequests).toBe(logged)
  expect(await readLog(running)).toMatchObject({ badLines: 0, dropped: 0 })
  expect(await stopService(running)).toBe(0)
  expect(await readEvents(dataDir)).toHaveLength(logged + 2)
}, 900_000)

test('events beyond a limit on the size of files are dropped and counted', async () => {
  const dataDir = await temporaryFolder()
  const script = 'trap "" XFSZ; ulimit -f 24; exec "$0" src/main.ts'
  const { PATH = '', HOME = '' } = process.env
  const limited = Bun.spawn(['bash', '-c', script, process.execPath], {
    cwd: projectFolder,
    env: {
      ...{ PATH, HOME, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' },
      ...{ DATA_DIR: dataDir, SNAPSHOT: await oneFight() },
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const printed = new TextDecoder().decode((await limited.stdout.getReader().read()).value)
  const url = printed.match(/listening on (http:\S+)/)?.[1] ?? ''
  const running: Running = { process: limited, url, stderr: async () => '' }
  await ask(running, 100)
  await until(async () => (await readLog(running)).written >= 100)
  await ask(running, 600)
  await until(async () => (await readLog(running)).dropped > 0)
  expect((await readUsage(running)).totalRequests).toBeGreaterThanOrEqual(700)
  expect(await stopService(running)).toBe(0)
  const lines = (await readEvents(dataDir)).length
  expect(lines).toBeGreaterThanOrEqual(100)
  const complaints = (await new Response(limited.stderr).text()).trim().split('\n')
  expect(complaints.length).toBeLessThan(5)
  expect(complaints[0]).toContain('"reason":"EFBIG"')
})

test('two processes with one folder take turns', async () => {
  const dataDir = await temporaryFolder()
  const settings = { SNAPSHOT: await oneFight(), DATA_DIR: dataDir, LOG_LEVEL: 'error' }
  const [first, second] = [await startService(settings), await startService(settings)]
  const hit = ({ url }: Running, times: number) =>
    Promise.all(
      Array.from({ length: times }, async () => (await fetch(`${url}/ready`)).arrayBuffer()),
    )
  await Promise.all([hit(first, 50), hit(second, 70)])
  await until(async () => (await readLog(first)).written >= 50)
  first.process.kill('SIGKILL')
  await first.process.exited
  await hit(second, 1)
  await until(async () => (await readLog(second)).written >= 71)
  expect(await readLog(second)).toMatchObject({ badLines: 0, dropped: 0 })
  const inLog = (await readEvents(dataDir)).filter(({ route }) => route === '/ready')
  expect(inLog).toHaveLength(121)
  const { perEndpoint } = await readUsage(second)
  expect(
    perEndpoint.find(({ endpoint }: { endpoint: string }) => endpoint === '/ready').requests,
  ).toBe(121)
  expect(await stopService(second)).toBe(0)
})

test('distinct clients and keys take bounded memory and time to report', async () => {
  const count = runs(80_000)
  const child = Bun.spawn(
    [process.execPath, 'test/e2e/countMany.ts', await temporaryFolder(), String(count)],
    { cwd: projectFolder, stdout: 'pipe' },
  )
  const result = JSON.parse(await new Response(child.stdout).text())
  expect(result).toMatchObject({ topClients: 20, callers: 100, endpoints: 40, dropped: 0 })
  // The growth is 26 MB if clients have no limit, and 34 MB if names have none.
  expect(result.growthMB).toBeLessThan(24)
  expect(result.reportCpuMs).toBeLessThan(500)
}, 300_000)

test('keys with control characters, markup or tokens are one line of JSON each, unnamed', async () => {
  const dataDir = await temporaryFolder()
  const running = await startService({ SNAPSHOT: await oneFight(), DATA_DIR: dataDir })
  const keys = [
    'line\nfeed',
    'carriage\r\nreturn: {"time":1}',
    'say "hi"',
    "it''s",
    '\u001b[31mred\u001b[0m',
    '<script>alert(1)</script>',
    'k'.repeat(8000),
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    '\0',
    '\u202eevil',
    '"}\n{"time":1,"route":"/x"}',
  ]
  for (const key of keys) {
    await (await fetch(`${running.url}/ready?key=${encodeURIComponent(key)}`)).arrayBuffer()
  }
  for (const key of keys.filter((each) => /^[\x20-\x7e]+$/.test(each))) {
    const response = await fetch(`${running.url}/ready`, { headers: { 'x-api-key': key } })
    await response.arrayBuffer()
  }
  const published = await (await fetch(`${running.url}/usage`)).text()
  expect(await stopService(running)).toBe(0)
  const events = (await readEvents(dataDir)).filter(({ route }) => route === '/ready')
  expect(events.length).toBeGreaterThanOrEqual(keys.length + 5)
  expect(new Set(events.map(({ key }) => key))).toEqual(new Set(['(unnamed key)']))
  const files = await allBytes(dataDir)
  for (const key of keys.filter((each) => each !== '\0')) {
    expect(published).not.toContain(key)
    expect(files.includes(key)).toBe(false)
  }
  expect(JSON.parse(published).usage.consumers).toEqual([
    { name: '(unnamed key)', requests: events.length, lastSeen: expect.any(Number) },
  ])
})

/** Everything in a folder, one file after the other. */
const allBytes = async (folder: string): Promise<Buffer> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Buffer.concat(
    await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name)))),
  )
}

test('addresses, user agents and queries are neither on the disk nor in the process log', async () => {
  const dataDir = await temporaryFolder()
  const running = await startService({
    SNAPSHOT: await oneFight(),
    DATA_DIR: dataDir,
    TRUST_PROXY: '1',
    LOG_LEVEL: 'debug',
  })
  const addresses = ['203.0.113.77', '203.0.5.9', '2001:db8:cafe:77::9']
  const userAgents = ['Zanzibar/7.3 (quaint machine)', 'Ptarmigan browser']
  const texts = ['sesquipedalian', 'zippering']
  for (const address of addresses) {
    for (const userAgent of userAgents) {
      for (const path of [
        `/search?q=${texts[0]}`,
        `/bots?q=${texts[1]}`,
        `/${texts[0]}/nowhere`,
        `/bots/${texts[0]}`,
        `/tournaments/${texts[1]}%`,
      ]) {
        const response = await fetch(running.url + path, {
          headers: { 'x-forwarded-for': `${address}`, 'user-agent': userAgent },
        })
        await response.arrayBuffer()
      }
    }
  }
  const { topClients } = await readUsage(running)
  expect(await stopService(running)).toBe(0)
  const everything = Buffer.concat([
    await allBytes(dataDir),
    Buffer.from(await running.stderr()),
  ]).toString('latin1')
  const traces = [...addresses, ...userAgents, ...texts, '2001:db8:cafe', 'Zanzibar']
  for (const trace of traces) {
    expect(everything.toLowerCase().includes(trace.toLowerCase())).toBe(false)
  }
  // The peer of every request; the listening line has it as our own address.
  expect((await allBytes(dataDir)).includes('127.0.0.1')).toBe(false)

  const events = await readEvents(dataDir)
  const known = new Set(events.map(({ client }) => client))
  expect(topClients).toHaveLength(addresses.length * userAgents.length)
  const key = Buffer.from(
    (await readFile(join(dataDir, 'client.key'), 'utf8')).split('\n')[1] ?? '',
    'hex',
  )
  const hashOf = (text: string, secret?: Buffer | string): string => {
    const hasher =
      secret === undefined ? new Bun.CryptoHasher('sha256') : new Bun.CryptoHasher('sha256', secret)
    return hasher.update(text).digest('hex').slice(0, 16)
  }
  const [userAgent = ''] = userAgents
  const reversed: string[] = []
  let withKey = 0
  for (let third = 0; third < 256; third += 1) {
    for (let fourth = 0; fourth < 256; fourth += 1) {
      const address = `203.0.${third}.${fourth}`
      const secrets = third % 16 === 0 || third === 113 ? [undefined, '', 'always'] : [undefined]
      for (const text of [`${address}\n${userAgent}`, `${address}${userAgent}`])
        if (secrets.some((secret) => known.has(hashOf(text, secret)))) reversed.push(text)
      if (known.has(hashOf(`${address}\n${userAgent}`, key))) withKey += 1
    }
  }
  expect(reversed).toEqual([])
  // Ids can be reversed with the key: hence its rotation.
  expect(withKey).toBe(2)
})
