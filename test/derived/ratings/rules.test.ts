import { describe, expect, test } from 'bun:test'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { buildBots } from '../../../src/derived/careers/bots.ts'
import { newestSession, scoreOf } from '../../../src/derived/ratings/bouts.ts'
import { addFight, calibrationOf, newSums } from '../../../src/derived/ratings/calibration.ts'
import { chancesIn } from '../../../src/derived/ratings/chances.ts'
import { readOdds } from '../../../src/derived/ratings/odds.ts'
import { toRating } from '../../../src/derived/ratings/points.ts'
import { rankBots } from '../../../src/derived/ratings/ranking.ts'
import { buildRatings, strengthOf } from '../../../src/derived/ratings/ratings.ts'
import { createElo, createWinRate } from '../../../src/derived/ratings/simpleRules.ts'
import {
  blockSlots,
  enterEnd,
  estimateOf,
  meanAt,
  meanBefore,
  slotStride,
  varianceAt,
} from '../../../src/derived/ratings/state.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import { present } from '../../present.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'

const begin = 1_770_000_000
const hours = 3600
const bots = [...'abcdefgh'].map((id) => ({ id }))

/** A fight of 90 s whose red corner wins, `end` hours after the beginning. */
const won = (id: string, end: number, red: string, blue: string, start = end * hours - 90) =>
  fightRows(
    { id, startTime: begin + start, stopTime: begin + end * hours, endTime: null },
    red,
    blue,
  )
const tournament = (
  id: string,
  fights: readonly ReturnType<typeof fightRows>[],
  weightClass = 30,
) => buildTournament(tournamentOf({ id, weightClass }, bots, fights))
const leagueOf = (...tournaments: readonly ReturnType<typeof tournament>[]) => {
  const dataset = buildDataset(tournaments)
  const bots = buildBots(tournaments)
  return { dataset, bots, ratings: buildRatings(dataset, bots) }
}
const chanceOf = ({ ratings }: ReturnType<typeof leagueOf>, id: string, index: number): number =>
  readOdds(present(ratings.odds.get(id)), index).chance

describe('the newest session', () => {
  const { dataset } = leagueOf(
    tournament('t', [won('W-0', 0, 'a', 'b'), won('W-1', 13, 'a', 'c'), won('W-2', 25, 'a', 'd')]),
  )
  const [last, middle, first] = dataset.fights
  const sessionAfter = (after: typeof first) => atOnce(newestSession(dataset, after))?.id

  test('begins where no fight ended in twelve hours before', () => {
    expect(sessionAfter(undefined)).toBe('W-1')
  })
  test('is one if it began after a fight, and none if it began with it or before it', () => {
    expect(sessionAfter(first)).toBe('W-1')
    expect([middle, last].map(sessionAfter)).toEqual([undefined, undefined])
  })
})

test('a tie is a score only where both corners have it', () => {
  const [fight] = tournament('t', [won('W-0', 0, 'a', 'b')]).fights
  const { red, blue, ...rest } = present(fight)
  const scored = (ofRed: typeof red.state, ofBlue: typeof red.state) =>
    scoreOf({
      ...rest,
      red: { ...red, state: ofRed, isWinner: ofRed === 'winner' },
      blue: { ...blue, state: ofBlue, isWinner: ofBlue === 'winner' },
    })
  expect(scored('winner', 'loser')).toBe(1)
  expect(scored('loser', 'winner')).toBe(0)
  expect(scored('tie', 'tie')).toBe(0.5)
  expect([scored('tie', 'loser'), scored('loser', 'tie'), scored('loser', 'loser')]).toEqual([
    null,
    null,
    null,
  ])
})

describe('the record of chances', () => {
  test('has a bounded loss where what was certain did not happen, in the highest class of chances', () => {
    const sums = newSums()
    addFight(sums, [1, 0.5, 0], false)
    const { scores, bins } = calibrationOf(sums)
    expect(scores[0]).toEqual({ rule: 'ratings', logLoss: -Math.log(1e-7), brier: 1 })
    expect(scores[2]?.logLoss).toBeCloseTo(0, 12)
    expect(bins).toMatchObject([{ from: 0.9, to: 1, fights: 1, predicted: 1, observed: 0 }])
  })

  test('has the range of Wilson for each share', () => {
    const sums = newSums()
    for (let fight = 0; fight < 40; fight += 1) addFight(sums, [0.65, 0.5, 0.5], fight < 21)
    const [bin] = calibrationOf(sums).bins
    // (0.525 + 1.96² / 80) / (1 + 1.96² / 40) is 0.52281, and half of the range 0.14784.
    expect(bin?.low).toBeCloseTo(0.37497, 4)
    expect(bin?.high).toBeCloseTo(0.67065, 4)
    expect(bin).toMatchObject({ from: 0.6, to: 0.7, fights: 40, observed: 0.525 })
  })

  test('compares with Elo: a win over an equal one is 17.5 points, of 600 for a factor of ten', () => {
    const elo = createElo()
    expect(elo(0, 1, 1)).toBe(0.5)
    expect(elo(0, 1, null)).toBeCloseTo(1 / (1 + 10 ** (-35 / 600)), 12)
    expect(elo(1, 0, 0.5)).toBeCloseTo(1 / (1 + 10 ** (35 / 600)), 12)
    const gain = 35 * (0.5 - 1 / (1 + 10 ** (35 / 600)))
    expect(elo(0, 1, 1)).toBeCloseTo(1 / (1 + 10 ** ((2 * gain - 35) / 600)), 12)
  })

  test('compares with shares of wins, each with two wins and two losses more', () => {
    const winRate = createWinRate()
    expect(winRate(0, 1, 1)).toBe(0.5)
    // 3 of 5 against 2 of 5.
    expect(winRate(0, 1, 0.5)).toBeCloseTo(0.36 / 0.52, 12)
    // 3.5 of 6 against 2.5 of 6; nobody wins.
    expect(winRate(0, 1, null)).toBeCloseTo(12.25 / 18.5, 12)
    // 3.5 of 7 against 2.5 of 7.
    expect(winRate(0, 1, 0)).toBeCloseTo(15.75 / (15.75 + 8.75), 12)
  })
})

test('a fight to come of a bot against itself has no chance', () => {
  const rows = [openFight({ id: 'W-0' }, 'a', 'b'), openFight({ id: 'W-1' }, 'a', 'a')]
  const own = buildTournament(tournamentOf({ id: 't', active: true }, bots, rows))
  const chance = chancesIn(own, undefined, () => 0.7)
  const byID = own.fights.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(byID.map(chance)).toEqual([0.7, null])
})

test('a strength is 173.7 points for each unit, from 1,500 on, with a band of 1.96 deviations', () => {
  expect(toRating({ mean: 0, variance: 1 })).toEqual({
    rating: 1500,
    deviation: 173.7,
    low: 1159.5,
    high: 1840.5,
  })
  expect(toRating({ mean: Math.LN10, variance: 0 }).rating).toBe(1900)
})

test('bots of one low rank by their fights, and are provisional above three quarters of the first deviation', async () => {
  const { ratings, bots } = leagueOf(
    tournament('t', [
      won('W-0', 0, 'a', 'b'),
      won('W-1', 0, 'c', 'd'),
      won('W-2', 0, 'b', 'c'),
      won('W-3', 0, 'b', 'd'),
    ]),
  )
  const own = present(ratings.slots.get(30))
  const limit = (0.75 * estimateOf(ratings.state, 0)) ** 2
  const [block] = ratings.state.blocks
  const changed = present(block).slice()
  for (const [name, variance] of [
    ['a', 1.001],
    ['b', 1.001],
    ['c', 1.001],
    ['d', 0.999],
  ] as const) {
    const place = present(own.get(name)) * slotStride
    changed[place + meanAt] = 0
    changed[place + varianceAt] = limit * variance
  }
  const state = { ...ratings.state, blocks: [changed] }
  const ranked = await rankBots(bots, { ...ratings, state }, undefined, 0)
  expect(ranked.map(({ bot, rank, isProvisional }) => [bot.name, rank, isProvisional])).toEqual([
    ['d', 1, false],
    ['b', 2, true],
    ['c', 2, true],
    ['a', 2, true],
  ])
})

test('a fight in another class on the same day does not affect a bot entering a class', () => {
  const first = tournament('a', [won('W-0', 0, 'a', 'b')], 3)
  const chanceAfter = (end: number) =>
    chanceOf(leagueOf(first, tournament('b', [won('W-0', end, 'a', 'c')])), 'b', 0)
  expect(chanceAfter(1)).toBe(0.5)
  expect(chanceAfter(24)).toBeGreaterThan(0.5)
})

test('the form at an event ends 36 hours after the last fight', () => {
  const league = leagueOf(tournament('t', [won('W-0', 0, 'a', 'b')]))
  const meanAfter = (seconds: number) =>
    strengthOf(league, 30, { cleanName: 'a', team: null }, begin + seconds).mean
  expect(meanAfter(36 * hours)).toBe(meanAfter(0))
  expect(meanAfter(36 * hours + 1)).toBeLessThan(meanAfter(0))
})

test('a start more than twelve hours before the end is a mistake, and counts as that', () => {
  const fights = [won('W-0', 0, 'a', 'b')]
  const chanceWith = (start: number) =>
    chanceOf(
      leagueOf(tournament('t', [...fights, won('W-1', 48.5, 'a', 'c', start * hours)])),
      't',
      1,
    )
  // 35.5 h after the first fight its form would still count; 36.5 h after it there is none.
  expect(chanceWith(35.5)).toBe(chanceWith(36.5))
})

test('the mean of a slot is known before the day of its last fight, and before the day before that', () => {
  const block = new Float32Array(blockSlots * slotStride)
  const day = 86_400
  const fight = (unix: number, mean: number): void => {
    enterEnd(block, 0, unix)
    block[meanAt] = mean
  }
  const before = (days: number) => meanBefore(block, 0, days * day + 100)
  fight(10 * day, 1)
  expect([before(9), before(10), before(11)]).toEqual([Number.NaN, Number.NaN, 1])
  fight(11 * day, 2)
  fight(11 * day + 500, 3)
  expect([before(10), before(11), before(12), meanBefore(block, 0, null)]).toEqual([
    Number.NaN,
    1,
    3,
    3,
  ])
  fight(14 * day, 4)
  expect([before(13), before(14), before(15)]).toEqual([3, 3, 4])
  fight(15 * day, 5)
  expect([before(14), before(15), before(16)]).toEqual([3, 4, 5])
})
