import { isNamed } from '../../api/fights/outcomes.ts'
import { fightWords } from '../../api/fights/words.ts'
import type { Fight, Tournament } from '../../data/league/types.ts'
import { clockSeconds, clockText, fightNames, plainText, type Telling } from './text.ts'

/** Minimum length of a chapter; video sites drop a list with shorter ones. */
const minChapterSeconds = 10

interface Options {
  /** Unix seconds at which the video begins; undefined means at the first fight. */
  readonly startUnix: number | undefined
  /** Number of the only cage in the video; 0 means all cages. */
  readonly cage: number
  readonly telling: Telling
}

const chapterTitle = (fight: Fight, telling: Telling): string =>
  `${fightNames(fight, telling)} (${plainText(fightWords(fight))})`

/** A stretch of a video that begins with a fight, or with the video. */
interface Chapter {
  /** Seconds from the start of the video. */
  readonly seconds: number
  readonly titles: string[]
  /** Length of the last chapter. */
  readonly maxSeconds: number
}

/**
 * Chapters of a tournament's video, one per fight: the first is at 0:00, and fights that begin within ten seconds of
 * each other share one. Without spoilers, names that follow from an outcome are left out. Empty if there is no fight.
 */
const buildChapters = (
  { info, fights }: Tournament,
  { startUnix, cage, telling }: Options,
): readonly Chapter[] => {
  const begun = fights
    .filter((fight) => cage === 0 || fight.cage === `Cage ${cage}`)
    .filter((fight) => isNamed(telling, fight))
    .flatMap((fight) => (fight.startUnix === null ? [] : [{ fight, unix: fight.startUnix }]))
    .sort((a, b) => a.unix - b.unix)
  const videoUnix = startUnix ?? begun[0]?.unix
  if (videoUnix === undefined) return []
  const chapters: Chapter[] = []
  for (const { fight, unix } of begun) {
    const seconds = unix - videoUnix
    if (seconds < 0) continue
    const maxSeconds = clockSeconds(fight)
    const last = chapters.at(-1)
    if (last && seconds - last.seconds < minChapterSeconds)
      last.titles.push(chapterTitle(fight, telling))
    else if (!last && seconds > 0 && seconds < minChapterSeconds)
      chapters.push({ seconds: 0, titles: [chapterTitle(fight, telling)], maxSeconds })
    else {
      if (!last && seconds > 0)
        chapters.push({ seconds: 0, titles: [plainText(info.name)], maxSeconds })
      chapters.push({ seconds, titles: [chapterTitle(fight, telling)], maxSeconds })
    }
  }
  return chapters
}

/** Chapters as video sites read them from a description: one line each. */
export const chapterLines = (tournament: Tournament, options: Options): string =>
  buildChapters(tournament, options)
    .map(({ seconds, titles }) => `${clockText(seconds)} ${titles.join(', ')}\n`)
    .join('')

/** A time such as `00:01:05.000`. */
const cueTime = (seconds: number): string => {
  const rest = new Date(1000 * (seconds % 3600)).toISOString().slice(14, 23)
  return `${String(Math.floor(seconds / 3600)).padStart(2, '0')}:${rest}`
}

const cueText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Chapters as WebVTT, for the track of a player; each lasts until the next one. */
export const chapterTrack = (tournament: Tournament, options: Options): string => {
  const chapters = buildChapters(tournament, options)
  const cues = chapters.map(({ seconds, titles, maxSeconds }, at) => {
    const end = chapters[at + 1]?.seconds ?? seconds + maxSeconds
    return `\n${cueTime(seconds)} --> ${cueTime(end)}\n${cueText(titles.join(', '))}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}
