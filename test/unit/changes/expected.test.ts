import { expect, test } from 'bun:test'
import { generateLeague } from '../../../scripts/league/league.ts'
import { expectedChanges, type SentStarts } from '../../../src/changes/expected.ts'
import { archiveWithCages } from '../../fixtures.ts'

const { capturedAt, tournaments, ...cages } = generateLeague({ seed: 1, scale: 'sample' })
const archive = archiveWithCages(cages, ...[...tournaments].slice(-12))

/** What is sent while nothing happens, as time passes in steps. */
const sentWithin = (seconds: number, step: number) => {
  let sent: SentStarts = expectedChanges(archive, new Map(), capturedAt).sent
  const found = []
  for (let now = capturedAt + step; now <= capturedAt + seconds; now += step) {
    const next = expectedChanges(archive, sent, now)
    sent = next.sent
    for (const change of next.changes) {
      if (change.type !== 'schedule.changed') throw new Error(`not expected: ${change.type}`)
      found.push({ now, before: change.before ?? {}, after: change.after, bots: change.bots })
    }
  }
  return found
}

test('an expected start is sent when it moved by two minutes, at most once a minute', () => {
  const sent = sentWithin(3600, 10)
  expect(sent.length).toBeGreaterThan(20)
  for (const own of Map.groupBy(sent, ({ after }) => after.gameID).values()) {
    for (const [index, { now, before, after }] of own.entries()) {
      const [start = 0, old = 0] = [after.expectedStart, before.expectedStart]
      const range = (after.expectedTo ?? 0) - (after.expectedFrom ?? 0)
      expect(now - (own[index - 1]?.now ?? 0)).toBeGreaterThanOrEqual(60)
      if (start === 0 || old === 0) expect(start).not.toBe(old)
      else if (start > old) expect(start - old).toBeGreaterThan(120)
      else expect(old - start).toBeGreaterThanOrEqual(Math.max(120, range))
    }
  }
})

test('a break is sent once', () => {
  const pauses = sentWithin(3600, 30).filter(({ after }) => after.paused === 1)
  expect(pauses.length).toBeGreaterThan(0)
  expect(new Set(pauses.map(({ after }) => after.gameID)).size).toBe(pauses.length)
  expect(pauses.every(({ bots }) => bots.length === 2)).toBe(true)
})
