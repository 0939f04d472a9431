import { expect, test } from 'bun:test'
import { createRecorder } from '../../../src/http/recordUsage.ts'

test('the key of a caller is read from 8 KiB of a query, however long that is', () => {
  const keys: (string | null)[] = []
  const record = createRecorder({ record: ({ key }) => keys.push(key) }, '')
  for (const query of ['key=near', `key=near&${'a&'.repeat(8192)}key=far`]) {
    const request = new Request(`http://localhost/?${query}`)
    const sender = '192.0.2.1'
    const answer = { response: new Response(), sentBytes: 0, isMade: true }
    record({ request, sender, startedMs: 0, requestId: 'id' }, sender, answer, undefined)
  }
  expect(keys).toEqual(['near', 'near'])
})
