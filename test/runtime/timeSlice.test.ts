import { expect, test } from 'bun:test'
import { inSlices, type Steps } from '../../src/runtime/timeSlice.ts'
import { turnsDuring } from './turns.ts'

function* steps(count: number, ms: number): Steps<number> {
  for (let step = 0; step < count; step += 1) {
    const until = performance.now() + ms
    while (performance.now() < until);
    yield
  }
  return count
}

test('requests are answered after each step that is longer than a slice', async () => {
  expect(await turnsDuring(() => inSlices(steps(20, 2)))).toBeGreaterThanOrEqual(20)
})

test('many short steps share a slice', async () => {
  let result: number | undefined
  const turns = await turnsDuring(async () => {
    result = await inSlices(steps(100_000, 0))
  })
  expect(result).toBe(100_000)
  expect(turns).toBeLessThan(10_000)
})
