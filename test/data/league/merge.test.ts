import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { mergeDataset, tournamentChange } from '../../../src/data/league/merge.ts'
import { replaceInSteps, replaceSorted } from '../../../src/data/league/sortedList.ts'
import type { Tournament } from '../../../src/data/league/types.ts'
import { atOnce } from '../../../src/runtime/timeSlice.ts'
import { deepFreeze } from '../../fixtures.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const ascending = (a: number, b: number) => a - b

describe('replaceSorted', () => {
  test('replaceSorted equals a filter, a push and a sort', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(60)),
        fc.uniqueArray(fc.nat(60)),
        fc.nat(),
        (all, new_, mask) => {
          const list = all.toSorted(ascending)
          const removed = list.filter((_, index) => (mask >> (index % 30)) & 1)
          const kept = list.filter((entry) => !removed.includes(entry))
          const added = new_.filter((entry) => !kept.includes(entry))
          expect(replaceSorted(list, removed, added, ascending)).toEqual(
            [...kept, ...added].sort(ascending),
          )
        },
      ),
    )
  })

  test('replaceSorted takes a million entries at once', () => {
    const list = Array.from({ length: 1_000_000 }, (_, index) => index)
    const even = list.filter((entry) => entry % 2 === 0)
    const odd = list.filter((entry) => entry % 2 === 1)
    expect(replaceSorted(even, [], odd, ascending)).toHaveLength(1_000_000)
    expect(replaceSorted(list, even, [], ascending)).toHaveLength(500_000)
  })
})

test('replaceInSteps equals replaceSorted for any number of entries', () => {
  for (const length of [0, 1, 1999, 2000, 2001, 4100]) {
    const list = Array.from({ length: 2 * length }, (_, index) => 2 * index)
    const removed = list.slice(0, length)
    // Some added entries equal removed ones.
    const added = list.slice(length / 2, length).concat(removed.map((entry) => entry + 1))
    expect(atOnce(replaceInSteps(list, removed, added, ascending))).toEqual(
      replaceSorted(list, removed, added, ascending),
    )
  }
})

const bots = [{ id: 'a' }, { id: 'b' }]
const tournament = (id: string, stops: readonly (number | null)[]): Tournament =>
  buildTournament(
    tournamentOf(
      { id, createTime: (stops[0] ?? 0) * 100 },
      bots,
      stops.map((stopTime, index) =>
        fightRows({ id: `W-${index}`, startTime: stopTime, stopTime }, 'a', 'b'),
      ),
    ),
  )

describe('mergeDataset', () => {
  test('mergeDataset equals a rebuilt dataset, and shares unchanged tournaments', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__')
    const stops = fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { maxLength: 5 })
    fc.assert(
      fc.property(
        fc.dictionary(id, stops),
        fc.array(fc.tuple(id, fc.option(stops)), { maxLength: 4 }),
        (before, changes) => {
          const tournaments = new Map(
            Object.entries(before).map(([id, stops]) => [id, tournament(id, stops)]),
          )
          const dataset = deepFreeze(buildDataset([...tournaments.values()]))
          const changed = new Map(
            changes.map(([id, stops]) => [id, stops ? tournament(id, stops) : undefined]),
          )
          const merged = mergeDataset(dataset, tournamentChange(dataset, changed))
          for (const [id, value] of changed) {
            if (value) tournaments.set(id, value)
            else tournaments.delete(id)
          }
          const anew = buildDataset([...tournaments.values()])
          expect(merged.tournaments).toEqual(anew.tournaments)
          expect(new Set(merged.tournamentsByID)).toEqual(new Set(anew.tournamentsByID))
          expect(merged.fights).toEqual(anew.fights)
          for (const [id, value] of tournaments) expect(merged.tournamentsByID.get(id)).toBe(value)
        },
      ),
    )
  })
})
