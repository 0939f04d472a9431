import { describe, expect, test } from 'bun:test'
import { noCages, updateArchive } from '../../src/data/archive/archive.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import type { TournamentRow } from '../../src/data/source/rows.ts'
import { bracketOf, doubleOfFour, fourBots, type GameSpec } from '../brackets.ts'
import { appOf, archiveOf, get, readBody, readText, serviceOf } from '../fixtures.ts'
import { fightRows, tournamentOf } from '../rows.ts'

/** Fights of the year before: Bot 0 beats all others. */
const season = tournamentOf(
  { id: 'season', name: 'Season', weightClass: 30 },
  [0, 1, 2, 3].map((bot) => ({ id: `s${bot}`, name: `Bot ${bot}` })),
  [1, 2, 3, 1, 2, 3].map((bot, index) => {
    const unix = 1_760_000_000 + index * 1000
    return fightRows(
      { id: `W-${index}`, startTime: unix, stopTime: unix + 90, endTime: unix + 100 },
      's0',
      `s${bot}`,
    )
  }),
)

const forecastIn = async (specs: readonly GameSpec[], row: Partial<TournamentRow> = {}) => {
  const app = appOf(archiveOf(season, bracketOf(4, specs, row)))
  return (await readBody(app, '/tournaments/spring_30lb/forecast')).forecast
}

const double = { formatType: 'double_elimination' } as const

describe('GET /tournaments/:tournamentID/forecast', () => {
  test('a forecast has the chances by ratings, the likeliest winner first', async () => {
    const { bots, rounds, ...rest } = await forecastIn(fourBots)
    expect(rest).toEqual({
      tournamentID: 'spring_30lb',
      tournamentName: 'Spring 30lb',
      openFights: 4,
      runs: 0,
      standardError: 0,
    })
    expect(rounds).toEqual([
      { bracketID: 'W', round: 0, name: 'Round 1' },
      { bracketID: 'W', round: 1, name: 'Round 2' },
      { bracketID: 'T', round: 0, name: 'Round 1' },
    ])
    expect(bots.map(({ cleanName }: { cleanName: string }) => cleanName)[0]).toBe('bot0')
    expect(bots[0].winProbability).toBeGreaterThan(0.4)
    expect(bots[0].roundProbabilities[0]).toBe(1)
  })

  test('a forecast follows ratings before the tournament has begun', async () => {
    const { bots } = await forecastIn(fourBots, { active: false })
    expect(bots[0].winProbability).toBeGreaterThan(0.4)
  })

  test('a simulated forecast has its standard error', async () => {
    expect(await forecastIn(doubleOfFour, double)).toMatchObject({
      runs: 10_000,
      standardError: 0.005,
    })
  })

  test('the forecast of a finished bracket has a certain winner', async () => {
    const { openFights, bots } = await forecastIn([
      ['W-0', 0, 'p0', 'p3', { won: 0 }],
      ['W-1', 0, 'p1', 'p2', { won: 0 }],
      ['W-2', 1, 'p0', 'p1', { won: 0, loserPlacement: 2 }],
    ])
    const chances = bots.map((bot: { winProbability: number }) => bot.winProbability)
    expect([openFights, ...chances]).toEqual([0, 1, 0, 0, 0])
  })

  test('a forecast sorts bots that cannot win by their last round', async () => {
    const { bots } = await forecastIn([
      ['W-0', 0, 'p0', 'p3', { won: 1 }],
      ['W-1', 0, 'p1', 'p2', { won: 1 }],
      ['W-2', 1, 'p3', 'p2', { won: 0, loserPlacement: 2 }],
    ])
    expect(bots.map(({ cleanName }: { cleanName: string }) => cleanName)).toEqual([
      'bot3',
      'bot2',
      'bot0',
      'bot1',
    ])
  })

  test('a forecast is 404 if ratings are off', async () => {
    const app = appOf(archiveOf(season, bracketOf(4, fourBots)), { ratings: false })
    expect(await get(app, '/tournaments/spring_30lb/forecast')).toMatchObject({
      status: 404,
      body: { error: 'the tournament has no forecast: ratings are turned off' },
    })
  })

  test('a forecast changes once a fight is done', async () => {
    const [first, ...others] = fourBots
    if (!first) throw new Error('no first fight')
    const [id, round, red, blue] = first
    let archive = archiveOf(season, bracketOf(4, fourBots))
    const app = appOf({ ...serviceOf(archive), archive: () => archive })
    const read = async () => (await readBody(app, '/tournaments/spring_30lb/forecast')).forecast
    const before = await read()
    archive = archiveOf(season, bracketOf(4, [[id, round, red, blue, { won: 1 }], ...others]))
    const after = await read()
    expect([before.openFights, after.openFights]).toEqual([4, 3])
    const chance = ({ bots }: typeof after, name: string): number =>
      bots.find(({ cleanName }: { cleanName: string }) => cleanName === name).winProbability
    expect(chance(after, 'bot0')).toBe(0)
    expect(chance(after, 'bot3')).toBeGreaterThan(chance(before, 'bot3'))
  })

  test('a forecast changes once a fight of another tournament is done', async () => {
    const tournament = bracketOf(4, fourBots)
    let archive = archiveOf(tournament)
    const app = appOf({ ...serviceOf(archive), archive: () => archive })
    const chances = async () => {
      const { forecast } = await readBody(app, '/tournaments/spring_30lb/forecast')
      return forecast.bots.map((bot: { winProbability: number }) => bot.winProbability)
    }
    const [first, ...others] = await chances()
    expect(others).toEqual([first, first, first])
    archive = await updateArchive(
      archive,
      'two',
      new Map([['season', buildTournament(season)]]),
      noCages,
    )
    const [favourite, second] = await chances()
    expect(favourite).toBeGreaterThan(second + 0.1)
  })

  test('a forecast has a second grand final once the winner of the lower bracket has won the first', async () => {
    const { bots, openFights } = await forecastIn(
      [
        ['W-0', 0, 'p0', 'p3', { won: 0 }],
        ['W-1', 0, 'p1', 'p2', { won: 0 }],
        ['W-2', 1, 'W-0 p0', 'W-1 p1', { won: 0 }],
        ['W-3', 2, 'W-2 p0', 'L-1 p1', { won: 1, loserPlacement: 2 }],
        ['L-0', 0, 'W-0 p3', 'W-1 p2', { won: 0, loserPlacement: 4 }],
        ['L-1', 1, 'L-0 p3', 'W-2 p1', { won: 1, loserPlacement: 3 }],
      ],
      double,
    )
    expect(openFights).toBe(1)
    expect(bots[0]).toMatchObject({ cleanName: 'bot0' })
    expect(bots[0].winProbability).toBeGreaterThan(0.55)
  })

  test('a forecast lets other requests be answered during its simulation', async () => {
    const app = appOf(archiveOf(season, bracketOf(4, doubleOfFour, double)))
    const order: string[] = []
    await Promise.all(
      ['/tournaments/spring_30lb/forecast', '/bots/bot0', '/bots/bot1'].map(async (path) => {
        await readBody(app, path)
        order.push(path)
      }),
    )
    expect(order.at(-1)).toBe('/tournaments/spring_30lb/forecast')
  })

  test.each([
    ['other', 'tournament not found'],
    [
      'spring_30lb',
      'the tournament has no forecast: the bots of its first fights are not known yet',
    ],
  ])('a forecast answers 404 with the reason for %s', async (id, error) => {
    const app = appOf(archiveOf(bracketOf(4, [['W-0', 0, 'p0', '']])))
    expect(await get(app, `/tournaments/${id}/forecast`)).toMatchObject({
      status: 404,
      body: { error },
    })
  })
})

describe('the page of an event', () => {
  const archive = archiveOf(season, bracketOf(4, fourBots))
  const chancesAt = async (path: string, app = appOf(archive)): Promise<readonly string[]> => {
    const { text } = await readText(app, path)
    const [, section = ''] = /<section id="standings"(.*?)<\/section>/s.exec(text) ?? []
    return [
      ...section.matchAll(/<th scope="row">.*?<bdi>(.*?)<\/bdi>.*?<td class="number">(.*?)<\/td>/g),
    ].map(([, name, cell]) => `${name} ${cell}`)
  }

  test('the page of an event has the chance of each bot in a live part, the likeliest winner first', async () => {
    const { forecast } = await readBody(appOf(archive), '/tournaments/spring_30lb/forecast')
    expect(await chancesAt('/e/spring_30lb')).toEqual(
      forecast.bots.map(
        ({ name, winProbability }: { name: string; winProbability: number }) =>
          `${name} ${Math.round(winProbability * 100)}\u00a0%`,
      ),
    )
    const { text } = await readText(appOf(archive), '/e/spring_30lb')
    expect(text).toContain('<section id="standings" data-live')
  })

  test('the page of an event says why it has no chances', async () => {
    const app = (ratings = true) =>
      appOf(archiveOf(season, bracketOf(4, [['W-0', 0, 'p0', '']])), { ratings })
    const note = 'How likely each is to win is not known'
    expect((await readText(app(), '/e/spring_30lb')).text).toContain(
      `${note}: the bots of its first fights are not known yet.`,
    )
    for (const [path, ratings] of [
      ['/e/spring_30lb?spoilers=0', true],
      ['/e/spring_30lb', false],
      ['/e/season', true],
    ] as const) {
      expect((await readText(app(ratings), path)).text).not.toContain(note)
    }
  })

  test('the page of an event has no chances if results are hidden, ratings are off, or it is over', async () => {
    expect(await chancesAt('/e/spring_30lb?spoilers=0')).toEqual([])
    expect(await chancesAt('/e/spring_30lb', appOf(archive, { ratings: false }))).toEqual([])
    expect((await readText(appOf(archive), '/e/season')).text).not.toContain('Chance')
  })
})
