import { afterEach, describe, expect, test } from 'bun:test'
import { createNginxRtmp } from '../../../src/api/streams/nginxRtmp.ts'

let server: Bun.Server<undefined> | undefined
afterEach(() => server?.stop(true))

const hls = 'https://live.example/hls'
const nowMs = 1_773_500_000_000
const start = (page: () => string, type = 'text/xml'): string => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(page(), { headers: { 'content-type': type } }),
  })
  return `http://127.0.0.1:${server.port}/stat`
}
const list = (url: string) => createNginxRtmp(url, hls, () => nowMs)(AbortSignal.timeout(2000))

/** An answer of nginx 1.22 with the module's release 1.1.4. */
const page = (...applications: readonly string[]): string =>
  `<?xml version="1.0" encoding="utf-8" ?>\r
<rtmp>\r
<nginx_version>1.22.1</nginx_version>\r
<nginx_rtmp_version>1.1.4</nginx_rtmp_version>\r
<built>Feb 13 2023 11:56:56</built>\r
<pid>22453</pid>\r
<uptime>8</uptime>\r
<naccepted>3</naccepted>\r
<bw_in>0</bw_in>\r
<server>\r
${applications.join('')}</server>\r
</rtmp>\r
`
const application = (name: string, ...streams: readonly string[]): string =>
  `<application>\r
<name>${name}</name>\r
<live>\r
${streams.join('')}<nclients>${streams.length}</nclients>\r
</live>\r
</application>\r
`
const meta =
  '<meta><video><width>160</width><height>90</height><codec>H264</codec><level>1.0</level></video>' +
  '<audio><codec>AAC</codec><channels>1</channels></audio></meta>'
const publisher =
  '<client><id>1</id><address>127.0.0.1</address><time>6849</time>' +
  '<flashver>FMLE/3.0 (compatible; Lavf59.27</flashver><publishing/><active/></client>\r\n'
const viewer = '<client><id>2</id><address>127.0.0.1</address><time>9000</time><active/></client>'
const stream = (
  name: string,
  { inside = meta, clients = 1, marks = '<publishing/><active/>' } = {},
) =>
  `<stream>\r
<name>${name}</name>\r
<time>9500</time><bw_in>0</bw_in>\r
${inside}<nclients>${clients}</nclients>\r
${marks}</stream>\r
`
const listed = {
  path: 'cage-1-overhead',
  hlsUrl: 'https://live.example/hls/cage-1-overhead.m3u8',
  readyUnix: nowMs / 1000 - 9,
  viewers: 0,
  tracks: ['H264', 'AAC'],
}

describe('nginx-rtmp', () => {
  test('nginx-rtmp lists published streams of any application', async () => {
    const body = page(
      application('live', stream('cage-1-overhead')),
      application('hls', stream('cage-1-overhead', { clients: 9 }), stream('pits')),
      application('idle'),
    )
    expect(await list(start(() => body))).toEqual([
      { ...listed, readyUnix: nowMs / 1000 - 9 },
      { ...listed, path: 'pits', hlsUrl: 'https://live.example/hls/pits.m3u8' },
    ])
  })

  test('nginx-rtmp counts viewers, and the time since the publisher came', async () => {
    const inside = viewer + publisher + viewer + meta
    const body = page(application('live', stream('cage-1-overhead', { inside, clients: 3 })))
    expect(await list(start(() => body, 'application/xml; charset=utf-8'))).toEqual([
      { ...listed, viewers: 2, readyUnix: nowMs / 1000 - 7 },
    ])
    const uncounted = page(application('live', stream('cage-1-overhead', { clients: 0 })))
    expect(await list(start(() => uncounted))).toEqual([listed])
  })

  test.each([
    ['nobody', ''],
    ['a publisher that sends nothing', '<publishing/>'],
    ['viewers who wait', '<active/>'],
  ])('%s makes no broadcast', async (_, marks) => {
    const waiting = stream('pits', { marks, inside: viewer })
    expect(await list(start(() => page(application('live', waiting))))).toEqual([])
  })

  test.each([
    [
      'the codecs of early releases',
      '<meta><video>H264</video><audio>AAC</audio></meta>',
      ['H264', 'AAC'],
    ],
    [
      'a picture without sound',
      '<meta><video><codec>H264</codec></video><audio></audio></meta>',
      ['H264'],
    ],
    ['an empty meta', '<meta></meta>', []],
    ['no meta', '', []],
  ])('%s can be read', async (_, inside, tracks) => {
    const body = page(application('live', stream('cage-1-overhead', { inside })))
    expect(await list(start(() => body))).toEqual([{ ...listed, tracks }])
  })

  test.each([
    ['no server', '<rtmp><pid>1</pid></rtmp>'],
    ['an empty server', page()],
    ['an application that is not live', page('<application><name>vod</name></application>')],
    ['an empty live', page('<application><name>a</name><live></live></application>')],
  ])('%s broadcasts nothing', async (_, body) => {
    expect(await list(start(() => body))).toEqual([])
  })

  test.each([
    ['007', '007'],
    ['1e3', '1e3'],
    ['cage-1/overhead', 'cage-1/overhead'],
    ['a b&amp;&lt;c&gt;?x#y%', 'a%20b%26%3Cc%3E%3Fx%23y%25'],
    ['käfig 🤖', 'k%C3%A4fig%20%F0%9F%A4%96'],
    ['&amp;lt;', '%26lt%3B'],
  ])('the stream %s plays at its encoded name', async (name, address) => {
    const [broadcast] = await list(start(() => page(application('live', stream(name)))))
    expect(broadcast?.hlsUrl).toBe(`https://live.example/hls/${address}.m3u8`)
  })

  test.each(['', '..', '../../etc', 'a//b'])('the stream %j is left out', async (name) => {
    expect(await list(start(() => page(application('live', stream(name)))))).toEqual([])
  })

  const live = page(application('live', stream('cage-1-overhead')))
  test.each([
    ['declares entities', `<!DOCTYPE rtmp [<!ENTITY a "a">]>${live}`],
    ['has an element without end', live.replace('</live>', '')],
    ['is no XML', 'nothing'],
  ])('a page that %s is refused', async (_, body) => {
    await expect(list(start(() => body))).rejects.toThrow()
  })

  test('the start of a broadcast does not waver', async () => {
    let now = nowMs
    let ageMs = 10_400
    const body = () =>
      page(application('live', stream('pits').replace('<time>9500<', `<time>${ageMs}<`)))
    const source = createNginxRtmp(start(body), hls, () => now)
    const readyUnix = async () => (await source(AbortSignal.timeout(2000)))[0]?.readyUnix
    expect(await readyUnix()).toBe(nowMs / 1000 - 10)
    // The page is old by some hundred milliseconds when it arrives.
    now += 2300
    ageMs += 1300
    expect(Math.round((now - ageMs) / 1000)).toBe(nowMs / 1000 - 9)
    expect(await readyUnix()).toBe(nowMs / 1000 - 10)
    ageMs = 10_300
    expect(await readyUnix()).toBe(nowMs / 1000 - 8)
    ageMs = 0
    expect(await readyUnix()).toBe(nowMs / 1000 + 2)
  })

  test.each([
    ['HTML', '<!DOCTYPE html><html><body>It works!</body></html>'],
    ['other XML', '<feed><entry/></feed>'],
    ['half a page', page().slice(0, 120)],
    ['a page that declares entities', `<!DOCTYPE r [<!ENTITY a "b">]>${page()}`],
    ['text', 'Bad Gateway'],
    ['nothing', ''],
    ['a stream without a name', page(application('a', '<stream><time>1</time></stream>'))],
    ['a stream of an odd age', page(application('a', stream('b').replace('9500', '-1')))],
    ['a deep page', `<rtmp>${'<a>'.repeat(9999)}${'</a>'.repeat(9999)}</rtmp>`],
    ['prototype names', '<rtmp><pid>1</pid><__proto__>1</__proto__></rtmp>'],
  ])('nginx-rtmp with %s is refused', async (_, body) => {
    await expect(list(start(() => body))).rejects.toThrow(/^the answer is not /)
  })
})
