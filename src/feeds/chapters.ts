import type { Fight, Tournament } from '../league/types.ts'
import { isNamed } from '../pages/outcomes.ts'
import { clockText, fightNames, plainText, type Telling } from './text.ts'

/** Video sites drop a list with shorter chapters. */
const minChapterSeconds = 10

interface Options {
  /** Unix seconds at which the video begins; undefined for the first fight. */
  readonly startUnix: number | undefined
  /** Number of the only cage in the video; 0 for all. */
  readonly cage: number
  readonly telling: Telling
}

const chapterTitle = (fight: Fight, telling: Telling): string =>
  `${fightNames(fight, telling)} (${plainText(fight.name)})`

/**
 * Chapters of a tournament's video, a line for each fight, as video sites read them from a description: the first is at
 * 0:00, and fights that begin within ten seconds of each other share one. Without spoilers names that follow from an outcome are left out, too. Empty without a fight.
 */
export const buildChapters = (
  { info, fights }: Tournament,
  { startUnix, cage, telling }: Options,
): string => {
  const begun = fights
    .filter((fight) => cage === 0 || fight.cage === `Cage ${cage}`)
    .filter((fight) => isNamed(telling, fight))
    .flatMap((fight) => (fight.startUnix === null ? [] : [{ fight, unix: fight.startUnix }]))
    .sort((a, b) => a.unix - b.unix)
  const videoUnix = startUnix ?? begun[0]?.unix
  if (videoUnix === undefined) return ''
  const chapters: { readonly seconds: number; readonly titles: string[] }[] = []
  for (const { fight, unix } of begun) {
    const seconds = unix - videoUnix
    if (seconds < 0) continue
    const last = chapters.at(-1)
    if (last && seconds - last.seconds < minChapterSeconds)
      last.titles.push(chapterTitle(fight, telling))
    else if (!last && seconds > 0 && seconds < minChapterSeconds)
      chapters.push({ seconds: 0, titles: [chapterTitle(fight, telling)] })
    else {
      if (!last && seconds > 0) chapters.push({ seconds: 0, titles: [plainText(info.name)] })
      chapters.push({ seconds, titles: [chapterTitle(fight, telling)] })
    }
  }
  return chapters
    .map(({ seconds, titles }) => `${clockText(seconds)} ${titles.join(', ')}\n`)
    .join('')
}
