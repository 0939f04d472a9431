import { expect, test } from 'bun:test'
import { RemoteError } from '../../scripts/import/remote/remote.ts'
import { createRun } from '../../scripts/import/run.ts'
import { mergeTournament } from '../../scripts/import/target/merge.ts'
import { importTrueFinals } from '../../scripts/import/truefinals/importTrueFinals.ts'
import { buildTrueFinals, cageNumber, cageOf } from '../../scripts/import/truefinals/tournament.ts'
import { silentProgress } from '../../scripts/progress.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { bracketOf, doubleOfFour } from '../brackets.ts'
import { fightRows, tournamentOf } from '../rows.ts'
import { newFile } from './imports.ts'
import { trueFinalsTournament } from './trueFinals.ts'

const players = [{ id: 'p1' }, { id: 'p2' }]

const imported = (rows: TournamentRows, change: object = {}) =>
  buildTrueFinals(
    { ...trueFinalsTournament(rows, { cages: [], cageQueue: [] }), ...change },
    players,
    undefined,
  )

const start = 1_770_000_000

/** The stop of a fight after an import, if other software had written one. */
const stopAfter = (game: Parameters<typeof fightRows>[0]): unknown => {
  const before = fightRows({ state: 'done', startTime: start, stopTime: start + 90 }, 'p1', 'p2')
  const existing = tournamentOf({ id: 'a' }, players, [before])
  const now = tournamentOf({ id: 'a' }, players, [fightRows(game, 'p1', 'p2')])
  const merged = mergeTournament(existing, imported(now), { prune: false })
  return JSON.parse(JSON.stringify(merged.games))[0].stopTime
}

test('a fight that is undone or repeated loses its stop', () => {
  expect(stopAfter({ state: 'done', startTime: start })).toBe(start + 90)
  expect(stopAfter({ state: 'available', startTime: null, stopTime: null })).toBeNull()
  expect(stopAfter({ state: 'active', startTime: start + 600, stopTime: null })).toBeNull()
  expect(stopAfter({ state: 'done', startTime: start + 600, stopTime: null })).toBeNull()
})

test.each([
  ['done', start + 90],
  ['active', null],
  ['called', null],
] as const)('a fight that is %s has the end %p, whatever it had before', (state, endTime) => {
  const fight = fightRows({ state, endTime: start + 90 }, 'p1', 'p2')
  expect(imported(tournamentOf({ id: 'a' }, players, [fight])).games?.[0]?.endTime).toBe(endTime)
})

test.each([
  ['Spring 30lb', 30],
  ['Spring 1.5lb', 2],
  ['Spring 1,5 lbs', 2],
  ['.5 lb Open', 1],
  ['0.33-pound fairies', 1],
  ['Vol.3 12-lb', 12],
  ['Vol.3lb', 3],
  ['Spring 2026', undefined],
])('the title %s has the weight class %p', (title, pounds) => {
  const { tournament } = imported(tournamentOf({ id: 'a' }, [], []), { title })
  expect(tournament.weightClass).toBe(pounds)
})

test('a tournament is active from its start to its end', () => {
  const times = [
    [null, null, false],
    [start * 1000, null, true],
    [start * 1000, (start + 9) * 1000, false],
  ] as const
  for (const [startTime, endTime, active] of times)
    expect(
      imported(tournamentOf({ id: 'a' }, [], []), { startTime, endTime }).tournament,
    ).toMatchObject({ active })
})

test('each bracket has its own rounds', () => {
  const { rounds } = imported(bracketOf(4, doubleOfFour))
  expect(rounds?.map(({ bracketId, idx }) => `${bracketId} ${idx}`)).toEqual([
    'W 0',
    'W 1',
    'W 2',
    'L 0',
    'L 1',
  ])
})

test.each([
  ['2', 'Cage 2'],
  ['cage 2', 'Cage 2'],
  ['Arena #12', 'Cage 12'],
  ['Main stage', 'Main stage'],
  ['Cage 0', 'Cage 0'],
  ['', null],
])('the location %j is the cage %p', (name, cage) => {
  expect(cageOf({ name })).toBe(cage)
  expect(cageNumber({ name })).toBe(Number(/^Cage ([1-9]\d*)$/.exec(cage ?? '')?.[1]) || undefined)
})

test('missing and unknown values of the software have careful defaults', () => {
  const times = { createTime: start * 1000, updateTime: null, privacy: 'secret' }
  const games = [
    {
      id: 'G-1',
      round: 1,
      state: 'active',
      locationID: 'gone',
      slots: [{ slotIdx: 0, slotState: 'odd' }],
    },
    { id: 'EX-1', bracketID: 'EX', slots: [{ slotIdx: 2 }] },
    { id: 'RR-2', bracketID: 'RR', round: 1, slots: [{ slotIdx: 1 }] },
  ]
  const rows = buildTrueFinals({ id: 'a', title: 'Cup 3lb', ...times, games }, [], 12)
  expect(rows.tournament).toMatchObject({ updateTime: start, privacy: 'private', weightClass: 12 })
  expect(rows.brackets?.map(({ id }) => id)).toEqual(['EX', 'RR'])
  expect(rows.rounds?.slice(1).map(({ name }) => name)).toEqual(['Exhibition', 'Round 2'])
  expect(rows.slots?.map(({ gameId, idx, state }) => [gameId, idx, state])).toEqual([
    ['G-1', 0, 'pending'],
    ['RR-2', 1, 'pending'],
  ])
  // The start is left to other software, which may know it.
  expect(rows.games?.[0]).toMatchObject({ cage: null, startTime: undefined })
})

test('a weight class that was given once is not asked for again, and a refusal says why', async () => {
  const target = await (await newFile()).toFile()
  const problemsOf = async (weights: ReadonlyMap<string, number>, status?: number) => {
    const run = createRun({ target, prune: false, progress: silentProgress })
    const get = async (path: string): Promise<unknown> => {
      if (status !== undefined) throw new RemoteError(path, `the server answered ${status}`, status)
      const rows = tournamentOf({ id: 'a', name: 'Cup' }, players, [])
      const tournament = trueFinalsTournament(rows, { cages: [], cageQueue: [] })
      return path.includes('/players') ? players : tournament
    }
    const remote = { base: 'https://brackets.example', get, requests: () => 0 }
    await importTrueFinals(run, { remote, tournamentIds: ['a'], weights })
    return run.result.problems.map(({ reason }) => reason)
  }
  expect(await problemsOf(new Map())).toEqual(['unknown weight class; give --weight a=POUNDS'])
  expect(await problemsOf(new Map([['a', 3]]))).toEqual([])
  expect(await problemsOf(new Map())).toEqual([])
  const keys = 'TRUEFINALS_USER_ID and TRUEFINALS_API_KEY are not accepted'
  expect(await problemsOf(new Map(), 401)).toEqual([`the server answered 401: ${keys}`])
  expect(await problemsOf(new Map(), 403)).toEqual([
    'the server answered 403: this user may not read it',
  ])
})

test('byes are players once, listed or not', () => {
  const rows = tournamentOf({ id: 'a' }, players, [
    fightRows({}, 'p1', 'bye-1'),
    fightRows({ id: 'W-1' }, 'bye-1', 'bye-2'),
  ])
  const listed = [{ id: 'p1' }, { id: 'bye-1', name: 'BYE' }]
  const source = trueFinalsTournament(rows, { cages: [], cageQueue: [] })
  expect(buildTrueFinals(source, listed, undefined).players).toMatchObject([
    { id: 'p1', isBye: false },
    { id: 'bye-1', name: 'BYE', isBye: true },
    { id: 'bye-2', name: '(Bye)', isBye: true },
  ])
})

test('a tournament that fails does not keep others from being imported', async () => {
  const target = await (await newFile()).toFile()
  const run = createRun({ target, prune: false, progress: silentProgress })
  const get = async (path: string): Promise<unknown> => {
    const [, , , id = '', list] = path.split('/')
    if (id === 'gone') throw new RemoteError(path, 'answered 404', 404)
    const rows = tournamentOf({ id: id === 'other' ? 'a' : id }, players, [])
    return list ? players : trueFinalsTournament(rows, { cages: [], cageQueue: [] })
  }
  const remote = { base: 'https://brackets.example', get, requests: () => 0 }
  const weights = new Map([['b', 30]])
  await importTrueFinals(run, { remote, tournamentIds: ['gone', 'other', 'a', 'b'], weights })
  expect([...(await target.sources()).keys()]).toEqual(['a', 'b'])
  expect(run.result.problems.map(({ where, reason }) => `${where}: ${reason}`)).toEqual([
    '/v1/tournaments/gone: answered 404',
    'other: the server answers with another tournament',
  ])
})
