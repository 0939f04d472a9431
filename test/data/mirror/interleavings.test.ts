import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createChanges } from '../../../src/companions/changes/changes.ts'
import { openMirror } from '../../../src/data/mirror/openMirror.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { appOf, archiveOf, serviceOf } from '../../fixtures.ts'
import { temporaryFolder } from '../../process.ts'
import { fightRows, tournamentOf } from '../../rows.ts'
import { runs } from '../../runs.ts'
import { until } from '../../until.ts'

/** The loss of any one of them is more than a mirror accepts without an explanation. */
const ids = ['a', 'b', 'c', 'd'] as const
type Id = (typeof ids)[number]
/** Answer to a request. */
type Mode = 'whole' | 'failed' | 'cut' | 'unchanged'

const tournament = (id: Id, revision: number) =>
  tournamentOf(
    { id, name: `${revision}` },
    [
      // The file takes several requests.
      { id: 'axe', name: `Axe ${Bun.SHA256.hash(`${id} ${revision}`, 'hex').repeat(40)}` },
      { id: 'saw', name: 'Saw' },
    ],
    [fightRows({}, 'axe', 'saw')],
  )

/** An origin and a mirror of it; each request of the mirror waits to be answered. */
const openModel = async () => {
  /** Revision of each shown tournament; a change raises it. */
  const shown = new Map<Id, number>(ids.map((id) => [id, 0]))
  const changes = createChanges()
  const archiveNow = () => archiveOf(...[...shown].map((each) => tournament(...each)))
  let archive = archiveNow()
  changes.feed.begin(archive)
  let revision = 0
  const publish = (isExplained: boolean): void => {
    const next = archiveNow()
    if (isExplained) changes.feed.swapped(archive, next)
    archive = next
  }
  const service = {
    ...serviceOf(archive),
    archive: () => archive,
    rows: () => serviceOf(archive).rows(),
  }
  const app = appOf(service, { changes })
  const waiting: ((mode: Mode) => void)[] = []
  /** Something was removed without an explanation that the mirror can have. */
  let isExcused = false
  const server = Bun.serve({
    port: 0,
    fetch: async (request) => {
      const { promise, resolve } = Promise.withResolvers<Mode>()
      waiting.push(resolve)
      const mode = await promise
      const { pathname, searchParams } = new URL(request.url)
      // The mirror gets no explanation without a place in the changes.
      if (pathname === '/changes' && !searchParams.has('since')) return app(request)
      if (mode === 'failed') return new Response('', { status: 500 })
      if (mode === 'unchanged') return new Response(null, { status: 304 })
      const response = await app(request)
      if (mode === 'whole') return response
      const { status, headers } = response
      const bytes = await response.bytes()
      return new Response(bytes.subarray(0, bytes.length >> 1), { status, headers })
    },
  })
  const mirror = openMirror(`http://127.0.0.1:${server.port}/snapshot`, {
    refreshMs: 1,
    minRefreshMs: 1,
    maxDelayMs: 1,
    dataDir: await temporaryFolder(),
    log: createLog('silent'),
    changes: createChanges().feed,
  })
  /** Highest revision of each tournament that was served, and of each that was removed with an explanation. */
  const served = new Map<string, number>()
  const gone = new Map<string, number>()

  const now = (): ReadonlyMap<string, number> =>
    new Map(
      mirror
        .archive()
        ?.dataset.tournaments.map(({ info }) => [info.id, Number(info.name)] as const),
    )
  const observe = (): void => {
    for (const [id, own] of now()) {
      expect(own).toBeLessThanOrEqual(revision)
      expect(own).toBeGreaterThanOrEqual(served.get(id) ?? 0)
      expect(own).toBeGreaterThan(gone.get(id) ?? -1)
      served.set(id, own)
    }
    const isServed = now()
    for (const [id, own] of served) if (!isServed.has(id)) gone.set(id, own)
  }
  const answer = async (mode: Mode): Promise<void> => {
    await until(() => waiting.length > 0)
    waiting.shift()?.(mode)
    await until(() => waiting.length > 0)
    observe()
  }
  return {
    answer,
    show: (id: Id) => {
      revision += 1
      shown.set(id, revision)
      publish(true)
    },
    remove: (id: Id, isExplained: boolean) => {
      if (!isExplained || !mirror.archive()) isExcused = true
      // An event without any fight is a loss even with an explanation.
      if (shown.size > 1) shown.delete(id)
      publish(isExplained)
    },
    /** Served rows are shown by the origin; rows removed without an explanation stay only with a problem. */
    rest: async (): Promise<void> => {
      const isSettled = (): boolean => {
        const all = now()
        const isWhole = [...shown].every(([id, own]) => all.get(id) === own)
        const hasProblem = isExcused && mirror.status().lastRefresh.error !== null
        return isWhole && (all.size === shown.size || hasProblem)
      }
      for (let requests = 0; requests < 40 && !isSettled(); requests += 1) await answer('whole')
      expect(
        new Map([...now()].filter(([id]) => shown.has(ids.find((each) => each === id) ?? 'a'))),
      ).toEqual(new Map(shown))
      expect(isSettled()).toBe(true)
    },
    stop: async (): Promise<void> => {
      const stopping = mirror.stop()
      for (const resolve of waiting) resolve('failed')
      await stopping
      await server.stop(true)
    },
  }
}

const id = fc.constantFrom(...ids)
const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      mode: fc.constantFrom<Mode>('whole', 'whole', 'whole', 'failed', 'cut', 'unchanged'),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('show' as const), id }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      id,
    }),
  },
)

const whole = { kind: 'answer', mode: 'whole' } as const
const unchanged = { kind: 'answer', mode: 'unchanged' } as const
const staleAnswer = [
  ...[whole, whole, whole, { kind: 'show', id: 'b' } as const, whole],
  ...[{ kind: 'remove', id: 'c' } as const, unchanged, whole, { kind: 'remove', id: 'a' } as const],
  ...[whole, whole, unchanged],
]
const failed = { kind: 'answer', mode: 'failed' } as const
/** The explanation of a removal comes once the file no longer changes. */
const lateExplanation = [whole, whole, whole, { kind: 'remove', id: 'c' } as const, whole, failed]

test('a mirror never goes back or shows removed rows, and ends equal, however requests are answered', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 50 }),
      fc.boolean(),
      async (steps, isExplained) => {
        const model = await openModel()
        for (const each of steps) {
          if (each.kind === 'answer') await model.answer(each.mode)
          else if (each.kind === 'show') model.show(each.id)
          else model.remove(each.id, isExplained)
        }
        await model.rest()
        await model.stop()
      },
    ),
    {
      numRuns: runs(12),
      endOnFailure: true,
      // Two removals, with a 304 between them that is older than the place in the changes.
      examples: [
        [staleAnswer, true],
        [lateExplanation, true],
      ],
    },
  )
}, 120_000)
