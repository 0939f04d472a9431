import { expect, test } from 'bun:test'
import { createLineQueue, type QueuedLines } from '../../../src/data/journal/lineQueue.ts'

const textOf = (lines: QueuedLines | undefined): string =>
  Buffer.from(lines?.bytes ?? []).toString()

test('a line queue returns lines by day in their order, in any number and script', () => {
  const queue = createLineQueue()
  const lines = Array.from(
    { length: 5000 },
    (_, number) => `${number} ${['Böt 🤖', '', '機器人'.repeat(20)][number % 3]}\n`,
  )
  for (const line of lines) queue.add(0, line)
  queue.add(1, 'later\n')
  expect(queue.size()).toBe(5001)
  expect(queue.days()).toEqual(new Set([0, 1]))
  const taken = queue.take()
  expect(queue.size()).toBe(0)
  expect(textOf(taken.get(0))).toBe(lines.join(''))
  expect(taken.get(0)?.count).toBe(5000)
  expect(textOf(taken.get(1))).toBe('later\n')
})

test('lines put back come before newer ones', () => {
  const queue = createLineQueue()
  queue.add(0, 'second\n')
  const failed = queue.take().get(0)
  // More lines than the queue encodes at once.
  const third = 'third\n'.repeat(5000)
  queue.add(0, third)
  if (failed) queue.putBack(0, failed)
  expect(queue.size()).toBe(2)
  queue.add(0, 'first\n')
  const taken = queue.take().get(0)
  expect(taken?.count).toBe(3)
  expect(textOf(taken)).toBe(`second\n${third}first\n`)
})
