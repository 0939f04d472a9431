import { afterAll, expect, test } from 'bun:test'
import { openPostgresTarget } from '../../scripts/import/target/postgresTarget.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import type { CageRows } from '../../src/data/source/rows.ts'
import { openDatabase } from '../leagueDatabase.ts'
import { present } from '../present.ts'
import { cageRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'
import { ofNoSource } from './imports.ts'

const { database, admin } = await openDatabase()
const openTarget = () => openPostgresTarget(database.adminUrl)
const target = await openTarget()
afterAll(() => target.close())

const players = [{ id: 'p1' }, { id: 'p2' }]

test('two simultaneous imports that queue fights in one cage both have them there', async () => {
  const imports = [target, await openTarget()]
  for (const id of ['a', 'b'])
    await target.update(
      id,
      () => tournamentOf({ id }, players, [fightRows({}, 'p1', 'p2')]),
      ofNoSource,
    )
  /** The fights are queued behind the ones already there. */
  const withFight = ({ cages, cageQueue }: CageRows, tournamentId: string): CageRows => ({
    cages,
    cageQueue: [...cageQueue, { cage: 1, position: cageQueue.length, tournamentId, gameId: 'W-0' }],
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: begin } = Promise.withResolvers<void>()
  // Lets both imports read before either writes.
  const holding = admin.begin(async (sql) => {
    await sql`LOCK TABLE cageside.cage_queue IN SHARE MODE`
    begin()
    await released
  })
  await locked
  const written = Promise.all(
    ['a', 'b'].map((id, at) => imports[at]?.updateCages((rows) => withFight(rows, id))),
  )
  await until(async () => {
    const [row] = await admin`
      SELECT count(*)::integer AS waiting FROM pg_locks JOIN pg_database ON oid = database
      WHERE NOT granted AND datname = current_database()`
    return row?.waiting === 2
  })
  release()
  await holding
  await written
  await imports[1]?.close()
  let found: readonly unknown[] = []
  await target.updateCages((rows) => {
    found = rows.cageQueue.map(({ position }) => position)
    return { cages: [], cageQueue: [] }
  })
  expect(found).toEqual([0, 1])
})

test('a bracket is removed with its rounds, fights and players, a video by itself', async () => {
  const brackets = ['W', 'L'].map((id, position) => ({
    ...{ id, position, name: id, isExhibition: false, formatType: null },
  }))
  const rounds = ['W', 'L'].map((bracketId) => ({ bracketId, idx: 0, name: '', scoreToWin: 1 }))
  const fights = ['W', 'L'].map((bracketId) =>
    fightRows({ id: `${bracketId}-0`, bracketId }, 'p1', 'p2'),
  )
  const before = tournamentOf({ id: 'c' }, [...players, { id: 'p3' }], fights, {
    ...{ brackets, rounds },
    recordings: [recordingRow({ id: 9 })],
  })
  const after = tournamentOf({ id: 'c' }, players, fights.slice(0, 1), {
    brackets: brackets.slice(0, 1),
    rounds: rounds.slice(0, 1),
  })
  for (const rows of [before, after]) await target.update('c', () => rows, ofNoSource)
  const found = present(checkTournament((await target.read('c')) ?? {}, () => expect.unreachable()))
  expect(found).toMatchObject({ ...after, tournament: { id: 'c' } })
})

test('cages and queues are written unchanged, and tournaments are removed with both', async () => {
  const rows = tournamentOf({ id: 'd' }, players, [fightRows({}, 'p1', 'p2')])
  await target.update('d', () => rows, ofNoSource)
  const of = (status: 'active' | 'paused', updateTime: number): CageRows => ({
    cages: [cageRow({ number: 3, tournamentId: 'd', gameId: 'W-0', status, updateTime })],
    cageQueue: [{ cage: 3, position: 0, tournamentId: 'd', gameId: 'W-0' }],
  })
  expect(await target.updateCages(() => of('active', 1_770_000_000))).toMatchObject({ inserted: 2 })
  expect(await target.updateCages(() => of('paused', 1_770_000_009))).toMatchObject({ updated: 1 })
  const found: CageRows[] = []
  const read = () =>
    target.updateCages((now) => {
      found.push(now)
      return now
    })
  await read()
  expect(await target.remove('d')).toEqual({ inserted: 0, updated: 0, deleted: 1 })
  expect(await target.remove('d')).toEqual({ inserted: 0, updated: 0, deleted: 0 })
  await read()
  expect(found[0]).toEqual(of('paused', 1_770_000_009))
  expect(found[1]).toMatchObject({ cages: [{ number: 3, gameId: null }], cageQueue: [] })
})

test.each([
  [true, [0, 2]],
  [false, [2, 0]],
])(
  'a video and a still move within a source %p, by number or token',
  async (isOfSource, owners) => {
    const filmed = (id: string, number: number) =>
      tournamentOf({ id, privacy: 'private' }, players, [fightRows({}, 'p1', 'p2')], {
        recordings: [recordingRow({ id: 5, startMs: 1_770_000_040_250 })],
        stills: [stillRow({ id: number, token: 'x' })],
      })
    const bad: string[] = []
    const changeOptions = {
      onBadRow: ({ table, problem }: { table: string; problem: string }) =>
        bad.push(`${table}: ${problem}`),
      isOfSource: () => isOfSource,
    }
    await target.update('e', () => filmed('e', 1), changeOptions)
    const again = await target.update('e', () => filmed('e', 1), changeOptions)
    expect(again?.changes).toEqual({ inserted: 0, updated: 0, deleted: 0 })
    await target.update('f', () => filmed('f', 2), changeOptions)
    const counts: number[] = []
    for (const id of ['e', 'f']) {
      const rows = present(
        checkTournament((await target.read(id)) ?? {}, () => expect.unreachable()),
      )
      counts.push(rows.recordings.length + rows.stills.length)
      if (rows.recordings[0]) expect(rows.recordings).toEqual([...filmed(id, 1).recordings])
    }
    expect(counts).toEqual([...owners])
    expect(bad).toEqual(
      isOfSource
        ? []
        : ['stills: 2 or x is used by another league', 'recordings: 5 is used by another league'],
    )
    for (const id of ['e', 'f']) await target.remove(id)
  },
)

test('a new still can have the token that another one had', async () => {
  const withStills = (...stills: [id: number, token: string][]) =>
    tournamentOf({ id: 'g' }, players, [fightRows({}, 'p1', 'p2')], {
      stills: stills.map(([id, token]) => stillRow({ id, token })),
    })
  await target.update('g', () => withStills([1, 'x']), ofNoSource)
  const updated = await target.update('g', () => withStills([1, 'y'], [3, 'x']), ofNoSource)
  expect(updated?.changes).toEqual({ inserted: 1, updated: 1, deleted: 0 })
  await target.remove('g')
})
