import { describe, expect, test } from 'bun:test'
import { readTime } from '../../scripts/import/csv/cells.ts'
import { sheetLeague } from './imports.ts'

const inZone = (timeZone: string) => ({ timeZone, dates: undefined })
const berlin = inZone('Europe/Berlin')
const iso = (unix: number | null) => new Date((unix ?? 0) * 1000).toISOString().slice(0, 16)

/** An event that starts at an instant, with a fight, in Berlin. */
const night = (start: string, fight: string) => {
  const files = {
    'tournaments.csv': `tournament,weight,start\ncup,3,${start}\n`,
    'fights.csv': `red,blue,winner,start\nAxe,Bolt,Axe,${fight}\n`,
    'recordings.csv': `camera,cage,start,address\nTop,1,${fight},https://v.example/a.mp4\n`,
  }
  const { league, problems, doubts } = sheetLeague(files, { 'time-zone': 'Europe/Berlin' })
  return { start: iso(league[0]?.games?.[0]?.startTime ?? null), problems, doubts }
}

describe('the hour that clocks skip in spring', () => {
  test('a time in it is an error that says what to write', () => {
    const { problems } = night('2026-03-28 22:00', '2026-03-29 02:30')
    expect(problems.slice(0, 1)).toMatchObject([
      {
        where: 'fights.csv:2',
        reason:
          "'2026-03-29 02:30' is never shown by clocks in Europe/Berlin, which are set forward then: " +
          'write 2026-03-29 03:30, or the right --time-zone',
      },
    ])
    expect(problems.map(({ where }) => where)).toEqual(['fights.csv:2', 'recordings.csv:2'])
    expect(night('2026-03-28 22:00', '02:30').problems[0]?.reason).toContain('is never shown')
  })

  test.each([
    ['2026-03-29 01:59', '2026-03-29T00:59'],
    ['2026-03-29 03:00', '2026-03-29T01:00'],
    ['2026-03-29 02:30Z', '2026-03-29T02:30'],
  ])('the time %s around it is %s', (cell, unix) => {
    expect(iso(readTime(cell, berlin))).toBe(unix)
  })

  test('a date whose first hour is skipped begins with the next one', () => {
    expect(iso(readTime('2026-04-24', inZone('Africa/Cairo')))).toBe('2026-04-23T22:00')
    expect(() => readTime('2026-04-24 00:30', inZone('Africa/Cairo'))).toThrow('is never shown')
  })

  test('a time after midnight of the next night is not in it', () => {
    const { start, problems } = night('2026-03-29 18:00', '02:30')
    expect([start, problems.map(({ where }) => where)]).toEqual([
      '2026-03-30T00:30',
      ['recordings.csv:2'],
    ])
  })
})

describe('the hour that clocks repeat in autumn', () => {
  test('a time in it is taken for the first one, which is doubted', () => {
    const { start, doubts } = night('2026-10-24 22:00', '2026-10-25 02:30')
    expect(start).toBe('2026-10-25T00:30')
    const reason =
      "'2026-10-25 02:30' is shown twice by clocks in Europe/Berlin, which are set back then; it is taken " +
      'for the first time, 2026-10-25 02:30+02:00: write it with its offset'
    expect(doubts).toContainEqual({ where: 'fights.csv:2', reason })
  })

  test.each(['2026-10-25 02:30+01:00', '2026-10-25 01:59', '2026-10-25 03:00'])(
    'the time %s is not doubted',
    (cell) => {
      expect(night('2026-10-24 22:00', cell).doubts).toEqual([])
    },
  )

  test('the start of an event and of a recording are doubted, too', () => {
    const { doubts } = night('2026-10-25 02:30', '2026-10-25 02:45')
    expect(doubts.map(({ where }) => where)).toEqual([
      'tournaments.csv:2',
      'fights.csv:2',
      'recordings.csv:2',
    ])
  })
})
