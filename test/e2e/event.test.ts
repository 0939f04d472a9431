import { expect, test } from 'bun:test'
import { createChanges } from '../../src/companions/changes/changes.ts'
import { emptyLeague, type LoadedLeague } from '../../src/data/archive/loadedLeague.ts'
import { refreshLeague } from '../../src/data/following/refresh.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { answerAt } from '../addresses.ts'
import { archiveIn } from '../changeReader.ts'
import { everyAddressOf } from '../everyAddress.ts'
import { appOf, deepFreeze, get, serviceOf } from '../fixtures.ts'
import { openDatabase } from '../leagueDatabase.ts'
import {
  cageRow,
  clipRow,
  fightRows,
  openFight,
  recordingRow,
  stillRow,
  tournamentOf,
} from '../rows.ts'
import { isCompleted, walk, walkLive } from '../walk.ts'

const start = 1_770_000_000
const names = ['Wynk', 'Gondola', 'Blåde', "Kevin's Kettle"]
const players = names.map((name, index) => ({ id: `p${index}`, name, seed: index + 1 }))
const unplaced = { cage: null, countdown: null }

/** Four bots, two first fights and a final. */
const cup = (() => {
  const rows = tournamentOf(
    { id: 'cup', name: 'The Cup', active: true },
    players,
    [
      openFight({ ...unplaced, id: 'W-0', availableSince: start }, 'p0', 'p3'),
      openFight(
        { ...unplaced, id: 'W-1', state: 'unavailable', scheduledTime: start + 2400 },
        'p1',
        'p2',
      ),
      openFight(
        { ...unplaced, id: 'W-2', state: 'unavailable', roundIdx: 1, scheduledTime: start + 3600 },
        null,
        null,
      ),
    ],
    {
      rounds: [0, 1].map((idx) => ({ bracketId: 'W', idx, name: `Round ${idx}`, scoreToWin: 1 })),
      stills: [stillRow({ id: 1, playerId: 'p0', isHero: true })],
      stillTags: [{ stillId: 1, tag: 'Hero-Bot' }],
    },
  )
  return {
    ...rows,
    slots: rows.slots.map((slot) =>
      slot.gameId === 'W-2' ? { ...slot, prevGameId: `W-${slot.idx}` } : slot,
    ),
  } satisfies TournamentRows
})()
/** The event of the day before, with the same bots; one fight is almost a day old. */
const earlier = tournamentOf(
  { id: 'earlier', name: 'Earlier', weightClass: 12 },
  players,
  [
    fightRows({ id: 'W-0', startTime: start - 86_300, stopTime: start - 86_200 }, 'p0', 'p1'),
    fightRows({ id: 'W-1', startTime: start - 400, stopTime: start - 300 }, 'p2', 'p3', 1),
  ],
  { recordings: [recordingRow({ id: 5 })], clips: [clipRow({ token: 'earlier-clip' })] },
)
const secret = tournamentOf(
  { id: 'zzhidden', name: 'Zzhidden Cup', active: true, privacy: 'private' },
  names.map((name, index) => ({ id: `p${index}`, name: `Zzhidden ${name}` })),
  [
    openFight(
      { countdown: null, id: 'Z-0', state: 'active', cage: 'Cage 6', startTime: start },
      'p0',
      'p1',
    ),
    openFight({ ...unplaced, id: 'Z-1', state: 'called', calledSince: start }, 'p2', 'p3'),
  ],
)

let league: LoadedLeague = emptyLeague
let now = start
const changes = createChanges({ basePath: '' })
const app = appOf(
  { ...serviceOf(undefined), archive: () => league.archive, now: () => now },
  { changes },
)
const read = async (path: string) => {
  const { status, body, bytes } = await get(app, path)
  expect([path, status]).toEqual([path, 200])
  expect(new TextDecoder().decode(bytes).toLowerCase()).not.toContain('zzhidden')
  return body
}

const { admin, source } = await openDatabase({
  tournaments: [cup, earlier, secret],
  cages: [
    ...[1, 2, 4, 5].map((number) => cageRow({ number, updateTime: start })),
    cageRow({ number: 6, status: 'active', tournamentId: 'zzhidden', gameId: 'Z-0' }),
  ],
  cageQueue: [
    { cage: 1, position: 0, tournamentId: 'zzhidden', gameId: 'Z-1' },
    { cage: 1, position: 1, tournamentId: 'cup', gameId: 'W-0' },
    { cage: 1, position: 2, tournamentId: 'cup', gameId: 'W-1' },
  ],
})

/** Compares every route of the app with a process that starts now. */
const agreeWithFresh = async (): Promise<void> => {
  const archive = await archiveIn(source)
  if (!changes.feed.isReady()) changes.feed.begin(archive)
  const fresh = appOf({ ...serviceOf(archive), now: () => now })
  for (const address of everyAddressOf(archive)) {
    expect([address, await answerAt(app, address)]).toEqual([
      address,
      await answerAt(fresh, address),
    ])
  }
}

let looks = 0
/** Compares everything about the event with everything else. */
const agree = async (): Promise<void> => {
  league = (await refreshLeague(source, league)).league
  if (league.archive) deepFreeze(league.archive)
  looks += 1
  // The second, the last and every third of twenty steps: a fresh process takes 0.3 s of CPU time.
  if (looks % 3 === 2) await agreeWithFresh()
  const { fights } = await walk(read)
  const rows = [...fights.values()].map((fight) => JSON.parse(JSON.stringify(fight)))
  const completed = rows.filter(isCompleted)

  const recent = completed.filter(({ stopTime }) => stopTime >= now - 86_400)
  const last24h = await read('/fights/last24h')
  expect(last24h.count).toBe(recent.length)
  const keyOf = ({ tournamentID, gameID }: { tournamentID: string; gameID: string }) =>
    `${tournamentID} ${gameID}`
  expect(last24h.fights.map(keyOf).toSorted()).toEqual(recent.map(keyOf).toSorted())

  for (const bot of names.map(cleanName)) {
    const own = completed.filter((row) => row.player1clean === bot || row.player2clean === bot)
    const wins = own.filter((row) => (row.player1clean === bot ? row.player1wins : row.player2wins))
    const losses = own.filter((row) =>
      row.player1clean === bot ? row.player2wins : row.player1wins,
    )
    expect((await read(`/bots/${bot}`)).bot).toMatchObject({
      totalFights: own.length,
      totalWins: wins.length,
      totalLosses: losses.length,
    })
    const listed = await read(`/bots/${bot}/fights`)
    expect(listed.fights.map(keyOf).toSorted()).toEqual(own.map(keyOf).toSorted())
  }
  const { tournamentStats } = await read('/stats/tournament/cup')
  expect(tournamentStats.completedFights).toBe(
    completed.filter(({ tournamentID }) => tournamentID === 'cup').length,
  )
  expect((await read('/cages/6')).cage).toMatchObject({ status: 'idle', match: null, queue: [] })
}

/** One transaction of the event software, and a refresh after it. */
const write = async (...statements: readonly string[]): Promise<void> => {
  await admin.begin(async (sql) => {
    for (const statement of statements) {
      expect((await sql.unsafe(statement)).count).toBeGreaterThan(0)
    }
  })
  await agree()
}
const at = (time: number): string => `to_timestamp(${time})`
const game = (id: string, set: string): string =>
  `UPDATE cageside.games SET ${set} WHERE tournament_id = 'cup' AND id = '${id}'`
const cage = (number: number, set: string): string =>
  `UPDATE cageside.cages SET ${set}, update_time = ${at(now)} WHERE number = ${number}`
const corner = (gameID: string, idx: number, set: string): string =>
  `UPDATE cageside.slots SET ${set}
   WHERE tournament_id = 'cup' AND game_id = '${gameID}' AND idx = ${idx}`
const leaveQueue = (id: string): string =>
  `DELETE FROM cageside.cage_queue WHERE tournament_id = 'cup' AND game_id = '${id}'`

const scheduleOf = async (): Promise<Record<string, string>> => {
  const { matches } = await read('/schedule')
  return Object.fromEntries(
    matches.map(({ gameID, status }: { gameID: string; status: string }) => [gameID, status]),
  )
}
const cageOf = async (number: number) => (await read(`/cages/${number}`)).cage
const recordOf = async (playerID: string) => {
  const { player } = await read(`/tournaments/cup/players/${playerID}`)
  return [player.wins, player.losses]
}
const stateOf = async (gameID: string) => {
  const { brackets } = await read('/tournaments/cup/brackets')
  return brackets[0].games.find(({ id }: { id: string }) => id === gameID).state
}

test('every answer agrees with every other at each step of an event', async () => {
  await agree()
  expect(await scheduleOf()).toEqual({ 'W-0': 'Available', 'W-1': 'Available' })
  expect((await cageOf(1)).queue.map(({ gameID }: { gameID: string }) => gameID)).toEqual([
    'W-0',
    'W-1',
  ])

  // Only the clock moves: a fight is due soon.
  now = start + 600
  await walkLive(read, (await walk(read)).fights)
  expect(await scheduleOf()).toEqual({ 'W-0': 'Available', 'W-1': 'Starting Soon' })

  await write(game('W-0', `state = 'hold'`))
  expect(await scheduleOf()).toMatchObject({ 'W-0': 'Delayed' })
  await write(game('W-0', `state = 'called', called_since = ${at(now)}, cage = 'Cage 1'`))
  expect(await scheduleOf()).toMatchObject({ 'W-0': 'Called' })
  expect((await cageOf(1)).queue[0]).toMatchObject({ gameID: 'W-0', status: 'Called' })

  // The cage is assigned before the fight has left the queue.
  now += 60
  await write(cage(1, `status = 'assigned', tournament_id = 'cup', game_id = 'W-0'`))
  expect(await scheduleOf()).toMatchObject({ 'W-0': 'Load In' })
  expect(await cageOf(1)).toMatchObject({
    status: 'assigned',
    match: { gameID: 'W-0', state: 'pending' },
    player1: { name: 'Wynk', isReady: 0 },
    queue: [{ gameID: 'W-1' }],
    matchTime: 0,
  })
  await write(
    leaveQueue('W-0'),
    corner('W-0', 0, 'is_ready = true'),
    corner('W-0', 1, 'is_ready = true'),
  )
  expect(await cageOf(1)).toMatchObject({ player1: { isReady: 1 }, player2: { isReady: 1 } })

  // The cage says active a moment before the fight does.
  now += 60
  await write(cage(1, `status = 'active'`))
  expect(await cageOf(1)).toMatchObject({ status: 'assigned' })
  const begun = now
  await write(game('W-0', `state = 'active', start_time = ${at(now)}, countdown = 180`))
  expect(await scheduleOf()).toMatchObject({ 'W-0': 'In Cage' })
  expect(await stateOf('W-0')).toBe('active')
  now += 50
  expect(await cageOf(1)).toMatchObject({ status: 'active', matchTime: 50, startTime: begun })

  // A pause starts in the fight first and ends in the cage first.
  await write(
    `INSERT INTO cageside.pauses (tournament_id, game_id, idx, start_time)
     VALUES ('cup', 'W-0', 0, ${at(now)})`,
  )
  expect(await cageOf(1)).toMatchObject({ status: 'paused', matchTime: 50, pausedSince: now })
  const pausedAt = now
  now += 20
  await write(cage(1, `status = 'paused', paused_since = ${at(pausedAt)}`))
  expect(await cageOf(1)).toMatchObject({ status: 'paused', matchTime: 50, pausedSince: pausedAt })
  now += 10
  await write(cage(1, `status = 'active', paused_since = NULL`))
  expect(await cageOf(1)).toMatchObject({ status: 'paused', matchTime: 50 })
  await write(
    `UPDATE cageside.pauses SET stop_time = ${at(now)} WHERE tournament_id = 'cup' AND game_id = 'W-0'`,
  )
  expect(await cageOf(1)).toMatchObject({ status: 'active', matchTime: 50, pausedSince: 0 })
  now += 40
  expect(await cageOf(1)).toMatchObject({ matchTime: 90 })
  expect(await recordOf('p0')).toEqual([0, 0])

  // The fight is over; the winner goes on to the final, and the cage follows later.
  await write(
    game(
      'W-0',
      `state = 'done', stop_time = ${at(now)}, end_time = ${at(now + 20)},
       timer_duration = 90, win_annotation = 'KO'`,
    ),
    corner('W-0', 0, `state = 'loser', score = 0`),
    corner('W-0', 1, `state = 'winner', score = 1`),
    corner('W-2', 0, `player_id = 'p3'`),
  )
  expect(await scheduleOf()).toEqual({ 'W-1': 'Starting Soon' })
  expect(await cageOf(1)).toMatchObject({
    status: 'completed',
    match: { state: 'done', player2wins: 1, winAnnotation: 'KO', matchLength: 120 },
    matchTime: 90,
    stopTime: now,
  })
  expect([await recordOf('p0'), await recordOf('p3')]).toEqual([
    [0, 1],
    [1, 0],
  ])
  expect((await read('/fights/recent?limit=1')).fights).toMatchObject([{ gameID: 'W-0' }])
  now += 300
  await write(cage(1, `status = 'completed'`))
  expect(await cageOf(1)).toMatchObject({ status: 'completed', matchTime: 90 })
  await write(cage(1, `status = 'idle', tournament_id = NULL, game_id = NULL`))
  expect(await cageOf(1)).toMatchObject({ status: 'idle', match: null })

  // The other first fight is late, in another cage, and a draw is corrected to a win.
  now = start + 2500
  await walkLive(read, (await walk(read)).fights)
  expect(await scheduleOf()).toEqual({ 'W-1': 'Delayed' })
  await write(
    leaveQueue('W-1'),
    game('W-1', `state = 'active', cage = 'Cage 5', start_time = ${at(now)}`),
    cage(5, `status = 'active', tournament_id = 'cup', game_id = 'W-1'`),
  )
  expect(await scheduleOf()).toEqual({ 'W-1': 'In Cage' })
  now += 180
  await write(
    game(
      'W-1',
      `state = 'done', stop_time = ${at(now)}, timer_duration = 180, win_annotation = 'JD'`,
    ),
    corner('W-1', 0, `state = 'tie', score = 0`),
    corner('W-1', 1, `state = 'tie', score = 0`),
  )
  expect([await recordOf('p1'), await recordOf('p2')]).toEqual([
    [0, 0],
    [0, 0],
  ])
  await write(
    corner('W-1', 0, `state = 'winner', score = 1`),
    corner('W-1', 1, `state = 'loser'`),
    corner('W-2', 1, `player_id = 'p1'`),
    game('W-2', `state = 'available', available_since = ${at(now)}`),
  )
  expect([await recordOf('p1'), await recordOf('p2')]).toEqual([
    [1, 0],
    [0, 1],
  ])
  expect(await scheduleOf()).toEqual({ 'W-2': 'Starting Soon' })

  // The day goes by: the oldest fight leaves the last 24 hours, the final is played.
  now = start + 4000
  await walk(read)
  expect(await scheduleOf()).toEqual({ 'W-2': 'Delayed' })
  await write(
    game('W-2', `state = 'active', cage = 'Cage 5', start_time = ${at(now)}`),
    cage(5, `status = 'active', game_id = 'W-2'`),
  )
  now += 30
  await write(
    game(
      'W-2',
      `state = 'done', stop_time = ${at(now)}, timer_duration = 30, win_annotation = 'TO',
                 loser_placement = 2`,
    ),
    corner('W-2', 0, `state = 'winner'`),
    corner('W-2', 1, `state = 'loser', tapped = true`),
    cage(5, `status = 'completed'`),
    `UPDATE cageside.tournaments SET active = false WHERE id = 'cup'`,
  )
  expect(await scheduleOf()).toEqual({})
  expect(await cageOf(5)).toMatchObject({ status: 'completed', player2: { tapped: 1 } })
  expect((await read('/tournaments/cup/players/p3')).player).toMatchObject({
    wins: 2,
    losses: 0,
    placement: 1,
  })
  const ended = now
  now = ended + 86_400
  await agree()
  expect((await read('/fights/last24h')).count).toBe(1)
})
