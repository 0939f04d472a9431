import { describe, expect, test } from 'bun:test'
import { cleanName } from '../../src/data/league/cleanName.ts'
import type { SlotRow, TournamentRows } from '../../src/data/source/rows.ts'
import { appOf, archiveOf, get } from '../fixtures.ts'
import { fightRows, playersAs, tournamentOf } from '../rows.ts'

const players = [
  { id: 'a', name: 'Norma L. Kurv', seed: 1, team: 'Kurv Works' },
  { id: 'b', name: 'Wynk', seed: 2 },
  { id: 'c', name: 'Gondola', seed: 3 },
]
let clock = 0
/** A fight that ends after the earlier ones. */
const fight = (
  red: string | null,
  blue: string | null,
  winner: 0 | 1 | null,
  { seconds = 60, ...over }: Parameters<typeof fightRows>[0] & { seconds?: number } = {},
) => {
  clock += 1000
  return fightRows(
    { id: `W-${clock}`, startTime: clock, stopTime: clock + seconds, ...over },
    red,
    blue,
    winner,
  )
}
const inState = (fight: ReturnType<typeof fightRows>, state: SlotRow['state']) => ({
  ...fight,
  slots: fight.slots.map((slot) => ({ ...slot, state })) as [SlotRow, SlotRow],
})
const league = (...tournaments: readonly TournamentRows[]) => appOf(archiveOf(...tournaments))
const one = (...fights: readonly ReturnType<typeof fightRows>[]) =>
  league(tournamentOf({}, players, fights))
const career = async (app: ReturnType<typeof league>, bot: string) =>
  (await get(app, `/bots/${encodeURIComponent(bot)}`)).body.bot
const fightsOf = async (app: ReturnType<typeof league>, bot: string) =>
  (await get(app, `/bots/${encodeURIComponent(bot)}/fights`)).body.fights

describe('a career', () => {
  test('a career counts only completed fights, and says which', async () => {
    const app = one(
      fight('a', 'b', 0, { winAnnotation: 'KO', seconds: 30 }),
      fight('a', 'b', 1, { winAnnotation: 'JD', seconds: 180 }),
      fight('c', 'a', 1, { winAnnotation: 'TKO', seconds: 61 }),
      fight('a', 'c', null, { state: 'active', stopTime: null }),
      fight('a', 'c', 0, { state: 'active' }),
      fight('a', 'c', null, { winAnnotation: null }),
      fight('a', 'c', null, { state: 'called', startTime: null, stopTime: null }),
    )
    const bot = await career(app, 'normalkurv')
    const [third, second, first] = await fightsOf(app, 'normalkurv')
    expect(bot).toEqual({
      botName: 'Norma L. Kurv',
      cleanName: 'normalkurv',
      ratings: [expect.objectContaining({ weightClass: 30, fights: 3, provisional: true })],
      totalWins: 2,
      totalLosses: 1,
      totalDraws: 0,
      totalFights: 3,
      totalTournaments: 1,
      winRate: 0.6667,
      winMethodBreakdown: { KO: 1, TKO: 1 },
      lossMethodBreakdown: { JD: 1 },
      koRate: 0.6667,
      durationStats: {
        averageSeconds: 90.33,
        medianSeconds: 61,
        totalFightTimeSeconds: 271,
        fightsMeasured: 3,
        longest: expect.objectContaining({ gameID: second.gameID, opponentClean: 'wynk' }),
        shortest: expect.objectContaining({ gameID: first.gameID, matchLength: 30 }),
      },
      avgMatchDurationSeconds: 90.33,
      longestFight: {
        tournamentID: 'spring_30lb',
        tournamentName: 'Spring 30lb',
        gameID: second.gameID,
        player1: 'Norma L. Kurv',
        player2: 'Wynk',
        opponent: 'Wynk',
        opponentClean: 'wynk',
        matchLength: 180,
        winAnnotation: 'JD',
        stopTime: second.stopTime,
      },
      shortestFight: expect.objectContaining({ gameID: first.gameID, matchLength: 30 }),
      recentFights: [third, second, first],
      picture: null,
      weightClasses: [30],
      weightClassNames: [],
      currentStreak: { type: 'W', length: 1 },
      longestWinStreak: 1,
      firstFightTime: first.stopTime,
      lastFightTime: third.stopTime,
      team: 'Kurv Works',
      driver: null,
    })
    expect((await get(app, '/stats/bot/normalkurv')).body.botStats).toEqual(bot)
    expect((await get(app, '/bots')).body.bots[1]).toEqual({
      cleanName: 'normalkurv',
      name: 'Norma L. Kurv',
      totalFights: 3,
      totalWins: 2,
      totalLosses: 1,
      totalDraws: 0,
      winRate: 0.6667,
      totalTournaments: 1,
      weightClasses: [30],
      weightClassNames: [],
      lastFightTime: third.stopTime,
      team: 'Kurv Works',
      driver: null,
    })
  })

  test('a draw, a double forfeit and two winners are neither won nor lost, and end a streak', async () => {
    const app = one(
      fight('a', 'b', 0),
      inState(fight('a', 'b', null), 'tie'),
      fight('a', 'b', 0),
      inState(fight('b', 'a', null, { winAnnotation: 'FF', seconds: 0 }), 'loser_by_default'),
      inState(fight('a', 'b', 0), 'winner'),
    )
    for (const name of ['normalkurv', 'wynk']) {
      const bot = await career(app, name)
      expect(bot.totalFights).toBe(5)
      expect(bot.totalWins + bot.totalLosses).toBe(2)
      expect(bot.recentFights[0]).toMatchObject({ player1wins: 0, player2wins: 0, winner: 'draw' })
      expect(bot.currentStreak).toEqual({ type: null, length: 0 })
    }
    expect((await career(app, 'normalkurv')).longestWinStreak).toBe(1)
    const { players } = (await get(app, '/tournaments/spring_30lb/players')).body
    expect(players[0]).toMatchObject({ name: 'Norma L. Kurv', wins: 2, losses: 0 })
    expect(players[1]).toMatchObject({ name: 'Wynk', wins: 0, losses: 2 })
  })

  test('a fight that took no time, or whose start is unknown, is not measured', async () => {
    const app = one(
      fight('a', 'b', 0, { seconds: 0, winAnnotation: 'FF' }),
      fight('a', 'b', 0, { startTime: null }),
    )
    const bot = await career(app, 'wynk')
    expect(bot).toMatchObject({
      totalFights: 2,
      totalLosses: 2,
      avgMatchDurationSeconds: 0,
      longestFight: null,
      shortestFight: null,
      durationStats: { fightsMeasured: 0, longest: null, shortest: null, medianSeconds: 0 },
    })
  })

  test('the career of a bot without a fight is all zeros', async () => {
    expect(await career(one(), 'Wynk')).toMatchObject({
      totalFights: 0,
      winRate: 0,
      weightClasses: [],
      totalTournaments: 0,
      currentStreak: { type: null, length: 0 },
      firstFightTime: 0,
      lastFightTime: 0,
      recentFights: [],
    })
  })

  test('a fight between two entries of one name is one fight, won and lost', async () => {
    const app = league(
      tournamentOf({}, playersAs({ a: 'Twin', b: 'Tw!n', c: 'TWIN' }), [fight('a', 'c', 0)]),
    )
    expect(await career(app, 'twin')).toMatchObject({
      totalFights: 1,
      totalWins: 1,
      totalLosses: 1,
      currentStreak: { type: null, length: 0 },
      longestFight: { opponent: 'TWIN' },
    })
    expect(await fightsOf(app, 'twin')).toHaveLength(1)
    const { headToHead } = (await get(app, '/stats/head-to-head/twin/twin')).body
    expect(headToHead).toMatchObject({ totalFights: 1, bot1: { wins: 1 }, bot2: { wins: 1 } })
  })

  test('a career has all weight classes, and each has a leaderboard', async () => {
    const app = league(
      tournamentOf({ id: 'light', weightClass: 3 }, players, [
        fight('a', 'b', 0),
        fight('a', 'b', 1),
      ]),
      tournamentOf({ id: 'heavy', weightClass: 30 }, players, [fight('a', 'b', 0)]),
      tournamentOf({ id: 'empty', weightClass: 12 }, players, []),
    )
    expect(await career(app, 'normalkurv')).toMatchObject({
      totalFights: 3,
      totalTournaments: 2,
      weightClasses: [3, 30],
    })
    const board = async (query: string) =>
      (await get(app, `/stats/leaderboard?${query}`)).body.leaderboard
    expect(await board('weightClass=3')).toMatchObject({
      weightClass: 3,
      entries: [
        { rank: 1, cleanName: 'normalkurv', value: 1, totalFights: 2 },
        { rank: 1, cleanName: 'wynk', value: 1 },
      ],
    })
    expect(await board('')).toMatchObject({
      metric: 'wins',
      order: 'desc',
      weightClass: null,
      minFights: 1,
      entries: [{ value: 2 }, { value: 1 }],
    })
    expect((await board('weightClass=12')).entries).toEqual([])
  })
})

describe('a weight class with a name', () => {
  const named = (id: string, weightClassName: string | null, weightClass = 3) =>
    tournamentOf({ id, weightClass, weightClassName }, players, [fight('a', 'b', 0)])
  const app = league(
    named('one', 'Beetleweight (UK)'),
    named('other', 'beetleweight (uk)'),
    named('us', null),
    {
      ...named('ant', '150 g', 1),
      tournament: { ...named('ant', '150 g', 1).tournament, weightGrams: 150 },
    },
  )
  const board = async (weightClass: string) =>
    (await get(app, `/stats/leaderboard?weightClass=${encodeURIComponent(weightClass)}`)).body
      .leaderboard

  test.each([
    ['Beetleweight (UK)', { weightClass: 3, weightClassName: /beetle/i }, 2],
    ['BEETLE-WEIGHT(UK)', { weightClass: 3, weightClassName: /beetle/i }, 2],
    ['150g', { weightClass: 1, weightClassName: /^150 g$/ }, 1],
    ['3', { weightClass: 3, weightClassName: null }, 3],
    ['3lb', { weightClass: 3, weightClassName: null }, 3],
    [' 03 Pounds', { weightClass: 3, weightClassName: null }, 3],
    ['0,15 kg', { weightClass: 1, weightClassName: /^150 g$/ }, 1],
    ['1', { weightClass: 1, weightClassName: null }, 1],
    ['Featherweight', { weightClass: null, weightClassName: null }, 4],
    ['', { weightClass: null, weightClassName: null }, 4],
  ])(
    'weightClass=%j filters leaderboards',
    async (text, { weightClass, weightClassName }, wins) => {
      const { entries, ...given } = await board(text)
      expect(given.weightClass).toBe(weightClass)
      if (weightClassName === null) expect(given.weightClassName).toBeNull()
      else expect(given.weightClassName).toMatch(weightClassName)
      expect(entries[0]).toMatchObject({ cleanName: 'normalkurv', value: wins })
    },
  )

  test.each([
    ['Featherweight', 'weightClass'],
    ['x30', 'weightClass'],
    ['30lb', null],
    ['75 g', null],
    ['', null],
  ])(
    'weightClass=%j is reported if it is ignored, and a weight without a class has no fights',
    async (text, ignored) => {
      const query = new URLSearchParams({ weightClass: text })
      for (const path of [
        '/stats/leaderboard',
        '/stats/ratings',
        '/stats/ratings/calibration',
        '/autocomplete',
      ]) {
        const { headers } = await get(app, `${path}?${query}`)
        expect([path, headers.get('x-ignored-parameters')]).toEqual([path, ignored])
      }
      const { headers } = await get(app, `/stats/leaderboard?${query}&sort=1`)
      expect(headers.get('x-ignored-parameters')).toBe(ignored ? 'weightClass, sort' : 'sort')
      if (!ignored && text) expect((await board(text)).entries).toEqual([])
    },
  )

  test('a named weight class is in tournaments, fights and careers next to its pounds', async () => {
    const { tournament } = (await get(app, '/tournaments/ant')).body
    expect(tournament).toMatchObject({ WeightClass: 1, weightClassName: '150 g' })
    const [{ fights }] = [(await get(app, '/tournaments/ant/fights')).body]
    expect(fights).toMatchObject([{ weightClass: 1, weightClassName: '150 g' }])
    expect(await career(app, 'wynk')).toMatchObject({ weightClasses: [1, 3] })
    expect((await career(app, 'wynk')).weightClassNames).toHaveLength(2)
  })

  test.each([
    ['150 G', ['Wynk']],
    ['30', []],
  ])('weightClass=%j filters suggestions', async (weightClass, names) => {
    const query = new URLSearchParams({ q: 'wynk', weightClass })
    const { suggestions } = (await get(app, `/autocomplete?${query}`)).body
    expect(suggestions.map(({ name }: { name: string }) => name)).toEqual(names)
  })
})

describe('teams', () => {
  const team = { name: 'Kurv Works', cleanName: 'kurvworks', bots: [{ cleanName: 'normalkurv' }] }
  const app = one(fight('a', 'b', 0))
  test.each([
    ['kurv works', [team]],
    ['works', [team]],
    ['KURV-W', [team]],
    ['wo', []],
    ['gondola works', []],
  ])('a search for %j finds the matching teams', async (q, teams) => {
    expect((await get(app, `/search?q=${encodeURIComponent(q)}`)).body.teams).toMatchObject(teams)
  })
})

describe('names', () => {
  const app = league(
    tournamentOf({ id: 'old', startTime: 100 }, playersAs({ a: 'Norma L Kurv', b: 'Wynk' }), [
      fight('a', 'b', 0),
    ]),
    tournamentOf({ id: 'new', startTime: 200 }, playersAs({ x: 'Norma L. Kurv', y: '!?' }), [
      fight('x', 'y', 0),
    ]),
  )
  test.each(['normalkurv', 'Norma L. Kurv', 'Norma L Kurv', 'NORMA-L-KURV', 'nórma l kurv'])(
    '%s is one bot, named as in the newest tournament',
    async (name) => {
      const bot = await career(app, name)
      expect(bot).toMatchObject({
        botName: 'Norma L. Kurv',
        cleanName: 'normalkurv',
        totalFights: 2,
      })
      const { body } = await get(app, `/bots/${encodeURIComponent(name)}/fights`)
      expect(body.botName).toBe('Norma L. Kurv')
      expect(body.fights.map(({ player1 }: { player1: string }) => player1)).toEqual([
        'Norma L. Kurv',
        'Norma L Kurv',
      ])
      const { headToHead } = (
        await get(app, `/stats/head-to-head/${encodeURIComponent(name)}/WYNK`)
      ).body
      expect(headToHead).toMatchObject({ bot1: { name: 'Norma L. Kurv', wins: 1 }, totalFights: 1 })
    },
  )
  test('a name that cleans to nothing is no bot, and its fights count for the other', async () => {
    expect((await get(app, '/bots/!%3F')).status).toBe(404)
    const { bots } = (await get(app, '/bots')).body
    expect(bots.map(({ cleanName }: { cleanName: string }) => cleanName)).toEqual([
      'normalkurv',
      'wynk',
    ])
  })
  test('a name in any script is a bot, found as written and by its Latin spelling', async () => {
    // The compatibility form of the last ones has another transliteration.
    const odd = ['µBot', 'น้ำใจ', '㍿ロボ', '40℃ Oven', 'ﷺ 2']
    const written = ['ロボ', 'Робот', 'Зайка', 'Żółw', ...odd]
    const clean = ['robo', 'robot', 'zayka', 'zolw', ...odd.map(cleanName)]
    const app = league(
      tournamentOf(
        {},
        written.map((name, index) => ({ id: `${index}`, name })),
        [],
      ),
    )
    for (const [index, name] of written.entries()) {
      for (const spelling of [name, name.normalize('NFD'), clean[index] ?? '']) {
        const q = encodeURIComponent(spelling)
        expect(await career(app, spelling)).toMatchObject({
          botName: name,
          cleanName: clean[index],
        })
        expect((await get(app, `/bots?q=${q}`)).body.bots[0].name).toBe(name)
        expect((await get(app, `/search?q=${q}`)).body.bots[0].name).toBe(name)
        expect((await get(app, `/autocomplete?q=${q}`)).body.suggestions[0].name).toBe(name)
        expect((await get(app, `/legacy/botAutocomplete?q=${q}`)).body[0].value).toBe(name)
      }
    }
  })
  test('a text that cleans to nothing finds nothing', async () => {
    for (const path of [
      '/bots?q=%E2%98%85',
      '/search?q=%E2%98%85%E2%98%85',
      '/stills?bot=%E2%98%85',
      '/legacy/fightsByBot?bot=%E2%98%85',
      '/legacy/botAutocomplete?q=%E2%98%85',
    ]) {
      const { status, body } = await get(app, path)
      expect({ path, status, found: body.bots ?? body.stills ?? body.fights ?? body }).toEqual({
        path,
        status: 200,
        found: [],
      })
    }
  })
  test('byes and placeholders are no bots', async () => {
    const app = league(
      tournamentOf(
        {},
        [...players, { id: 'y', name: '(Bye)', isBye: true }, { id: 's', name: 'Bracket Seed 4' }],
        [fight('a', 'y', 0), fight('a', 's', 0)],
      ),
    )
    expect((await get(app, '/bots')).body.pagination.total).toBe(3)
    expect((await career(app, 'normalkurv')).totalFights).toBe(0)
  })
})

describe('GET /stats/fight', () => {
  test('/stats/fight has scorecard, pauses and corners', async () => {
    const decided = fight('a', 'b', 0, {
      id: 'W-0',
      winAnnotation: 'JD',
      timerDuration: 180,
      seconds: 200,
    })
    const [red, blue] = decided.slots
    const app = league(
      tournamentOf(
        {},
        players,
        [
          {
            ...decided,
            slots: [
              { ...red, unstickTime: 7, score: 2 },
              { ...blue, showMotionTime: 9 },
            ],
          },
        ],
        {
          pauses: [
            { gameId: 'W-0', idx: 0, startTime: 500, stopTime: 515 },
            { gameId: 'W-0', idx: 1, startTime: 600, stopTime: 605 },
            { gameId: 'W-0', idx: 2, startTime: 700, stopTime: null },
          ],
          judgeLines: [
            'Judge A: damage 3-2, control 2.5-2.5',
            'Judge B: unanimous',
            'no colon 3-2',
            ': damage 3-2',
            'Judge C: damage 3-2, nonsense',
            'Judge D: aggression 0-5',
          ].map((line, idx) => ({ gameId: 'W-0', idx, line })),
        },
      ),
    )
    const { fightStats } = (await get(app, '/stats/fight/spring_30lb/W-0')).body
    expect(fightStats).toEqual({
      tournamentID: 'spring_30lb',
      gameID: 'W-0',
      player1WinProbability: 0.5,
      roundName: 'Finals',
      matchDurationSeconds: 200,
      timerDuration: 180,
      countdown: 180,
      wasPaused: true,
      pauseCount: 3,
      pausedSeconds: 20,
      pauses: [
        { startTime: 500, seconds: 15 },
        { startTime: 600, seconds: 5 },
        { startTime: 700, seconds: 0 },
      ],
      winMethod: 'JD',
      judgesScorecard: [
        { judge: 'Judge A', bot: 'Norma L. Kurv', category: 'damage', rating: 3 },
        { judge: 'Judge A', bot: 'Wynk', category: 'damage', rating: 2 },
        { judge: 'Judge A', bot: 'Norma L. Kurv', category: 'control', rating: 2.5 },
        { judge: 'Judge A', bot: 'Wynk', category: 'control', rating: 2.5 },
        { judge: 'Judge D', bot: 'Norma L. Kurv', category: 'aggression', rating: 0 },
        { judge: 'Judge D', bot: 'Wynk', category: 'aggression', rating: 5 },
      ],
      players: [
        {
          name: 'Norma L. Kurv',
          cleanName: 'normalkurv',
          score: 2,
          isWinner: 1,
          unstickTime: 7,
          showMotionTime: null,
        },
        {
          name: 'Wynk',
          cleanName: 'wynk',
          score: 0,
          isWinner: 0,
          unstickTime: null,
          showMotionTime: 9,
        },
      ],
      cameraCount: 0,
    })
    expect((await get(app, '/stats/tournament/spring_30lb')).body.tournamentStats).toMatchObject({
      totalPlayers: 3,
      totalFights: 1,
      pausedFights: 1,
      totalPauses: 3,
      totalPausedSeconds: 20,
      longestFight: { opponent: '', matchLength: 200 },
    })
  })
})

describe('GET /stats/head-to-head', () => {
  test('an unknown bot has met nobody', async () => {
    const app = one(fight('a', 'b', 0))
    for (const path of [
      'wynk/nobody',
      'nobody/wynk',
      '__proto__/constructor',
      `${'x'.repeat(7000)}/!`,
    ]) {
      const { status, body } = await get(app, `/stats/head-to-head/${path}`)
      expect(status).toBe(200)
      expect(body.headToHead).toMatchObject({
        totalFights: 0,
        winMethodBreakdown: {},
        averageMatchDurationSeconds: 0,
        firstMeeting: 0,
        lastMeeting: 0,
        fights: [],
      })
      expect(JSON.stringify(body).length).toBeLessThan(500)
    }
  })
})
