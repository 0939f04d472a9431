import { describe, expect, test } from 'bun:test'
import { createEncoder, makeBody, withPrefix } from '../../../src/http/encoding.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)
/** Text that hardly gets smaller. */
const noise = (seed: number, length: number): string => {
  let [text, state] = ['', seed + 1]
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647
    text += state.toString(36)
  }
  return text.slice(0, length)
}
const bodyOf = (text: string) => makeBody(bytesOf(text), undefined)

describe('bodies in other codings', () => {
  test('are made once, for all who ask', async () => {
    const encoder = createEncoder()
    const body = await bodyOf(noise(1, 20_000))
    expect(encoder.find(body, 'gzip')).toBeUndefined()
    const [one, other] = await Promise.all([encoder.make(body, 'gzip'), encoder.make(body, 'gzip')])
    expect(one).toBe(other)
    expect(encoder.find(body, 'gzip')).toBe(one)
    expect(Buffer.from(Bun.gunzipSync(await one.bytes())).toString()).toBe(noise(1, 20_000))
  })

  test('are kept within 8 MiB, those asked for last', async () => {
    const encoder = createEncoder()
    const first = await bodyOf(noise(0, 60_000))
    await encoder.make(first, 'gzip')
    let bytes = 0
    for (let seed = 1; bytes < 9 * 2 ** 20; seed += 1) {
      bytes += (await encoder.make(await bodyOf(noise(seed, 60_000)), 'gzip')).size
    }
    expect(encoder.find(first, 'gzip')).toBeUndefined()
  })

  test('that could not be made are made at the next request', async () => {
    for (const length of [2000, 100_000]) {
      const encoder = createEncoder()
      const body = await bodyOf(noise(2, length))
      let isBroken = true
      const bytes = async () => {
        if (isBroken) throw new Error('no memory')
        return body.kept.blob.bytes()
      }
      const fragile = {
        ...body,
        kept: { ...body.kept, blob: Object.assign(body.kept.blob.slice(), { bytes }) },
      }
      expect(encoder.make(fragile, 'br')).rejects.toThrow('no memory')
      await encoder.make(fragile, 'br').catch(() => undefined)
      isBroken = false
      expect((await encoder.make(fragile, 'br')).size).toBeGreaterThan(0)
    }
  })

  test('made for one request are not kept', async () => {
    const encoder = createEncoder()
    const body = await withPrefix(await bodyOf(noise(3, 20_000)), '{"draw":7')
    await encoder.make(body, 'gzip')
    expect(encoder.find(body, 'gzip')).toBeUndefined()
  })
})

describe('the tag of a body', () => {
  test('is of its bytes alone, however long they are', async () => {
    for (const length of [10, 5000, 3_000_000]) {
      const text = noise(4, length)
      expect((await bodyOf(text)).etag).toBe((await bodyOf(text)).etag)
      expect((await bodyOf(`${text}.`)).etag).not.toBe((await bodyOf(text)).etag)
      const digest = new Bun.CryptoHasher('sha256').update(text).digest('base64url')
      expect((await bodyOf(text)).etag).toBe(`W/"${digest.slice(0, 22)}"`)
    }
  })

  test('differs by what is put before', async () => {
    const body = await bodyOf(noise(5, 5000))
    const [one, other] = [await withPrefix(body, '{"draw":1'), await withPrefix(body, '{"draw":2')]
    expect(one.etag).not.toBe(other.etag)
    expect((await withPrefix(body, '{"draw":1')).etag).toBe(one.etag)
    expect(await one.kept.blob.text()).toBe(`{"draw":1${noise(5, 5000)}`)
    expect(one.size).toBe(5009)
  })
})
