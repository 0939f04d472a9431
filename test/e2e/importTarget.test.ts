import { afterAll, expect, test } from 'bun:test'
import { openPostgresTarget } from '../../scripts/import/target/postgresTarget.ts'
import { checkTournament } from '../../src/source/check.ts'
import type { CageRows } from '../../src/source/rows.ts'
import { ofNoSource } from '../imports.ts'
import { openDatabase } from '../leagueDatabase.ts'
import { present } from '../present.ts'
import { fightRows, tournamentOf } from '../rows.ts'
import { until } from '../until.ts'

const { database, admin } = await openDatabase()
const openTarget = () => openPostgresTarget(database.adminUrl)
const target = await openTarget()
afterAll(() => target.close())

const players = [{ id: 'p1' }, { id: 'p2' }]

test('two imports that let fights wait for one cage at the same time both have them there', async () => {
  const imports = [target, await openTarget()]
  for (const id of ['a', 'b'])
    await target.update(
      id,
      () => tournamentOf({ id }, players, [fightRows({}, 'p1', 'p2')]),
      ofNoSource,
    )
  /** After those that wait already. */
  const withFight = ({ cages, cageQueue }: CageRows, tournamentId: string): CageRows => ({
    cages,
    cageQueue: [...cageQueue, { cage: 1, position: cageQueue.length, tournamentId, gameId: 'W-0' }],
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: begin } = Promise.withResolvers<void>()
  // Lets both read, and neither write.
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
    const [row] = await admin`SELECT count(*)::integer AS waiting FROM pg_locks WHERE NOT granted`
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

test('a bracket goes with its rounds, fights and players', async () => {
  const brackets = ['W', 'L'].map((id, position) => ({
    ...{ id, position, name: id, isExhibition: false, formatType: null },
  }))
  const rounds = ['W', 'L'].map((bracketId) => ({ bracketId, idx: 0, name: '', scoreToWin: 1 }))
  const fights = ['W', 'L'].map((bracketId) =>
    fightRows({ id: `${bracketId}-0`, bracketId }, 'p1', 'p2'),
  )
  const before = tournamentOf({ id: 'c' }, [...players, { id: 'p3' }], fights, { brackets, rounds })
  const after = tournamentOf({ id: 'c' }, players, fights.slice(0, 1), {
    brackets: brackets.slice(0, 1),
    rounds: rounds.slice(0, 1),
  })
  for (const rows of [before, after]) await target.update('c', () => rows, ofNoSource)
  const found = present(checkTournament((await target.read('c')) ?? {}, () => expect.unreachable()))
  expect(found).toMatchObject({ ...after, tournament: { id: 'c' } })
})
