import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { App } from '../../src/app.ts'
import { checkCages } from '../../src/data/source/check.ts'
import { readSnapshot } from '../../src/data/source/snapshot.ts'
import { appOf, archiveWithCages, get, serviceOf } from '../fixtures.ts'
import { runImport, temporaryFolder } from '../process.ts'
import { tournamentOf } from '../rows.ts'
import { sampleLeague as whole } from '../smallLeague.ts'
import { newFile, ofNoSource, reading } from './imports.ts'
import { trueFinalsTournament } from './trueFinals.ts'

const names = ['30ffa53072bfab19', 'cageside-2026-01-12lb', 'cg_mar26_12lb']
const league = [...whole.tournaments].filter(({ tournament }) => names.includes(tournament.id))
const { capturedAt, cages, cageQueue } = whole
const own = <Row extends { readonly tournamentId: string | null }>(rows: readonly Row[]) =>
  rows.filter(({ tournamentId }) => tournamentId !== null && names.includes(tournamentId))

describe('import truefinals', () => {
  const served = new Map<string, unknown>()
  const asked: string[] = []
  let isExhausted = true
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url, headers }) => {
      const { pathname } = new URL(url)
      asked.push(pathname)
      if (headers.get('x-api-user-id') !== 'user' || headers.get('x-api-key') !== 'secret') {
        return Response.json({ message: 'no', code: 'UNAUTHORIZED' }, { status: 401 })
      }
      const body = served.get(pathname)
      if (!body) {
        return Response.json({ message: 'no', code: 'NOT_FOUND' }, { status: 404 })
      }
      if (isExhausted) {
        isExhausted = false
        return Response.json(
          { message: 'slow down', code: 'TOO_MANY_REQUESTS' },
          { status: 429, headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' } },
        )
      }
      return Response.json(body)
    },
  })
  const run = (args: readonly string[], key = 'secret') =>
    runImport(
      [
        'truefinals',
        ...['--base', `http://127.0.0.1:${server.port}/api/`, '--rate', '10000', ...args],
      ],
      { TRUEFINALS_USER_ID: 'user', TRUEFINALS_API_KEY: key },
    )
  const ids = names.flatMap((id) => ['--tournament', id])
  const weights = league.flatMap(({ tournament: { id, weightClass } }) => [
    '--weight',
    `${id}=${weightClass}`,
  ])
  let out: string

  beforeAll(async () => {
    out = join(await temporaryFolder(), 'league.cageside')
    for (const rows of league) {
      const path = `/api/v1/tournaments/${rows.tournament.id}`
      const tournament = trueFinalsTournament(rows, { cages, cageQueue })
      served.set(path, tournament)
      const byes = rows.players.filter(({ isBye }) => isBye).slice(1)
      served.set(`${path}/players`, [
        ...(Array.isArray(tournament.players) ? tournament.players : []),
        ...byes,
      ])
    }
  })
  afterAll(() => server.stop(true))

  const reader = (app: App) => async (path: string) => (await get(app, path)).body

  test('import truefinals serves brackets, players, cages and queues of the bracket software', async () => {
    const started = performance.now()
    expect(await run([...ids, ...weights, '--out', out])).toMatchObject({ err: '', status: 0 })
    // The quota is used up for a second.
    expect(performance.now() - started).toBeGreaterThan(1000)
    const original = reader(
      appOf(
        serviceOf(
          archiveWithCages({ cages: own(cages), cageQueue: own(cageQueue) }, ...league),
          capturedAt,
        ),
      ),
    )
    await reading(
      out,
      async (imported) => {
        for (const id of names) {
          const [copied, expected] = [
            await imported(`/tournaments/${id}/brackets`),
            await original(`/tournaments/${id}/brackets`),
          ]
          // The software has neither the stop of the fighting, nor values that follow from it, nor scores of default
          // losses.
          const gamesOf = (body: typeof copied) =>
            body.brackets.map((bracket: typeof copied) => ({
              id: bracket.bracketID,
              games: bracket.games.map((game: typeof copied) => ({
                ...game,
                scoreToWin: 1,
                stopTime: 0,
                notBefore: 0,
                slots: game.slots.map((slot: typeof copied) => ({ ...slot, score: '' })),
              })),
            }))
          const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
          expect(gamesOf(copied).sort(byId)).toEqual(gamesOf(expected).sort(byId))
          const playersOf = (body: typeof copied) =>
            body.players
              .filter(({ isBye }: { isBye: number }) => isBye === 0)
              // The bracket software has neither teams nor drivers.
              .map(({ lastPlayTime, team, driver, ...player }: typeof copied) => player)
          expect(playersOf(copied)).toEqual(playersOf(expected))
          expect(copied.format.type).toBe(expected.format.type)
        }
        const states = async (read: typeof imported) => {
          const cages: Awaited<ReturnType<typeof read>> = (await read('/cages')).cages
          return Object.keys(cages).map((name) => {
            const { status, match, queue } = cages[name]
            // The software has a queue for each tournament, and neither knows when fights stopped nor expected starts.
            const waiting = Map.groupBy(
              queue,
              ({ tournamentID }: { tournamentID: string }) => tournamentID,
            )
            const order = [...waiting].map(([id, entries]) => [
              id,
              entries.map(({ gameID, status }: Record<string, string>) => [gameID, status]),
            ])
            return [name, status, match?.gameID, order.toSorted()]
          })
        }
        expect(await states(imported)).toEqual(await states(original))
        const matches = async (read: typeof imported) => {
          const { matches: listed } = await read('/schedule')
          return listed.map(
            ({ gameID, status, calledSince, scheduledTime }: Record<string, unknown>) => [
              gameID,
              status,
              calledSince,
              scheduledTime,
            ],
          )
        }
        expect(await matches(imported)).toEqual(await matches(original))
      },
      capturedAt,
    )
  }, 30_000)

  test('import truefinals changes nothing if nothing changed', async () => {
    const { mtimeMs } = await Bun.file(out).stat()
    expect((await run([...ids, ...weights, '--out', out])).out).toContain(
      '0 tournaments changed, 3 unchanged',
    )
    expect((await Bun.file(out).stat()).mtimeMs).toBe(mtimeMs)
  })

  test('import truefinals leaves the cages of other tournaments alone', async () => {
    const [only, ...others] = names
    const copy = `${out}.copy`
    await Bun.write(copy, Bun.file(out))
    const cagesOf = async (path: string) => {
      const { cages, cageQueue } = checkCages((await readSnapshot(path)).cages, () => undefined)
      const isOther = ({ tournamentId }: { tournamentId: string | null }) =>
        others.some((id) => id === tournamentId)
      return [cages.filter(isOther), cageQueue.filter(isOther)]
    }
    const before = await cagesOf(copy)
    expect(before.flat().length).toBeGreaterThan(0)
    expect((await run(['--tournament', only ?? '', '--out', copy, '--prune'])).err).toBe('')
    expect(await cagesOf(copy)).toEqual(before)
  })

  test('import truefinals skips an event of another source unless --source names it', async () => {
    const [only] = league
    const { id = '', createTime = 0 } = only?.tournament ?? {}
    for (const [source, madeAt, status] of [
      ['folder', createTime, 2],
      [null, createTime + 1, 2],
      [null, createTime, 0],
    ] as const) {
      const { path, toFile } = await newFile()
      const target = await toFile()
      const rows = tournamentOf({ id, source, name: 'Mine', createTime: madeAt }, [], [])
      await target.update(id, () => rows, ofNoSource)
      await target.close()
      const imported = await run(['--tournament', id, '--weight', `${id}=3`, '--out', path])
      expect(imported.status).toBe(status)
      if (status === 0) continue
      expect(imported.out).toMatch(
        / stays as it is: (an event of the source 'folder'|another event)/,
      )
      expect(await (await toFile()).read(id)).toMatchObject({ tournament: { name: 'Mine' } })
      if (source === null) continue
      const same = ['--tournament', id, '--weight', `${id}=3`, '--out', path, '--source', source]
      expect((await run(same)).status).toBe(0)
    }
  })

  test('import truefinals adds the recordings of a file', async () => {
    const [first] = league
    const [tournament, fight] = [first?.tournament.id, first?.games[0]?.id]
    const film = { tournament, fight, camera: 'Sky', address: 'https://v.example/1.mp4' }
    await Bun.write(`${out}.ndjson`, JSON.stringify(film))
    const added = await run([...ids, ...weights, '--out', out, '--recordings', `${out}.ndjson`])
    expect(added.out).toContain('1 tournaments changed, 2 unchanged, 0 removed; rows: 1 inserted')
  })

  test('import truefinals lists failed requests, and shows no key', async () => {
    const unknown = await run(['--tournament', 'unknown', '--out', `${out}2`])
    expect(unknown.status).toBe(1)
    expect(unknown.err).toContain('is not written: there is no tournament to write')
    expect(unknown.out).toContain('/v1/tournaments/unknown')
    expect(unknown.out).toContain('answered 404')
    const refused = await run(['--tournament', 'unknown', '--out', `${out}2`], 'wrong-key')
    expect(refused.out).toContain('TRUEFINALS_API_KEY are not accepted')
    expect(refused.out + refused.err).not.toContain('wrong-key')
    const without = await run([...ids, '--out', `${out}2`], '')
    expect(without).toMatchObject({
      status: 1,
      err: 'TRUEFINALS_API_KEY must be set (see --help)\n',
    })
    const traversal = await run(['--tournament', '../user', '--out', `${out}2`])
    expect(traversal.status).toBe(1)
    expect(asked.every((path) => path.startsWith('/api/v1/tournaments/'))).toBe(true)
  })
})
