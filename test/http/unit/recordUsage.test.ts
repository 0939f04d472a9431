import { expect, test } from 'bun:test'
import { createRecorder } from '../../../src/http/recordUsage.ts'

test('the key of a caller is read from the first 8 KiB of a query or 1 KiB of a header', () => {
  const keys: (string | null)[] = []
  const record = createRecorder({ record: ({ key }) => keys.push(key) }, '')
  const near = new Request('http://localhost/?key=near')
  for (const request of [
    near,
    new Request(`http://localhost/?key=near&${'a&'.repeat(8192)}key=far`),
    new Request(near, { headers: { 'x-api-key': 'k'.repeat(1025) } }),
  ]) {
    const sender = '192.0.2.1'
    const answer = { response: new Response(), sentBytes: 0, isMade: true }
    const origin = { request, sender, startedMs: 0, requestId: 'id', isAhead: false }
    record(origin, sender, answer, undefined)
  }
  expect(keys).toEqual(['near', 'near', 'k'.repeat(1024)])
})
