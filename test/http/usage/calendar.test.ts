import { describe, expect, test } from 'bun:test'
import { createCalendar } from '../../../src/http/usage/calendar.ts'
import type { UsageEvent } from '../../../src/http/usage/event.ts'
import { buildReport } from '../../../src/http/usage/report.ts'

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

const historyDays = 50
/** A calendar whose days are closed except the last, and one whose days are all open. */
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
const visit = (day: number, client: string): UsageEvent => ({
  ...eventOf(day, 1),
  client: hash(client),
})
const reportOf = (calendar: ReturnType<typeof createCalendar>, days: number) =>
  buildReport(calendar, { lastDay, days, route: undefined })

describe('a report over many days', () => {
  test('a report from closed days equals one from open ones if these have few clients', async () => {
    const { closed, open } = calendars()
    for (const route of [undefined, '/route3', '/nowhere']) {
      for (const days of [1, 2, 20, historyDays]) {
        const report = { lastDay, days, route }
        expect(await buildReport(closed, report)).toEqual(await buildReport(open, report))
      }
    }
  })

  test('a closed day counts late events, even after it was closed again', async () => {
    const { closed, open } = calendars()
    for (const age of [3, 30]) {
      for (const calendar of [closed, open]) calendar.add(eventOf(lastDay - age, 500))
      expect(await reportOf(closed, historyDays)).toEqual(await reportOf(open, historyDays))
      closed.close(lastDay - age)
      expect(await reportOf(closed, historyDays)).toEqual(await reportOf(open, historyDays))
    }
  })

  test('a report leaves out a day that was removed', async () => {
    const { closed } = calendars()
    const removed = closed.read(lastDay - 20)?.all.requests ?? 0
    const before = (await reportOf(closed, historyDays)).totals.requests
    closed.forget(lastDay - 20)
    expect((await reportOf(closed, historyDays)).totals.requests).toBe(before - removed)
  })

  test('a day that was removed or just closed counts again', async () => {
    for (const end of ['forget', 'close'] as const) {
      const calendar = createCalendar()
      const add = () => calendar.add(visit(lastDay, 'one'))
      add()
      calendar[end](lastDay - 1)
      add()
      calendar[end](lastDay)
      add()
      expect((await reportOf(calendar, 1)).totals.requests).toBe(end === 'close' ? 3 : 1)
      expect([calendar.has(lastDay - 1), calendar.isOpen(lastDay)]).toEqual([false, true])
    }
  })

  test.each([400, 3000, 30_000])(
    'a report estimates %i clients a day, and counts clients of several days once',
    async (clients) => {
      const calendar = createCalendar()
      for (let day = lastDay - 3; day <= lastDay; day += 1) {
        for (let number = 0; number < clients; number += 1) {
          calendar.add(visit(day, number % 2 ? `${number}` : `${day} ${number}`))
        }
        calendar.close(day)
      }
      const { uniqueClients, days } = await reportOf(calendar, 4)
      // The tolerance is 3.5 standard errors.
      expect(Math.abs(uniqueClients / (2.5 * clients) - 1)).toBeLessThan(0.08)
      for (const day of days) expect(Math.abs(day.uniqueClients / clients - 1)).toBeLessThan(0.08)
    },
  )
})

describe('clients of a closed day', async () => {
  const busyDay = () => {
    const calendar = createCalendar()
    for (let number = 0; number < 3000; number += 1) {
      calendar.add(visit(lastDay, `${number}`))
      // Requests of one of 25 clients; the first ones are the most frequent.
      calendar.add(visit(lastDay, `busy ${Math.floor(25 * (number / 3000) ** 2)}`))
    }
    return calendar
  }

  test('a closed day lists its 20 busiest clients with their requests, and the number of all', async () => {
    const calendar = busyDay()
    const before = await reportOf(calendar, 1)
    expect(before.uniqueClients).toBe(3025)
    calendar.close(lastDay)
    expect(calendar.read(lastDay)?.all.clients.hashes).toHaveLength(20)
    const after = await reportOf(calendar, 1)
    expect(after.topClients).toEqual(before.topClients)
    expect(Math.abs(after.uniqueClients / 3025 - 1)).toBeLessThan(0.08)
  })

  test('clients of a closed day that return late are not counted twice', async () => {
    const calendar = busyDay()
    calendar.close(lastDay)
    const { uniqueClients, totals } = await reportOf(calendar, 1)
    for (let number = 0; number < 3000; number += 1) calendar.add(visit(lastDay, `${number}`))
    calendar.close(lastDay)
    const after = await reportOf(calendar, 1)
    expect(after.uniqueClients).toBe(uniqueClients)
    expect(after.totals.requests).toBe(totals.requests + 3000)
  })

  test('the clients listed for two days have the most requests in both', async () => {
    const calendar = createCalendar()
    for (let number = 0; number < 40; number += 1) {
      for (let times = 0; times < 40 - number; times += 1) {
        calendar.add(visit(lastDay - 1, `${number}`))
        calendar.add(visit(lastDay, `${(number + 3) % 40}`))
      }
    }
    for (const day of [lastDay - 1, lastDay]) calendar.close(day)
    expect((await reportOf(calendar, 2)).topClients[0]).toEqual({ client: hash('3'), requests: 77 })
  })
})
