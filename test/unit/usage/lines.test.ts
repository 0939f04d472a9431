import { expect, test } from 'bun:test'
import { dayMs, formatEvent, type UsageEvent } from '../../../src/usage/event.ts'
import { createLineQueue, type Lines } from '../../../src/usage/lines.ts'

const event = (number: number, over: Partial<UsageEvent> = {}): UsageEvent => ({
  timeMs: 1000,
  route: '/fights',
  status: 200,
  durationUs: number,
  bytes: 100,
  client: '0123456789abcdef',
  caller: null,
  ...over,
})
const textOf = (lines: Lines | undefined): string => Buffer.from(lines?.bytes ?? []).toString()

test('lines come out by day, as they went in, however many and in whatever script', () => {
  const queue = createLineQueue()
  const events = Array.from({ length: 5000 }, (_, number) =>
    event(number, { caller: ['Böt 🤖', null, '機器人'.repeat(20)][number % 3] ?? null }),
  )
  const later = event(7, { timeMs: dayMs })
  for (const each of [...events, later]) queue.add(each)
  expect(queue.size()).toBe(5001)
  expect(queue.days()).toEqual(new Set([0, 1]))
  const taken = queue.take()
  expect(queue.size()).toBe(0)
  expect(textOf(taken.get(0))).toBe(events.map(formatEvent).join(''))
  expect(taken.get(0)?.events).toBe(5000)
  expect(textOf(taken.get(1))).toBe(formatEvent(later))
})

test('what is put back comes before what came since, and is not overwritten', () => {
  const queue = createLineQueue()
  const [first, second, third] = [event(1), event(2), event(3)]
  queue.add(first)
  const given = queue.take().get(0)
  if (given) queue.giveBack(given)
  queue.add(second)
  const failed = queue.take().get(0)
  queue.add(third)
  if (failed) queue.putBack(0, failed)
  expect(queue.size()).toBe(2)
  queue.add(first)
  const taken = queue.take().get(0)
  expect(taken?.events).toBe(3)
  expect(textOf(taken)).toBe([second, third, first].map(formatEvent).join(''))
})
