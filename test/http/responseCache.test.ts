import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import fc from 'fast-check'
import { createChanges } from '../../src/companions/changes/changes.ts'
import { type Archive, updateArchive, updateCages } from '../../src/data/archive/archive.ts'
import { loadTournament } from '../../src/data/archive/load.ts'
import { findBot } from '../../src/derived/careers/bots.ts'
import { findStill } from '../../src/derived/media/stills.ts'
import { createArrival } from '../../src/http/arrival.ts'
import { parameters } from '../../src/http/parameters.ts'
import { archived } from '../../src/http/requestContext.ts'
import type { Data, TrackedArchive } from '../../src/http/trackedArchive.ts'
import { createLog } from '../../src/runtime/log.ts'
import { answerAt } from '../addresses.ts'
import {
  addressesByRoute,
  everyAddressOf,
  everyPageOf,
  pagesByRoute,
  someAddressesOf,
  spread,
} from '../everyAddress.ts'
import { appOf, archiveOf, archiveWithCages, contract, serviceOf } from '../fixtures.ts'
import { archiveOfLeague, loadPageLeague } from '../pageLeague.ts'
import { cageRow, clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { sampleLeague } from '../smallLeague.ts'
import { until } from '../until.ts'

const start = 1_770_000_000
const bots = ['Axe', 'Blade', 'Club', 'Drum']

/** Changed rows of one tournament; its other rows are equal. */
interface State {
  readonly names: readonly string[]
  readonly winner: 0 | 1
  readonly clipName: string
  readonly stillTag: string
}
const first: State = { names: bots, winner: 0, clipName: 'One', stillTag: 'One' }

/** Tournament `n`; the last one has no fight. */
const rowsOf = (n: number, { names, winner, clipName, stillTag }: State) =>
  tournamentOf(
    { id: `t${n}`, name: `Cup ${n}`, active: n === 2, createTime: start + n },
    names.map((name, index) => ({ id: `p${index}`, name })),
    n === 3
      ? []
      : [
          fightRows({ id: 'W-0', startTime: start, stopTime: start + n }, 'p0', 'p1', winner),
          fightRows(
            { id: 'W-1', state: 'available', scheduledTime: start + 4, startTime: null },
            'p2',
            'p3',
            null,
          ),
        ],
    n === 3
      ? {}
      : {
          recordings: [recordingRow({ id: n + 1 })],
          clips: [clipRow({ token: `c${n}`, name: clipName, isCurated: true })],
          stills: [stillRow({ id: n + 1, token: `s${n}`, playerId: 'p0', isHero: true })],
          stillTags: [{ stillId: n + 1, tag: stillTag }],
        },
  )

/** One step of a history: a request, or a change of the data, the cages or the time. */
const steps = (requests: fc.Arbitrary<{ readonly kind: 'ask'; readonly n: number }>) => {
  const tournament = fc.nat({ max: 3 })
  const text = fc.constantFrom('One', 'Two')
  const change = fc.record({
    kind: fc.constant('change' as const),
    tournament,
    state: fc.record({
      names: fc.tuple(...bots.map((name) => fc.constantFrom(name, name.toUpperCase(), `${name}!`))),
      winner: fc.constantFrom(0 as const, 1 as const),
      clipName: text,
      stillTag: text,
    }),
  })
  const remove = fc.record({ kind: fc.constant('remove' as const), tournament })
  const cages = fc.record({ kind: fc.constant('cages' as const), n: fc.nat({ max: 3 }) })
  const wait = fc.record({ kind: fc.constant('wait' as const), n: fc.nat({ max: 3 }) })
  return fc.array(
    fc.oneof(
      { arbitrary: requests, weight: 6 },
      { arbitrary: change, weight: 2 },
      remove,
      cages,
      wait,
    ),
    { maxLength: 40 },
  )
}

/** Archives as a refresh makes them: unchanged values are shared with the version before. */
const createHistory = () => {
  let archive = archiveOf(...[0, 1, 2, 3].map((n) => rowsOf(n, first)))
  let now = start
  let version = 0
  let cageRows: Parameters<typeof updateCages>[2] = { cages: [], cageQueue: [] }
  const next = (): string => {
    version += 1
    return `v${version}`
  }
  const replace = async (n: number, state: State | undefined): Promise<void> => {
    const tournament = state && loadTournament(rowsOf(n, state), () => undefined)?.tournament
    archive = await updateArchive(archive, next(), new Map([[`t${n}`, tournament]]), cageRows)
  }
  return {
    archive: () => archive,
    now: () => now,
    wait: (seconds: number): void => {
      now += seconds
    },
    replace,
    changeCages: (n: number): void => {
      const row = { number: 1, updateTime: start + n }
      const inCage = { tournamentId: `t${n}`, gameId: 'W-0', status: 'active' as const }
      cageRows = { cages: [cageRow(n === 3 ? row : { ...row, ...inCage })], cageQueue: [] }
      archive = updateCages(archive, next(), cageRows)
    },
  }
}

type Steps = ReturnType<typeof steps> extends fc.Arbitrary<infer Each> ? Each : never

/** Takes the steps, and compares each response with the response of a new app. */
const hold = async (
  taken: Steps,
  addressesOf: (archive: Archive) => readonly string[],
  open: (service: ReturnType<typeof serviceOf>) => ReturnType<typeof appOf>,
): Promise<void> => {
  const { archive, now, wait, replace, changeCages } = createHistory()
  const service = { ...serviceOf(archive()), archive, now }
  const app = open(service)
  const asked = new Set<string>()
  const compare = async (addresses: readonly string[]): Promise<void> => {
    const fresh = open({ ...serviceOf(archive()), archive, now })
    for (const address of addresses) {
      const expected = [address, await answerAt(fresh, address)]
      expect([address, await answerAt(app, address)]).toEqual(expected)
      // The cached response must be equal, too.
      expect([address, await answerAt(app, address)]).toEqual(expected)
    }
  }
  for (const step of taken) {
    const addresses = addressesOf(archive())
    if (step.kind === 'ask') {
      const address = addresses[step.n % addresses.length] ?? '/'
      asked.add(address)
      await compare([address])
      continue
    }
    if (step.kind === 'change') await replace(step.tournament, step.state)
    else if (step.kind === 'remove') await replace(step.tournament, undefined)
    else if (step.kind === 'cages') changeCages(step.n)
    else wait(step.n)
    await compare([...[...asked].slice(-12), ...addresses.filter((_, index) => index % 8 === 0)])
  }
}

const botNamed = ({ bots }: Data, name: string) => findBot(bots, name)
const clipWith = ({ clips }: Data, token: string) => clips.byToken.get(token)
const stillWith = ({ stills }: Data, token: string) => findStill(stills, token)
const tournamentWith = ({ dataset }: Data, id: string) => dataset.tournamentsByID.get(id)

/** Reads of one part each, by the letter of a plan; the digit selects which. */
const reads: Readonly<Record<string, (archive: TrackedArchive, n: number) => unknown>> = {
  b: ({ lookup }, n) => {
    const bot = lookup(botNamed, (bots[n] ?? '').toLowerCase())
    return [bot?.name, bot?.fights.map(({ red, blue }) => [red.player?.name, blue.player?.name])]
  },
  c: ({ lookup }, n) => {
    const clip = lookup(clipWith, `c${n}`)
    return [clip?.name, clip?.fight.red.player?.name, clip?.fight.red.isWinner]
  },
  s: ({ lookup }, n) => {
    const still = lookup(stillWith, `s${n}`)
    return [still?.tags, still?.bot?.name]
  },
  t: ({ lookup }, n) => lookup(tournamentWith, `t${n}`)?.fights.map(({ red, blue }) => [red, blue]),
  f: ({ dataset }, n) => dataset.fights[n]?.red.player?.name,
  n: ({ bots }, n) => bots[n]?.name,
  l: ({ clips }, n) => clips.newestFirst[n]?.name,
  h: ({ stills }, n) => stills.heroes[n]?.tags,
  g: ({ cages }) => [cages.cage1.status, cages.cage1.fight?.red.player?.name],
  w: ({ timed }, n) =>
    timed((now) => {
      const length = n + 1
      const value = Math.floor(now / length)
      return { value, validUntil: (value + 1) * length }
    }),
}
const letters = Object.keys(reads)

/** A plan is a path of reads, two characters each, such as `b0g0`. */
const planned = (service: ReturnType<typeof serviceOf>): ReturnType<typeof appOf> => {
  const routes = new Elysia().use(archived).get(
    '/:plan',
    ({ archive, cached, params: { plan }, query: { page } }) =>
      cached({
        page,
        values: (plan.match(/../g) ?? []).map((each) =>
          reads[each.charAt(0)]?.(archive, Number(each.charAt(1))),
        ),
      }),
    {
      ...parameters({ page: Type.Integer({ minimum: 0, maximum: 2, default: 0 }) }),
    },
  )
  return createArrival(service, {
    routes,
    log: createLog('silent'),
    onSent: () => undefined,
  })
}

/** All plans of one read, some of three, and of two reads of one kind (there is no `s3`). */
const plans: readonly string[] = [
  ...letters.flatMap((letter, index) =>
    [0, 1, 2, 3].flatMap((n) => {
      const [second, third] = [letters[(index * 3 + n) % 10], letters[(index * 7 + n) % 10]]
      const several = `/${letter}${n}${second}${n}${third}${3 - n}`
      return [`/${letter}${n}`, `${several}?page=${n}&x=${n}`, `${several}?page=${(n + 1) % 3}`]
    }),
  ),
  ...[...'wtsnlhgfcb'].flatMap((letter) => [`/${letter}0${letter}2s3`, `/${letter}2${letter}0s3`]),
]

const request = fc.record({ kind: fc.constant('ask' as const), n: fc.nat({ max: 10_000 }) })

test('cached responses of any reads equal the responses of a fresh process', async () => {
  await fc.assert(
    fc.asyncProperty(steps(request), (taken) => hold(taken, () => plans, planned)),
    { numRuns: 40 },
  )
}, 60_000)

/** Equally many URLs of each route. */
const evenly = (archive: Archive): string[] => {
  const routes = Map.groupBy(everyAddressOf(archive), (address) => contract.operationFor(address))
  return [...routes.values()].flatMap((own) =>
    Array.from({ length: 8 }, (_, index) => own[(index * 5) % own.length] ?? '/'),
  )
}

test('cached responses of every route equal the responses of a fresh process', async () => {
  await fc.assert(
    fc.asyncProperty(steps(request), (taken) => hold(taken, evenly, (each) => appOf(each))),
    { numRuns: 10 },
  )
}, 120_000)

test('cached responses of every route and page equal the responses of a fresh process as hours pass', async () => {
  const { archive, now, wait, changeCages } = createHistory()
  changeCages(2)
  const service = { ...serviceOf(archive()), archive, now }
  const app = appOf(service)
  const addresses = [...evenly(archive()), ...everyPageOf(archive())].filter(
    (address) => !address.startsWith('/legacy/randomClips'),
  )
  for (const seconds of [0, 69, 1840, 3500, 80_000, 1200]) {
    wait(seconds)
    const fresh = appOf(service)
    for (const address of addresses) {
      const expected = [now() - start, address, await answerAt(fresh, address)]
      expect([now() - start, address, await answerAt(app, address)]).toEqual(expected)
    }
  }
}, 60_000)

/** The reference is in a function of its own, so that no register of a test keeps the value. */
const weakly = ({ dataset }: Archive): WeakRef<object> =>
  new WeakRef(dataset.tournamentsByID.get('t1') ?? dataset)

test('a removed response stays removed after its values have been collected', async () => {
  const { archive, now, replace } = createHistory()
  const service = { ...serviceOf(undefined), archive, now }
  const open = () => appOf(service, { changes: createChanges({ basePath: '' }) })
  const app = open()
  const addresses = [...everyAddressOf(archive()), ...everyPageOf(archive())].filter(
    (address) => !address.startsWith('/legacy/randomClips'),
  )
  for (const address of addresses) await answerAt(app, address)
  const removed = weakly(archive())
  await replace(1, undefined)
  const compare = async (): Promise<void> => {
    const fresh = open()
    for (const address of addresses) {
      expect([address, await answerAt(app, address)]).toEqual([
        address,
        await answerAt(fresh, address),
      ])
    }
  }
  await compare()
  await until(async () => {
    // Registers and the stack may still refer to values of the last requests.
    for (const address of ['/', '/tournaments', '/bots', '/cages']) await answerAt(app, address)
    Bun.gc(true)
    return removed.deref() === undefined
  })
  await compare()
}, 60_000)

test('a bot that nobody has any more is gone once it has been collected', async () => {
  const { archive, now, replace } = createHistory()
  const app = planned({ ...serviceOf(undefined), archive, now })
  const bot = () => answerAt(app, '/b0')
  expect(await bot()).toContain('Axe')
  const known = new WeakRef(findBot(archive().bots, 'axe') ?? archive())
  for (const n of [0, 1, 2, 3]) await replace(n, { ...first, names: ['Zed', ...bots.slice(1)] })
  await until(async () => {
    await answerAt(app, '/b1')
    Bun.gc(true)
    return known.deref() === undefined
  })
  expect(await bot()).not.toContain('Axe')
})

/** Redirects, files, and responses that do not follow from the archive. */
const uncachedRoutes = [
  '/bots/{bot}/picture',
  '/live/streams',
  '/bulk/README.md',
  '/ready',
  '/legacy/getBotPic',
  '/favicon.ico',
]

test('a repeated request is answered from the cache, on every route', async () => {
  const league = await loadPageLeague()
  const archive = archiveOfLeague(league)
  const cached: boolean[] = []
  const app = appOf(serviceOf(archive, league.now), {
    pictureSizes: async () => ({ width: 3, height: 2 }),
    observers: [({ isCached }) => cached.push(isCached)],
  })
  const isCached = async (address: string): Promise<boolean> => {
    for (let time = 0; time < 2; time += 1) {
      const response = await app(new Request(`http://localhost${address}`), '192.0.2.1')
      await response.arrayBuffer()
    }
    return cached.at(-1) ?? false
  }
  const ofBots = (path: string) => `${path}?bots=${archive.bots[0]?.cleanName}`
  const uncached: string[] = []
  for (const { template, addresses } of [...addressesByRoute(archive), ...pagesByRoute(archive)]) {
    // Other spellings of a script.
    if (/\.php$|^\/getBotPic/.test(template)) continue
    let isAny = false
    for (const address of addresses.slice(0, 40)) {
      const path = template.startsWith('/my') ? ofBots(address) : address
      isAny ||= await isCached(path)
    }
    if (!isAny) uncached.push(template)
  }
  expect(uncached).toEqual(uncachedRoutes)
  const headers = { 'if-none-match': '*' }
  const { status } = await app(new Request('http://localhost/fights', { headers }), '192.0.2.1')
  expect([status, cached.at(-1)]).toEqual([304, true])
  const [event] = archive.dataset.tournaments
  for (const path of [
    // The response is made when there is something to say.
    '/changes',
    // The route has any number of URLs.
    ...[
      '/e?year=1999',
      '/stats?weightClass=77',
      '/stats?weightClass=none',
      '/overlay/cage/99',
      '/my.ics?bots=nobody',
      ...['/bots', '/clips', '/fights', '/stills'].map((list) => `${list}?page=9999`),
      ...['/fights/recent', '/schedule'].map((list) => `${list}?bot=nobody`),
      ...['leaderboard', 'ratings', 'ratings/calibration'].map(
        (stats) => `/stats/${stats}?weightClass=none`,
      ),
      ...['/stats/ratings?offset=9999', '/stats/ratings/calibration?from=2026-01-01'],
      `/stats/head-to-head/${archive.bots[0]?.cleanName}/nobody`,
      '/legacy/getTournamentMatchesDataTables?tournamentID=none',
      `/legacy/getTournamentMatchesDataTables?tournamentID=${event?.info.id}&draw=2`,
    ],
    ...['/legacy/fightsByBot?bot=nobody', `/e/${event?.info.id}/chapters.txt?cage=1`],
  ])
    expect([path, await isCached(path)]).toEqual([path, false])
})

test('a cached response has the same headers as the first one', async () => {
  const { tournaments, capturedAt, ...cages } = sampleLeague
  const archive = archiveWithCages(cages, ...tournaments)
  const app = appOf(serviceOf(archive, capturedAt))
  const whole = [
    '/bulk',
    '/bulk/README.md',
    '/bulk/fights.ndjson.gz',
    '/bulk/bots.csv.gz',
    '/snapshot',
  ]
  // The body may be sent before it is compressed.
  const small = someAddressesOf(archive, 8).filter((path) => path !== '/openapi')
  const addresses = [...whole, ...small, ...spread(everyPageOf(archive), 200)]
  const headersOf = async (path: string, accepted: string) => {
    const request = new Request(`http://localhost${path}`, {
      headers: { 'accept-encoding': accepted, accept: 'text/html,*/*;q=0.8' },
    })
    const { status, headers, body } = await app(request)
    await body?.cancel()
    for (const name of ['x-request-id', 'date', 'last-modified']) headers.delete(name)
    return [path, accepted, status, Object.fromEntries(headers)]
  }
  for (const path of addresses)
    for (const accepted of ['br, gzip', 'identity'])
      expect(await headersOf(path, accepted)).toEqual(await headersOf(path, accepted))
})
