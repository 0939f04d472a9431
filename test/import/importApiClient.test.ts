import { describe, expect, test } from 'bun:test'
import { createMemory, memoryOf, readSnapshotFile } from '../../scripts/import/api/fromSnapshot.ts'
import { importApi } from '../../scripts/import/api/importApi.ts'
import { createReader } from '../../scripts/import/api/reader.ts'
import { RemoteError } from '../../scripts/import/remote/remote.ts'
import { createRun } from '../../scripts/import/run.ts'
import { silentProgress } from '../../scripts/progress.ts'
import { checkTournament } from '../../src/data/source/check.ts'
import type { CageRows } from '../../src/data/source/rows.ts'
import { present } from '../present.ts'
import { cageRow, clipRow, fightRows, recordingRow, stillRow, tournamentOf } from '../rows.ts'
import { newFile, ofNoSource } from './imports.ts'

type Answers = Readonly<Record<string, unknown>>

/** A server with these answers, or errors, by path; 404 elsewhere. */
const serverOf = (answers: Answers) => {
  const asked: string[] = []
  const get = async (path: string): Promise<unknown> => {
    asked.push(path)
    const answer = path in answers ? answers[path] : 404
    if (typeof answer !== 'number') return answer
    throw new RemoteError(path, `the server answered ${answer}`, answer)
  }
  return { asked, remote: { base: 'https://api.example', get, requests: () => asked.length } }
}

const slots = ['axe', 'blade'].map((playerID, slotIdx) => ({ slotIdx, playerID }))
const players = ['axe', 'blade'].map((playerID) => ({ playerID, name: playerID }))
/** Answers of a server with a tournament of one fight. */
const cup: Answers = {
  '/tournaments': { tournaments: [{ tournamentID: 'cup', tournamentName: 'Cup', WeightClass: 3 }] },
  '/tournaments/cup/brackets': {
    players,
    brackets: [{ bracketID: 'W', games: [{ id: 'W-0', round: 0, state: 'done', slots }] }],
  },
  '/tournaments/cup/fights': { fights: [{ id: 'W-0', cage: 'Cage 1' }] },
  '/tournaments/cup/fights/W-0': { fight: { recordings: [] } },
  '/stats/fight/cup/W-0': { fightStats: { countdown: 3 } },
  '/clips?limit=100&page=1': { clips: [] },
  '/stills?limit=100&page=1': { stills: [] },
  '/cages': { cages: {} },
}

const film = recordingRow({ id: 5 })
/** The fight with a recording, a clip and a still, as written by an earlier import. */
const before = tournamentOf(
  { id: 'cup' },
  [{ id: 'axe' }, { id: 'blade' }],
  [fightRows({ cage: 'Cage 1' }, 'axe', 'blade')],
  { recordings: [film], clips: [clipRow({ token: 'hit' })], stills: [stillRow({ id: 1 })] },
)

/** Imports answers over a league; returns its rows, and the requests and reports. */
const imported = async (
  answers: Answers,
  {
    prune = false,
    legacy,
    others = [],
    cages = [],
  }: {
    prune?: boolean
    legacy?: string
    /** Ids of tournaments that this server once had. */
    others?: readonly string[]
    cages?: CageRows['cages']
  } = {},
) => {
  const { toFile } = await newFile()
  const target = await toFile()
  const { asked, remote } = serverOf(answers)
  const run = createRun({ target, prune, progress: silentProgress })
  await target.update('cup', () => before, ofNoSource)
  await importApi(createRun({ target, prune: false, progress: silentProgress }), {
    remote: serverOf(cup).remote,
    legacy: undefined,
  })
  const source = (await target.sources()).get('cup') ?? null
  for (const id of others) {
    const rows = tournamentOf({ id, source }, [{ id: 'a' }, { id: 'b' }], [fightRows({}, 'a', 'b')])
    await target.update(id, () => rows, ofNoSource)
  }
  await target.updateCages(() => ({ cages, cageQueue: [] }))
  await importApi(run, { remote, legacy })
  let kept: CageRows['cages'] = []
  await target.updateCages((rows) => {
    kept = rows.cages
    return rows
  })
  const rows = present(
    checkTournament((await target.read('cup')) ?? {}, () => expect.unreachable()),
  )
  const problems = run.result.problems.map(({ where, reason }) => `${where}: ${reason}`)
  const ids = [...(await target.sources()).keys()]
  return { rows, asked, problems, ids, cages: kept, result: run.result }
}

describe('parts that a server does not send', () => {
  test.each([
    ['/clips?limit=100&page=1', 'clips'],
    ['/stills?limit=100&page=1', 'stills'],
    ['/tournaments/cup/fights/W-0', 'recordings'],
  ] as const)('a server without %s keeps the %s, even if vanished rows go', async (path, table) => {
    const { rows, problems } = await imported({ ...cup, [path]: 503 }, { prune: true })
    expect(rows[table]).toHaveLength(1)
    expect(problems).toEqual([`${path}: the server answered 503`])
    expect((await imported(cup, { prune: true })).rows[table]).toHaveLength(0)
  })

  test('a server whose clips lack a page keeps the clips', async () => {
    const clip = { token: 'new', gameID: 'W-0', tournamentID: 'cup' }
    const first = { clips: [clip], pagination: { pages: 2 } }
    const answers = { ...cup, '/clips?limit=100&page=1': first, '/clips?limit=100&page=2': 503 }
    const { rows } = await imported(answers, { prune: true })
    expect(rows.clips).toMatchObject([{ token: 'hit' }])
  })

  test.each(['brackets', 'fights'])('a tournament without its %s stays unchanged', async (part) => {
    const list = { tournaments: [{ tournamentID: 'cup', tournamentName: 'New name' }] }
    const answers = { ...cup, '/tournaments': list, [`/tournaments/cup/${part}`]: 503 }
    const { rows, result } = await imported(answers)
    expect(rows.tournament.name).toBe('Cup')
    expect(result.tournaments.size).toBe(0)
  })

  test('a server without cages keeps the cages', async () => {
    const cages = [cageRow({ number: 1, tournamentId: 'cup', gameId: 'W-0', status: 'active' })]
    expect((await imported({ ...cup, '/cages': 503 }, { cages })).cages).toEqual(cages)
  })

  test('a list without a number of pages is one page', async () => {
    const clips = { clips: [{ token: 'new', gameID: 'W-0', tournamentID: 'cup' }] }
    const { asked } = await imported({ ...cup, '/clips?limit=100&page=1': clips })
    expect(asked.filter((path) => path.startsWith('/clips'))).toHaveLength(1)
  })

  test('recordings that are no list come from the video feeds', async () => {
    const feed = '/video-feeds/fight/cup/W-0'
    const recordings = [{ recordingID: 7, camera: 'Top', s3path: 'https://v.example/a.mp4' }]
    const details = { fight: { recordings: null, notice: 'own', fightStartOffset: undefined } }
    const { rows } = await imported({
      ...cup,
      '/tournaments/cup/fights/W-0': details,
      [feed]: { recordings, notice: 'of the feed' },
    })
    expect(rows.recordings.map(({ id }) => id)).toEqual([5, 7])
    expect(rows.games[0]?.notice).toBe('own')
    const { asked } = await imported({ ...cup, [feed]: { recordings } })
    expect(asked).not.toContain(feed)
  })

  test('an empty list of the latest fights makes another list unnecessary', async () => {
    const latest = '/legacy/getLatestMatches?tournamentID=cup'
    const askedFor = async (answer: unknown) =>
      (await imported({ ...cup, [latest]: answer }, { legacy: '/legacy' })).asked.filter((path) =>
        path.includes('Matches'),
      ).length
    expect([await askedFor([]), await askedFor({})]).toEqual([1, 2])
  })
})

test('only media without a listed tournament are reported, by token or number', async () => {
  const { problems, rows } = await imported({
    ...cup,
    '/clips?limit=100&page=1': { clips: [{ token: 't', gameID: 'W-0' }] },
    '/stills?limit=100&page=1': { stills: [{ stillID: 8, tournamentID: 'elsewhere' }] },
  })
  const reason = 'its tournament is not in the list'
  expect(problems).toEqual([`t: ${reason}`, `8: ${reason}`])
  expect(rows.clips.map(({ token }) => token)).toEqual(['hit'])
})

test('a tournament goes if its server says so, and only with prune', async () => {
  const others = ['gone', 'there', 'unknown']
  const answers = { ...cup, '/tournaments/there': {}, '/tournaments/unknown': 503 }
  const pruned = await imported(answers, { prune: true, others })
  expect(pruned.ids).toEqual(['cup', 'there', 'unknown'])
  expect(pruned.result.removed).toBe(1)
  expect(pruned.problems).toEqual([
    'there: not in the list, but still there: not removed',
    'unknown: not removed: the server answered 503',
  ])
  expect((await imported(answers, { others })).ids).toEqual(['cup', ...others])
})

test('a cage that is empty at the server is emptied, even of a former tournament', async () => {
  const cages = [cageRow({ number: 1, tournamentId: 'once', gameId: 'W-0', status: 'active' })]
  const empty = { cages: { cage1: { cageNumber: 1, updatedTime: 1_770_000_000 } } }
  const found = await imported({ ...cup, '/cages': empty }, { others: ['once'], cages })
  expect(found.cages).toMatchObject([{ number: 1, tournamentId: null, gameId: null }])
})

test('a part that a server never had is requested three times, a former one each time', async () => {
  const { asked, remote } = serverOf({ '/stats/0': {} })
  const problems: unknown[] = []
  const reader = createReader(remote, (problem) => problems.push(problem))
  for (const path of ['/cages/0', '/cages/1', '/cages/2', '/cages/3'])
    await reader.read(path, 'cages')
  expect(asked).toEqual(['/cages/0', '/cages/1', '/cages/2'])
  expect(problems).toHaveLength(1)
  for (const path of ['/stats/0', '/stats/1', '/stats/2', '/stats/3', '/stats/4'])
    await reader.read(path, 'stats')
  expect(asked.slice(3)).toHaveLength(5)
  // These requests are simultaneous and do not know of each other.
  await Promise.all([1, 2, 3, 4, 5].map((each) => reader.read(`/feeds/${each}`, 'feeds')))
  expect(problems).toMatchObject([{ where: 'cages' }, { where: 'feeds' }])
})

test('a round remembers what was read for an hour, unless it failed', () => {
  const memory = createMemory()
  expect(memoryOf(memory, false)).toBe(memory)
  expect(memoryOf(memory, true)).not.toBe(memory)
  const old = { ...memory, sinceMs: performance.now() - 3_600_001 }
  expect(memoryOf(old, false)).not.toBe(old)
})

test.each([
  [429, {}, 'trying 3 more times, first in 4 s'],
  [503, {}, 'trying 3 more times, first in 4 s'],
  [503, { 'retry-after': '7' }, 'trying 3 more times, first in 7 s'],
  [503, { 'retry-after': '900' }, 'trying 3 more times, first in 900 s'],
  [503, { 'retry-after': '901' }, 'requesting every endpoint instead, which takes longer'],
  [403, {}, 'requesting every endpoint instead, which takes longer'],
  // The server has no snapshot.
  [404, {}, undefined],
])('an import of a snapshot answered with %i and %j says: %s', async (status, headers, note) => {
  await using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('', { status, headers }),
  })
  const stop = new AbortController()
  const notes: string[] = []
  const source = {
    ...{ memory: createMemory(), address: server.url, headers: {}, signal: stop.signal },
    retryMs: 4000,
  }
  // The first note ends the read, so that nothing waits.
  const read = readSnapshotFile(source, (text) => {
    notes.push(text)
    stop.abort(new Error('stopped'))
  })
  await read.catch(() => undefined)
  expect(notes).toEqual(
    note === undefined
      ? []
      : [`${server.url.href} cannot be read: the server answered ${status}; ${note}`],
  )
})
