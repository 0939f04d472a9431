import { afterAll, beforeAll, expect, test } from 'bun:test'
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createFilmList,
  mediaFileAddress,
  openMediaFolder,
} from '../../scripts/import/csv/media.ts'
import type { Problem } from '../../scripts/import/problems.ts'
import { createPictureSizes } from '../../src/derived/media/pictureSizes.ts'
import { createLog } from '../../src/runtime/log.ts'
import { projectFolder, temporaryFolder } from '../process.ts'

/**
 * Sizes of pictures as ffmpeg writes them, and films as ffprobe reads them. Both are in a package of the system, so
 * this file is not among those that `bun run test` finds.
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
  const source = ['-f', 'lavfi', '-i', 'testsrc=s=600x402', '-frames:v', '1']
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
])('the size of $name is right', async ({ name, options }) => {
  await ffmpeg(name, ...options)
  expect(await pictureSizes(`${server.url}${name}`)).toEqual({ width: 600, height: 402 })
})

test('a film has no size', async () => {
  await ffmpeg('film.mp4')
  expect(await pictureSizes(`${server.url}film.mp4`)).toBeUndefined()
})

test('a film is listed once, and again when its file has another size or time', async () => {
  const films = await temporaryFolder()
  const path = join(films, 'axe.mp4')
  const film = await Bun.file(join(projectFolder, 'snapshot/media/clash_72p.mp4')).bytes()
  const write = async (bytes: Uint8Array | string, unix: number): Promise<void> => {
    await Bun.write(path, bytes)
    await utimes(path, unix, unix)
  }
  await write(film, 1)
  const media = openMediaFolder(films, undefined)
  const problems: Problem[] = []
  const listFilms = createFilmList()
  const addresses = [mediaFileAddress(media, 'axe.mp4'), 'https://v.example/b.mp4', null]
  const list = () => listFilms(media, addresses, (problem) => void problems.push(problem))
  const found = [await list(), await list()]
  await write(film, 2)
  found.push(await list())
  // An empty box at its end.
  await write(Buffer.concat([film, Buffer.from('\0\0\0\x08free')]), 2)
  found.push(await list())
  await write('no film', 2)
  found.push(await list(), await list())
  expect(found[0]?.[0]).toMatch(/^Film: axe\.mp4, \d+×72, \d:\d\d, \d\.\d MB$/)
  expect(found.map(({ length }) => length)).toEqual([1, 0, 1, 1, 0, 0])
  expect(problems.map(({ where }) => where)).toEqual(['axe.mp4', 'axe.mp4'])

  const source = ['-f', 'lavfi', '-i', 'color=size=32x16:rate=1', '-t', '121']
  expect(Bun.spawnSync(['ffmpeg', '-v', 'error', '-y', ...source, path]).exitCode).toBe(0)
  expect((await list())[0]).toStartWith('Film: axe.mp4, 32×16, 2:01, ')
})
