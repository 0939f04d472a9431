import { expect, spyOn, test } from 'bun:test'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { csvCommand } from '../../scripts/import/csv/command.ts'
import { confirmation, planImport, writeImport } from '../../scripts/import/csv/plan.ts'
import { baseAddress, numberOption, openTarget } from '../../scripts/import/options.ts'
import { problemTable } from '../../scripts/import/problems.ts'
import {
  importOnce,
  RefusedError,
  repeatImport,
  untilAborted,
} from '../../scripts/import/repeat.ts'
import { createRun, writeTournament } from '../../scripts/import/run.ts'
import { writeCages } from '../../scripts/import/target/cages.ts'
import { differenceOf } from '../../scripts/import/target/difference.ts'
import { mergeTournament } from '../../scripts/import/target/merge.ts'
import { withReferences } from '../../scripts/import/target/references.ts'
import type { Target } from '../../scripts/import/target/target.ts'
import { fileNumber, folderNumber, isFolderNumber } from '../../scripts/import/values.ts'
import { silentProgress } from '../../scripts/progress.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import { hiddenCage } from '../../src/data/source/rows.ts'
import { readSnapshot, writeSnapshot } from '../../src/data/source/snapshot.ts'
import { cageRow, clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { newFile, ofNoSource, sheetLeague } from './imports.ts'

const players = [{ id: 'p1' }, { id: 'p2' }]
const cup = (id: string) => tournamentOf({ id }, players, [fightRows({}, 'p1', 'p2')])

test('a watched file is dated when its import begins, even if nothing changed', async () => {
  const { path } = await newFile(1_770_000_000)
  const tournaments = [cup('a')]
  await writeSnapshot(path, { capturedAt: 1_770_000_000, cages: [], cageQueue: [], tournaments })
  const importNothing = async (watch: boolean): Promise<number> => {
    await (await openTarget({ out: path, watch })).close()
    return (await readSnapshot(path)).capturedAt
  }
  expect(await importNothing(false)).toBe(1_770_000_000)
  const begunAt = await importNothing(true)
  expect(begunAt).toBeGreaterThan(1_770_000_000)
  const written = await stat(path)
  await importNothing(true)
  expect((await stat(path)).ino).toBe(written.ino)
})

test('an import of a file instead of its folder says so', async () => {
  const { path } = await newFile()
  await Bun.write(path, 'tournament,name')
  await expect(csvCommand([path, '--out', `${path}.cageside`])).rejects.toThrow(
    `${path} is a file; give the folder that contains it`,
  )
})

test('a file in a missing folder is not written, with a readable reason', async () => {
  const { path } = await newFile()
  const target = await openTarget({ out: join(path, 'none', 'league.cageside') })
  await target.update('a', () => cup('a'), ofNoSource)
  await expect(target.close()).rejects.toThrow('a file cannot be created or opened')
})

test('recordings of a file stay when recordings that the source lost are removed', () => {
  const own = fileNumber('film.mp4')
  const existing = { ...cup('a'), recordings: [recordingRow({ id: 5 }), recordingRow({ id: own })] }
  const merged = (prune: boolean) => {
    const { recordings } = mergeTournament(existing, { ...cup('a'), recordings: [] }, { prune })
    return JSON.parse(JSON.stringify(recordings)).map(({ id }: { id: number }) => id)
  }
  expect(merged(false)).toEqual([5, own])
  expect(merged(true)).toEqual([own])
})

test('clips and corners of a removed fight go with it, but clips and corners of others stay', () => {
  const fights = ['W-0', 'W-1'].map((id) => fightRows({ id }, 'p1', 'p2'))
  const clips = [clipRow({ token: 'a' }), clipRow({ token: 'b', gameId: 'W-1' })]
  const existing = { ...tournamentOf({ id: 'a' }, players, fights), clips }
  const { clips: _, ...imported } = tournamentOf({ id: 'a' }, players, fights.slice(0, 1))
  const kept = (prune: boolean, source = imported) => {
    const { clips, slots } = mergeTournament(existing, source, { prune })
    return { clips, slots: new Set(JSON.stringify(slots).match(/W-\d/g)) }
  }
  expect(kept(true)).toEqual({ clips: clips.slice(0, 1), slots: new Set(['W-0']) })
  expect(kept(false)).toEqual({ clips, slots: new Set(['W-0', 'W-1']) })
  // A source without fights does not say that there are none.
  const { games: _games, slots: _slots, ...rest } = imported
  expect(mergeTournament(existing, rest, { prune: true }).clips).toEqual(clips)
})

test('a stop before the start goes if the source has none: the fight is repeated', () => {
  const game = { id: 'W-0', bracketId: 'W', roundIdx: 0, position: 0 }
  const stopAfter = (times: { startTime: number; stopTime?: number }) => {
    const imported = { tournament: { id: 'a' }, games: [{ ...game, ...times }] }
    const existing = tournamentOf({ id: 'a' }, players, [
      fightRows({ startTime: 1000, stopTime: 1090 }, 'p1', 'p2'),
    ])
    const { games } = mergeTournament(existing, imported, { prune: false })
    return JSON.parse(JSON.stringify(games))[0].stopTime
  }
  expect(stopAfter({ startTime: 1000 })).toBe(1090)
  expect(stopAfter({ startTime: 1090 })).toBe(1090)
  expect(stopAfter({ startTime: 2000 })).toBe(null)
  expect(stopAfter({ startTime: 2000, stopTime: 1500 })).toBe(1500)
})

test('a still whose token moved is replaced, and others stay unless vanished ones go', () => {
  const stills = [stillRow({ id: 1, token: 'x' }), stillRow({ id: 2, token: 'y' })]
  const existing = { ...cup('a'), stills }
  const imported = { tournament: { id: 'a' }, stills: [stillRow({ id: 3, token: 'x' })] }
  const idsOf = (prune: boolean) => {
    const merged = mergeTournament(existing, imported, { prune }).stills
    return JSON.parse(JSON.stringify(merged)).map(({ id }: { id: number }) => id)
  }
  expect([idsOf(false), idsOf(true)]).toEqual([[2, 3], [3]])
})

test('tags of an imported still come from the source, others stay unchanged', () => {
  const stills = [stillRow({ id: 1 }), stillRow({ id: 2 })]
  const tags = (...pairs: [number, string][]) => pairs.map(([stillId, tag]) => ({ stillId, tag }))
  const existing = { ...cup('a'), stills, stillTags: tags([1, 'KO'], [2, 'crowd']) }
  const imported = {
    tournament: { id: 'a' },
    stills: stills.slice(0, 1),
    stillTags: tags([1, 'fire']),
  }
  const { stillTags } = mergeTournament(existing, imported, { prune: false })
  expect<unknown>(stillTags).toEqual(tags([1, 'fire'], [2, 'crowd']))
})

test.each([
  [new Set(['W-0']), 1],
  [new Set<string>(), 0],
])('pauses of a game stay if the source could not be read', (unreadGames, count) => {
  const pauses = [{ gameId: 'W-0', idx: 0, startTime: 1_770_000_110, stopTime: null }]
  const existing = { ...cup('a'), pauses }
  const games = [{ id: 'W-0', bracketId: 'W', roundIdx: 0, position: 0 }]
  const imported = { tournament: { id: 'a' }, games, pauses: [], unreadGames }
  for (const prune of [false, true])
    expect(mergeTournament(existing, imported, { prune }).pauses).toHaveLength(count)
})

const options = { onBadRow: () => undefined, isOfSource: () => true }

test('a league without a tournament makes no new file, but keeps an existing one', async () => {
  const { path, toFile } = await newFile()
  await expect((await toFile()).close()).rejects.toThrow(
    `${path} is not written: there is no tournament to write`,
  )
  expect(await Bun.file(path).exists()).toBe(false)
  const first = await toFile()
  await first.update('a', () => cup('a'), options)
  await first.close()
  const second = await toFile()
  await second.remove('a')
  await second.close()
  expect((await readSnapshot(path)).tournamentCount).toBe(0)
})

test.each([
  [true, [0, 1]],
  [false, [1, 0]],
])(
  'a video and a still with its tags belong to one tournament: moved within a source %p',
  async (isOfSource, owners) => {
    const { toFile } = await newFile()
    const withMedia = (id: string) => ({
      ...cup(id),
      recordings: [recordingRow({ id: 5 })],
      stills: [stillRow({ id: 1, token: 'x' })],
      stillTags: [{ stillId: 1, tag: 'KO' }],
    })
    const bad: string[] = []
    const target = await toFile()
    for (const id of ['a', 'b'])
      await target.update(id, () => withMedia(id), {
        onBadRow: ({ table, problem }) => bad.push(`${table}: ${problem}`),
        isOfSource: () => isOfSource,
      })
    await target.close()
    const written = await toFile()
    for (const [at, id] of ['a', 'b'].entries()) {
      const rows = await written.read(id)
      for (const table of ['recordings', 'stills', 'stillTags'] as const)
        expect([table, Object(rows)[table].length]).toEqual([table, owners[at]])
    }
    expect(bad).toEqual(
      isOfSource
        ? []
        : ['stills: 1 or x is used by another league', 'recordings: 5 is used by another league'],
    )
  },
)

test('cages of a source replace its own and empty ones, and its fights queue behind fights of others', async () => {
  const { path, toFile } = await newFile()
  const target = await toFile()
  for (const id of ['own', 'other']) await target.update(id, () => cup(id), options)
  const cage = (number: number, tournamentId: string | null) =>
    cageRow({ number, tournamentId, gameId: tournamentId && 'W-0', updateTime: 7 })
  const waiting = (number: number, position: number, tournamentId: string) => ({
    ...{ cage: number, position, tournamentId, gameId: 'W-0' },
  })
  await target.updateCages(() => ({
    cages: [
      ...[cage(1, 'own'), cage(2, 'other'), cage(3, null), cage(4, 'own'), cage(6, 'own')],
      ...[cage(8, 'other'), cage(9, null)],
    ],
    cageQueue: [waiting(1, 0, 'own'), waiting(2, 0, 'other'), waiting(10, 0, 'own')],
  }))
  const { updateTime: _, ...same } = cage(6, 'own')
  const listed = [
    { number: 1, row: undefined, queue: [] },
    { number: 2, row: cage(2, null), queue: [waiting(2, 0, 'own')] },
    { number: 3, row: undefined, queue: [] },
    { number: 5, row: cage(5, 'own'), queue: [] },
    { number: 6, row: same, queue: [] },
    // A game that was not imported does not count.
    {
      number: 7,
      row: { ...cage(7, 'own'), gameId: 'W-9' },
      queue: [waiting(7, 0, 'gone'), waiting(7, 1, 'own')],
    },
    { number: 8, row: cage(8, 'own'), queue: [] },
  ]
  const run = createRun({ target, prune: false, progress: silentProgress })
  run.result.games.set('own', new Set(['W-0']))
  await writeCages(run, listed, (id) => id === 'own', { prune: true })
  await target.close()
  expect((await readSnapshot(path)).cages).toEqual({
    cages: [
      ...[cage(2, 'other'), cage(3, null), cage(5, 'own'), cage(6, 'own')],
      { ...cage(7, null), ...hiddenCage },
      ...[cage(8, 'own'), cage(9, null)],
    ],
    cageQueue: [waiting(2, 0, 'other'), waiting(2, 1, 'own'), waiting(7, 0, 'own')],
  })
})

test('a cage without a time has the time of the import that changed it', async () => {
  const target = await (await newFile()).toFile()
  await target.updateCages(() => ({
    cages: [cageRow({ number: 1, status: 'idle', updateTime: 7 })],
    cageQueue: [],
  }))
  const run = createRun({ target, prune: false, progress: silentProgress })
  const { updateTime: _, ...row } = cageRow({ number: 1, status: 'paused' })
  await writeCages(run, [{ number: 1, row, queue: [] }], () => true)
  let found = 0
  await target.updateCages((rows) => {
    found = rows.cages[0]?.updateTime ?? 0
    return rows
  })
  expect(found).toBeGreaterThan(1_770_000_000)
  expect(run.result.changes).toEqual({ inserted: 0, updated: 1, deleted: 0 })
})

test.each(['a recording is gone', 'a cage is emptied'])(
  'a file is written again if only this changes: %s',
  async (change) => {
    const { path, toFile } = await newFile()
    const first = await toFile()
    const recordings = [recordingRow({ id: 5 })]
    await first.update('a', () => ({ ...cup('a'), recordings }), options)
    await first.updateCages(() => ({ cages: [cageRow({ number: 1 })], cageQueue: [] }))
    await first.close()
    const second = await toFile()
    if (change === 'a recording is gone') await second.update('a', () => cup('a'), options)
    else await second.updateCages(() => ({ cages: [], cageQueue: [] }))
    await second.close()
    const found = await readSnapshot(path)
    const rows = checkTournament([...found.tournaments()][0] ?? {}, () => undefined)
    expect(Number(rows?.recordings.length) + Object(found.cages).cages.length).toBe(1)
  },
)

test('a row with an additional column differs from the present one', () => {
  const [row] = cup('a').players
  const { team, ...older } = { ...row }
  const changes = differenceOf('players', [older], [{ ...older, team: 'Us' }])
  expect([
    changes.updated.length,
    differenceOf('players', [older], [older]).updated.length,
  ]).toEqual([1, 0])
})

test('a round after a failed one knows it, and no other', async () => {
  const { toFile } = await newFile()
  const controller = new AbortController()
  const rounds: boolean[] = []
  await repeatImport(
    { watch: true },
    () => toFile(),
    async (_, { isAfterFailure }) => {
      rounds.push(isAfterFailure)
      if (rounds.length === 2) throw new Error('the second round fails')
      if (rounds.length === 4) controller.abort()
      return 'abandoned'
    },
    { untilNext: async () => undefined, controller },
  )
  expect(rounds).toEqual([false, false, true, false])
})

test('an import that was stopped during its round does not wait for the next one', async () => {
  const waiting = untilAborted(60_000, AbortSignal.abort()).then(() => 'over')
  expect(await Promise.race([waiting, Bun.sleep(1).then(() => 'waits')])).toBe('over')
})

test('a wait ends when the import is stopped', async () => {
  const stop = new AbortController()
  const waiting = untilAborted(60_000, stop.signal).then(() => 'over')
  stop.abort()
  expect(await Promise.race([waiting, Bun.sleep(1).then(() => 'waits')])).toBe('over')
})

test('a failed import leaves its target and says why, and one with left-out lines is incomplete', async () => {
  const { toFile } = await newFile()
  const ends: string[] = []
  const lines: string[] = []
  const open = async (): Promise<Target> => ({
    ...(await toFile()),
    close: async () => void ends.push('closed'),
    abandon: async () => void ends.push('abandoned'),
  })
  const printed = spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text))
  const failing = importOnce(open, async (run) => {
    run.report({ where: 'fights.csv:2', reason: 'it ends before it starts' })
    throw new Error('the server is gone')
  })
  await expect(failing).rejects.toThrow('the server is gone')
  expect(lines.join()).toContain('fights.csv:2  it ends before it starts')
  await importOnce(open, async () => 'abandoned')
  const statuses: unknown[] = []
  for (const outcome of ['complete', 'incomplete'] as const) {
    process.exitCode = 0
    await importOnce(open, async () => outcome)
    statuses.push(process.exitCode)
  }
  process.exitCode = 0
  printed.mockRestore()
  expect(ends).toEqual(['abandoned', 'abandoned', 'closed', 'closed'])
  expect(statuses).toEqual([0, 2])
})

test('an error is printed once for all rounds, a refusal of the files each time', async () => {
  const { toFile } = await newFile()
  const controller = new AbortController()
  const lines: string[] = []
  const listeners = process.listenerCount('SIGTERM')
  const printed = spyOn(console, 'error').mockImplementation((text) => void lines.push(text))
  const errors = ['gone', 'gone', 'other', 'refused', 'refused']
  let rounds = 0
  await repeatImport(
    { watch: true },
    () => toFile(),
    async () => {
      const message = errors[rounds++]
      if (message === undefined) {
        controller.abort()
        return 'abandoned'
      }
      throw message === 'refused' ? new RefusedError(message) : new Error(`${message}\nin detail`)
    },
    { untilNext: async () => undefined, controller },
  )
  printed.mockRestore()
  expect(lines).toEqual(['gone', 'other', 'refused', 'refused'])
  expect(process.listenerCount('SIGTERM')).toBe(listeners)
})

test('a tournament that is written in two steps is changed if one of them changed it', async () => {
  const target = await (await newFile()).toFile()
  const run = createRun({ target, prune: false, progress: silentProgress })
  const changed: number[] = []
  for (const _ of [1, 2]) {
    await writeTournament(run, cup('a'), options)
    changed.push(run.result.changed)
  }
  expect([changed, run.result.unchanged]).toEqual([[1, 1], 0])
})

test.each([
  ['5', 5],
  ['86400', 86_400],
  ['7.5', 7.5],
  [undefined, 30],
  ['4.999', undefined],
  ['86401', undefined],
  ['1e3', undefined],
])('the interval %j is %p seconds', (value, seconds) => {
  const read = () => numberOption('interval', value, { min: 5, max: 86_400, preset: 30 })
  if (seconds === undefined) expect(read).toThrow('--interval must be a number from 5 to 86400')
  else expect(read()).toBe(seconds)
})

test.each([
  ['https://league.example/api//', 'https://league.example/api'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['ftp://league.example', undefined],
  ['https://user@league.example', undefined],
  ['https://league.example?a', undefined],
  ['https://league.example#a', undefined],
  ['league.example', undefined],
])('the base URL of %s is %p', (given, base) => {
  const read = () => baseAddress('BASE', given)
  if (base === undefined) expect(read).toThrow('BASE must be an http(s) address')
  else expect(read()).toBe(base)
})

test('contradicting options of a target and of a repetition are refused', async () => {
  const url = 'postgres://localhost/league'
  await expect(openTarget({ out: '' })).rejects.toThrow('--out needs the path of a file')
  await expect(openTarget({ out: 'a', 'database-url': url })).rejects.toThrow('exclude each other')
  const never = () => expect.unreachable()
  await expect(repeatImport({ interval: '30' }, never, never)).rejects.toThrow(
    '--interval needs --watch',
  )
})

test('a table of problems has 200 lines and the number of the others', () => {
  const problems = (count: number) =>
    problemTable(
      'Bad',
      Array.from({ length: count }, () => ({ where: 'a', reason: 'b' })),
    ).split('\n')
  expect(problems(200)).toHaveLength(201)
  expect(problems(201)).toHaveLength(202)
  expect(problems(203).at(-1)).toBe('  and 3 more')
})

test('a round of --watch prints its changes and new problems with the time', async () => {
  const { toFile } = await newFile()
  const controller = new AbortController()
  const lines: string[] = []
  const printed = spyOn(console, 'log').mockImplementation((text: string) => void lines.push(text))
  const rounds = ['a', 'a', 'b', 'b no clips', 'b no clips', 'c no clips', 'c', 'c']
  const counts: number[] = []
  await repeatImport(
    { watch: true },
    () => toFile(),
    async (run) => {
      counts.push(lines.length)
      const [id = '', ...problem] = rounds[counts.length - 1]?.split(' ') ?? []
      await writeTournament(run, cup(id), options)
      if (problem.length > 0) run.report({ where: 'clips', reason: problem.join(' ') })
      if (counts.length === rounds.length) controller.abort()
      return undefined
    },
    { unitMs: 1, controller },
  )
  printed.mockRestore()
  expect(counts).toEqual([0, 1, 1, 2, 4, 4, 6, 7])
  expect(lines).toHaveLength(7)
})

test('two imports into one file lose nothing, as the second one is refused', async () => {
  const { path, toFile } = await newFile()
  for (const round of ['new', 'present']) {
    const [one, two] = [await toFile(), await toFile()]
    await one.update(`${round} one`, () => cup(`${round} one`), options)
    await two.update(`${round} two`, () => cup(`${round} two`), options)
    await one.close()
    await expect(two.close()).rejects.toThrow(`${path} was changed by another program meanwhile`)
    expect([...(await (await toFile()).sources()).keys()]).toContain(`${round} one`)
  }
})

test('one of two imports that end at the same moment is written, the other one refused', async () => {
  const { path, toFile } = await newFile()
  for (const round of ['new', 'present']) {
    const targets = [await toFile(), await toFile(), await toFile()]
    for (const [at, target] of targets.entries()) {
      await target.update(`${round} ${at}`, () => cup(`${round} ${at}`), options)
    }
    const ends = await Promise.allSettled(targets.map((target) => target.close()))
    const written = ends.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
    expect(written).toHaveLength(1)
    expect([...(await (await toFile()).sources()).keys()]).toContain(`${round} ${written[0]}`)
    expect(await readdir(dirname(path))).toEqual(['league.cageside'])
  }
})

test('an import of a folder removes only its own videos, and videos that it has again', async () => {
  const { toFile } = await newFile()
  const target = await toFile()
  const [gone, film, own] = [folderNumber('gone'), fileNumber('film'), folderNumber('film')]
  const doubled = { camera: 'C', videoUrl: 'https://v.example/1.mp4' }
  const present = [
    recordingRow({ id: 5 }),
    recordingRow({ id: gone, camera: 'Gone' }),
    recordingRow({ id: film, ...doubled }),
    recordingRow({ id: fileNumber('other'), camera: 'Other' }),
  ]
  await target.update('a', () => ({ ...cup('a'), recordings: present }), options)
  const run = createRun({ target, prune: true, progress: silentProgress })
  const imported = { ...cup('a'), recordings: [recordingRow({ id: own, ...doubled })] }
  const updated = await writeTournament(run, imported, {
    isOfSource: () => false,
    merge: (before, after) =>
      mergeTournament(before, after, { prune: true, isOwnRecording: isFolderNumber }),
  })
  expect(updated?.rows.recordings.map(({ id }) => id)).toEqual([5, own, fileNumber('other')])
})

test('one film of two fights is another video in each', () => {
  const fights = ['W-0', 'W-1'].map((id) => fightRows({ id }, 'p1', 'p2'))
  const film = { camera: 'C', videoUrl: 'https://v.example/1.mp4' }
  const own = folderNumber('film')
  const rowsWith = (id: number, gameId: string) =>
    tournamentOf({ id: 'a' }, players, fights, {
      recordings: [recordingRow({ id, gameId, ...film })],
    })
  const { recordings } = mergeTournament(rowsWith(5, 'W-1'), rowsWith(own, 'W-0'), {
    prune: true,
    isOwnRecording: isFolderNumber,
  })
  expect(recordings).toMatchObject([{ id: 5 }, { id: own }])
})

test('a clip of a missing game is left out, and brackets without a row follow in order', () => {
  const bad: unknown[] = []
  const fights = ['W', 'L'].map((bracketId) =>
    fightRows({ id: `${bracketId}-0`, bracketId }, 'p1', 'p2'),
  )
  const rows = tournamentOf({ id: 'a' }, players, fights, {
    brackets: [],
    rounds: [],
    clips: [clipRow({ token: 'a', gameId: 'W-9' }), clipRow({ token: 'b', gameId: 'W-0' })],
  })
  const { clips, brackets } = withReferences(rows, ({ table, problem }) => bad.push(table, problem))
  expect(clips.map(({ token }) => token)).toEqual(['b'])
  expect(bad).toEqual(['clips', 'there is no game W-9'])
  expect(brackets).toMatchObject([
    { id: 'L', position: 1 },
    { id: 'W', position: 0 },
  ])
})

test('rows that refer to missing rows are left out or cut off, and reported', () => {
  const bad: unknown[] = []
  const rows = tournamentOf({ id: 'a', scoreToWin: 3 }, players, [fightRows({}, 'p1', 'p2')], {
    brackets: [],
    rounds: [{ bracketId: 'L', idx: 4, name: 'Empty', scoreToWin: 1 }],
    pauses: ['W-0', 'W-9'].map((gameId) => ({ gameId, idx: 0, startTime: 1, stopTime: 2 })),
    judgeLines: ['W-0', 'W-9'].map((gameId) => ({ gameId, idx: 0, line: 'Ann: 3-2' })),
    recordings: ['W-0', 'W-9'].map((gameId, id) => recordingRow({ id: id + 1, gameId })),
    stills: [stillRow({ id: 1, playerId: 'p1' }), stillRow({ id: 2, playerId: 'p9' })],
    stillTags: [1, 3].map((stillId) => ({ stillId, tag: 'KO' })),
  })
  const found = withReferences(rows, ({ table, problem }) => bad.push(`${table}: ${problem}`))
  expect(bad.toSorted()).toEqual([
    'judgeLines: there is no game W-9',
    'pauses: there is no game W-9',
    'recordings: there is no game W-9',
    'stillTags: there is no still 3',
    'stills: there is no player p9',
  ])
  for (const table of ['pauses', 'judgeLines', 'recordings'] as const)
    expect(found[table].map(({ gameId }) => gameId)).toEqual(['W-0'])
  expect(found.stills.map(({ playerId }) => playerId)).toEqual(['p1', null])
  expect(found.stillTags.map(({ stillId }) => stillId)).toEqual([1])
  expect(found.brackets.map(({ id }) => id)).toEqual(['L', 'W'])
  expect(found.rounds.map(({ bracketId, scoreToWin }) => [bracketId, scoreToWin])).toEqual([
    ['L', 1],
    ['W', 3],
  ])
})

test.each([0, 1])('a game with only corner %p gets both', (idx) => {
  const fights = ['W-0', 'W-1'].map((id) => fightRows({ id }, 'p1', 'p2'))
  const rows = tournamentOf({ id: 'a' }, players, fights)
  const slots = rows.slots.filter((slot) => slot.gameId === 'W-0' || slot.idx === idx)
  const found = withReferences({ ...rows, slots }, () => expect.unreachable()).slots
  expect(found.map((slot) => `${slot.gameId} ${slot.idx}`)).toEqual(
    rows.slots.map((slot) => `${slot.gameId} ${slot.idx}`),
  )
  expect(found[3 - idx]?.playerId).toBeNull()
})

test('a cage forgets a removed tournament, in the file too', async () => {
  const { path, toFile } = await newFile()
  const target = await toFile()
  for (const id of ['a', 'b']) await target.update(id, () => cup(id), options)
  await target.updateCages(() => ({
    cages: ['a', 'b'].map((tournamentId, at) =>
      cageRow({ number: at + 1, tournamentId, gameId: 'W-0', status: 'active' }),
    ),
    cageQueue: ['a', 'b'].map((tournamentId, position) => ({
      cage: 1,
      position,
      tournamentId,
      gameId: 'W-0',
    })),
  }))
  await target.remove('a')
  expect([...(await target.sources()).keys()]).toEqual(['b'])
  await target.close()
  const { cages, tournamentCount } = await readSnapshot(path)
  expect(tournamentCount).toBe(1)
  expect(cages.cages).toMatchObject([
    { number: 1, tournamentId: null, gameId: null },
    { number: 2, tournamentId: 'b', gameId: 'W-0' },
  ])
  expect(cages.cageQueue).toMatchObject([{ tournamentId: 'b' }])
})

test('the number of a video is free once its tournament is removed', async () => {
  const target = await (await newFile()).toFile()
  const filmed = (id: string) => ({ ...cup(id), recordings: [recordingRow({ id: 5 })] })
  await target.update('a', () => filmed('a'), ofNoSource)
  const taken = await target.update('b', () => filmed('b'), ofNoSource)
  await target.remove('a')
  const free = await target.update('b', () => filmed('b'), ofNoSource)
  expect([taken?.rows.recordings.length, free?.rows.recordings.length]).toEqual([0, 1])
})

/** Imports these lines of fights, and a cage, into a target, and returns the result. */
const planOf = async (
  target: Target,
  fights: readonly string[],
  { prune, cages = ['cage,fight,next'] }: { prune: boolean; cages?: readonly string[] },
) => {
  const files = sheetLeague({
    'tournaments.csv': ['tournament,weight,active', 'spring,3,yes'],
    'fights.csv': ['red,blue', ...fights],
    'cages.csv': cages,
  })
  expect(files.problems).toEqual([])
  const run = createRun({ target, prune, progress: silentProgress })
  const plan = await planImport(run, files, { source: 'mine', prune })
  return { plan, write: () => writeImport(run, plan) }
}

test('cages refer to fights by their kept ids if nothing is removed', async () => {
  const target = await (await newFile()).toFile()
  const first = await planOf(target, ['Axe,Blade', 'Club,Dart'], { prune: true })
  await first.write()
  const { plan } = await planOf(target, ['Edge,Fang', 'Axe,Blade'], {
    prune: false,
    cages: ['cage,fight,next', '1,Axe v Blade,Edge v Fang'],
  })
  expect(plan.cages).toMatchObject([{ row: { gameId: 'W-1' }, queue: [{ gameId: 'W-1-2' }] }])
})

test('an import asks before it removes a fight of an event that no folder wrote', async () => {
  const target = await (await newFile()).toFile()
  const lines = ['Axe,Blade', 'Club,Dart', 'Edge,Fang', 'Grip,Hammer', 'Ice,Jab', 'Keg,Lid']
  const first = await planOf(target, lines, { prune: true })
  await first.write()
  const asked = async (fights: readonly string[]) =>
    confirmation((await planOf(target, fights, { prune: true })).plan)
  expect(await asked(lines.slice(0, 5))).toBeUndefined()
  const rows = checkTournament((await target.read('spring')) ?? {}, () => undefined)
  if (!rows) throw new Error('no event')
  const tournament = { ...rows.tournament, source: null }
  await target.update('spring', () => ({ ...rows, tournament }), ofNoSource)
  expect(await asked([...lines, 'Mop,Nut'])).toBeUndefined()
  expect(await asked(lines.slice(0, 5))).toBe(
    'events that are not from this folder are changed: spring',
  )
})
