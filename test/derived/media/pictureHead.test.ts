import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Reach, reachOf } from '../../../src/data/remote/networkAddress.ts'
import { RequestError } from '../../../src/data/remote/request.ts'
import { maxHeadBytes, readPictureHead } from '../../../src/derived/media/pictureHead.ts'
import { jpeg } from '../../pictures.ts'
import { head, rawUpstream } from '../../upstream.ts'

const picture = jpeg(6000, 4000)
const long = new Uint8Array(maxHeadBytes * 3)
long.set(picture)

/** Result of a read: the number of bytes, or the error. */
const outcome = async (
  url: string,
  reach: (address: string) => Reach | undefined = reachOf,
): Promise<unknown> => {
  try {
    return (await readPictureHead(url, AbortSignal.timeout(2000), reach)).length
  } catch (error) {
    return error instanceof RequestError ? error.message : error
  }
}

describe('readPictureHead', () => {
  let server: Bun.Server<undefined>
  let url: string
  const asked: { path: string; headers: Headers }[] = []
  const pathsAsked = () => asked.splice(0).map(({ path }) => path)

  const answers: Readonly<Record<string, () => Response>> = {
    '/whole.jpg': () => new Response(picture),
    '/long.jpg': () => new Response(long),
    '/part.jpg': () =>
      new Response(long.subarray(0, maxHeadBytes), {
        status: 206,
        headers: { 'Content-Range': `bytes 0-${maxHeadBytes - 1}/${long.length}` },
      }),
    '/other-part.jpg': () =>
      new Response(picture, { status: 206, headers: { 'Content-Range': 'bytes 7-999/9999' } }),
    '/unnamed-part.jpg': () => new Response(picture, { status: 206 }),
    '/empty.jpg': () => new Response(null),
    '/none.jpg': () => new Response('gone', { status: 404 }),
    '/unchanged.jpg': () => new Response(null, { status: 304 }),
    '/broken.jpg': () => new Response('broken', { status: 500 }),
    '/gzip.jpg': () =>
      new Response(Bun.gzipSync(new Uint8Array(1_000_000)), {
        headers: { 'Content-Encoding': 'gzip' },
      }),
  }
  beforeAll(() => {
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => {
        const { pathname, searchParams } = new URL(request.url)
        asked.push({ path: pathname, headers: request.headers })
        const to = searchParams.get('to')
        if (to !== null) return new Response(null, { status: 302, headers: { Location: to } })
        return answers[pathname]?.() ?? new Response('unknown', { status: 404 })
      },
    })
    url = `http://127.0.0.1:${server.port}`
  })
  afterAll(() => server.stop(true))

  test('readPictureHead asks for the first 64 KiB, uncompressed', async () => {
    expect(await outcome(`${url}/whole.jpg`)).toBe(picture.length)
    const [request] = asked.splice(0)
    expect(request?.headers.get('range')).toBe('bytes=0-65535')
    expect(request?.headers.get('accept-encoding')).toBe('identity')
  })

  test.each([
    ['whole.jpg', picture.length],
    ['long.jpg', maxHeadBytes],
    ['part.jpg', maxHeadBytes],
    ['empty.jpg', 0],
    ['other-part.jpg', 'the answer is another part of the picture'],
    ['unnamed-part.jpg', 'the answer is another part of the picture'],
    ['none.jpg', 'the server answered 404'],
    ['unchanged.jpg', 'the server answered 304'],
    ['broken.jpg', 'the server answered 500'],
    ['gzip.jpg', 'the answer is compressed'],
  ])('readPictureHead of %s gives %p', async (path, expected) => {
    expect(await outcome(`${url}/${path}`)).toBe(expected)
  })

  test('a host name is looked up', async () => {
    expect(await outcome(`http://localhost:${server.port}/whole.jpg`)).toBe(picture.length)
    const nowhere = readPictureHead('http://nowhere.invalid/a.jpg', AbortSignal.timeout(2000))
    expect(nowhere).rejects.toMatchObject({ silentOrigin: 'http://nowhere.invalid' })
  })

  test.each([
    'file:///etc/passwd',
    'ftp://media.example/a.jpg',
    'data:image/png;base64,AAAA',
    'javascript:1',
    '/a.jpg',
    '',
  ])('%p is no URL of a picture', async (address) => {
    expect(await outcome(address)).toBe('the address is not http or https')
  })

  describe('redirects', () => {
    const to = (target: string, from = url) => `${from}/?to=${encodeURIComponent(target)}`

    test('redirects of a picture are followed three times', async () => {
      expect(await outcome(to('/whole.jpg'))).toBe(picture.length)
      expect(await outcome(to(to(to('/whole.jpg'))))).toBe(picture.length)
      expect(await outcome(to(to(to(to('/whole.jpg')))))).toBe('there are too many redirects')
      asked.length = 0
      const loop = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: ({ url }) => new Response(null, { status: 301, headers: { Location: url } }),
      })
      expect(await outcome(`${loop.url}`)).toBe('there are too many redirects')
      await loop.stop(true)
    })

    test.each(['file:///etc/passwd', 'ftp://127.0.0.1/a.jpg', 'data:,a', 'http://'])(
      'redirects of a picture to %s are not followed',
      async (target) => {
        expect(await outcome(to(target))).toBe('the address is not http or https')
      },
    )

    /** The first requested server counts as public, all others as local. */
    const firstIsPublic = () => {
      let calls = 0
      return (): Reach => {
        calls += 1
        return calls === 1 ? 'public' : 'local'
      }
    }
    test('redirects of a picture do not lead from a public server into a private network', async () => {
      const { port } = server
      for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
        asked.length = 0
        const target = to(`http://${host}/whole.jpg`)
        expect(await outcome(target, firstIsPublic())).toBe('the address is not allowed')
        expect(pathsAsked()).toEqual(['/'])
      }
      expect(await outcome(to('/whole.jpg'), firstIsPublic())).toBe('the address is not allowed')
    })
    test('redirects of a picture lead from a public server to public ones, and from a private one to any', async () => {
      expect(await outcome(to('/whole.jpg'), () => 'public')).toBe(picture.length)
      expect(await outcome(to('/whole.jpg'), () => 'local')).toBe(picture.length)
    })
    test('redirects of a picture never lead to a metadata service', async () => {
      const metadata = 'http://169.254.169.254/latest/meta-data'
      expect(await outcome(to(metadata))).toBe('the address is not allowed')
      expect(await outcome(metadata)).toBe('the address is not allowed')
      expect(await outcome('http://[::ffff:169.254.169.254]/')).toBe('the address is not allowed')
    })
  })

  test('an endless answer is left after 64 KiB', async () => {
    const endless = await rawUpstream((socket) => {
      socket.write(head('image/jpeg'))
      const more = (): void => {
        while (!socket.destroyed && socket.write(long));
        socket.once('drain', more)
      }
      more()
    })
    expect(await outcome(endless.url)).toBe(maxHeadBytes)
    while (endless.openConnections() > 0) await Bun.sleep(10)
    // Size of the socket buffers.
    expect(endless.sentBytes()).toBeLessThan(32 * 2 ** 20)
    endless.stop()
  })

  test('an endless header is refused', async () => {
    const endless = await rawUpstream((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const more = (): void => {
        while (!socket.destroyed && socket.write(`X-More: ${'x'.repeat(8000)}\r\n`));
        socket.once('drain', more)
      }
      more()
    })
    expect(await outcome(endless.url)).toStartWith('no answer (')
    endless.stop()
  })

  test('silence, a slow body and a slow header end with the signal', async () => {
    const drip = (first: string) =>
      rawUpstream((socket) => {
        socket.write(first)
        const timer = setInterval(() => socket.write('X'), 20)
        socket.on('close', () => clearInterval(timer))
      })
    const silent = await rawUpstream(() => undefined)
    const slowBody = await drip(head('image/jpeg'))
    const slowHeader = await drip('HTTP/1.1 200 OK\r\nX-Slow: ')
    const fail = ({ url }: { url: string }) =>
      readPictureHead(url, AbortSignal.timeout(300)).catch((error) => error)
    expect(await fail(silent)).toMatchObject({ silentOrigin: silent.url })
    expect(await fail(slowHeader)).toMatchObject({ silentOrigin: slowHeader.url })
    expect((await fail(slowBody)).length).toBeGreaterThan(0)
    for (const upstream of [silent, slowBody, slowHeader]) {
      while (upstream.openConnections() > 0) await Bun.sleep(10)
      upstream.stop()
    }
  })

  test('an answer that is not HTTP is no picture', async () => {
    const other = await rawUpstream((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))
    expect(await outcome(other.url)).toStartWith('no answer (')
    const closing = await rawUpstream((socket) => socket.destroy())
    expect(await outcome(closing.url)).toStartWith('no answer (')
    other.stop()
    closing.stop()
  })

  test('a body that is cut off counts as far as it came, and an empty one is a failure', async () => {
    for (const [more, sent, expected] of [
      ['', picture, picture.length],
      ['Content-Length: 9999\r\n', picture, picture.length],
      ['Content-Length: 9999\r\n', '', 'no answer (ECONNRESET)'],
    ] as const) {
      const cut = await rawUpstream((socket) => {
        socket.write(head('image/jpeg', '200 OK', more))
        socket.end(sent)
      })
      expect(await outcome(cut.url)).toBe(expected)
      cut.stop()
    }
  })
})
