import { describe, expect, test } from 'bun:test'
import { findDayFights } from '../../../src/api/fights/lookup.ts'
import {
  fightStartOffset,
  isAvailable,
  recordingOffset,
} from '../../../src/api/fights/recording.ts'
import { matchLength } from '../../../src/api/fights/view.ts'
import { buildDataset, buildTournament } from '../../../src/data/league/build.ts'
import { recordingsOf } from '../../../src/data/league/recordings.ts'
import type { RecordingRow } from '../../../src/data/source/rows.ts'
import { present } from '../../present.ts'
import { fightRows, openFight, playersNamed, recordingRow, tournamentOf } from '../../rows.ts'

const start = 1_770_000_000
const day = 86_400
const players = playersNamed('Axe', 'Bolt')
const done = (id: string, stop: number, over = {}) =>
  fightRows(
    { id, startTime: start + stop - 90, stopTime: start + stop, endTime: null, ...over },
    'p0',
    'p1',
  )

describe('the fights of the last 24 hours', () => {
  const annulled = fightRows(
    { id: 'W-4', startTime: start, stopTime: start + 30, endTime: null, winAnnotation: null },
    'p0',
    'p1',
    null,
  )
  const active = openFight({ id: 'W-5', state: 'active', startTime: start - 2 * day }, 'p0', 'p1')
  const rows = [done('W-1', 0), done('W-2', 50), annulled, active]
  const dataset = buildDataset([buildTournament(tournamentOf({ active: true }, players, rows))])
  const found = (now: number) => {
    let until = 0
    const { fights, count } = findDayFights({
      dataset,
      timed: (read) => {
        const { value, validUntil } = read(start + now)
        until = validUntil
        return value
      },
    })
    expect(count).toBe(fights.length)
    return [fights.map(({ gameID }) => gameID), until - start]
  }

  test('fights of the last 24 hours are completed ones, without the fight under way', () => {
    expect(found(100)).toEqual([['W-2', 'W-1'], day + 1])
  })
  test('a fight leaves the last 24 hours a second after a whole day, and the list is valid until then', () => {
    expect(found(day)).toEqual([['W-2', 'W-1'], day + 1])
    expect(found(day + 1)).toEqual([['W-2'], day + 51])
    expect(found(day + 51)).toEqual([[], Number.POSITIVE_INFINITY])
  })
})

/** A fight at {@link start} and its recordings. */
const filmed = (...recordings: readonly Partial<RecordingRow>[]) => {
  const rows = recordings.map((row, index) => recordingRow({ id: index + 1, ...row }))
  const tournament = buildTournament(
    tournamentOf({}, players, [done('W-0', 90)], { recordings: rows }),
  )
  const fight = present(tournament.fights[0])
  return { fight, recordings: [...recordingsOf(fight.recordings)] }
}

test('a recording is available with a status of success or an unknown one, and no film at a provider', () => {
  const statuses = [199, 200, 299, 300, 404, null]
  const { recordings } = filmed(...statuses.map((httpStatus) => ({ httpStatus })), {
    videoUrl: 'https://www.youtube.com/watch?v=abcdefghijk',
  })
  expect(recordings.map(isAvailable)).toEqual([false, true, true, false, false, true, false])
})

test('an offset in the URL of a film wins over the difference of both starts', () => {
  const startMs = start * 1000 - 4500
  const url = 'https://www.youtube.com/watch?v=abcdefghijk'
  const { fight, recordings } = filmed(
    { startMs, videoUrl: `${url}&t=95` },
    { startMs, videoUrl: url },
    { startMs },
    { startMs: null },
  )
  expect(recordings.map((each) => recordingOffset(fight, each))).toEqual([95, 4.5, 4.5, null])
})

test('the offset of a fight is its start in the available recording that began first', () => {
  const at = (seconds: number, httpStatus = 200) => ({
    startMs: start * 1000 - seconds * 1000,
    httpStatus,
  })
  const offsetOf = (...recordings: readonly Partial<RecordingRow>[]) =>
    fightStartOffset(filmed(...recordings).fight)
  expect(offsetOf(at(5), at(9), at(20, 404))).toBe(9)
  expect(offsetOf(at(0))).toBe(0)
  expect(offsetOf(at(-3))).toBeNull()
})

test('no fight has a negative length', () => {
  const { fight } = filmed()
  expect(matchLength({ ...fight, startUnix: start, stopUnix: start - 5 })).toBe(0)
  expect(matchLength({ ...fight, startUnix: start, stopUnix: start + 5 })).toBe(5)
  expect(matchLength({ ...fight, startUnix: start, stopUnix: null })).toBe(0)
})
