import { existsSync, readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { generatedStart } from '../../../src/data/league/media.ts'
import { CommandError } from '../../command.ts'
import { CellError, type Report } from '../problems.ts'

/** A folder of films that the service sends. */
export interface MediaFolder {
  readonly folder: string
  readonly names: ReadonlySet<string>
  /** Start of the URLs of its files. */
  readonly base: string
}

const isFilm = (name: string): boolean => /\.(mp4|m4v|mov|webm|mkv)$/i.test(name)

/**
 * The films of a folder. Their addresses begin with PUBLIC_URL; without it a service that serves a snapshot file and
 * this folder replaces the start of the addresses by its own.
 */
export const openMediaFolder = (folder: string, publicUrl: string | undefined): MediaFolder => {
  if (!existsSync(folder)) throw new CommandError(`the folder ${folder} does not exist`)
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter(isFilm)
  const base = publicUrl ? `${publicUrl.replace(/\/+$/, '')}/media/` : generatedStart
  return { folder, names: new Set(names), base }
}

/** Name of a file as the folder has it; letters with marks can be composed in one and decomposed in the other. */
const fileNamed = ({ names }: MediaFolder, name: string): string | undefined => {
  if (names.has(name)) return name
  const composed = name.normalize('NFC')
  return names.values().find((each) => each.normalize('NFC') === composed)
}

/** URL of a file of the folder. */
export const mediaFileAddress = (media: MediaFolder, cell: string): string => {
  const { base, folder } = media
  const name = fileNamed(media, cell.replaceAll('\\', '/').replace(/^\.\//, ''))
  if (name === undefined) throw new CellError(`${folder} has no film '${cell}'`)
  return base + name.split('/').map(encodeURIComponent).join('/')
}

/** File of a smaller version next to a film: `axe_360p.mp4` for `axe.mp4`; empty if there is none. */
export const smallerFile = (media: MediaFolder, cell: string, height: number): string =>
  fileNamed(media, cell.replace(/(\.\w+)$/, `_${height}p$1`)) ?? ''

/** `1920×1080, 1:35` as read by ffprobe; undefined if it is no film. */
const probe = async (path: string): Promise<string | undefined> => {
  const { stdout } = Bun.spawn(
    [
      ...['ffprobe', '-v', 'error', '-select_streams', 'v:0', '-of', 'csv=p=0:s=x'],
      ...['-show_entries', 'stream=width,height:format=duration', path],
    ],
    { stderr: 'ignore' },
  )
  const [, size, length] = /^(\d+x\d+)\s+([\d.]+)/.exec(await new Response(stdout).text()) ?? []
  if (size === undefined) return undefined
  const seconds = Math.round(Number(length))
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return `${size.replace('x', '×')}, ${clock}`
}

const probesAtOnce = 4

/** Sizes and lengths of the named films of a folder, each read once; nothing is read without ffprobe. */
export const createFilmList = () => {
  const known = new Set<string>()
  return async (
    { base, folder }: MediaFolder,
    addresses: readonly (string | null)[],
    report: Report,
  ): Promise<readonly string[]> => {
    if (Bun.which('ffprobe') === null) return []
    const limit = pLimit(probesAtOnce)
    const names = addresses.flatMap((each) =>
      each?.startsWith(base) ? decodeURIComponent(each.slice(base.length)) : [],
    )
    const lines = [...new Set(names)].map((name) =>
      limit(async () => {
        const path = join(folder, name)
        const { size, mtimeMs } = await stat(path)
        const key = JSON.stringify([name, size, mtimeMs])
        if (known.has(key)) return []
        const found = await probe(path)
        if (found) known.add(key)
        else report({ where: name, reason: 'this film cannot be read; save it as MP4' })
        return found ? [`Film: ${name}, ${found}, ${(size / 1e6).toFixed(1)} MB`] : []
      }),
    )
    return (await Promise.all(lines)).flat()
  }
}
