import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { sendFile } from '../../../src/http/fileResponse.ts'
import { openBody } from '../../../src/http/sending.ts'
import { createLog } from '../../../src/runtime/log.ts'

const origin = {
  request: new Request('http://localhost/'),
  sender: undefined,
  startedMs: 0,
  requestId: 'id',
  isAhead: false,
}
const open = (limitIdle?: (request: Request, seconds: number) => void) =>
  openBody({ log: createLog('silent'), limitIdle }, origin, '/file')

test('a part of a file has its bytes, however the file is split and read', async () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 4 }), { maxLength: 3 })
  const pieces = fc.array(parts, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(pieces, fc.nat(20), fc.nat(20), async (read, start, length) => {
      const bytes = Buffer.concat(read.flat())
      const headers = { range: `bytes=${start}-${start + length}` }
      const request = new Request('http://localhost/', { headers })
      const sent = sendFile(
        request,
        { headers: {} },
        {
          ...{ etag: '"a"', contentType: 'text/plain', cacheControl: '', version: '1' },
          pieces: read.map((own) => ({
            size: own.reduce((sum, { length }) => sum + length, 0),
            read: () => own,
          })),
        },
      )
      expect('open' in sent).toBe(start < bytes.length)
      if (!('open' in sent)) return
      const { connection, end } = open()
      const body = await new Response(sent.open(connection)).bytes()
      const wanted = bytes.subarray(start, start + length + 1)
      expect(Buffer.from(body)).toEqual(wanted)
      expect(await end).toBe(wanted.length)
    }),
    { numRuns: 300 },
  )
})

test('a connection is cut after one second without progress', () => {
  const cuts: number[] = []
  open((_, seconds) => cuts.push(seconds)).connection.cut()
  expect(cuts).toEqual([1])
})
