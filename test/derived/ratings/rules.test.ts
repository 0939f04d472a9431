import { describe, expect, test } from 'bun:test'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { buildBots } from '../../../src/derived/careers/bots.ts'
import { scoreOf } from '../../../src/derived/ratings/bouts.ts'
import { calibrationOf } from '../../../src/derived/ratings/calibration.ts'
import { chanceIn } from '../../../src/derived/ratings/chances.ts'
import { toRating } from '../../../src/derived/ratings/points.ts'
import { rankBots } from '../../../src/derived/ratings/ranking.ts'
import { buildRatings, strengthOf } from '../../../src/derived/ratings/ratings.ts'
import {
  eloChance,
  noRecord,
  recordsAfter,
  winRateChance,
} from '../../../src/derived/ratings/simpleRules.ts'
import { estimateOf, meanBefore } from '../../../src/derived/ratings/state.ts'
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
const chanceOf = ({ ratings }: ReturnType<typeof leagueOf>, id: string, fightID: string): number =>
  present(ratings.odds.get(id)?.get(fightID)).chance

test('a tie is a score only if both corners have it', () => {
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
  test('the record of chances has a bounded loss if a certain result did not happen', () => {
    const { scores, bins } = calibrationOf([{ chances: [1, 0.5, 0], redWon: false }])
    expect(scores[0]).toEqual({ rule: 'ratings', logLoss: -Math.log(1e-7), brier: 1 })
    expect(scores[2]?.logLoss).toBeCloseTo(0, 12)
    expect(bins).toMatchObject([{ from: 0.9, to: 1, fights: 1, predicted: 1, observed: 0 }])
  })

  test('the record of chances has the Wilson interval of each share', () => {
    const fights = Array.from({ length: 40 }, (_, index) => ({
      chances: [0.65, 0.5, 0.5],
      redWon: index < 21,
    }))
    const [bin] = calibrationOf(fights).bins
    // (0.525 + 1.96² / 80) / (1 + 1.96² / 40) is 0.52281, and half of the interval 0.14784.
    expect(bin?.low).toBeCloseTo(0.37497, 4)
    expect(bin?.high).toBeCloseTo(0.67065, 4)
    expect(bin).toMatchObject({ from: 0.6, to: 0.7, fights: 40, observed: 0.525 })
  })

  const fought = (score: 1 | 0 | 0.5 | null, { red, blue } = { red: noRecord, blue: noRecord }) =>
    recordsAfter(red, blue, score, eloChance(red, blue))

  test('the Elo baseline gives 17.5 points for a win over an equal bot, 600 for a factor of ten', () => {
    expect(eloChance(noRecord, noRecord)).toBe(0.5)
    const won = fought(1)
    expect(eloChance(won.red, won.blue)).toBeCloseTo(1 / (1 + 10 ** (-35 / 600)), 12)
    const undecided = fought(null, won)
    expect(eloChance(undecided.red, undecided.blue)).toBe(eloChance(won.red, won.blue))
    const drawn = fought(0.5, { red: won.blue, blue: won.red })
    const gain = 35 * (0.5 - 1 / (1 + 10 ** (35 / 600)))
    expect(eloChance(drawn.blue, drawn.red)).toBeCloseTo(
      1 / (1 + 10 ** ((2 * gain - 35) / 600)),
      12,
    )
  })

  test('the baseline of win shares adds two wins and two losses to each bot', () => {
    expect(winRateChance(noRecord, noRecord)).toBe(0.5)
    const won = fought(1)
    // The shares of wins are 3 of 5 and 2 of 5.
    expect(winRateChance(won.red, won.blue)).toBeCloseTo(0.36 / 0.52, 12)
    const drawn = fought(0.5, won)
    // The shares of wins are 3.5 of 6 and 2.5 of 6 after a draw.
    expect(winRateChance(drawn.red, drawn.blue)).toBeCloseTo(12.25 / 18.5, 12)
    const undecided = fought(null, drawn)
    // The shares of wins are 3.5 of 7 and 2.5 of 7 after a double forfeit.
    expect(winRateChance(undecided.red, undecided.blue)).toBeCloseTo(15.75 / (15.75 + 8.75), 12)
  })
})

test('a future fight of a bot against itself has no chance', () => {
  const rows = [openFight({ id: 'W-0' }, 'a', 'b'), openFight({ id: 'W-1' }, 'a', 'a')]
  const own = buildTournament(tournamentOf({ id: 't', active: true }, bots, rows))
  const byID = own.fights.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(byID.map((fight) => chanceIn(undefined, fight, () => 0.7))).toEqual([0.7, null])
})

test('a rating is 1,500 plus 173.7 points per unit of strength, with a band of 1.96 deviations', () => {
  expect(toRating({ mean: 0, variance: 1 })).toEqual({
    rating: 1500,
    deviation: 173.7,
    low: 1159.5,
    high: 1840.5,
  })
  expect(toRating({ mean: Math.LN10, variance: 0 }).rating).toBe(1900)
})

test('equal low bots rank by fights, and are provisional above 3/4 of the first deviation', () => {
  const { ratings, bots } = leagueOf(
    tournament('t', [
      won('W-0', 0, 'a', 'b'),
      won('W-1', 0, 'c', 'd'),
      won('W-2', 0, 'b', 'c'),
      won('W-3', 0, 'b', 'd'),
    ]),
  )
  const limit = (0.75 * estimateOf(ratings.state, 'width')) ** 2
  const own = present(ratings.state.classes.get(30))
  const changed = new Map(
    [...own.bots].map(([name, bot]) => {
      const variance = limit * (name === 'd' ? 0.999 : 1.001)
      return [name, { ...bot, strength: { mean: 0, variance } }]
    }),
  )
  const state = { ...ratings.state, classes: new Map([[30, { ...own, bots: changed }]]) }
  const ranked = rankBots(bots, { ...ratings, state }, undefined, 0)
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
    chanceOf(leagueOf(first, tournament('b', [won('W-0', end, 'a', 'c')])), 'b', 'W-0')
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

test('a start more than twelve hours before the end counts as twelve hours before', () => {
  const fights = [won('W-0', 0, 'a', 'b')]
  const chanceWith = (start: number) =>
    chanceOf(
      leagueOf(tournament('t', [...fights, won('W-1', 48.5, 'a', 'c', start * hours)])),
      't',
      'W-1',
    )
  // The form of the first fight still counts 35.5 h after it, but not 36.5 h after it.
  expect(chanceWith(35.5)).toBe(chanceWith(36.5))
})

test('the mean of a bot before a fight day is its mean after the last earlier day', () => {
  const day = 86_400
  const fightsUntil = (count: number) => {
    const ends = [10 * day, 11 * day, 11 * day + 500, 14 * day, 15 * day].slice(0, count)
    const fights = ends.map((end, index) => won(`W-${index}`, (end + 500) / hours, 'a', 'b'))
    const dayBegin = begin - (begin % day)
    const own = leagueOf(tournament('t', fights)).ratings.state.classes.get(30)?.bots.get('a')
    const bot = present(own)
    return {
      mean: bot.strength.mean,
      before: (days: number) => meanBefore(bot, dayBegin + days * day + 100),
      now: meanBefore(bot, null),
    }
  }
  const meanAfter = (count: number): number => fightsUntil(count).mean
  const first = fightsUntil(1)
  expect([9, 10, 11].map(first.before)).toEqual([null, null, meanAfter(1)])
  const third = fightsUntil(3)
  expect([10, 11, 12].map(third.before)).toEqual([null, meanAfter(1), meanAfter(3)])
  expect(third.now).toBe(meanAfter(3))
  expect([13, 14, 15].map(fightsUntil(4).before)).toEqual([
    meanAfter(3),
    meanAfter(3),
    meanAfter(4),
  ])
  expect([14, 15, 16].map(fightsUntil(5).before)).toEqual([
    meanAfter(3),
    meanAfter(4),
    meanAfter(5),
  ])
})
