import { expect, test } from 'bun:test'
import { fightCalendar, tournamentCalendar } from '../../../src/companions/feeds/calendar.ts'
import { archiveOf } from '../../fixtures.ts'
import { present } from '../../present.ts'
import { fightRows, openFight, tournamentOf } from '../../rows.ts'

const base = 'https://league.example'
/** The time is a full hour. */
const hour = 1_770_001_200
const day = 86_400
const bots = [{ id: 'a' }, { id: 'b' }]

/** Unix seconds of a property of the only entry; undefined without it. */
const timeOf = (text: string, property: string): number | undefined => {
  const [, digits] = new RegExp(`^${property}[^:\\r\\n]*:(\\d{8}T\\d{6})Z`, 'm').exec(text) ?? []
  const iso = digits?.replace(/(....)(..)(..)T(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z')
  return iso === undefined ? undefined : Date.parse(iso) / 1000
}

const eventOf = (now: number, ...tournament: Parameters<typeof tournamentOf>) => {
  const { tournaments } = archiveOf(tournamentOf(...tournament)).dataset
  const { value, validUntil } = tournamentCalendar(tournaments, { base, showsOutcomes: true, now })
  const [start, end, changed] = ['DTSTART', 'DTEND', 'LAST-MODIFIED'].map((name) =>
    timeOf(value, name),
  )
  return { value, validUntil, start, end, changed }
}
const active = { active: true, createTime: hour - day, updateTime: hour - day }

test('an event without fights starts when it is planned, and has no end', () => {
  const planned = eventOf(hour, { scheduledStartTime: hour + 600 }, [], [])
  expect([planned.start, planned.end]).toEqual([hour + 600, undefined])
  expect(eventOf(hour, {}, [], []).value).not.toContain('VEVENT')
})

test('an event that is not under way does not go on', () => {
  expect(eventOf(hour + 60, { startTime: hour }, [], []).end).toBeUndefined()
})

test('an event that is over ends when its source says, and has changed then', () => {
  const over = { startTime: hour, endTime: hour + 900, updateTime: hour + 60 }
  expect(eventOf(hour + day, over, [], [])).toMatchObject({
    end: hour + 900,
    changed: hour + 900,
    validUntil: Number.POSITIVE_INFINITY,
  })
})

test.each([
  ['an hour or two from now', 600, 2 * 3600, 3600],
  ['so for a day', day - 60, day - 60 - ((day - 60) % 3600) + 2 * 3600, day],
  ['then with its start', day, 0, day + 3600],
  ['from its start on', 0, 2 * 3600, 3600],
])('an event under way without fights ends %s', (_, after, end, until) => {
  const found = eventOf(hour + after, { ...active, startTime: hour }, [], [])
  expect(found.end).toBe(end === 0 ? undefined : hour + end)
  expect(found.validUntil).toBe(hour + until)
})

test('an event that goes on is another a day after its last fight, before the next hour', () => {
  const start = hour + 1200
  const found = eventOf(start + day - 60, { ...active, startTime: start }, [], [])
  expect(found.validUntil).toBe(start + day)
})

test('an event under way ends with its last planned fight while that is to come', () => {
  const fight = openFight({ scheduledTime: hour + 1800 }, 'a', 'b')
  expect(eventOf(hour, { ...active, startTime: hour - 60 }, bots, [fight])).toMatchObject({
    end: hour + 1800,
    validUntil: hour + 1800,
  })
})

test('the calendar is valid until the first of several events under way changes', () => {
  const of = (id: string, startTime: number, isActive: boolean) =>
    tournamentOf({ id, startTime, ...active, active: isActive }, [], [])
  const { tournaments } = archiveOf(
    of('one', hour - 60, true),
    of('two', hour + 300, true),
    of('three', hour + 60, false),
    of('four', hour + 900, true),
  ).dataset
  const links = { base, showsOutcomes: true, now: hour }
  expect(tournamentCalendar(tournaments, links).validUntil).toBe(hour + 300)
})

/** The entry of a fight of `a`. */
const fightOf = (
  rows: ReturnType<typeof fightRows>,
  {
    showsOutcomes = true,
    expectedAt,
    isActive = true,
  }: { showsOutcomes?: boolean; expectedAt?: number; isActive?: boolean } = {},
) => {
  const archive = archiveOf(tournamentOf({ ...active, active: isActive }, bots, [rows]))
  const [fight] = present(archive.dataset.tournaments[0]).fights
  const start = expectedAt ?? 0
  const at = start === 0 ? null : { start, from: start, to: start, inSeconds: 0 }
  const expected = { at, cage: 7, ahead: 0, isPaused: false }
  const upcoming = [{ fight: present(fight), cage: 'Cage 7', expected }]
  const links = { base, telling: { showsOutcomes }, now: hour + day }
  const text = fightCalendar('Fights', [], upcoming, links).value
  const [begin, end, changed] = ['DTSTART', 'DTEND', 'LAST-MODIFIED'].map((name) =>
    timeOf(text, name),
  )
  return { start: begin, end, changed, hasCage: text.includes('LOCATION:Cage 7') }
}

test.each([
  ['when it started', { state: 'active', startTime: hour }, hour + 1234, hour],
  ['when it is expected, to five minutes', { scheduledTime: hour }, hour + 1234, hour + 1200],
  ['when it is planned', { scheduledTime: hour }, undefined, hour],
] as const)('a fight starts %s', (_, game, expectedAt, start) => {
  const found = fightOf(openFight({ countdown: 120, ...game }, 'a', 'b'), {
    ...(expectedAt && { expectedAt }),
  })
  expect(found).toMatchObject({ start, end: start + 120, hasCage: true })
})

test('the end of a fight, and the time of closing it, are only in calendars with outcomes', () => {
  const times = { startTime: hour, stopTime: hour + 50, endTime: hour + 90, countdown: 150 }
  const done = fightRows(times, 'a', 'b')
  const over = { isActive: false }
  expect(fightOf(done, over)).toMatchObject({ end: hour + 50, changed: hour + 90 })
  expect(fightOf(done, { ...over, showsOutcomes: false })).toMatchObject({
    end: hour + 150,
    changed: hour,
  })
})

test.each([
  ['a stop', { stopTime: hour + 50, endTime: hour + 90 }, hour + 50],
  ['an end', { stopTime: null, endTime: hour + 90 }, hour + 90],
] as const)('a fight with %s and no start began one fight clock earlier', (_, times, end) => {
  const game = { startTime: null, scheduledTime: hour - 7200, countdown: 150, ...times }
  expect(fightOf(fightRows(game, 'a', 'b'))).toMatchObject({ start: end - 150, end })
})
