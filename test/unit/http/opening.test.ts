import { describe, expect, test } from 'bun:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { makeBody } from '../../../src/http/encoding.ts'
import { openedEtag, prependToGzip, withoutOpening } from '../../../src/http/opening.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
const random = (length: number) => crypto.getRandomValues(new Uint8Array(Math.min(length, 65_536)))
const contents = [
  bytesOf(''),
  bytesOf(',"data":[]}'),
  bytesOf('abc'.repeat(50_000)),
  bytesOf('é'.repeat(100_001)),
  random(65_536),
]

describe('a prefix before a gzip stream', () => {
  test.each(contents.map((content, index) => [index, content] as const))(
    'is one stream of both (%i)',
    (_, content) => {
      const streams = [
        Bun.gzipSync(content, { library: 'libdeflate', level: 6 }),
        new Uint8Array(gzipSync(content)),
      ]
      for (const gzip of streams) {
        for (const prefix of ['', '{"draw":7', 'x'.repeat(65_535)]) {
          const joined = prependToGzip(bytesOf(prefix), gzip)
          const expected = Buffer.concat([bytesOf(prefix), content])
          expect(gunzipSync(joined).equals(expected)).toBe(true)
          expect(Buffer.from(Bun.gunzipSync(joined)).equals(expected)).toBe(true)
        }
      }
    },
  )

  test('has the checksum and the length of both', () => {
    const joined = prependToGzip(bytesOf('ab'), Bun.gzipSync(bytesOf('cd')))
    const whole = Bun.gzipSync(bytesOf('abcd'))
    expect([...joined.slice(-8)]).toEqual([...whole.slice(-8)])
  })

  test('is refused where it does not fit into a block, or the stream has a name', () => {
    const gzip = Bun.gzipSync(bytesOf('x'))
    expect(() => prependToGzip(new Uint8Array(65_536), gzip)).toThrow('too long')
    const named = gzip.slice()
    named[3] = 8
    expect(() => prependToGzip(bytesOf('x'), named)).toThrow('optional')
  })
})

describe('an opening', () => {
  test('is part of the tag', async () => {
    const body = await makeBody(bytesOf(',"data":[]}'))
    const tag = (draw: number) => openedEtag(body, { cached: '{"draw":0', sent: `{"draw":${draw}` })
    expect(await tag(1)).not.toBe(await tag(2))
    expect(await tag(1)).toBe(await tag(1))
  })

  test('is taken off the body, and an error where the body has another', () => {
    const opening = { cached: '{"draw":0', sent: '{"draw":7' }
    expect(withoutOpening(bytesOf('{"draw":0,"x":1}'), opening)).toEqual(bytesOf(',"x":1}'))
    expect(() => withoutOpening(bytesOf('{"x":1}'), opening)).toThrow('opening')
  })
})
