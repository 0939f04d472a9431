import { describe, expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { createCalendar } from '../../../src/usage/calendar.ts'
import type { UsageEvent } from '../../../src/usage/event.ts'
import { buildReport } from '../../../src/usage/report.ts'
import { createTally } from '../../../src/usage/tally.ts'

const dayMs = 86_400_000
const lastDay = 20_526
const hash = (of: number | string): string =>
  new Bun.CryptoHasher('sha256').update(String(of)).digest('hex').slice(0, 16)

const eventOf = (day: number, number: number): UsageEvent => ({
  timeMs: day * dayMs + number,
  route: `/route${(day + number) % 5}`,
  status: number % 9 === 0 ? 404 : 200,
  durationUs: (number * 7919 * (day % 17)) % 90_000,
  bytes: 10 * number,
  client: hash(number % 3 === 0 ? number : `${day % 4} ${number}`),
  caller: number % 4 === 0 ? `caller ${number % 12}` : null,
})

const historyDays = 200
/** A calendar whose days are closed but for the last, and one that nothing was ever closed of. */
const calendars = () => {
  const [closed, open] = [createCalendar(), createCalendar()]
  for (let day = lastDay - historyDays; day <= lastDay; day += 1) {
    for (let number = 0; number < 12 + (day % 7); number += 1) {
      closed.add(eventOf(day, number))
      open.add(eventOf(day, number))
    }
    if (day < lastDay) closed.close(day)
  }
  return { closed, open }
}

describe('a report over many days', () => {
  test('is the same from blocks of days as from single days', () => {
    const { closed, open } = calendars()
    for (const route of [undefined, '/route3', '/nowhere']) {
      for (let days = 1; days <= historyDays; days += 13) {
        const report = { lastDay, days, route }
        expect(buildReport(closed, report)).toEqual(buildReport(open, report))
      }
    }
  })

  test('reads at most 33 parts for a year', () => {
    const calendar = createCalendar()
    for (let day = lastDay - 400; day < lastDay; day += 1) {
      calendar.add(eventOf(day, 1))
      calendar.close(day)
    }
    for (let days = 1; days <= 365; days += 1) {
      const parts = calendar.parts(lastDay - days + 1, lastDay)
      expect(parts.length).toBeLessThanOrEqual(33)
      const requests = parts.reduce((sum, { all }) => sum + all.requests, 0)
      expect(requests).toBe(days - 1)
    }
  })

  test('counts what comes late to a day of a block', async () => {
    const { closed, open } = calendars()
    const report = { lastDay, days: historyDays, route: undefined }
    for (const age of [3, 70, 150]) {
      await closed.prepare(lastDay - historyDays + 1, lastDay)
      buildReport(closed, report)
      for (const calendar of [closed, open]) calendar.add(eventOf(lastDay - age, 500))
      expect(buildReport(closed, report)).toEqual(buildReport(open, report))
      closed.close(lastDay - age)
      expect(buildReport(closed, report)).toEqual(buildReport(open, report))
    }
    const removed = closed.read(lastDay - 60)?.all.requests ?? 0
    const before = buildReport(closed, report).totals.requests
    closed.forget(lastDay - 60)
    expect(buildReport(closed, report).totals.requests).toBe(before - removed)
  })

  test('is right when a day changes while its block is prepared', async () => {
    const { closed, open } = calendars()
    const report = { lastDay, days: historyDays, route: undefined }
    const preparing = closed.prepare(lastDay - historyDays + 1, lastDay)
    for (const calendar of [closed, open]) calendar.add(eventOf(lastDay - 190, 501))
    closed.close(lastDay - 190)
    await Promise.all([preparing, closed.prepare(lastDay - historyDays + 1, lastDay)])
    expect(buildReport(closed, report)).toEqual(buildReport(open, report))
  })
})

describe('a block of days', () => {
  const firstDay = lastDay - (lastDay % 8) - 8
  const visit = (day: number, client: string): UsageEvent => ({ ...eventOf(day, 1), client })
  const blockOf = (clientsOfDay: number) => {
    const calendar = createCalendar()
    for (let day = firstDay; day < firstDay + 8; day += 1) {
      for (let number = 0; number < clientsOfDay; number += 1) {
        calendar.add(visit(day, hash(`${day} ${number}`)))
      }
      calendar.close(day)
    }
    return calendar
  }
  const uniqueClients = (calendar: ReturnType<typeof blockOf>, days: number): number =>
    buildReport(calendar, { lastDay: firstDay + days - 1, days, route: undefined }).uniqueClients

  test('counts clients that no list has room for', () => {
    for (const clientsOfDay of [400, 3000]) {
      const calendar = blockOf(clientsOfDay)
      expect(calendar.parts(firstDay, firstDay + 7)).toHaveLength(1)
      expect(Math.abs(uniqueClients(calendar, 8) / (8 * clientsOfDay) - 1)).toBeLessThan(0.08)
      calendar.add(visit(firstDay + 8, hash('one more')))
      expect(Math.abs(uniqueClients(calendar, 9) / (8 * clientsOfDay) - 1)).toBeLessThan(0.08)
    }
  })

  test('is made again when one of its days changes meanwhile', async () => {
    const calendar = blockOf(1500)
    const preparing = calendar.prepare(firstDay, firstDay + 7)
    await setImmediate()
    calendar.add(visit(firstDay, hash('late')))
    calendar.close(firstDay)
    await preparing
    const { totals } = buildReport(calendar, { lastDay: firstDay + 7, days: 8, route: undefined })
    expect(totals.requests).toBe(8 * 1500 + 1)
  })

  test('has what comes to a day right after it was closed', () => {
    const calendar = blockOf(3)
    calendar.add(visit(firstDay, hash('late')))
    calendar.close(firstDay)
    calendar.add(visit(firstDay, hash('later')))
    expect(calendar.read(firstDay)?.all.requests).toBe(5)
    expect(uniqueClients(calendar, 8)).toBe(26)
  })
})

describe('a tally', () => {
  test('sums by the whole hash and lists the most frequent with their equals', () => {
    const tally = createTally(4)
    for (const [high, low, requests] of [
      [1, 7, 2],
      [2, 7, 5],
      [1, 7, 2],
      [3, 15, 4],
      [4, 0, 1],
    ] as const) {
      tally.add(high, low, requests)
    }
    expect(tally.size()).toBe(4)
    expect(tally.mostFrequent(1)).toEqual([{ high: 2, low: 7, requests: 5 }])
    expect(tally.mostFrequent(2).map(({ requests }) => requests)).toEqual([5, 4, 4])
    expect(tally.mostFrequent(20)).toHaveLength(4)
  })

  test('lists clients without a request last', () => {
    const tally = createTally(2)
    tally.add(1, 1, 0)
    tally.add(2, 2, 1)
    expect(tally.size()).toBe(2)
    expect(tally.mostFrequent(20).map(({ requests }) => requests)).toEqual([1, 0])
  })
})
