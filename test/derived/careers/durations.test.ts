import { describe, expect, test } from 'bun:test'
import { buildDurations, countMethods } from '../../../src/derived/careers/durations.ts'
import { archiveOf } from '../../fixtures.ts'
import { fightRows, tournamentOf } from '../../rows.ts'

const durationsOf = (...lengths: readonly number[]) => {
  const { dataset } = archiveOf(
    tournamentOf(
      {},
      [{ id: 'a' }, { id: 'b' }],
      lengths.map((seconds, index) => {
        const startTime = 1_770_000_000 - index * 1000
        return fightRows({ id: `W-${index}`, startTime, stopTime: startTime + seconds }, 'a', 'b')
      }),
    ),
  )
  return buildDurations(dataset.fights)
}

describe('the durations of fights', () => {
  test('the median duration of an even number is between the two in the middle', () => {
    expect(durationsOf(10, 40, 20, 90).medianSeconds).toBe(30)
    expect(durationsOf(40, 10, 20).medianSeconds).toBe(20)
  })

  test('the first of equally long fights is named', () => {
    const { longest, shortest } = durationsOf(30, 10, 30, 10)
    expect([longest?.id, shortest?.id]).toEqual(['W-0', 'W-1'])
  })

  test('durations are zero if nothing was measured', () => {
    expect(durationsOf()).toEqual({
      measured: 0,
      totalSeconds: 0,
      averageSeconds: 0,
      medianSeconds: 0,
      longest: undefined,
      shortest: undefined,
    })
  })
})

test('methods are counted, most frequent first, then by name, with missing ones as Unknown', () => {
  const fights = ['TKO', 'KO', '', 'JD', 'JD', null].map((winAnnotation, index) =>
    fightRows({ id: `W-${index}`, winAnnotation }, 'a', 'b'),
  )
  const { dataset } = archiveOf(tournamentOf({}, [{ id: 'a' }, { id: 'b' }], fights))
  expect(Object.entries(countMethods(dataset.fights))).toEqual([
    ['JD', 2],
    ['Unknown', 2],
    ['KO', 1],
    ['TKO', 1],
  ])
})
