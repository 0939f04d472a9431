import { expect, test } from 'bun:test'
import { headToHeadChance } from '../../../src/api/ratings/view.ts'
import { findBot } from '../../../src/derived/careers/bots.ts'
import { archiveOf } from '../../fixtures.ts'
import { present } from '../../present.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
/** Fights of some pairs of bots in a class, in their order. */
const event = (weightClass: number, ...pairs: readonly string[]) =>
  tournamentOf(
    { id: `t${weightClass}`, weightClass },
    [...'abcd'].map((id) => ({ id })),
    pairs.map((pair, index) => {
      const startTime = start + 1000 * index + weightClass
      const game = { id: `W-${index}`, startTime, stopTime: startTime + 90, endTime: null }
      return fightRows(game, pair.charAt(0), pair.charAt(1))
    }),
  )
const classOf = (...events: readonly ReturnType<typeof event>[]) => {
  const { bots, ratings } = archiveOf(...events)
  const [a, b] = ['a', 'b'].map((name) => present(findBot(bots, name)))
  return headToHeadChance({ bots, ratings: present(ratings) }, present(a), present(b))?.weightClass
}

test('two bots would meet in the class of their last meeting', () => {
  expect(classOf(event(3, 'ac', 'bc', 'ad', 'bd'), event(30, 'ab'))).toBe(30)
})

test('bots that never met would meet in the class that both have fought in most', () => {
  const light = event(3, 'ac', 'bd')
  expect(classOf(light, event(30, 'ac', 'ac', 'bc', 'bc'))).toBe(30)
  // Four fights against one of them count no more than the single one against the other.
  expect(classOf(light, event(30, 'ac', 'ac', 'ac', 'bc'), event(60, 'ac', 'ac', 'bc', 'bc'))).toBe(
    60,
  )
  expect(classOf(event(3, 'ac'), event(30, 'bc'))).toBeUndefined()
})
