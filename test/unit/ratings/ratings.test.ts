import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildDataset, buildTournament } from '../../../src/league/build.ts'
import { mergeDataset, tournamentChange } from '../../../src/league/merge.ts'
import type { Tournament } from '../../../src/league/types.ts'
import { boutsAfter } from '../../../src/ratings/bouts.ts'
import { oddsLength, readOdds } from '../../../src/ratings/odds.ts'
import {
  buildRatings,
  chanceOf,
  noRatings,
  type Ratings,
  updateRatings,
} from '../../../src/ratings/ratings.ts'
import {
  fightsOfSlot,
  newestShared,
  sharedStride,
  strengthOfSlot,
} from '../../../src/ratings/state.ts'
import { atOnce } from '../../../src/timeSlice.ts'
import { deepFreeze } from '../../fixtures.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'

const names = ['a', 'b', 'c', 'd', 'e']
const bots = names.map((id) => ({ id }))

interface Given {
  readonly weightClass: number
  readonly fights: readonly {
    /** Of 20,000 seconds. */
    readonly at: number
    readonly red: string
    readonly blue: string
    /** The winning corner, null for a double forfeit. */
    readonly result: 0 | 1 | null | 'open'
  }[]
}

const given: fc.Arbitrary<Given> = fc.record({
  weightClass: fc.constantFrom(3, 30),
  fights: fc.array(
    fc.record({
      at: fc.nat(30),
      red: fc.constantFrom(...names),
      blue: fc.constantFrom(...names),
      result: fc.constantFrom<(0 | 1 | null | 'open')[]>(0, 1, 0, 1, null, 'open'),
    }),
    { maxLength: 6 },
  ),
})

const build = (id: string, { weightClass, fights }: Given): Tournament =>
  buildTournament(
    tournamentOf(
      { id, weightClass },
      bots,
      fights.map(({ at, red, blue, result }, index) => {
        const stopTime = 1_770_000_000 + at * 20_000
        const game = {
          id: `W-${index}`,
          startTime: stopTime - 30_000,
          stopTime,
          winAnnotation: 'FF',
        }
        return result === 'open'
          ? openFight({ id: game.id }, red, blue)
          : fightRows(game, red, blue, result)
      }),
    ),
  )

/** All that can be asked, to the last bit; slots of bots without a fight are as if there were none. */
const valuesOf = (ratings: Ratings) => {
  const { slots, state, odds } = ratings
  const at = newestShared(state)
  return {
    fights: state.fights,
    newest: state.newest,
    shared: [...state.shared.subarray(at, at + sharedStride)],
    strengths: [...slots]
      .flatMap(([ratingClass, own]) =>
        [...own].flatMap(([name, slot]) => {
          const strength = strengthOfSlot(state, slot)
          return strength ? [[ratingClass, name, fightsOfSlot(state, slot), strength] as const] : []
        }),
      )
      .sort(),
    odds: [...odds].sort().map(([id, values]) => [
      id,
      Array.from({ length: oddsLength(values) }, (_, index) => {
        const { red: _red, blue: _blue, ...own } = readOdds(values, index)
        return own
      }),
    ]),
    chances: [null, 1_770_000_000, 1_770_400_000].map((startUnix) =>
      names.map((name) => chanceOf(ratings, 30, 'a', name, startUnix)),
    ),
  }
}

/** Follows a league through changes: tournaments by id, undefined once removed. */
const follow = (
  changes: readonly (readonly (readonly [id: string, given: Given | undefined])[])[],
): void => {
  let dataset = buildDataset([])
  let ratings = noRatings
  for (const changed of changes) {
    const change = tournamentChange(
      dataset,
      new Map(changed.map(([id, own]) => [id, own && build(id, own)])),
    )
    dataset = mergeDataset(dataset, change)
    ratings = deepFreeze(atOnce(updateRatings(ratings, dataset, change)))
    expect(valuesOf(ratings)).toEqual(valuesOf(buildRatings(dataset)))
  }
}

test('ratings that follow a league equal those of the league loaded anew, bit for bit', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const changes = fc.array(fc.tuple(id, fc.option(given, { nil: undefined })), { maxLength: 3 })
  fc.assert(fc.property(fc.array(changes, { maxLength: 8 }), follow), { numRuns: 300 })
})

const won = (at: number, red: string, blue: string): Given['fights'][number] => ({
  at,
  red,
  blue,
  result: 0,
})

test('a fight that is taken back counts no more, though its tournament has older ones', () => {
  const first = won(0, 'a', 'b')
  follow([
    [['t', { weightClass: 30, fights: [first, won(9, 'b', 'a')] }]],
    [['t', { weightClass: 30, fights: [first] }]],
  ])
})

test('a bot enters a class alike whichever of two other classes was known first', () => {
  const light = { weightClass: 3, fights: [won(20, 'a', 'b')] }
  const heavy = { weightClass: 12, fights: [won(22, 'b', 'a')] }
  follow([
    [['first', { weightClass: 60, fights: [won(0, 'c', 'd')] }]],
    [
      ['light', light],
      ['heavy', heavy],
    ],
    [['light', { ...light, fights: [won(24, 'a', 'b')] }]],
  ])
})

test('a fight that never ended has the chance of a new load once later results are taken back', () => {
  const old = { weightClass: 30, fights: [won(0, 'a', 'b'), won(10, 'c', 'd')] }
  follow([
    [['old', old]],
    [['new', { weightClass: 30, fights: [won(20, 'c', 'd')] }]],
    [['new', undefined]],
  ])
})

test('a million fights of one time are taken in', () => {
  const [fight] = build('t', { weightClass: 30, fights: [won(0, 'a', 'b')] }).fights
  const fights = Array.from({ length: 1_000_000 }, () => fight).filter((each) => !!each)
  expect(atOnce(boutsAfter({ ...buildDataset([]), fights }, undefined))).toBeArrayOfSize(1_000_000)
})
