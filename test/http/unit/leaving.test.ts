import { expect, test } from 'bun:test'
import { sendFile, sendUnfinished } from '../../../src/http/fileResponse.ts'

const connection = {
  ended: () => undefined,
  failed: () => undefined,
  charge: () => undefined,
  cut: () => undefined,
}
const described = { contentType: 'text/plain', version: 'one' }

test('the bytes sent before a reader leaves are counted once', async () => {
  const ended: number[] = []
  const set = { headers: {} }
  const { open } = sendUnfinished(set, described, async function* () {
    for (;;) yield new Uint8Array(7)
  })
  // No cache keeps a response without a tag.
  expect(set.headers).toEqual({ 'cache-control': 'no-store', 'content-type': 'text/plain' })
  const stream = open({ ...connection, ended: (bytes) => void ended.push(bytes) })
  if (stream instanceof Blob) throw new Error('no stream')
  const reader = stream.getReader()
  await reader.read()
  await reader.read()
  await reader.cancel()
  expect(ended).toEqual([14])
})

test('a range of a file reads no piece before or after it', async () => {
  const read: number[] = []
  const pieces = [0, 1, 2, 3].map((index) => ({
    size: 10,
    read: () => {
      read.push(index)
      return [new Uint8Array(10).fill(index)]
    },
  }))
  const request = new Request('http://localhost/', { headers: { range: 'bytes=12-25' } })
  const file = { ...described, etag: '"a"', pieces, cacheControl: 'no-store' }
  const sent = sendFile(request, { headers: {} }, file)
  if (!('open' in sent)) throw new Error('no body')
  const stream = sent.open(connection)
  expect([...(await new Response(stream).bytes())]).toEqual([
    ...Array.from({ length: 8 }, () => 1),
    ...Array.from({ length: 6 }, () => 2),
  ])
  expect(read).toEqual([1, 2])
})
