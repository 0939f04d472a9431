import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ask, endProxy, isUp, type RunningProxy, startNginx, startVarnish } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { type Running, startService, stopService } from '../process.ts'
import { until } from '../until.ts'

/**
 * Live responses in the caches of the deployed proxies, while an event is replayed and when the service is gone.
 * GONE_SECONDS=58 covers almost the whole time in which they may be stale.
 */
const goneSeconds = Number(process.env.GONE_SECONDS ?? 5)
const policy = 'public, max-age=0, s-maxage=2, stale-if-error=60'
const changeCount = 40

interface Change {
  readonly url: string
  readonly version: string
}

/** Calls back with each change of a stream, until it is aborted. */
const follow = async (
  origin: string,
  signal: AbortSignal,
  onChange: (change: Change) => void,
): Promise<void> => {
  let text = ''
  try {
    const { body } = await ask(`${origin}/changes/stream`, {}, signal)
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const frames = (text + chunk).split('\n\n')
      text = frames.pop() ?? ''
      for (const frame of frames) {
        const data = /^data: (.*)$/m.exec(frame)?.[1]
        if (data !== undefined && !frame.includes('event: ')) onChange(JSON.parse(data))
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

describe.each(['nginx', 'varnish'] as const)('live responses in the cache of %s', (name) => {
  let service: Running | undefined
  let proxy: RunningProxy
  let paths: readonly string[] = []
  beforeAll(async () => {
    const port = freePort()
    const replay = { REPLAY: 'auto', REPLAY_SPEED: '60', REPLAY_LOOP: '1' }
    service = await startService({ PORT: String(port), TRUST_PROXY: '1', ...replay })
    proxy = await { nginx: startNginx, varnish: startVarnish }[name]([port, port])
    await until(() => isUp(proxy, '/health'))
    const schedule: { readonly matches: readonly { readonly tournamentID: string }[] } =
      await JSON.parse(await (await ask(`${service.url}/schedule`)).text())
    paths = ['/cages/2', `/tournaments/${schedule.matches[0]?.tournamentID}/brackets`]
  })
  afterAll(async () => {
    await endProxy(proxy)
    if (service) await stopService(service)
  })

  test('a read with the version of a change never gives what was before it', async () => {
    const over = new AbortController()
    /** Versions in the order in which the service served them. */
    const versions: string[] = []
    const known = follow(service?.url ?? '', over.signal, ({ version }) => {
      if (versions.at(-1) !== version) versions.push(version)
    })
    const reads: { readonly path: string; readonly wanted: string; readonly got: string }[] = []
    const read = async (path: string, wanted: string): Promise<void> => {
      const response = await ask(proxy.url + path)
      await response.text()
      const got = response.headers.get('x-data-version') ?? ''
      if (response.status === 200) reads.push({ path, wanted, got })
    }
    let changes = 0
    const working: Promise<unknown>[] = []
    const followed = follow(proxy.url, over.signal, ({ url, version }) => {
      changes += 1
      const live = paths.flatMap((path) => [path, `${path}?v=${version}`])
      working.push(...[url, ...live].map((path) => read(path, version)))
    })
    await until(() => changes >= changeCount)
    // Versions of the last responses are known by then.
    const count = versions.length
    await until(() => versions.length > count + 1)
    over.abort()
    await Promise.all([known, followed, ...working])

    const isOlder = ({ got, wanted }: (typeof reads)[number]): boolean =>
      versions.includes(got) && versions.indexOf(got) < versions.indexOf(wanted)
    const named = reads.filter(({ path }) => path.includes('?v='))
    expect(named.length).toBeGreaterThan(2 * changeCount)
    expect(named.filter(isOlder)).toEqual([])
    // A read without `v` may be 2 s behind.
    expect(reads.filter(({ path }) => !path.includes('?v=')).some(isOlder)).toBe(true)
  }, 60_000)

  test('live responses are stale, not an error, while the service is gone, with no made-up version', async () => {
    for (const path of paths) {
      const { status, headers } = await ask(proxy.url + path)
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, policy])
    }
    // Past their lifetime: nothing but the failure makes them usable.
    await Bun.sleep(2500)
    if (service) await stopService(service)
    service = undefined
    const goneAt = performance.now()
    const found = new Set<string>()
    while (performance.now() - goneAt < goneSeconds * 1000) {
      // Readers at the same time: a cache may let one wait for the fetch of another.
      const readers = paths.flatMap((path) => Array.from({ length: 5 }, () => path))
      const responses = await Promise.all(readers.map((path) => ask(proxy.url + path)))
      for (const [index, { status, headers }] of responses.entries()) {
        const isStale = /ttl=-\d/.test(headers.get('cache-status') ?? '')
        found.add(`${readers[index]} ${status}${isStale ? ' stale' : ''}`)
      }
      await Bun.sleep(100)
    }
    const isError = (each: string): boolean => !/ 200( stale)?$/.test(each)
    expect([...found].filter(isError)).toEqual([])
    for (const path of paths) expect([...found]).toContain(`${path} 200 stale`)
    // Read because of a change that came before the service was gone, and not in the cache.
    for (const path of paths) expect((await ask(`${proxy.url}${path}?v=unread`)).status).toBe(503)
  }, 90_000)
})
