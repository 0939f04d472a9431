import { describe, expect, test } from 'bun:test'
import {
  type Body,
  type Coding,
  isCompressed,
  makeBody,
  plainBytes,
} from '../../../src/http/encoding.ts'
import type { Moment } from '../../../src/http/moment.ts'
import { type CachedResponse, createResponseCache } from '../../../src/http/responseCache.ts'
import { createSharedHeaders } from '../../../src/http/responses.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
/** Text that hardly compresses. */
const noise = (seed: number, length: number): string => {
  let [text, state] = ['', seed + 1]
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647
    text += state.toString(36)
  }
  return text.slice(0, length)
}
const bodyOf = (text: string) => makeBody(bytesOf(text))
const moment: Moment = {
  archive: undefined,
  now: 0,
  headers: { 'x-data-version': 'none', 'x-data-age': '0' },
}
/** A response that is valid for every archive. */
const responseOf = (key: string, body: Body): CachedResponse => ({
  key,
  route: '/x',
  headers: createSharedHeaders()({}),
  link: undefined,
  modified: undefined,
  body,
  madeUnix: 0,
  checkedVersion: undefined,
  dependencies: [],
  readsCages: false,
  validUntil: Number.POSITIVE_INFINITY,
})

test('bodies of 1 KiB and more are compressed', () => {
  expect([isCompressed(1023), isCompressed(1024)]).toEqual([false, true])
})

describe('cached bodies in other codings', () => {
  test('another coding of a cached body is made once, for all requests', async () => {
    const cache = createResponseCache()
    const response = responseOf('a', await makeBody(bytesOf(noise(1, 20_000)), 'zstd'))
    cache.store(response, moment)
    const blobOf = (coding: Coding) => cache.find('a')?.body.blobs[coding]
    expect(blobOf('gzip')).toBeUndefined()
    const [one, other] = await Promise.all([
      cache.encoded(response, 'gzip'),
      cache.encoded(response, 'gzip'),
    ])
    expect(one).toBe(other)
    expect(blobOf('gzip')).toBe(one)
    expect(Buffer.from(Bun.gunzipSync(await one.bytes())).toString()).toBe(noise(1, 20_000))
  })

  test('another coding of a cached body belongs to its response, even if that is replaced at once', async () => {
    const cache = createResponseCache()
    const texts = [noise(1, 20_000), noise(2, 20_000)]
    const made = texts.map(async (text) => {
      const response = responseOf('a', await bodyOf(text))
      cache.store(response, moment)
      return Bun.gunzipSync(await (await cache.encoded(response, 'gzip')).bytes())
    })
    expect((await Promise.all(made)).map((bytes) => Buffer.from(bytes).toString())).toEqual(texts)
  })

  test('all codings of a body have the same content, whichever was made first', async () => {
    const codings: readonly Coding[] = ['identity', 'zstd', 'gzip', 'br']
    const text = noise(1, 20_000)
    for (const first of codings) {
      const body = await makeBody(bytesOf(text), first)
      expect(Object.keys(body.blobs)).toEqual([first])
      const cache = createResponseCache()
      const response = responseOf('a', body)
      cache.store(response, moment)
      const blobs = await Promise.all(codings.map((coding) => cache.encoded(response, coding)))
      for (const [index, coding] of codings.entries()) {
        const made = { ...body, blobs: { [coding]: blobs[index] } }
        expect(new TextDecoder().decode(await plainBytes(made))).toBe(text)
      }
    }
  })

  test('codings of cached bodies count within 20 MiB, and the last used are kept', async () => {
    const cache = createResponseCache()
    const add = async (seed: number): Promise<number> => {
      const response = responseOf(String(seed), await bodyOf(noise(seed, 1_000_000)))
      cache.store(response, moment)
      return (await cache.encoded(response, 'gzip')).size + response.body.size
    }
    await add(0)
    let bytes = 0
    for (let seed = 1; bytes < 21 * 2 ** 20; seed += 1) {
      expect(cache.find('0')).toBeDefined()
      // Half of it are codings; the first response is used each time.
      bytes += await add(seed)
    }
    expect(cache.find('0')).toBeDefined()
    expect(cache.find('1')).toBeUndefined()
  })

  test('a coding is kept for a new response with the same bytes, and no other', async () => {
    const cache = createResponseCache()
    const first = responseOf('a', await bodyOf(noise(1, 20_000)))
    cache.store(first, moment)
    const gzip = await cache.encoded(first, 'gzip')
    cache.store(responseOf('a', await bodyOf(noise(1, 20_000))), moment)
    expect(cache.find('a')?.body.blobs.gzip).toBe(gzip)
    cache.store(responseOf('a', await bodyOf(noise(2, 20_000))), moment)
    expect(cache.find('a')?.body.blobs.gzip).toBeUndefined()
    // The coding belongs to the previous response.
    await cache.encoded(first, 'br')
    expect(cache.find('a')?.body.blobs.br).toBeUndefined()
  })

  test('a coding that failed is made at the next request', async () => {
    for (const length of [2000, 100_000]) {
      const cache = createResponseCache()
      const body = await bodyOf(noise(2, length))
      let isBroken = true
      const { identity = new Blob() } = body.blobs
      const bytes = async () => {
        if (isBroken) throw new Error('no memory')
        return identity.bytes()
      }
      const fragile = responseOf('a', {
        ...body,
        blobs: { identity: Object.assign(identity.slice(), { bytes }) },
      })
      cache.store(fragile, moment)
      await expect(cache.encoded(fragile, 'br')).rejects.toThrow('no memory')
      isBroken = false
      expect((await cache.encoded(fragile, 'br')).size).toBeGreaterThan(0)
    }
  })

  test('the codings of an uncached response are not kept', async () => {
    const cache = createResponseCache()
    const body = await bodyOf(noise(3, 20_000))
    const response = { ...responseOf('a', body), key: undefined }
    cache.store(response, moment)
    const [one, other] = [
      await cache.encoded(response, 'gzip'),
      await cache.encoded(response, 'gzip'),
    ]
    expect(one).not.toBe(other)
  })
})

describe('the tag of a body', () => {
  test('the tag of a body depends only on its bytes, however many', async () => {
    for (const length of [10, 5000, 3_000_000]) {
      const text = noise(4, length)
      expect((await bodyOf(text)).etag).toBe((await bodyOf(text)).etag)
      expect((await bodyOf(`${text}.`)).etag).not.toBe((await bodyOf(text)).etag)
      const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url')
      expect((await bodyOf(text)).etag).toBe(`W/"${digest.slice(0, 22)}"`)
    }
  })
})
