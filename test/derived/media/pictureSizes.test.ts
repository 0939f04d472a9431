import { describe, expect, test } from 'bun:test'
import { RequestError } from '../../../src/data/remote/request.ts'
import { readPictureHead } from '../../../src/derived/media/pictureHead.ts'
import { createPictureSizes } from '../../../src/derived/media/pictureSizes.ts'
import { createLog } from '../../../src/runtime/log.ts'
import { jpeg } from '../../pictures.ts'
import { rawUpstream } from '../../upstream.ts'

const log = createLog('silent')
const size = { width: 6000, height: 4000 }

/** A server of pictures that counts requests and the maximum of open ones. */
const pictureServer = (answer: (path: string) => Response | Promise<Response>) => {
  const counts = { requests: 0, open: 0, mostOpen: 0 }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async ({ url }) => {
      counts.requests += 1
      counts.open += 1
      counts.mostOpen = Math.max(counts.mostOpen, counts.open)
      const response = await answer(new URL(url).pathname)
      counts.open -= 1
      return response
    },
  })
  return { counts, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

describe('createPictureSizes', () => {
  test('a picture is read once for all requests, and its size is kept', async () => {
    const server = pictureServer(async () => {
      await Bun.sleep(50)
      return new Response(jpeg(6000, 4000))
    })
    const pictureSizes = createPictureSizes({ log })
    const url = `${server.url}/a.jpg`
    const sizes = await Promise.all(Array.from({ length: 50 }, () => pictureSizes(url)))
    expect(sizes).toEqual(Array.from({ length: 50 }, () => size))
    expect(await pictureSizes(url)).toEqual(size)
    expect(server.counts.requests).toBe(1)
    await server.stop()
    expect(await pictureSizes(url)).toEqual(size)
  })

  test('a failed picture is read again after 30 s', async () => {
    let nowMs = 1_000_000
    let isThere = false
    const server = pictureServer(() => new Response(isThere ? jpeg(6000, 4000) : '<html>'))
    const pictureSizes = createPictureSizes({ log, nowMs: () => nowMs })
    const url = `${server.url}/a.jpg`
    expect(await pictureSizes(url)).toBeUndefined()
    isThere = true
    nowMs += 29_000
    expect(await pictureSizes(url)).toBeUndefined()
    expect(server.counts.requests).toBe(1)
    expect(await pictureSizes(`${server.url}/b.jpg`)).toEqual(size)
    nowMs += 2000
    expect(await pictureSizes(url)).toEqual(size)
    await server.stop()
  })

  test('a silent host gets no other request for 30 s', async () => {
    let nowMs = 1_000_000
    const upstream = await rawUpstream((socket) => socket.destroy())
    const pictureSizes = createPictureSizes({ log, nowMs: () => nowMs })
    for (const name of ['a', 'b', 'c', 'a']) {
      expect(await pictureSizes(`${upstream.url}/${name}.jpg`)).toBeUndefined()
    }
    expect(upstream.requests()).toBe(1)
    nowMs += 31_000
    expect(await pictureSizes(`${upstream.url}/d.jpg`)).toBeUndefined()
    expect(upstream.requests()).toBe(2)
    upstream.stop()
  })

  test('pictures behind a redirect to a silent host are remembered too', async () => {
    let reads = 0
    const pictureSizes = createPictureSizes({
      log,
      read: async () => {
        reads += 1
        throw new RequestError('no answer', { silentOrigin: 'http://elsewhere.example' })
      },
    })
    expect(await pictureSizes('http://media.example/a.jpg')).toBeUndefined()
    expect(await pictureSizes('http://media.example/a.jpg')).toBeUndefined()
    expect(reads).toBe(1)
    expect(await pictureSizes('http://elsewhere.example/b.jpg')).toBeUndefined()
    expect(reads).toBe(1)
  })

  test('two thousand pictures are read sixteen at a time, with a bounded queue', async () => {
    const server = pictureServer(async () => {
      await Bun.sleep(5)
      return new Response(jpeg(6000, 4000))
    })
    const pictureSizes = createPictureSizes({ log, answerWithinMs: 60_000 })
    const urls = Array.from({ length: 2000 }, (_, index) => `${server.url}/${index}.jpg`)
    // Repeated requests share the first reads.
    const sizes = await Promise.all([...urls, ...urls.slice(0, 9)].map(pictureSizes))
    expect(server.counts.mostOpen).toBeLessThanOrEqual(16)
    expect(sizes.filter(Boolean).length).toBe(16 + 256 + 9)
    expect(server.counts.requests).toBe(16 + 256)
    expect(await pictureSizes(urls.at(-1) ?? '')).toEqual(size)
    await server.stop()
  })

  test('nobody waits for a picture for longer than two seconds', async () => {
    const silent = await rawUpstream(() => undefined)
    const pictureSizes = createPictureSizes({ log })
    const startedMs = performance.now()
    const sizes = await Promise.all(
      Array.from({ length: 100 }, (_, index) => pictureSizes(`${silent.url}/${index}.jpg`)),
    )
    expect(sizes.filter(Boolean)).toEqual([])
    // One after the other, their turns would take 14 s.
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    while (silent.openConnections() > 0) await Bun.sleep(10)
    // The others waited for their turn, and the host failed meanwhile.
    expect(silent.requests()).toBe(16)
    silent.stop()
  })

  test('only failures of a picture are caught, not mistakes of the program', async () => {
    const failing = (error: Error) =>
      createPictureSizes({
        log,
        read: async () => {
          throw error
        },
      })('http://media.example/a.jpg')
    expect(await failing(new RequestError('none'))).toBeUndefined()
    expect(failing(new TypeError('a mistake'))).rejects.toThrow('a mistake')
  })

  test.each(['', 'a.jpg', 'file:///etc/passwd', 'http://'])('%p has no size', async (url) => {
    expect(await createPictureSizes({ log })(url)).toBeUndefined()
    expect(readPictureHead(url, AbortSignal.timeout(100))).rejects.toBeInstanceOf(RequestError)
  })
})
