import { cleanName } from '../../data/league/cleanName.ts'
import { tournamentsNewestFirst } from '../../data/league/order.ts'
import type { Dataset, Tournament, TournamentInfo } from '../../data/league/types.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import { editDistances } from './editDistance.ts'
import { monthNames, monthsByName } from './months.ts'
import { cleanWords, typedWords } from './nameWords.ts'
import { limits } from './tuning.ts'

/** The words of all tournament names and ids, each with the tournaments that have it. */
export interface TournamentSearch {
  readonly idsByWord: ReadonlyMap<string, readonly string[]>
  /** Tournament ids by clean id and by clean name, which several can share. */
  readonly idsByCleanText: ReadonlyMap<string, readonly string[]>
  /** Texts by tournament id. */
  readonly texts: ReadonlyMap<string, Texts>
  /** Words that most tournaments have in their names: the league's own name. */
  readonly leagueWords: ReadonlySet<string>
}

export interface FoundTournament {
  readonly tournament: Tournament
  /** Score from 0 to 1; 1 if every word of the text is there. */
  readonly score: number
}

const classNames = new Map([
  [1, 'antweight'],
  [3, 'beetleweight'],
  [6, 'mantisweight'],
  [12, 'hobbyweight'],
  [30, 'featherweight'],
  [60, 'lightweight'],
  [120, 'middleweight'],
  [220, 'heavyweight'],
  [250, 'heavyweight'],
  [340, 'superheavyweight'],
])
const classStems =
  'flea fairy nano plant ant beetle mantis hobby doge cruiser raptor feather sportsman light middle heavy superheavy'.split(
    ' ',
  )
const className =
  /^(flea|fairy|nano|plant|ant|beetle|mantis|hobby|doge|cruiser|raptor|feather|light|middle|heavy|superheavy)(weights?|s)$/
const pounds = /^0*(\d+)(lbs?|pounds?|pounders?)$/
const poundUnit = /^(lbs?|pounds?|pounders?)$/
const monthAndYear = /^([a-z]{3,9})(\d\d|20\d\d)$/
const yearOf = (text: string): string | undefined =>
  /^\d\d$/.test(text) ? `20${text}` : /^20\d\d$/.test(text) ? text : undefined

/** Clean words with months in full, years of four digits, `3lb` for `3 lbs` and class names as one. */
const tournamentWords = (text: string): string[] => {
  const words: string[] = []
  let [isAfterMonth, isNumber] = [false, false]
  for (const word of cleanWords(text)) {
    const month = monthsByName.get(word)
    const year = yearOf(word)
    const [, joinedMonth = '', joinedYear = ''] = monthAndYear.exec(word) ?? []
    const joined = monthsByName.get(joinedMonth)
    const [, weight] = pounds.exec(word) ?? []
    const [, ofClass] = className.exec(word) ?? []
    if (month) words.push(month)
    else if (isAfterMonth && year) words.push(year)
    else if (joined) words.push(joined, yearOf(joinedYear) ?? joinedYear)
    else if (weight !== undefined) words.push(`${weight}lb`)
    else if (isNumber && poundUnit.test(word)) words.push(`${Number(words.pop())}lb`)
    else if (ofClass !== undefined) words.push(`${ofClass}weight`)
    else words.push(word)
    isAfterMonth = month !== undefined
    isNumber = /^\d{1,4}$/.test(word)
  }
  return words
}

const wordsOf = (info: TournamentInfo): Set<string> => {
  const { id, name, weightClassPounds, weightClassName, weightGrams } = info
  const ofName = new Set(cleanWords(weightClassName ?? ''))
  const words = new Set([name, id, weightClassName ?? ''].flatMap(tournamentWords))
  const named = classStems.filter((stem) => ofName.has(stem) || words.has(`${stem}weight`))
  for (const stem of named) words.add(`${stem}weight`)
  if (weightClassPounds > 0) words.add(`${weightClassPounds}lb`)
  const ofClass = classNames.get(weightClassPounds)
  // A fairyweight of 150 g counts as 1 lb.
  const isSmaller = weightGrams !== null && weightGrams < 300 * weightClassPounds
  if (ofClass !== undefined && named.length === 0 && !isSmaller) words.add(ofClass)
  return words
}

/** Month and year of a tournament's start; empty without one. */
type StartWords = (info: TournamentInfo) => readonly string[]

const createStartWords = (timeZone: string): StartWords => {
  const format = new Intl.DateTimeFormat('en', { timeZone, month: 'numeric', year: 'numeric' })
  const known = new WeakMap<TournamentInfo, readonly string[]>()
  return (info) =>
    known.getOrInsertComputed(info, () => {
      const unix = info.startUnix ?? info.scheduledStartUnix
      if (unix === null) return []
      const parts = new Map(
        format.formatToParts(1000 * unix).map(({ type, value }) => [type, value]),
      )
      return [monthNames[Number(parts.get('month')) - 1] ?? '', parts.get('year') ?? '']
    })
}

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

interface Texts {
  readonly words: ReadonlySet<string>
  readonly nameWords: ReadonlySet<string>
  readonly cleanTexts: ReadonlySet<string>
  /** Name in the index for text that matches within words. */
  readonly typedName: string
  /** True if its name or id contains a month: then the month of its start is not read. */
  readonly hasMonth: boolean
}

const textsOf = (info: TournamentInfo): Texts => {
  const words = wordsOf(info)
  return {
    words,
    nameWords: new Set(tournamentWords(info.name)),
    cleanTexts: new Set([info.id, info.name].map(cleanName)),
    typedName: unspaced.test(info.name) ? typedWords(info.name).join(' ') : '',
    hasMonth: monthNames.some((month) => words.has(month)),
  }
}

export function* tournamentSearchSteps({ tournaments }: Dataset): Steps<TournamentSearch> {
  const idsByWord = new Map<string, string[]>()
  const idsByCleanText = new Map<string, string[]>()
  const nameCounts = new Map<string, number>()
  const texts = new Map<string, Texts>()
  const add = (ids: Map<string, string[]>, word: string, id: string): void => {
    ids.getOrInsertComputed(word, () => []).push(id)
  }
  for (const { info } of tournaments) {
    const own = textsOf(info)
    const { words, nameWords, cleanTexts } = own
    texts.set(info.id, own)
    for (const word of words) add(idsByWord, word, info.id)
    for (const text of cleanTexts) add(idsByCleanText, text, info.id)
    for (const word of nameWords) nameCounts.set(word, (nameCounts.get(word) ?? 0) + 1)
    yield
  }
  const { length } = tournaments
  const minCount =
    length < limits.leagueTournaments ? Number.POSITIVE_INFINITY : limits.leagueShare * length
  const leagueWords = [...nameCounts].flatMap(([word, count]) =>
    count >= minCount && !/\d/.test(word) && !monthsByName.has(word) ? [word] : [],
  )
  return { idsByWord, idsByCleanText, texts, leagueWords: new Set(leagueWords) }
}

/** Index by time zone (one per process): indexing the words of 1,300 tournaments takes a few milliseconds. */
const knownStartWords = new Map<string, StartWords>()

/**
 * Score of a word for a word of the text: the word itself, a word that begins with it, a word one edit away. A single
 * letter or digit begins too many words.
 */
const quality = (text: string, word: string): number => {
  if (word === text) return 1
  if (text.length > 1 && word.startsWith(text)) return 0.8
  if (text.length < 4 || Math.abs(word.length - text.length) > 1) return 0
  return editDistances(text, word, limits.oneEdit + 25).whole <= limits.oneEdit ? 0.6 : 0
}

/** Words that do not distinguish tournaments. */
const fillers = new Set('the a of in at tournament event cup results class weight vs'.split(' '))

/**
 * The tournaments with at least half of the words of a text, best first, then newest first. The
 * tournament of that very name or id comes before others that have the same words.
 */
export const searchTournaments = (
  { idsByWord, idsByCleanText, texts, leagueWords }: TournamentSearch,
  { tournaments, tournamentsByID }: Dataset,
  text: string,
  limit: number,
  timeZone = 'UTC',
): readonly FoundTournament[] => {
  const all = [...new Set(tournamentWords(text))].slice(0, limits.words)
  const telling = all.filter((word) => !(fillers.has(word) || leagueWords.has(word)))
  const words = telling.length > 0 ? telling : all
  const startWords = knownStartWords.getOrInsertComputed(timeZone, createStartWords)
  const sums = new Map<string, number>()
  const inner = new Map(
    typedWords(text).flatMap((typed) => (unspaced.test(typed) ? [[cleanName(typed), typed]] : [])),
  )
  for (const word of words) {
    const best = new Map<string, number>()
    const offer = (id: string, each: number): void => {
      if (each > (best.get(id) ?? 0)) best.set(id, each)
    }
    for (const [known, ids] of idsByWord) {
      const each = quality(word, known)
      if (each > 0) for (const id of ids) offer(id, each)
    }
    const isDate = /^20\d?\d?$/.test(word) || monthNames.some((month) => quality(word, month) > 0)
    const typed = inner.get(word)
    if (isDate || typed !== undefined) {
      for (const { info } of tournaments) {
        const own = texts.get(info.id)
        if (isDate && own?.hasMonth === false) {
          for (const known of startWords(info)) offer(info.id, quality(word, known))
        }
        if (typed !== undefined && own?.typedName.includes(typed)) offer(info.id, 0.8)
      }
    }
    for (const [id, each] of best) sums.set(id, (sums.get(id) ?? 0) + each)
  }
  const exact = new Set(idsByCleanText.get(cleanName(text)))
  for (const id of exact) sums.set(id, words.length)
  const isExact = ({ tournament }: FoundTournament): number => Number(exact.has(tournament.info.id))
  return [...sums]
    .flatMap(([id, sum]) => {
      const tournament = tournamentsByID.get(id)
      const score = Math.round((sum / words.length) * 1000) / 1000
      return tournament && score >= 0.5 ? [{ tournament, score }] : []
    })
    .sort(
      (a, b) =>
        isExact(b) - isExact(a) ||
        b.score - a.score ||
        tournamentsNewestFirst(a.tournament, b.tournament),
    )
    .slice(0, limit)
}
