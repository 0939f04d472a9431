import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLog } from '../../src/log.ts'
import { createPictureSizes } from '../../src/media/pictureSizes.ts'
import { temporaryFolder } from '../process.ts'

/**
 * Sizes of pictures as ffmpeg writes them. ffmpeg is a package of the system, so this file is not among
 * those that `bun run test` finds.
 */
const pictureSizes = createPictureSizes({ log: createLog('silent') })
let folder: string
let server: Bun.Server<undefined>

beforeAll(async () => {
  folder = await temporaryFolder()
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) => new Response(Bun.file(join(folder, new URL(url).pathname))),
  })
})
afterAll(() => server.stop(true))

const ffmpeg = async (name: string, ...options: readonly string[]): Promise<void> => {
  const source = ['-f', 'lavfi', '-i', 'testsrc=s=3000x2002', '-frames:v', '1']
  const command = ['ffmpeg', '-v', 'error', '-y', ...source, ...options, join(folder, name)]
  const made = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  if ((await made.exited) !== 0) throw new Error(await new Response(made.stderr).text())
}

test.each([
  { name: 'picture.jpg', options: ['-q:v', '1'] },
  { name: 'picture.png', options: [] },
  { name: 'picture.gif', options: [] },
  { name: 'lossy.webp', options: ['-c:v', 'libwebp'] },
  { name: 'lossless.webp', options: ['-c:v', 'libwebp', '-lossless', '1'] },
  {
    name: 'picture.avif',
    options: ['-c:v', 'libaom-av1', '-still-picture', '1', '-cpu-used', '8'],
  },
])('$name', async ({ name, options }) => {
  await ffmpeg(name, ...options)
  expect(await pictureSizes(`${server.url}${name}`)).toEqual({ width: 3000, height: 2002 })
})

test('a film has no size', async () => {
  await ffmpeg('film.mp4')
  expect(await pictureSizes(`${server.url}film.mp4`)).toBeUndefined()
})
