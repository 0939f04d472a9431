import { describe, expect, test } from 'bun:test'
import { generateLeague } from '../../scripts/league/league.ts'
import type { Archive } from '../../src/data/archive/archive.ts'
import type { TournamentRow, TournamentRows } from '../../src/data/source/rows.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import { appOf, archiveOf, readBody, readText, serviceOf } from '../fixtures.ts'
import { fightRows, playersAs, playersNamed, recordingRow, tournamentOf } from '../rows.ts'
import { sampleLeague } from '../smallLeague.ts'

const undated = { startTime: null, stopTime: null, endTime: null } as const
const typed = { startTime: null, scheduledStartTime: null, endTime: null } as const
type Game = Parameters<typeof fightRows>[0]
/** A result without times, like a line of a sheet; the first corner wins unless `game` says otherwise. */
const line = (position: number, id: string, red: string, blue: string, game: Game = {}) =>
  fightRows({ ...undated, id, position, ...game }, red, blue)
const ids = (fights: readonly { gameID: string }[]) => fights.map(({ gameID }) => gameID)

/** A slot that the winner or the loser of another game fills. */
const fed = (
  fight: ReturnType<typeof fightRows>,
  [red, blue]: readonly [string | null, string | null],
): ReturnType<typeof fightRows> => ({
  ...fight,
  slots: [
    { ...fight.slots[0], prevGameId: red },
    { ...fight.slots[1], prevGameId: blue },
  ],
})

describe('results typed without times', () => {
  const players = playersAs({ a: 'Axe', b: 'Blitz', c: 'Cobalt', d: 'Dozer' })
  const winners = { bracketId: 'W' }
  const losers = { bracketId: 'L' }
  const results = [
    line(1, 'W-0', 'a', 'b', winners),
    line(2, 'W-1', 'c', 'd', winners),
    fed(line(3, 'L-0', 'b', 'd', losers), ['W-0', 'W-1']),
    fed(line(4, 'W-2', 'a', 'c', { ...winners, roundIdx: 1 }), ['W-0', 'W-1']),
    fed(line(5, 'L-1', 'c', 'b', { ...losers, roundIdx: 1 }), ['W-2', 'L-0']),
    fed(line(6, 'W-3', 'c', 'a', { ...winners, roundIdx: 2 }), ['L-1', 'W-2']),
  ]
  const brackets = ['L', 'W'].map((id, position) => ({
    ...{ id, position, name: id, isExhibition: false, formatType: null },
  }))
  const leagueOf = (count: number): Archive =>
    archiveOf(
      tournamentOf({ ...typed, active: true }, players, results.slice(0, count), { brackets }),
    )
  const app = appOf(leagueOf(6))

  test('results without times are listed in reverse order of play everywhere', async () => {
    const order = ['W-3', 'L-1', 'W-2', 'L-0', 'W-1', 'W-0']
    for (const path of [
      '/fights',
      '/fights/recent',
      '/tournaments/spring_30lb/fights',
      '/legacy/recentFights',
    ]) {
      expect([path, ids((await readBody(app, path)).fights)]).toEqual([path, order])
    }
    expect(ids((await readBody(app, '/fights/recent?limit=1')).fights)).toEqual(['W-3'])
    const table = '/legacy/getTournamentMatchesDataTables?tournamentID=spring_30lb'
    expect((await readBody(app, table)).data.map(({ id }: { id: string }) => id)).toEqual(order)
    const latest = await readBody(app, '/legacy/getLatestMatches?tournamentID=spring_30lb')
    expect(latest.map(({ id }: { id: string }) => id)).toEqual(order)
    const { text } = await readText(app, '/results.atom')
    const places = order.map((id) => text.indexOf(`/w/spring_30lb/${id}"`))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
    const home = await readText(app, '/', { accept: 'text/html' })
    const [, results = ''] = /Latest results(.*?)<\/section>/s.exec(home.text) ?? []
    expect([...(results.match(/\/w\/spring_30lb\/[WL]-\d/g) ?? [])]).toEqual(
      order.map((id) => `/w/spring_30lb/${id}`),
    )
    // The results have a day but no time of day.
    expect(results).not.toMatch(/\d\d:\d\d</)
  })

  test('results without times count in streaks, meetings and the last game of a bot', async () => {
    const streak = async (bot: string) => (await readBody(app, `/bots/${bot}`)).bot.currentStreak
    expect(await streak('axe')).toEqual({ type: 'L', length: 1 })
    expect(await streak('cobalt')).toEqual({ type: 'W', length: 2 })
    const { headToHead } = await readBody(app, '/stats/head-to-head/axe/cobalt')
    expect(ids(headToHead.fights)).toEqual(['W-3', 'W-2'])
    const { player } = await readBody(app, '/tournaments/spring_30lb/players/b')
    expect(player.mostRecentGameID).toBe('L-1')
    const cobalt = await readBody(app, '/tournaments/spring_30lb/players/c')
    expect(cobalt.player.gameIDs).toEqual(['W-1', 'W-2', 'L-1', 'W-3'])
  })

  test('a fight keeps its chance when later results are entered', async () => {
    const seen = new Map<string, number>()
    for (let count = 1; count <= results.length; count += 1) {
      const app = appOf(leagueOf(count))
      for (const [{ id }] of results.slice(0, count).map(({ games }) => games)) {
        const { fight } = await readBody(app, `/tournaments/spring_30lb/fights/${id}`)
        const chance = fight.player1WinProbability
        expect([id, chance]).toEqual([id, seen.get(id) ?? chance])
        seen.set(id, chance)
      }
    }
    expect([seen.get('W-0'), seen.get('W-1')]).toEqual([0.5, 0.5])
    expect(seen.get('W-3')).not.toBe(0.5)
  })

  test('thirty fights of one round are in the order of their lines, W-29 after W-9', async () => {
    const many = Array.from({ length: 30 }, (_, index) => line(index, `W-${index}`, 'a', 'b'))
    const { fights } = await readBody(
      appOf(archiveOf(tournamentOf(typed, players, many))),
      '/fights/recent',
    )
    expect(ids(fights)).toEqual(Array.from({ length: 20 }, (_, index) => `W-${29 - index}`))
  })

  test('qualifying comes before the bracket and an exhibition after it, for any ids', async () => {
    const stages = [
      { id: 'EX', position: 0, name: 'Opening', isExhibition: true, formatType: null },
      { id: 'W', position: 1, name: 'Winners', isExhibition: false, formatType: null },
      { id: 'SHOW', position: 2, name: 'Rumble', isExhibition: true, formatType: null },
    ]
    const fights = [
      line(0, 'X-9', 'b', 'a', { bracketId: 'SHOW' }),
      line(0, 'W-0', 'a', 'b', { bracketId: 'W' }),
      line(0, 'EX-f', 'a', 'c', { bracketId: 'EX' }),
      line(1, 'EX-0', 'b', 'd', { bracketId: 'EX' }),
    ]
    const league = archiveOf(tournamentOf(typed, players, fights, { brackets: stages }))
    const { fights: listed } = await readBody(appOf(league), '/fights')
    expect(ids(listed)).toEqual(['X-9', 'W-0', 'EX-0', 'EX-f'])
  })
})

test('a fight without times follows every earlier round of its bracket', async () => {
  const start = 1_770_000_000
  const over = (after: number) => ({ startTime: start + after - 90, stopTime: start + after })
  const players = playersAs({ a: 'Axe', b: 'Blitz', c: 'Cobalt', d: 'Dozer' })
  const rounds = tournamentOf({ id: 'rounds' }, players, [
    fightRows({ id: 'W-0', roundIdx: 0, ...over(100) }, 'a', 'b'),
    fightRows({ id: 'W-1', roundIdx: 1, ...over(300) }, 'c', 'd'),
    line(0, 'W-2', 'a', 'c', { roundIdx: 2 }),
  ])
  const between = tournamentOf({ id: 'between' }, players, [
    fightRows({ id: 'X-0', ...over(200) }, 'b', 'd'),
  ])
  const { fights } = await readBody(appOf(archiveOf(rounds, between)), '/fights')
  expect(ids(fights)).toEqual(['W-2', 'W-1', 'X-0', 'W-0'])
})

describe('odd rows have a stable order', () => {
  const players = playersNamed('Axe', 'Blitz')
  const at = (stopTime: number | null): Game => ({ startTime: null, stopTime, endTime: null })
  const fight = (id: string, stopTime: number | null, feeders: [string | null, string | null]) =>
    fed(fightRows({ id, ...at(stopTime) }, 'p0', 'p1'), feeders)
  test.each([
    [
      'a cycle begins with its first fight',
      [fight('W-1', null, ['W-2', null]), fight('W-2', null, ['W-1', null])],
      ['W-2', 'W-1'],
    ],
    ['a fight that feeds itself is listed once', [fight('W-1', null, ['W-1', 'W-1'])], ['W-1']],
    [
      'a feeder that stopped after its follower is later',
      [fight('W-1', 300, [null, null]), fight('W-2', 200, ['W-1', null])],
      ['W-1', 'W-2'],
    ],
    [
      'an undated fight is not after a dated one that it feeds',
      [
        fight('W-1', 900, [null, null]),
        fight('W-2', null, [null, null]),
        fight('W-3', 500, ['W-2', null]),
      ],
      ['W-1', 'W-3', 'W-2'],
    ],
    [
      'a link against the order of its round is ignored between equal times',
      [fight('W-10', 5, [null, null]), fight('W-9', 5, ['W-10', null])],
      ['W-10', 'W-9'],
    ],
  ])('%s', async (_, fights, expected) => {
    const app = appOf(archiveOf(tournamentOf(typed, players, fights)))
    expect(ids((await readBody(app, '/fights')).fights)).toEqual(expected)
  })
})

describe('a mistyped year', () => {
  const now = 1_770_003_600
  const wrong = now + 36 * 365 * 86_400
  const players = playersAs({ a: 'Axe', b: 'Blitz', c: 'Cobalt' })
  const league = (over: Game, tournament: Partial<TournamentRow> = {}) =>
    archiveOf(
      tournamentOf(tournament, players, [
        fightRows(
          { id: 'W-0', startTime: now - 900, stopTime: now - 800, endTime: null },
          'a',
          'b',
        ),
        fightRows(
          { id: 'W-1', startTime: now - 700, stopTime: now - 600, endTime: null },
          'a',
          'c',
        ),
        fightRows(
          { id: 'W-2', startTime: now - 500, stopTime: now - 400, endTime: null, ...over },
          'b',
          'c',
        ),
        fightRows(
          { id: 'W-3', startTime: now - 300, stopTime: now - 200, endTime: null },
          'a',
          'c',
        ),
      ]),
    )
  const app = appOf(serviceOf(league({ stopTime: wrong }), now))

  test('a mistyped year shows in its own field and is ignored elsewhere', async () => {
    const { fights } = await readBody(app, '/fights')
    expect(ids(fights)).toEqual(['W-3', 'W-2', 'W-1', 'W-0'])
    expect(fights[1]).toMatchObject({ stopTime: wrong, matchLength: 0 })
    const { fights: recent } = await readBody(app, '/fights/last24h')
    expect(recent[1]).toMatchObject({ gameID: 'W-2', stopTime: wrong })
    const { tournament } = await readBody(app, '/tournaments/spring_30lb')
    expect(tournament.endTime).toBe(new Date((now - 200) * 1000).toISOString().replace('.000', ''))
    const { bot } = await readBody(app, '/bots/blitz')
    expect(bot).toMatchObject({ lastFightTime: now - 500, durationStats: { fightsMeasured: 1 } })
    const ranking = async (at: Archive) =>
      (await readBody(appOf(serviceOf(at, now)), '/stats/ratings')).ratings
    expect((await ranking(league({ stopTime: wrong }))).entries).toHaveLength(
      (await ranking(league({}))).entries.length,
    )
  })

  test('/health lists a mistyped year and stays ok', async () => {
    const { status, doubts } = await readBody(app, '/health')
    expect([status, doubts]).toEqual([
      'ok',
      [expect.stringContaining('stopTime of W-2 in spring_30lb is 2062')],
    ])
    const early = appOf(serviceOf(league({}, { startTime: 86_400 }), now))
    expect((await readBody(early, '/health')).doubts).toHaveLength(1)
    const { tournament } = await readBody(early, '/tournaments/spring_30lb')
    expect(tournament.startTime).toBe('1970-01-02T00:00:00Z')
  })

  test.each([wrong, 86_400])('a mistyped year of a pause or recording is ignored', async (far) => {
    const pause = { gameId: 'W-0', idx: 0 }
    const rows = {
      pauses: [
        { ...pause, startTime: far, stopTime: now - 850 },
        { ...pause, idx: 1, startTime: now - 870, stopTime: far },
        { ...pause, idx: 2, startTime: now - 830, stopTime: now - 820 },
      ],
      recordings: [recordingRow({ id: 1, startMs: far * 1000 })],
    }
    const times = { startTime: now - 900, stopTime: now - 800 }
    const fights = ['W-0', 'W-1', 'W-2'].map((id) => fightRows({ id, ...times }, 'a', 'b'))
    const app = appOf(serviceOf(archiveOf(tournamentOf({}, players, fights, rows)), now))
    const { fightStats } = await readBody(app, '/stats/fight/spring_30lb/W-0')
    expect(fightStats).toMatchObject({ pauseCount: 2, pausedSeconds: 80 })
    const { fightStartOffset, recordings } = await readBody(
      app,
      '/video-feeds/fight/spring_30lb/W-0',
    )
    expect(fightStartOffset).toBeNull()
    expect(recordings).toMatchObject([{ startTime: `${far * 1000}`, fightStartOffset: '' }])
    expect((await readBody(app, '/health')).doubts).toHaveLength(2)
  })

  test('a fight with a moment in the future is in no list of recent fights', async () => {
    const ahead = league({ stopTime: now + 3600 })
    const { fights } = await readBody(appOf(serviceOf(ahead, now)), '/fights/last24h')
    expect(ids(fights)).toEqual(['W-3', 'W-1', 'W-0'])
  })
})

describe('a league without its times', () => {
  const bare = (rows: TournamentRows): TournamentRows => ({
    ...rows,
    tournament: { ...rows.tournament, startTime: null, endTime: null },
    games: rows.games.map((game) => ({ ...game, ...undated })),
  })
  const leagues = [
    ['the sample', sampleLeague.tournaments],
    ...[2, 3].map(
      (seed) =>
        [
          `the league of seed ${seed}`,
          [...generateLeague({ seed, scale: 'sample' }).tournaments],
        ] as const,
    ),
  ] as const

  test.each(leagues)(
    '%s without times has the same order for each bot, streaks and places',
    (_, tournaments) => {
      const shown = tournaments.filter(({ tournament }) => isPublic(tournament))
      const [dated, other] = [archiveOf(...shown), archiveOf(...shown.map(bare))]
      for (const { info, format, players } of dated.dataset.tournaments) {
        // The order of rounds in a table is unknown without times.
        if (format.type === 'round_robin') continue
        const same = other.dataset.tournamentsByID.get(info.id)
        for (const { player, placement, mostRecentGameID } of players) {
          expect(same?.playersByID.get(player.id)).toMatchObject({ placement, mostRecentGameID })
          const own = (archive: Archive) =>
            archive.dataset.tournamentsByID
              .get(info.id)
              ?.fights.filter(
                ({ red, blue, isCompleted }) =>
                  isCompleted && [red, blue].some((corner) => corner.player.id === player.id),
              )
              .map(({ id }) => id)
          expect(own(other)).toEqual(own(dated))
        }
      }
    },
  )
})

test('draws count in totals, in records on pages, in tables and in head-to-head', async () => {
  const players = playersAs({ a: 'Axe', b: 'Blitz' })
  const drawn = { winAnnotation: 'JD' }
  const fights = [
    line(0, 'W-0', 'a', 'b'),
    fightRows({ id: 'W-1', position: 1, ...undated, ...drawn }, 'a', 'b', null),
    line(2, 'W-2', 'b', 'a'),
  ]
  const app = appOf(
    archiveOf(tournamentOf({ ...typed, formatType: 'round_robin' }, players, fights)),
  )
  const { bot } = await readBody(app, '/bots/axe')
  expect(bot).toMatchObject({ totalWins: 1, totalLosses: 1, totalDraws: 1, totalFights: 3 })
  for (const path of ['/b/axe', '/e/spring_30lb', '/vs/axe/blitz', '/stats', '/my?bots=axe']) {
    const { text } = await readText(app, path, { accept: 'text/html' })
    expect([path, text.includes('1–1–1')]).toEqual([path, true])
  }
  const { text } = await readText(app, '/b/axe', { accept: 'text/html' })
  expect(text).toContain('no winner, <abbr')
})
