import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { LiveStreamGroups } from '../../src/api/streams/schema.ts'
import { runNginx } from '../deployed.ts'
import { freePort } from '../freePort.ts'
import { type Running, startService, stopService, temporaryFolder } from '../process.ts'

/**
 * The real parts: nginx with its RTMP module, and ffmpeg to publish and to play. They are packages of
 * the system, so this file is not among those that `bun run test` finds.
 */
const rtmpModule = '/usr/lib/nginx/modules/ngx_rtmp_module.so'

const rtmpConfig = (port: number, folder: string): string => `
load_module ${rtmpModule};
rtmp {
  server {
    listen 127.0.0.1:${port};
    application live {
      live on;
      hls on;
      hls_path ${folder}/hls;
      hls_fragment 1s;
      hls_playlist_length 10s;
    }
  }
}
`
const httpConfig = (port: number, folder: string): string => `
access_log off;
server {
  listen 127.0.0.1:${port};
  location /stat { rtmp_stat all; }
  location /hls/ {
    types { application/vnd.apple.mpegurl m3u8; video/mp2t ts; }
    alias ${folder}/hls/;
  }
}
`

const started: Bun.Subprocess[] = []
const run = (...command: string[]): Bun.Subprocess => {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'inherit' })
  started.push(child)
  return child
}
const end = async (child: Bun.Subprocess): Promise<void> => {
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), 5000)
  await child.exited
  clearTimeout(killer)
}

/** Sends a test picture and a tone until it is ended. */
const publish = (address: string, source: string): Bun.Subprocess => {
  const quiet = ['-hide_banner', '-loglevel', 'fatal', '-nostdin']
  const picture = ['-re', '-f', 'lavfi', '-i', `${source}=size=160x90:rate=10`]
  const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100']
  const video = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '10']
  const sound = ['-c:a', 'aac', '-shortest', '-t', '120']
  return run('ffmpeg', ...quiet, ...picture, ...tone, ...video, ...sound, '-f', 'flv', address)
}

/** The codecs that a player finds at a URL; empty while nothing can be played. */
const play = async (address: string): Promise<readonly string[]> => {
  const child = Bun.spawn(
    ['ffprobe', '-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', address],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', timeout: 10_000 },
  )
  const found = (await new Response(child.stdout).text()).split(/\s+/).filter(Boolean)
  // ffprobe prints each codec twice: as part of a programme, and by itself.
  return [...new Set(found)].sort()
}

const eventually = async <T>(look: () => Promise<T>, fits: (found: T) => boolean): Promise<T> => {
  const deadline = performance.now() + 30_000
  for (;;) {
    const found = await look()
    if (fits(found)) return found
    if (performance.now() > deadline) throw new Error(`it stayed ${JSON.stringify(found)}`)
    await Bun.sleep(250)
  }
}

type Groups = LiveStreamGroups['groups']
const listing = TypeCompiler.Compile(LiveStreamGroups)

describe('/live/streams over nginx with the RTMP module', () => {
  let nginx: Bun.Subprocess
  let service: Running | undefined
  let overhead: Bun.Subprocess
  let rtmp = ''

  const ask = (path: string) => fetch(`${service?.url}${path}`)
  const answer = () => ask('/live/streams')
  const groups = async (): Promise<Groups> => {
    const response = await answer()
    const body = await response.json()
    return listing.Check(body) ? body.groups : {}
  }
  const paths = (found: Groups): readonly string[] =>
    Object.values(found)
      .flat()
      .map(({ path }) => path)

  beforeAll(async () => {
    const folder = await temporaryFolder()
    const [rtmpPort, httpPort] = [freePort(), freePort()]
    await mkdir(join(folder, 'hls'), { mode: 0o777 })
    // The worker may run as another user than the creator of the folder.
    run('chmod', '-R', 'a+rwX', folder)
    nginx = await runNginx(folder, httpConfig(httpPort, folder), {
      before: rtmpConfig(rtmpPort, folder),
    })
    started.push(nginx)
    rtmp = `rtmp://127.0.0.1:${rtmpPort}/live`
    service = await startService({
      STREAM_KIND: 'nginx-rtmp',
      STREAM_API_URL: `http://127.0.0.1:${httpPort}/stat`,
      STREAM_HLS_URL: `http://127.0.0.1:${httpPort}/hls`,
    })
  })

  afterAll(async () => {
    await Promise.all(started.map(end))
    if (service) await stopService(service)
  })

  test('/live/streams has no groups if nobody publishes', async () => {
    const response = await eventually(answer, ({ status }) => status === 200)
    expect(await response.json()).toEqual({ groups: {} })
  })

  test('two test pictures are listed by location, and play', async () => {
    const before = Math.floor(Date.now() / 1000)
    overhead = publish(`${rtmp}/cage-1-overhead`, 'testsrc')
    publish(`${rtmp}/pits_wide`, 'smptebars')
    const found = await eventually(groups, (now) => paths(now).length === 2)
    expect(found).toEqual({
      'Cage 1': [expect.objectContaining({ path: 'cage-1-overhead', name: 'overhead' })],
      Pits: [expect.objectContaining({ path: 'pits_wide', name: 'wide' })],
    })
    for (const { hlsUrl, readyTime, viewers, tracks } of Object.values(found).flat()) {
      expect(readyTime).toBeGreaterThanOrEqual(before - 1)
      expect(readyTime).toBeLessThanOrEqual(Date.now() / 1000 + 1)
      expect(viewers).toBe(0)
      expect(tracks).toEqual(['H264', 'AAC'])
      // The playlist begins with the first whole second of film.
      const codecs = await eventually(
        () => play(hlsUrl),
        ({ length }) => length === 2,
      )
      expect(codecs).toEqual(['aac', 'h264'])
    }
  })

  test('viewers are counted', async () => {
    const viewer = run(
      ...['ffmpeg', '-loglevel', 'quiet', '-nostdin', '-i', `${rtmp}/pits_wide`],
      ...['-t', '60', '-f', 'null', '-'],
    )
    await eventually(groups, (now) => now.Pits?.[0]?.viewers === 1)
    await end(viewer)
    await eventually(groups, (now) => now.Pits?.[0]?.viewers === 0)
  })

  test('a publisher that stops takes its stream off the list', async () => {
    await end(overhead)
    const found = await eventually(groups, (now) => paths(now).length === 1)
    expect(paths(found)).toEqual(['pits_wide'])
  })

  test('a stopped streaming server gives 502, and the league is still there', async () => {
    await end(nginx)
    const response = await eventually(answer, ({ status }) => status === 502)
    expect(await response.json()).toEqual({ error: expect.any(String) })
    expect((await ask('/tournaments')).status).toBe(200)
  })
})
