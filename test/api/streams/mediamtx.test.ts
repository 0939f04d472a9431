import { afterEach, describe, expect, test } from 'bun:test'
import { createMediaMtx } from '../../../src/api/streams/mediamtx.ts'

let server: Bun.Server<undefined> | undefined
afterEach(() => server?.stop(true))

const hls = 'https://live.example/hls/'
const start = (answer: (url: URL) => unknown): string => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => Response.json(answer(new URL(request.url))),
  })
  return `http://127.0.0.1:${server.port}`
}
const list = (url: string) => createMediaMtx(url, hls)(AbortSignal.timeout(2000))
const onePage = (...items: readonly unknown[]) => ({
  itemCount: items.length,
  pageCount: items.length ? 1 : 0,
  items,
})

/** Answers of MediaMTX 1.0 to 1.15. */
const ready = {
  name: 'cage-1/overhead',
  confName: 'all_others',
  source: { type: 'rtmpConn', id: '0d496f66-1c4f-48c2-9c7e-07ba7d871cee' },
  ready: true,
  readyTime: '2026-03-14T15:00:00.693985524+01:00',
  tracks: ['H264', 'MPEG-4 Audio'],
  bytesReceived: 155_591,
  bytesSent: 0,
  readers: [
    { type: 'hlsMuxer', id: '' },
    { type: 'webRTCSession', id: 'f3c5d9a0-5f0b-4d4e-9d3b-0c8f8b6f7a11' },
  ],
}
const listed = {
  path: 'cage-1/overhead',
  hlsUrl: 'https://live.example/hls/cage-1/overhead/index.m3u8',
  readyUnix: 1_773_496_800,
  viewers: 2,
  tracks: ['H264', 'MPEG-4 Audio'],
}

describe('MediaMTX', () => {
  test('MediaMTX lists the ready paths', async () => {
    const idle = { ...ready, name: 'pits', ready: false, readyTime: null, source: null, tracks: [] }
    expect(await list(start(() => onePage(ready, idle)))).toEqual([listed])
  })

  test('MediaMTX is requested at its configured address, below any base', async () => {
    const asked: string[] = []
    const url = start(({ pathname, search }) => {
      asked.push(pathname + search)
      return onePage()
    })
    expect(await list(`${url}/mtx/`)).toEqual([])
    expect(asked).toEqual(['/mtx/v3/paths/list?page=0&itemsPerPage=100'])
  })

  test('a newer MediaMTX distinguishes a published path from one that plays a filler', async () => {
    const newer = {
      name: 'cage-1/overhead',
      confName: 'all_others',
      available: true,
      availableTime: '2026-03-01T00:00:00Z',
      online: true,
      onlineTime: '2026-03-14T14:00:00Z',
      ready: true,
      readyTime: '2026-03-01T00:00:00Z',
      tracks: ['H264', 'MPEG-4 Audio'],
      tracks2: [{ codec: 'H264', codecProps: { width: 1920, height: 1080 } }],
      readers: [
        { type: 'hlsSession', id: 'a' },
        { type: 'srtConn', id: 'b' },
      ],
      inboundBytes: 9,
      outboundBytes: 9,
    }
    const filler = { ...newer, name: 'pits', online: false, onlineTime: null }
    expect(await list(start(() => onePage(newer, filler)))).toEqual([listed])
  })

  test('a MediaMTX without the deprecated fields is understood', async () => {
    const next = {
      name: 'cage-1/overhead',
      online: true,
      onlineTime: '2026-03-14T14:00:00Z',
      tracks2: [{ codec: 'H264', codecProps: null }, { codec: 'MPEG-4 Audio' }],
      readers: [{}, {}],
    }
    expect(await list(start(() => onePage(next)))).toEqual([listed])
  })

  test.each([
    ['no start', { readyTime: null }, { readyUnix: null }],
    ['the zero time', { readyTime: '0001-01-01T00:00:00Z' }, { readyUnix: null }],
    ['an odd start', { readyTime: 'yesterday' }, { readyUnix: null }],
    ['no tracks', { tracks: null }, { tracks: [] }],
    ['no readers', { readers: null }, { viewers: 0 }],
  ])('MediaMTX with %s is read', async (_, given, expected) => {
    expect(await list(start(() => onePage({ ...ready, ...given })))).toEqual([
      { ...listed, ...expected },
    ])
  })

  test('all pages are read, and a path that moved between two is listed once', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `cage-${index}/overhead`)
    const asked: number[] = []
    const url = start(({ searchParams }) => {
      const page = Number(searchParams.get('page'))
      const size = Number(searchParams.get('itemsPerPage'))
      asked.push(page)
      const items = names.slice(page * size - Number(page > 0), (page + 1) * size)
      return {
        itemCount: 250,
        pageCount: 3,
        items: items.map((name) => ({ ...ready, name })),
      }
    })
    expect((await list(url)).map(({ path }) => path)).toEqual(names)
    expect(asked).toEqual([0, 1, 2])
  })

  test.each([
    ['skycam', 'skycam/index.m3u8'],
    ['cage-1/a b', 'cage-1/a%20b/index.m3u8'],
    ['a:~.b/c_d', 'a%3A~.b/c_d/index.m3u8'],
    ['pits/?x=1#y', 'pits/%3Fx%3D1%23y/index.m3u8'],
    ['käfig/🤖', 'k%C3%A4fig/%F0%9F%A4%96/index.m3u8'],
    ['__proto__', '__proto__/index.m3u8'],
  ])('the path %s plays at an encoded address', async (name, address) => {
    const [broadcast] = await list(start(() => onePage({ ...ready, name })))
    expect(broadcast?.hlsUrl).toBe(`https://live.example/hls/${address}`)
  })

  test.each(['', '/', 'a//b', 'a/', '../a', 'a/./b', 'a\nb', '\ud800', 'a\ufffd'])(
    'the path %j has no address and is left out',
    async (name) => {
      const found = await list(start(() => onePage({ ...ready, name }, ready)))
      expect(found).toEqual([listed])
    },
  )

  test.each([
    ['another object', { status: 'ok' }],
    ['a list', []],
    ['null', null],
    ['no page count', { items: [] }],
    ['a negative page count', { pageCount: -1, items: [] }],
    ['more pages than can be', { pageCount: 21, items: [ready] }],
    ['a path without a name', onePage({ ready: true })],
    ['a path that is neither ready nor not', onePage({ name: 'a' })],
    ['a path of other types', onePage({ ...ready, ready: 'yes' })],
  ])('MediaMTX with %s is refused', async (_, answer) => {
    await expect(list(start(() => answer))).rejects.toThrow(/^(the answer is|there are|a path)/)
  })
})
