import { isNamed } from '../../api/fights/outcomes.ts'
import { fightWords } from '../../api/fights/words.ts'
import type { Fight, Tournament } from '../../data/league/types.ts'
import { clockSeconds, clockText, fightNames, plainText, type Telling } from './text.ts'

/** Minimum length of a chapter; video sites drop a list with shorter ones. */
const minChapterSeconds = 10

/** Pause after which a cage's fights belong to another day, and so to another video. */
const maxPauseSeconds = 6 * 3600

/** The video that chapters are for. */
export interface Video {
  /** Unix seconds at which the video begins; undefined means at its first fight. */
  readonly startUnix: number | undefined
  /** Unix seconds at which the video ends; undefined means after its last fight. */
  readonly endUnix: number | undefined
  /** Number of the only cage in the video; 0 means all cages. */
  readonly cage: number
  readonly telling: Telling
}

interface Begun {
  readonly fight: Fight
  readonly unix: number
}

/** The fights of a video by start. Without spoilers, fights that an outcome names are left out. */
const listBegun = (
  { fights }: Tournament,
  { startUnix = 0, endUnix = Number.POSITIVE_INFINITY, cage, telling }: Video,
): readonly Begun[] =>
  fights
    .filter((fight) => cage === 0 || fight.cage === `Cage ${cage}`)
    .filter((fight) => isNamed(telling, fight))
    .flatMap((fight) => (fight.startUnix === null ? [] : [{ fight, unix: fight.startUnix }]))
    .filter(({ unix }) => unix >= startUnix && unix < endUnix)
    .sort((a, b) => a.unix - b.unix)

interface Titles {
  /** Title of what comes before the first fight. */
  readonly opening: string
  readonly titleOf: (fight: Fight) => string
}

/** A stretch of a video that begins with a fight, or with the video. */
interface Chapter {
  /** Seconds from the start of the video. */
  readonly seconds: number
  readonly titles: string[]
  /** Length of the last chapter. */
  readonly maxSeconds: number
}

/**
 * Chapters of a video that begins at `startUnix`, by default with the first fight. The first chapter is at 0:00, and
 * fights that begin within ten seconds of each other share one. Empty if there is no fight.
 */
const buildChapters = (
  begun: readonly Begun[],
  { opening, titleOf }: Titles,
  startUnix = begun[0]?.unix ?? 0,
): readonly Chapter[] => {
  const chapters: Chapter[] = []
  for (const { fight, unix } of begun) {
    const seconds = unix - startUnix
    const maxSeconds = clockSeconds(fight)
    const last = chapters.at(-1)
    if (last && seconds - last.seconds < minChapterSeconds) last.titles.push(titleOf(fight))
    else if (!last && seconds < minChapterSeconds)
      chapters.push({ seconds: 0, titles: [titleOf(fight)], maxSeconds })
    else {
      if (!last) chapters.push({ seconds: 0, titles: [opening], maxSeconds })
      chapters.push({ seconds, titles: [titleOf(fight)], maxSeconds })
    }
  }
  return chapters
}

/** Fights split by cage, and where a cage pauses overnight; the part that begins first comes first. */
const partsOf = (begun: readonly Begun[]): readonly (readonly Begun[])[] => {
  const parts: Begun[][] = []
  for (const inCage of Map.groupBy(begun, ({ fight }) => fight.cage).values()) {
    for (const [at, each] of inCage.entries()) {
      const before = inCage[at - 1]
      if (before && each.unix - before.unix <= maxPauseSeconds) parts.at(-1)?.push(each)
      else parts.push([each])
    }
  }
  return parts.sort(([a], [b]) => (a?.unix ?? 0) - (b?.unix ?? 0))
}

/** A heading such as `Cage 2, 14 March 2026`. */
const headingOf = ([first]: readonly Begun[], timeZone: string): string => {
  if (!first) return ''
  const { fight, unix } = first
  const day = new Date(unix * 1000).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone })
  return `${fight.cage ? `${plainText(fight.cage)}, ` : ''}${day}\n`
}

/**
 * Chapters as video sites read them from a description, one line each. If the start of the video is not given, each day
 * and cage has a part with a heading: one list of a whole event is longer than the 5,000 characters of a description.
 */
export const chapterLines = (tournament: Tournament, video: Video, timeZone: string): string => {
  const titles: Titles = {
    opening: plainText(tournament.info.name),
    titleOf: (fight) => fightNames(fight, video.telling),
  }
  const begun = listBegun(tournament, video)
  const parts = video.startUnix === undefined ? partsOf(begun) : [begun]
  return parts
    .map((part) => {
      const lines = buildChapters(part, titles, video.startUnix).map(
        ({ seconds, titles }) => `${clockText(seconds)} ${titles.join(', ')}\n`,
      )
      return [parts.length > 1 ? headingOf(part, timeZone) : '', ...lines].join('')
    })
    .join('\n')
}

/** A time such as `00:01:05.000`. */
const cueTime = (seconds: number): string => {
  const rest = new Date(1000 * (seconds % 3600)).toISOString().slice(14, 23)
  return `${String(Math.floor(seconds / 3600)).padStart(2, '0')}:${rest}`
}

const cueText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Chapters as WebVTT, for the track of a player; each lasts until the next one, and the last until the video ends. */
export const chapterTrack = (tournament: Tournament, video: Video): string => {
  const { startUnix, endUnix, telling } = video
  const titleOf = (fight: Fight): string =>
    `${fightNames(fight, telling)} (${plainText(fightWords(fight))})`
  const begun = listBegun(tournament, video)
  const opening = plainText(tournament.info.name)
  const chapters = buildChapters(begun, { opening, titleOf }, startUnix)
  const maxSeconds = (endUnix ?? Number.POSITIVE_INFINITY) - (startUnix ?? begun[0]?.unix ?? 0)
  const cues = chapters.map(({ seconds, titles, ...chapter }, at) => {
    const end = chapters[at + 1]?.seconds ?? Math.min(seconds + chapter.maxSeconds, maxSeconds)
    return `\n${cueTime(seconds)} --> ${cueTime(end)}\n${cueText(titles.join(', '))}\n`
  })
  return `WEBVTT\n${cues.join('')}`
}
