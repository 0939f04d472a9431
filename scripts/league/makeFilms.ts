import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createFightPicture } from './drawFight.ts'
import { films } from './films.ts'

const [width, height] = [640, 360]
const picturesPerSecond = 15
/** Every 8 s a picture that a player can begin with. */
const coding = ['-c:v', 'libx264', '-preset', 'veryslow', '-tune', 'animation', '-g', '120']
const form = ['-pix_fmt', 'yuv420p', '-movflags', '+faststart', '-map_metadata', '-1']
// One thread: the number of threads changes the bytes.
const steady = ['-threads', '1', '-fflags', '+bitexact', '-flags', '+bitexact']

/** Draws the films of the invented fight into a folder, at 72 and 360 lines each. Needs ffmpeg. */
export const makeFilms = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true })
  for (const { name, view, from, to } of films) {
    const output = (lines: number, quality: number): readonly string[] => [
      ...['-vf', `scale=-2:${lines}:flags=area`, '-crf', String(quality)],
      ...[...coding, ...form, ...steady, join(folder, `${name}_${lines}p.mp4`)],
    ]
    const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`]
    const ffmpeg = Bun.spawn(
      [
        ...['ffmpeg', '-hide_banner', '-loglevel', 'error', '-y', ...input],
        ...['-r', String(picturesPerSecond), '-i', '-', ...output(360, 37), ...output(72, 35)],
      ],
      { stdio: ['pipe', 'ignore', 'inherit'] },
    )
    const draw = createFightPicture(view, width, height)
    for (let index = 0; index < (to - from) * picturesPerSecond; index += 1) {
      ffmpeg.stdin.write(draw(from + index / picturesPerSecond))
      await ffmpeg.stdin.flush()
    }
    await ffmpeg.stdin.end()
    if ((await ffmpeg.exited) !== 0) throw new Error(`ffmpeg cannot make ${name}`)
  }
}
