import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { load } from '../../scripts/load.ts'
import type { App } from '../../src/app.ts'
import type { ArchiveService, OpenedService } from '../../src/data/archive/archive.ts'
import { openSnapshot } from '../../src/data/following/fromSnapshot.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { readSnapshot, writeSnapshot } from '../../src/data/source/snapshot.ts'
import { createLog } from '../../src/runtime/log.ts'
import { bodyAt } from '../addresses.ts'
import { createContract } from '../contract.ts'
import { someAddressesOf } from '../everyAddress.ts'
import { appOf, get } from '../fixtures.ts'
import { followDatabase } from '../leagueDatabase.ts'
import { freshDatabase } from '../postgres.ts'
import { present } from '../present.ts'
import { temporaryFolder } from '../process.ts'
import { capturedAt, lateSample, smallSnapshot } from '../smallLeague.ts'
import { type Walk, walk } from '../walk.ts'
import { type Prism, startPrism } from './prism.ts'

const sample = join(await temporaryFolder(), 'sample.cageside')
await writeSnapshot(sample, lateSample)
const silent = createLog('silent')
const decoder = new TextDecoder()

/** Walks an app, keeps every body, and searches each for forbidden texts. */
const walkApp = async (app: App): Promise<{ bodies: Map<string, string>; found: Walk }> => {
  const bodies = new Map<string, string>()
  const found = await walk(async (path) => {
    const { status, body, bytes } = await get(app, path)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    bodies.set(path, decoder.decode(bytes))
    return body
  })
  bodies.delete('/health')
  return { bodies, found }
}

/** Both services run at the capture time, so that values depending on it can be compared. */
const atCapture = (service: ArchiveService, capturedAt: number): App =>
  appOf({ ...service, now: () => capturedAt })

describe('the events of a spring, walked from outside', () => {
  let snapshot: OpenedService
  let walked: Awaited<ReturnType<typeof walkApp>>
  beforeAll(async () => {
    snapshot = openSnapshot(sample, silent)
    await snapshot.firstLoad
    walked = await walkApp(atCapture(snapshot, capturedAt))
  })

  test('a walk over the events of a spring finds every kind of media', () => {
    expect(walked.found.fights.size).toBeGreaterThan(400)
    expect(walked.found.recordingIDs.size).toBeGreaterThan(3000)
    expect(walked.found.clipTokens.size).toBeGreaterThan(30)
    expect(walked.found.stillIDs.size).toBeGreaterThan(100)
  })

  test('a walk finds an event under way, whose clock runs', async () => {
    const read = async (path: string) => (await get(atCapture(snapshot, capturedAt), path)).body
    const { cages } = await read('/cages')
    const states = Object.values<{
      cageNumber: number
      status: string
      matchTime: number
      queue: unknown[]
    }>(cages)
    expect(states.map(({ status }) => status).toSorted()).toEqual(
      'active assigned completed completed idle idle paused'.split(' '),
    )
    const active = states.findIndex(({ status }) => status === 'active')
    const number = states[active]?.cageNumber
    expect(states[active]?.matchTime).toBeWithin(60, 180)
    const usual = states.filter(({ cageNumber }) => ![3, 7].includes(cageNumber))
    expect(usual.every(({ queue }) => queue.length > 0)).toBe(true)
    const { matches } = await read('/schedule')
    expect(new Set(matches.map(({ status }: { status: string }) => status))).toEqual(
      new Set(['In Cage', 'Load In', 'Called', 'Available', 'Starting Soon', 'Delayed']),
    )
    expect((await read('/fights/last24h')).count).toBeGreaterThan(40)

    // The clock of the service starts at the capture.
    const started = openSnapshot(sample, silent)
    await started.firstLoad
    const running = appOf(started)
    const seconds = async () => (await get(running, `/cages/${number}`)).body.cage.matchTime
    const before = await seconds()
    const opened = started.now()
    while (started.now() < opened + 2) await Bun.sleep(50)
    expect((await seconds()) - before).toBeWithin(2, 60)
  })

  test('a walk shows nothing of tournaments that are not public', async () => {
    const hidden: string[] = []
    const recordingIDs: number[] = []
    const tokens: string[] = []
    const stillIDs: string[] = []
    for (const unchecked of (await readSnapshot(sample)).tournaments()) {
      const rows = present(checkTournament(unchecked, () => expect.unreachable()))
      const { tournament, players, games, recordings, clips, stills } = rows
      if (tournament.privacy === 'public' && !tournament.isTest) continue
      expect(JSON.stringify([tournament, players, recordings]).toLowerCase()).toContain('zzhidden')
      hidden.push(tournament.id, ...games.map(({ id }) => id))
      for (const { id, token } of stills) {
        tokens.push(token)
        stillIDs.push(String(id))
      }
      for (const { token } of clips) tokens.push(token)
      recordingIDs.push(...recordings.map(({ id }) => id))
    }
    expect(hidden.length).toBeGreaterThan(40)
    expect(recordingIDs.length).toBeGreaterThan(50)
    for (const body of walked.bodies.values()) expect(body.toLowerCase()).not.toContain('zzhidden')
    const shown = new Set(
      [...walked.bodies.values()].flatMap((body) => body.match(/"EX-[0-9a-f]{16}"/g) ?? []),
    )
    for (const id of hidden.filter((id) => id.startsWith('EX-')))
      expect(shown.has(`"${id}"`)).toBe(false)
    for (const id of recordingIDs) expect(walked.found.recordingIDs.has(String(id))).toBe(false)
    const app = appOf(snapshot)
    for (const id of hidden.slice(0, 200)) {
      expect((await get(app, `/tournaments/${encodeURIComponent(id)}`)).status).toBe(404)
    }
    expect(Math.min(tokens.length - stillIDs.length, stillIDs.length)).toBeGreaterThan(3)
    for (const id of stillIDs) expect(walked.found.stillIDs.has(id)).toBe(false)
    for (const address of [...tokens, ...stillIDs].flatMap((id) => [
      `/clips/${id}`,
      `/stills/${id}`,
    ])) {
      expect((await get(app, address)).status).toBe(404)
    }
    for (const id of recordingIDs.slice(0, 200)) {
      expect((await get(app, `/video-feeds/${id}`)).status).toBe(404)
    }
  })

  describe('all operations through Prism', () => {
    let server: Bun.Server<undefined>
    let prism: Prism
    let contract: ReturnType<typeof createContract>
    /** Paths of every operation, by template. */
    const paths = new Map<string, readonly string[]>()

    /** Damages an answer as the request header says. */
    const damage = async (kind: string, response: Response): Promise<Response> => {
      const { status, headers } = response
      const body: { tournaments: Record<string, unknown>[] } = JSON.parse(await response.text())
      const [first = {}] = body.tournaments
      headers.delete('content-length')
      headers.delete('content-encoding')
      if (kind === 'status') return Response.json(body, { status: 203, headers })
      if (kind === 'header') headers.set('x-data-age', 'old')
      if (kind === 'type') first.numPlayers = '16'
      if (kind === 'missing') delete first.WeightClass
      if (kind === 'unknown') Object.assign(body, { more: 1 })
      return Response.json(body, { status, headers })
    }

    /** `count` entries of a list, evenly spaced. */
    const some = <T>(list: readonly T[], count: number): T[] =>
      list.filter((_, index) => index % Math.ceil(list.length / count) === 0)

    beforeAll(async () => {
      const app = appOf({ ...snapshot, now: () => capturedAt })
      server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: async (request) => {
          const kind = request.headers.get('x-damage')
          const { pathname, search } = new URL(request.url)
          if (kind) return damage(kind, await app(new Request(`http://localhost${pathname}`)))
          return app(new Request(`http://localhost${pathname}${search}`, request))
        },
      })
      const { origin } = server.url
      prism = await startPrism(`${origin}/openapi`, origin)
      contract = createContract(await (await fetch(`${origin}/openapi`)).json())
      const walkedPaths = Map.groupBy(walked.bodies.keys(), (path) =>
        path.includes('.php') ? undefined : contract.operationFor(path)?.template,
      )
      for (const { template, operation } of contract.operations) {
        // Prism follows redirects itself, but their hosts are invented.
        if (operation.responses[302]) continue
        // Prism reads a response as text to its end: a stream has none, and a file is no text.
        const text = JSON.stringify(operation.responses[200])
        if (text.includes('text/event-stream') || operation.responses[206]) continue
        const query = new URLSearchParams()
        const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
          const parameter = operation.parameters.find((each) => each.name === name)
          return encodeURIComponent(String(parameter?.example))
        })
        for (const { name, in: place, example } of operation.parameters) {
          if (place === 'query' && example !== undefined) query.set(name, String(example))
        }
        paths.set(template, [`${filled}?${query}`, ...some(walkedPaths.get(template) ?? [], 1)])
      }
    })
    afterAll(async () => {
      await prism.stop()
      await server.stop(true)
    })

    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(prism.origin + path, { headers })
      const body = await response.text()
      return { status: response.status, body, violation: /prism\/errors#\w+/.exec(body)?.[0] }
    }

    test('Prism accepts every operation, as walked and as in its examples', async () => {
      expect(paths.size).toBeGreaterThan(45)
      const found: unknown[] = []
      for (const path of [...paths.values()].flat()) {
        const { status, body, violation } = await ask(path)
        if (violation || status !== 200) found.push([path, status, body])
      }
      expect(found).toEqual([])
    })

    test('Prism accepts the answers to missing things', async () => {
      const found: unknown[] = []
      for (const template of paths.keys()) {
        if (!template.includes('{') || template.includes('head-to-head')) continue
        const path = template.replace(/\{\w+\}/g, '99999999')
        const { status, body, violation } = await ask(path)
        if (violation || status !== (path.startsWith('/cages') ? 400 : 404))
          found.push([path, status, body])
      }
      expect(found).toEqual([])
    })

    test('Prism accepts a field that a later version adds', async () => {
      const { status, violation } = await ask('/tournaments', { 'x-damage': 'unknown' })
      expect([status, violation]).toEqual([200, undefined])
    })

    test.each(['status', 'header', 'type', 'missing'])(
      'Prism notices a damaged answer: %s',
      async (kind) => {
        expect(await ask('/tournaments')).toMatchObject({ status: 200, violation: undefined })
        const { violation } = await ask('/tournaments', { 'x-damage': kind })
        expect(violation).toBe('prism/errors#VIOLATIONS')
      },
    )
  })
})

test('a Postgres loaded with a file gives the same bytes for URLs of every route', async () => {
  const file = await smallSnapshot()
  const { adminUrl, readerUrl, drop } = await freshDatabase()
  await load(adminUrl, file)
  const services = [openSnapshot(file, silent), await followDatabase(readerUrl)] as const
  await services[0].firstLoad
  const [ours, theirs] = services.map((service) => atCapture(service, capturedAt))
  if (!ours || !theirs) throw new Error('there is no app')
  for (const path of someAddressesOf(present(services[0].archive()), 25))
    expect([path, await bodyAt(theirs, path)]).toEqual([path, await bodyAt(ours, path)])
  for (const service of services) await service.stop()
  await drop()
})
