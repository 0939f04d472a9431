import { describe, expect, test } from 'bun:test'
import { rename, symlink, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Archive, noCages } from '../../../src/data/archive/archive.ts'
import { emptyLeague } from '../../../src/data/archive/loadedLeague.ts'
import { leagueOfSnapshot } from '../../../src/data/archive/savedLeague.ts'
import { createCollector, leagueWith } from '../../../src/data/archive/updateLeague.ts'
import { openSnapshot } from '../../../src/data/following/fromSnapshot.ts'
import { openMirror } from '../../../src/data/mirror/openMirror.ts'
import { openReplay } from '../../../src/data/replay/openReplay.ts'
import { checkTournament } from '../../../src/data/source/check.ts'
import {
  compressTournament,
  nameFrame,
  packTournament,
  readSnapshot,
  type TournamentFrame,
  unpackTournament,
  writeSnapshot,
} from '../../../src/data/source/snapshot.ts'
import { createLog, type Log } from '../../../src/runtime/log.ts'
import { present } from '../../present.ts'
import { temporaryFolder } from '../../process.ts'
import { cageRow, clipRow, fightRows, playersAs, stillRow, tournamentOf } from '../../rows.ts'
import { smallLeague } from '../../smallLeague.ts'
import { until } from '../../until.ts'

const clip = clipRow({ token: 'shown' })
const hidden = clipRow({ token: 'hidden', isPublic: false })
const league = (...clips: (typeof clip)[]) =>
  ['a', 'b'].map((id) =>
    tournamentOf({ id }, [{ id: 'p1' }, { id: 'p2' }], [fightRows({}, 'p1', 'p2')], {
      clips: id === 'a' ? clips : [],
    }),
  )

const capturedAt = 1_770_000_000
const log = createLog('silent')

const write = (path: string, tournaments: ReturnType<typeof league>, at = capturedAt) =>
  writeSnapshot(path, { capturedAt: at, cages: [], cageQueue: [], tournaments })

const newPath = async () => join(await temporaryFolder(), 'league.cageside')

/** Served data of a file of these tournaments, and its version. */
const served = async (tournaments: ReturnType<typeof league>) => {
  const path = await newPath()
  await write(path, tournaments)
  const service = openSnapshot(path, createLog('silent'))
  await service.firstLoad
  const frames = service.rows()?.frames ?? []
  const read = frames.map(({ id, digest, bytes }) => {
    const frame = { id, digest, bytes }
    return [nameFrame(frame), frame] as const
  })
  await service.stop()
  return { version: service.archive()?.version, frames: read }
}

test.each([
  [-11, -11],
  [-9, 0],
  [5, 0],
  [10, 0],
  [11, 11],
])(
  'a stopped clock, given a file of %p s later, continues from %p s later',
  async (later, from) => {
    const path = await newPath()
    await write(path, league(clip))
    let ms = 0
    const service = openSnapshot(path, createLog('silent'), undefined, undefined, true, () => ms)
    await service.firstLoad
    ms = 3_600_400
    const stoppedAt = service.now()
    expect(stoppedAt).toBeLessThan(capturedAt + 3600)
    const before = service.archive()
    await write(path, league(), stoppedAt + later)
    await until(() => service.archive() !== before)
    await until(() => service.status().lastRefresh.changedRows > 0)
    expect(service.now()).toBe(stoppedAt + from)
    ms += 60_000
    expect(service.now()).toBe(stoppedAt + from + 60)
    await service.stop()
  },
)

test('data grows old while its file cannot be read, even if the clock has stopped', async () => {
  const path = await newPath()
  await write(path, league(clip))
  let [ms, failures] = [0, 0]
  const log: Log = (level) => {
    failures += Number(level === 'error')
  }
  const service = openSnapshot(path, log, undefined, undefined, true, () => ms)
  await service.firstLoad
  const age = () => service.now() - Number(service.status().currentAt)
  ms = 3_600_000
  expect(age()).toBe(0)
  await Bun.write(path, 'damaged')
  await until(() => failures === 1)
  ms += 60_000
  expect(age()).toBe(60)
  await Bun.write(path, 'damaged again')
  await until(() => failures === 2)
  expect(age()).toBe(60)
  await write(path, league())
  await until(() => service.status().lastRefresh.error === null)
  expect(age()).toBe(0)
  await service.stop()
})

test('a snapshot without bots can be replaced by any league', async () => {
  const path = await newPath()
  await write(path, [tournamentOf({ id: 'soon' }, [], [])])
  const service = openSnapshot(path, createLog('silent'))
  await service.firstLoad
  expect(service.status().lastRefresh.changedRows).toBe(0)
  await write(path, league())
  await until(() => service.archive()?.dataset.fights.length === 2)
  await service.stop()
})

test('a service that is stopped while it reads a replaced file reads no further file', async () => {
  const path = await newPath()
  await write(path, league(clip))
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let reads = 0
  const service = openSnapshot(path, createLog('silent'), undefined, async (snapshot) => {
    reads += 1
    if (reads === 1) return snapshot
    begun.resolve()
    await ended.promise
    return snapshot
  })
  await service.firstLoad
  await write(path, league())
  await begun.promise
  const stopping = service.stop()
  await write(path, league(clip))
  ended.resolve()
  await stopping
  // Time for two polls of the file.
  await Bun.sleep(500)
  expect(reads).toBe(2)
})

const rowsOf = (frame: TournamentFrame) =>
  checkTournament(unpackTournament(frame), () => expect.unreachable())

const imported = (source: string | null) =>
  league(clip).map((rows) => ({ ...rows, tournament: { ...rows.tournament, source } }))

test('no served frame has the source of a tournament', async () => {
  const [{ version, frames }, without] = [
    await served(imported('a folder')),
    await served(league(clip)),
  ]
  expect(version).toBe(without.version)
  expect(frames.map(([, frame]) => rowsOf(frame))).toEqual(imported(null))
  const updates = imported('a folder').map((rows) => ({ id: rows.tournament.id, rows }))
  const { entries } = (await leagueWith(emptyLeague, updates, noCages)).league
  expect([...entries.values()].map(({ frame }) => rowsOf(frame))).toEqual(imported(null))
})

test('a frame with hidden clips is rebuilt without them, with an equal version', async () => {
  const { version, frames } = await served(league(hidden, clip))
  const [[name, frame] = [], [storedName, stored] = []] = frames
  const [shown, other] = league(clip)
  if (!frame || !shown || !other || !stored) throw new Error('nothing is served')
  expect(rowsOf(frame)).toEqual(shown)
  expect([name?.[0], name?.[2]]).toEqual(['a', 8 + frame.bytes.length])
  expect(frame).toEqual(compressTournament(packTournament(shown), 'fast'))
  // A tournament without hidden clips keeps the frame of the file.
  expect(stored).toEqual(compressTournament(packTournament(other), 'small'))
  expect(storedName?.[0]).toBe('b')
  expect((await served(league(clip))).version).toBe(version)
})

test('a given frame is kept unless it has hidden clips or invalid rows', async () => {
  const invalid = tournamentOf({ id: 'c' }, [{ id: 'axe', seed: -0.5 }, { id: 'bolt' }], [])
  const updates = [...league(hidden, clip), invalid].map((rows) => {
    const { id, ...frame } = compressTournament(packTournament(rows), 'small')
    return { id, rows, frame: { id, ...frame } }
  })
  const { entries } = (await leagueWith(emptyLeague, updates, noCages)).league
  const [made, kept, repaired] = [...entries.values()].map(({ frame }) => frame)
  expect(made && rowsOf(made)).toEqual(league(clip)[0])
  expect(kept).toEqual(updates[1]?.frame)
  expect(repaired && rowsOf(repaired)?.players).toMatchObject([{ id: 'bolt' }])
})

test('a tournament whose own row is private or invalid is no longer served', async () => {
  const updates = league(clip).map((rows) => ({ id: rows.tournament.id, rows }))
  const { league: before } = await leagueWith(emptyLeague, updates, noCages)
  expect([...before.entries.keys()]).toEqual(['a', 'b'])
  for (const change of [{ privacy: 'private' }, { createTime: -1 }]) {
    const { id, rows } = present(updates[0])
    const broken = { id, rows: { ...rows, tournament: { ...rows.tournament, ...change } } }
    const { league: after } = await leagueWith(before, [broken], noCages)
    expect([...after.entries.keys()]).toEqual(['b'])
    expect(after.archive?.dataset.tournaments.map(({ info }) => info.id)).toEqual(['b'])
    const unknown = { ...broken.rows, tournament: { ...broken.rows.tournament, id: 'c' } }
    const { league: same } = await leagueWith(before, [{ id: 'c', rows: unknown }], noCages)
    expect(same.archive).toBe(present(before.archive))
  }
})

test('a tournament with an equal digest but other media URLs is replaced', async () => {
  const updateWith = (name: string) => {
    const stills = [stillRow({ id: 1, url: `https://media.example/${name}.jpg` })]
    return tournamentOf({ id: 'a' }, [], [], { stills })
  }
  const frame = compressTournament(packTournament(updateWith('old')), 'small')
  const [before, after] = ['old', 'new'].map((name) => ({ id: 'a', rows: updateWith(name), frame }))
  const { league: old } = await leagueWith(emptyLeague, [present(before)], noCages)
  const { league: now } = await leagueWith(old, [present(after)], noCages)
  expect(now.archive?.version).toBe(present(old.archive).version)
  expect(JSON.stringify(now.archive?.dataset.tournaments[0]?.stills)).toContain('/new.jpg')
})

test.each([
  ['a file', (path: string) => openSnapshot(path, log)],
  ['a replay', (path: string) => openReplay(path, { at: 'auto', speed: 1, loop: true, log })],
  [
    'an origin',
    async (path: string) => {
      const server = Bun.serve({ port: 0, fetch: () => new Response(Bun.file(path)) })
      const dataDir = await temporaryFolder()
      const service = openMirror(`${server.url}snapshot`, { refreshMs: 1000, dataDir, log })
      const stop = () => Promise.all([service.stop(), server.stop(true)])
      return { ...service, stop }
    },
  ],
])('bad rows of cages in %s are counted', async (_, open) => {
  const path = await newPath()
  const cages = [cageRow({ number: 1, updateTime: -1 }), cageRow({ number: 2 })]
  await writeSnapshot(path, { capturedAt, cages, cageQueue: [], tournaments: league() })
  const service = await open(path)
  await service.firstLoad
  expect(service.status()).toMatchObject({ badRows: 1, badCages: 1 })
  await service.stop()
})

test('a tournament that is held back is read again, and keeps its cages and its place in queues', async () => {
  const updates = league(clip).map((rows) => ({ id: rows.tournament.id, rows }))
  const inCage = (number: number, tournamentId: string | null) =>
    cageRow({ number, tournamentId, gameId: tournamentId && 'W-0' })
  const inQueue = (cage: number, position: number, tournamentId: string) => ({
    ...{ cage, position, tournamentId, gameId: 'W-0' },
  })
  const before = await leagueWith(emptyLeague, updates, {
    cages: [inCage(1, 'a'), inCage(2, 'b')],
    cageQueue: [inQueue(2, 0, 'a'), inQueue(2, 1, 'b')],
  })
  const now = {
    cages: [inCage(1, 'b'), inCage(2, null), inCage(3, 'b')],
    cageQueue: [inQueue(1, 0, 'b'), inQueue(2, 2, 'b'), inQueue(3, 0, 'a')],
  }
  const held = new Map([['a', { fights: 1, reason: '' }]])
  // Tournaments have no stamps after a start from a file.
  const stamped = updates.map((update) => ({ ...update, stamp: '1' }))
  const { league: after } = await leagueWith(before.league, stamped, now, async () => ({
    changes: new Map(),
    heldBack: held,
    addedSinceLoss: new Set(),
  }))
  expect([...after.seen.keys()]).toEqual(['b'])
  expect(after.cages).toEqual({
    cages: [inCage(1, 'a'), inCage(2, null), inCage(3, 'b')],
    cageQueue: [inQueue(1, 0, 'b'), inQueue(2, 0, 'a'), inQueue(2, 2, 'b')],
  })
})

test('a tournament that is read again unchanged is not affected by earlier reads', async () => {
  const updates = league(clip).map((rows) => ({ id: rows.tournament.id, rows }))
  const { league: before } = await leagueWith(emptyLeague, updates, noCages)
  const { add, entries } = createCollector(before)
  const [first] = updates
  const { id, rows } = present(first)
  for (const other of [{ privacy: 'private' }, { name: 'Other' }]) {
    await add(id, { ...rows, tournament: { ...rows.tournament, ...other } })
    expect([...entries.keys()]).toEqual([id])
    await add(id, rows)
    expect([...entries.keys()]).toEqual([])
  }
})

test('an updated league equals one that is read from scratch, and has its version', async () => {
  const updates = (url: string, ids: readonly string[]) =>
    ids.map((id) => {
      const stills = [stillRow({ id: id.charCodeAt(0), url: `https://media.example/${url}` })]
      return { id, rows: tournamentOf({ id }, [], [], { stills }) }
    })
  const { league: before } = await leagueWith(emptyLeague, updates('old.jpg', ['a', 'b']), noCages)
  const removal = { id: 'b', rows: undefined }
  const changes = [...updates('new.jpg', ['a', 'c']), removal]
  const { league } = await leagueWith(before, changes, noCages)
  const { league: anew } = await leagueWith(emptyLeague, updates('new.jpg', ['a', 'c']), noCages)
  expect([league.digest, league.archive?.version]).toEqual([anew.digest, anew.archive?.version])
  expect(league.archive?.dataset).toEqual(anew.archive?.dataset)
})

test('new versions of all tournaments share equal values with the previous ones', async () => {
  const { tournaments } = smallLeague
  const read = (notice: string) =>
    tournaments.map((rows) => ({
      id: rows.tournament.id,
      rows: { ...rows, games: rows.games.map((game) => ({ ...game, notice })) },
    }))
  const { league: before } = await leagueWith(emptyLeague, read('one'), noCages)
  const { league: after } = await leagueWith(before, structuredClone(read('two')), noCages)
  const { league: anew } = await leagueWith(emptyLeague, read('two'), noCages)
  expect(after.archive?.dataset).toEqual(anew.archive?.dataset)
  for (const [id, { tournament }] of before.entries) {
    const next = present(after.entries.get(id)).tournament
    expect(next).not.toBe(tournament)
    expect(next.recordings.table).toBe(tournament.recordings.table)
    expect(next.stills).toBe(tournament.stills)
    for (const [gameID, game] of tournament.games) {
      const match = present(next.games.get(gameID))
      for (const part of ['red', 'blue', 'judgeLines', 'pauses', 'recordings'] as const)
        expect(match[part]).toBe(game[part])
    }
  }
})

test('each of two tournaments that are held back keeps its stamp', async () => {
  const stampedAs = (stamp: string) =>
    ['a', 'b', 'c'].map((id) => ({ id, stamp, rows: tournamentOf({ id }, [], []) }))
  const { league: before } = await leagueWith(emptyLeague, stampedAs('1'), noCages)
  const { league } = await leagueWith(before, stampedAs('2'), noCages, async ({ changes }) => ({
    changes,
    heldBack: new Map(['a', 'b'].map((id) => [id, { fights: 1, reason: '' }])),
    addedSinceLoss: new Set(),
  }))
  expect([...league.seen].map(([id, { stamp }]) => [id, stamp])).toEqual([
    ['a', '1'],
    ['b', '1'],
    ['c', '2'],
  ])
})

test('invalid rows of tournaments and of cages are counted', async () => {
  const path = await newPath()
  const cages = [cageRow({ number: -0.5 })]
  const tournaments = [...league(), tournamentOf({ id: 'bad' }, [{ id: 'axe', seed: -0.5 }], [])]
  await writeSnapshot(path, { capturedAt, cages, cageQueue: [], tournaments })
  const service = openSnapshot(path, createLog('silent'))
  await service.firstLoad
  expect([service.status().badRows, service.recentBadRows?.().length]).toEqual([2, 2])
  expect((await leagueOfSnapshot(await readSnapshot(path))).league.badRows).toBe(2)
  // An unchanged tournament is not read again, but still counts.
  const before = service.archive()
  const next = [...league(clip), ...tournaments.slice(2)]
  await writeSnapshot(path, { capturedAt, cages, cageQueue: [], tournaments: next })
  await until(() => service.archive() !== before && service.status().lastRefresh.changedRows > 0)
  expect(service.status().badRows).toBe(2)
  await service.stop()
  const whole = [...league(), tournamentOf({ id: 'bad' }, [], [])]
  // Version and frames equal the served archive's.
  const [own, other] = [await served(tournaments), await served(whole)]
  const rowsIn = ({ frames }: typeof own) => frames.map(([, frame]) => rowsOf(frame))
  expect([own.version, rowsIn(own)]).toEqual([other.version, rowsIn(other)])
})

describe('a file that is replaced', () => {
  /** A service over a file, and the pairs of archives that it published. */
  const following = async () => {
    const path = await newPath()
    await write(path, league(clip))
    const swaps: (readonly [Archive, Archive])[] = []
    const calls: string[] = []
    const service = openSnapshot(path, createLog('silent'), {
      found: async () => false,
      begin: () => void calls.push('begin'),
      compare: async () => void calls.push('compare'),
      swapped: (before, after) => {
        calls.push('swapped')
        swaps.push([before, after])
      },
      beforeSave: async () => true,
    })
    await service.firstLoad
    return { path, service, swaps, calls }
  }

  test('a replaced file is served, and shares unchanged tournaments with the previous one', async () => {
    const { path, service, swaps, calls } = await following()
    const [before, rows] = [service.archive(), service.rows()]
    await write(path, league())
    await until(() => service.archive() !== before)
    // The feed compares in slices of time before the swap.
    expect(calls).toEqual(['begin', 'compare', 'swapped'])
    expect(swaps.map((swap) => swap.map(({ clips }) => clips.newestFirst.length))).toEqual([[1, 0]])
    const other = (archive: Archive | undefined) => archive?.dataset.tournamentsByID.get('b')
    expect(other(service.archive())).toBe(other(before))
    expect(service.archive()?.version).toBe((await served(league())).version)
    expect(service.status()).toMatchObject({ follows: 'timer', lastRefresh: { changedRows: 1 } })
    // A download in progress ends with the archive that it began with.
    expect(rows?.frames.map(({ id, bytes }) => [id, bytes.length > 0])).toEqual([
      ['a', true],
      ['b', true],
    ])
    await write(path, league().slice(1))
    await until(() => service.archive()?.dataset.tournaments.length === 1)
    await service.stop()
  })

  test('a damaged file leaves the archive in service and shows the reason until the next file', async () => {
    const { path, service, swaps } = await following()
    const before = service.archive()
    await Bun.write(path, 'no snapshot')
    await until(() => service.status().lastRefresh.error !== null)
    expect(service.status().lastRefresh.error).toContain(path)
    expect(service.archive()).toBe(before)
    await write(path, league(clip))
    await until(() => service.status().lastRefresh.error === null)
    expect(service.archive()).toBe(before)
    expect(swaps).toEqual([])
    await service.stop()
  })

  test('a replacement by an empty or another league is refused, one with fewer bots is served', async () => {
    const { path, service, swaps } = await following()
    const before = service.archive()
    const others = playersAs({ p1: 'Axe', p2: 'Bolt' })
    const another = tournamentOf({ id: 'z' }, others, [fightRows({}, 'p1', 'p2')])
    const damaged = league().map((rows) => ({
      ...rows,
      tournament: { ...rows.tournament, createTime: -1 },
    }))
    for (const tournaments of [[], [another], damaged]) {
      await write(path, tournaments)
      await until(() => service.status().lastRefresh.error !== null)
      expect(service.status().lastRefresh.error).toBe('refused: 2 of 2 fights would be lost')
      expect([service.archive(), swaps]).toEqual([before, []])
      await write(path, league(clip))
      await until(() => service.status().lastRefresh.error === null)
    }
    const renamed = others.map((player, at) => (at === 0 ? { id: 'p1' } : player))
    await write(path, [tournamentOf({ id: 'c' }, renamed, [fightRows({}, 'p1', 'p2')])])
    await until(() => service.archive() !== before)
    expect(service.archive()?.bots.map(({ cleanName }) => cleanName)).toEqual(['bolt', 'p1'])
    await service.stop()
  })

  test('a replaced file may hide all of its tournaments, or correct all names of its bots', async () => {
    const { path, service } = await following()
    const names = () => service.archive()?.bots.map(({ cleanName }) => cleanName)
    const corrected = league(clip).map((rows) => ({
      ...rows,
      players: rows.players.map((player) => ({ ...player, name: `${player.name}!s` })),
    }))
    await write(path, corrected)
    await until(() => names()?.join() === 'p1s,p2s')
    const hidden = corrected.map((rows) => ({
      ...rows,
      tournament: { ...rows.tournament, privacy: 'private' as const },
    }))
    await write(path, hidden)
    await until(() => names()?.length === 0)
    expect(service.status().lastRefresh.error).toBe(null)
    await service.stop()
  })

  test('a missing or unreadable file leaves the archive in service and shows the reason until it is back', async () => {
    const { path, service } = await following()
    const before = service.archive()
    const elsewhere = `${path}.away`
    for (const [isLoop, reason] of [
      [false, 'ENOENT'],
      [true, 'ELOOP'],
    ] as const) {
      await rename(path, elsewhere)
      if (isLoop) await symlink(path, path)
      await until(() => service.status().lastRefresh.error?.includes(reason) ?? false)
      expect(service.archive()).toBe(before)
      await unlink(path).catch(() => undefined)
      await rename(elsewhere, path)
      await until(() => service.status().lastRefresh.error === null)
      expect(service.archive()).toBe(before)
    }
    await service.stop()
  })

  test('a damaged file does not make the data older than it was', async () => {
    const { path, service } = await following()
    const before = service.archive()
    await write(path, league(), capturedAt - 9)
    await until(() => service.archive() !== before)
    const { currentAt } = service.status()
    await Bun.write(path, 'no snapshot')
    await until(() => service.status().lastRefresh.error !== null)
    expect((service.status().currentAt ?? 0) - (currentAt ?? 0)).toBeGreaterThanOrEqual(0)
    await service.stop()
  })

  test('a replaced file sets the clock to its capture, unless that is about now', async () => {
    const { path, service } = await following()
    // The clock of a capture of another day stops; then comes a capture of today.
    const today = Math.floor(Date.now() / 1000)
    for (const [at, expected, clips] of [
      [capturedAt + 3, capturedAt, []],
      [capturedAt + 3600, capturedAt + 3600, [clip]],
      [today, today, []],
    ] as const) {
      const loadedAt = service.status().lastRefresh.at
      await write(path, league(...clips), at)
      const before = service.archive()
      await until(() => service.archive() !== before)
      expect(service.now() - expected).toBeWithin(0, 60)
      expect(loadedAt).not.toBeNull()
      expect(service.now() - (service.status().currentAt ?? 0)).toBe(0)
    }
    await service.stop()
  })
})
