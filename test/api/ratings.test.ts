import { describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { findChances, findForecast, findHeadToHeadChance } from '../../src/api/ratings/lookup.ts'
import { findFight, findTournament } from '../../src/api/tournaments/lookup.ts'
import { type Archive, noCages, updateArchive } from '../../src/data/archive/archive.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import type { CageRows } from '../../src/data/source/rows.ts'
import { areCurrent, type TrackedArchive, trackReads } from '../../src/http/trackedArchive.ts'
import { appOf, archiveOf, archiveWithCages, get, readBody, readText } from '../fixtures.ts'
import { cageRow, fightRows, openFight, playersAs, playersNamed, tournamentOf } from '../rows.ts'

const names = ['Axe', 'Blade', 'Claw', 'Dent']
const day = 86_400
const start = 1_760_000_000

/** A fight of players by index, `at` minutes after the start; `winner` is a corner. */
const fought = (id: string, at: number, red: number, blue: number, winner: 0 | 1 | null = 0) =>
  fightRows(
    { id, startTime: start + at * 60, stopTime: start + at * 60 + 90, endTime: null },
    `p${red}`,
    `p${blue}`,
    winner,
  )

/** Axe beats all, Blade all but Axe; two years later Claw and Dent meet. */
const old = tournamentOf({ id: 'old', name: 'Old' }, playersNamed(...names), [
  fought('W-0', 0, 0, 1),
  fought('W-1', 10, 2, 0, 1),
  fought('W-2', 20, 0, 3),
  fought('W-3', 30, 1, 2),
  fought('W-4', 40, 3, 1, 1),
])
const later = (days: number, winner: 0 | 1 = 0) =>
  tournamentOf(
    { id: 'new', name: 'New', active: true },
    playersNamed('Claw', 'Dent', 'Axe', 'Newcomer'),
    [
      fought('W-0', days * 1440, 0, 1, winner),
      // The fight has been under way since before the first one ended.
      fightRows(
        { id: 'W-1', state: 'active', startTime: start + days * day - 60, stopTime: null },
        'p2',
        'p0',
        null,
      ),
      openFight({ id: 'W-2', scheduledTime: start + (days + 1) * day }, 'p2', 'p1'),
      openFight({ id: 'W-3' }, 'p3', null),
    ],
  )

const cages: Partial<CageRows> = {
  cages: [cageRow({ number: 2, status: 'active', tournamentId: 'new', gameId: 'W-1' })],
}
const league = (days = 30, winner: 0 | 1 = 0, options: Parameters<typeof appOf>[1] = {}) =>
  appOf(archiveWithCages(cages, old, later(days, winner)), options)

const ranking = async (query: string, days?: number) =>
  (await readBody(league(days), `/stats/ratings${query}`)).ratings

test('`fights` of a rated bot counts all completed fights, including fights against names without letters', async () => {
  const players = playersNamed('Axe', 'Bolt', '???')
  const fights = [
    fightRows({ id: 'W-0' }, 'p0', 'p1'),
    fightRows({ id: 'W-1', startTime: start + 900, stopTime: start + 950 }, 'p0', 'p2'),
  ]
  const app = appOf(archiveOf(tournamentOf({ id: 't' }, players, fights)))
  const { bot } = await readBody(app, '/bots/axe')
  expect([bot.totalFights, bot.ratings[0].fights]).toEqual([2, 2])
  expect(bot.ratings[0].lastFightTime).toBe(bot.lastFightTime)
  const { entries } = (await readBody(app, '/stats/ratings')).ratings
  expect(entries[0]).toMatchObject({ cleanName: 'axe', fights: 2 })
  const { classes } = await readBody(app, '/bots/axe/ratings')
  expect(classes[0].events[0].fights).toBe(2)
})

describe('GET /stats/ratings', () => {
  test('the ranking is by the lower end of the band', async () => {
    const { entries, ...rest } = await ranking('')
    expect(rest).toEqual({
      weightClass: null,
      weightClassName: null,
      active: 730,
      total: 4,
      limit: 20,
      offset: 0,
    })
    const lows: number[] = entries.map(({ low }: { low: number }) => low)
    expect(lows).toEqual(lows.toSorted((a, b) => b - a))
    expect(entries.map(({ name, rank }: { name: string; rank: number }) => [rank, name])).toEqual([
      [1, 'Axe'],
      [2, 'Blade'],
      [3, 'Claw'],
      [4, 'Dent'],
    ])
    const [axe] = entries
    expect(axe).toMatchObject({ fights: 3, lastFightTime: start + 1290, provisional: true })
    expect(axe.high - axe.low).toBeCloseTo(2 * 1.96 * axe.deviation, 0)
    expect(axe.change).toBeCloseTo(axe.rating - 1500, 1)
  })

  test.each([
    ['?offset=3', 30, ['Dent']],
    ['?limit=1', 30, ['Axe']],
    ['?offset=9', 30, []],
    ['?weightClass=30', 30, names],
    ['?weightClass=3', 30, []],
    ['', 800, ['Claw', 'Dent']],
    ['?active=0', 800, names],
  ])('the ranking with %j after %i days has %j', async (query, days, expected) => {
    const { entries } = await ranking(query, days)
    expect(entries.map(({ name }: { name: string }) => name).toSorted()).toEqual(expected)
  })

  test.each([
    [30, names],
    [29, ['Claw', 'Dent']],
  ])(
    'the ranking has bots whose last fight is up to %i days before the newest',
    async (active, expected) => {
      const first = tournamentOf({ id: 'a' }, playersNamed('Axe', 'Blade'), [
        fought('W-0', 0, 0, 1),
      ])
      const second = tournamentOf({ id: 'b' }, playersNamed('Claw', 'Dent'), [
        fought('W-0', 30 * 1440, 0, 1),
      ])
      const { ratings } = await readBody(
        appOf(archiveOf(first, second)),
        `/stats/ratings?active=${active}`,
      )
      expect(ratings.entries.map(({ name }: { name: string }) => name).toSorted()).toEqual(expected)
    },
  )

  test('bots with equal published lower ends share a rank', async () => {
    const players = playersNamed(...Array.from({ length: 8 }, (_, index) => `Bot ${index}`))
    const fights = [0, 2, 4, 6].map((red) => fought(`W-${red}`, red, red, red + 1))
    const app = appOf(archiveOf(tournamentOf({ id: 't' }, players, fights)))
    const { entries } = (await readBody(app, '/stats/ratings')).ratings
    const ranks = new Map<number, number[]>()
    for (const { low, rank } of entries) ranks.set(low, [...(ranks.get(low) ?? []), rank])
    expect(ranks.size).toBeLessThan(players.length)
    for (const [low, equal] of ranks) expect([low, new Set(equal).size]).toEqual([low, 1])
  })

  test('ratings become less sure with time, down to the rating of a new bot', async () => {
    const [soon, late] = await Promise.all([ranking('?active=0', 30), ranking('?active=0', 800)])
    const deviationOf = ({ entries }: typeof soon): number =>
      entries.find(({ name }: { name: string }) => name === 'Axe').deviation
    expect(deviationOf(late)).toBeGreaterThan(deviationOf(soon))
  })
})

describe('ratings of a bot', () => {
  test('the ratings of a bot are in its career and, after each tournament, in its history', async () => {
    const { bot } = await readBody(league(), '/bots/claw')
    const { classes } = await readBody(league(), '/bots/claw/ratings')
    const [{ events }] = classes
    expect(events).toMatchObject([
      { tournamentID: 'old', rank: 4, fights: 2 },
      { tournamentID: 'new', rank: 3, fights: 3 },
    ])
    const { rating, deviation, low, high } = events[1]
    expect(bot.ratings).toEqual([
      expect.objectContaining({ weightClass: 30, rating, deviation, low, high, fights: 3 }),
    ])
    const claw = (await ranking('')).entries[2]
    expect(Math.abs(claw.change - (rating - events[0].rating))).toBeLessThan(0.2)
    expect((await get(league(), '/bots/nobody/ratings')).status).toBe(404)
  })

  test('the one of two overlapping tournaments with the later last fight is later in the history', async () => {
    const long = tournamentOf({ id: 'long' }, playersNamed(...names), [
      fought('W-0', 0, 0, 1),
      fought('W-1', 90, 2, 3),
    ])
    const short = tournamentOf({ id: 'short' }, playersNamed('Axe', 'Fox'), [
      fought('W-0', 9, 0, 1),
    ])
    const app = appOf(archiveOf(long, short))
    const [{ events }] = (await readBody(app, '/bots/axe/ratings')).classes
    const [{ rating }] = (await readBody(app, '/bots/axe')).bot.ratings
    expect(events).toMatchObject([
      { tournamentID: 'long', fights: 1, time: start + 90 },
      { tournamentID: 'short', fights: 2, time: start + 630, rating },
    ])
  })

  test.each([
    [730, 3],
    [731, 2],
  ])(
    'the history of a bot ranks it among the bots of two years: after %i days it is number %i',
    async (days, rank) => {
      const first = tournamentOf({ id: 'a' }, playersNamed('Axe', 'Blade'), [
        fought('W-0', 0, 0, 1),
      ])
      const second = tournamentOf({ id: 'b' }, playersNamed('Claw', 'Dent'), [
        fought('W-0', days * 1440, 0, 1),
      ])
      const [{ events }] = (await readBody(appOf(archiveOf(first, second)), '/bots/dent/ratings'))
        .classes
      expect(events).toMatchObject([{ tournamentID: 'b', rank }])
    },
  )

  test('the history of a bot omits a tournament without a decided fight of it', async () => {
    const between = tournamentOf({ id: 'between', active: true }, playersNamed(...names), [
      fought('W-0', 5000, 0, 1),
      openFight({ id: 'W-1' }, 'p2', 'p3'),
    ])
    const app = appOf(archiveOf(old, between, later(30)))
    const [{ events }] = (await readBody(app, '/bots/claw/ratings')).classes
    expect(events).toMatchObject([{ tournamentID: 'old' }, { tournamentID: 'new' }])
  })

  test('a bot without a fight has no ratings', async () => {
    expect((await readBody(league(), '/bots/newcomer')).bot.ratings).toEqual([])
    const { classes } = await readBody(league(), '/bots/newcomer/ratings')
    expect(classes).toEqual([])
  })
})

const bulkFights = async (app: ReturnType<typeof league>) => {
  const file = await app(new Request('http://localhost/bulk/fights.ndjson.gz'))
  return gunzipSync(await file.arrayBuffer())
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('the chance of a fight', () => {
  test('the chance of a fight is the same in every answer', async () => {
    const app = league()
    const bulk = await bulkFights(app)
    const { matches } = await readBody(app, '/schedule')
    for (const [tournament, game] of [
      ['old', 'W-4'],
      ['new', 'W-0'],
      ['new', 'W-1'],
      ['new', 'W-2'],
    ]) {
      const isIt = (row: { tournamentID: string; gameID: string }) =>
        row.tournamentID === tournament && row.gameID === game
      const { fight } = await readBody(app, `/tournaments/${tournament}/fights/${game}`)
      const chance = fight.player1WinProbability
      expect(chance).toBeNumber()
      const { fightStats } = await readBody(app, `/stats/fight/${tournament}/${game}`)
      expect(fightStats.player1WinProbability).toBe(chance)
      expect(bulk.find(isIt).player1WinProbability).toBe(chance)
      for (const match of matches.filter(isIt)) expect(match.player1WinProbability).toBe(chance)
      expect(
        (await readBody(app, `/legacy/matchJSON?tournamentID=${tournament}&gameID=${game}`))
          .player1WinProbability,
      ).toBe(chance)
    }
    const { cage } = await readBody(app, '/cages/2')
    expect(cage.match.player1WinProbability).toBe(
      matches.find(({ gameID }: { gameID: string }) => gameID === 'W-1').player1WinProbability,
    )
  })

  test('the chance of a fight depends only on fights decided before its start', async () => {
    const chances = async (winner: 0 | 1) =>
      Object.fromEntries(
        (await bulkFights(league(30, winner))).map(
          ({ tournamentID, gameID, player1WinProbability }) => [
            `${tournamentID} ${gameID}`,
            player1WinProbability,
          ],
        ),
      )
    const [won, lost] = await Promise.all([chances(0), chances(1)])
    const { 'new W-2': toCome, 'new W-1': underWay, ...decided } = won
    const { 'new W-2': otherToCome, 'new W-1': otherUnderWay, ...otherDecided } = lost
    expect(decided).toEqual(otherDecided)
    expect(decided['old W-0']).toBe(0.5)
    expect(decided['old W-2']).toBeGreaterThan(0.5)
    expect(toCome).toBeGreaterThan(0.5)
    expect(toCome).not.toBe(otherToCome)
    // Claw fights in both, which no bot can.
    expect(underWay).not.toBe(otherUnderWay)
  })

  test('a finished tournament has chances only of its decided fights', async () => {
    const over = tournamentOf({ id: 'over', active: false }, playersNamed(...names), [
      fought('W-0', 5000, 0, 1),
      openFight({ id: 'W-1' }, 'p0', 'p2'),
    ])
    const app = appOf(archiveOf(old, over))
    const chance = async (game: string) =>
      (await readBody(app, `/tournaments/over/fights/${game}`)).fight.player1WinProbability
    expect(await chance('W-0')).toBeGreaterThan(0.5)
    expect(await chance('W-1')).toBeNull()
  })

  test('the chance of two bots now has a range', async () => {
    const { headToHead } = await readBody(league(), '/stats/head-to-head/axe/dent')
    const { bot1, low, high } = headToHead.chance
    expect(low).toBeLessThan(bot1)
    expect(bot1).toBeLessThan(high)
    const reverse = (await readBody(league(), '/stats/head-to-head/dent/axe')).headToHead.chance
    expect(reverse.bot1).toBeCloseTo(1 - bot1, 3)
    const unknown = (await readBody(league(), '/stats/head-to-head/axe/nobody')).headToHead
    expect(unknown.chance).toBeNull()
  })
})

describe('GET /stats/ratings/calibration', () => {
  test('/stats/ratings/calibration has the published chances next to simple rules', async () => {
    const { calibration } = await readBody(league(), '/stats/ratings/calibration')
    expect(calibration).toMatchObject({ weightClass: null, from: null, fights: 6 })
    const [ratings, , , coin] = calibration.rules
    expect(coin).toEqual({ rule: 'coin', logLoss: expect.closeTo(Math.LN2, 5), brier: 0.25 })
    expect(ratings.logLoss).toBeLessThan(coin.logLoss)
    const counted = calibration.bins.reduce(
      (sum: number, { fights }: { fights: number }) => sum + fights,
      0,
    )
    expect(counted).toBe(6)
    expect(Object.keys(calibration.estimates)).toEqual(['width', 'drift', 'form', 'growth'])
  })

  test.each([
    ['?from=2025-10-20', 1, '2025-10-20'],
    ['?from=yesterday', 6, null],
    ['?from=2025-02-31', 6, null],
    ['?weightClass=3', 0, null],
  ])('/stats/ratings/calibration with %j counts %i fights', async (query, fights, from) => {
    const { body, headers } = await get(league(), `/stats/ratings/calibration${query}`)
    expect(body.calibration).toMatchObject({ fights, from })
    const isIgnored = query.startsWith('?from') && from === null
    expect(headers.get('x-ignored-parameters')).toBe(isIgnored ? 'from' : null)
  })
})

/** The final is still to come. */
const cup = tournamentOf({ id: 'cup', name: 'Cup' }, playersNamed('Axe', 'Blade'), [
  openFight({ id: 'W-0' }, 'p0', 'p1'),
])

test.each<[string, (archive: TrackedArchive) => unknown]>([
  ['the chance of two bots', (archive) => findHeadToHeadChance(archive, 'axe', 'blade')],
  [
    'the forecast of a decided bracket',
    (archive) => {
      const tournament = findTournament(archive, 'old')
      return tournament && findForecast(archive, tournament)
    },
  ],
  [
    'the forecast of a bracket under way',
    (archive) => {
      const tournament = findTournament(archive, 'cup')
      return tournament && findForecast(archive, tournament)
    },
  ],
  [
    'the chance of a fight to come',
    (archive) => {
      const found = findFight(archive, { tournamentID: 'cup', gameID: 'W-0' })
      return found && findChances(archive)(found.fight)
    },
  ],
])('%s outlives a fight between others that changes nothing of it', async (_, read) => {
  const before = archiveOf(old, cup)
  const { tracked, reads } = trackReads(before, start)
  const found = await read(tracked)
  expect(found).toBeDefined()
  const doubleForfeit = tournamentOf({ id: 'new', weightClass: 3 }, playersNamed('Claw', 'Dent'), [
    fought('W-0', 41, 0, 1, null),
  ])
  const changed = new Map([['new', buildTournament(doubleForfeit)]])
  const after = await updateArchive(before, 'two', changed, noCages)
  expect(after.ratings).not.toBe(before.ratings)
  expect(await read(trackReads(after, start).tracked)).toEqual(found)
  expect(areCurrent(reads().dependencies, after)).toBe(true)
})

test('the chance of two bots ends with fights between others that change it', async () => {
  const before = archiveOf(old)
  const read = (archive: Archive) => {
    const { tracked, reads } = trackReads(archive, start)
    return { found: findHeadToHeadChance(tracked, 'axe', 'claw'), reads: reads() }
  }
  const { found, reads } = read(before)
  // These fights teach how much newcomers grow; Claw has fought less than Axe.
  const fights = Array.from({ length: 8 }, (_, index) => fought(`W-${index}`, 41 + index, 0, 1))
  const others = tournamentOf({ id: 'new' }, playersNamed('Blade', 'Newcomer'), fights)
  const changed = new Map([['new', buildTournament(others)]])
  const after = await updateArchive(before, 'two', changed, noCages)
  expect(read(after).found).not.toEqual(found)
  expect(areCurrent(reads.dependencies, after)).toBe(false)
})

test('the change of a bot is measured from its previous event', async () => {
  const twins = tournamentOf(
    { id: 'mid', name: 'Mid' },
    playersAs({ p0: 'Claw', p1: 'Dent', p2: 'Claw' }),
    [fought('W-0', 1440, 0, 1), fought('W-1', 1450, 0, 2)],
  )
  const app = appOf(archiveOf(old, twins, later(30)))
  const { events } = (await readBody(app, '/bots/claw/ratings')).classes[0]
  const { entries } = (await readBody(app, '/stats/ratings')).ratings
  const claw = entries.find(({ name }: { name: string }) => name === 'Claw')
  expect(claw.change).toBeCloseTo(events[2].rating - events[1].rating, 0)
})

test('RATINGS=0 describes all other addresses under any base path', async () => {
  const basePath = '/ratings/forecast'
  const app = league(30, 0, { ratings: false, basePath })
  const { paths } = JSON.parse((await readText(app, `${basePath}/openapi`)).text)
  expect(Object.keys(paths)).toContain(`${basePath}/tournaments`)
  expect(Object.keys(paths)).not.toContain(`${basePath}/stats/ratings`)
})

test('RATINGS=0 leaves nothing of ratings', async () => {
  const app = league(30, 0, { ratings: false })
  for (const path of ['/stats/ratings', '/stats/ratings/calibration', '/bots/axe/ratings']) {
    expect([path, (await get(app, path)).status]).toEqual([path, 404])
  }
  for (const path of ['/bots/axe', '/schedule', '/cages', '/stats/fight/old/W-0']) {
    expect(JSON.stringify(await readBody(app, path))).not.toMatch(/ratings|WinProbability/)
  }
  for (const path of ['/llms.txt', '/openapi', '/']) {
    const text = await (await app(new Request(`http://localhost${path}`))).text()
    expect([path, text.match(/[^"`\s]*\/(ratings|forecast)\b/)?.[0]]).toEqual([path, undefined])
  }
})
