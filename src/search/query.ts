import {
  cleanWords,
  isArticle,
  maskOf,
  maxNameLength,
  skeletonOf,
  soundOf,
  unleet,
  withDigits,
} from './nameWords.ts'

export interface Word {
  readonly text: string
  readonly mask: number
  /** Names nothing by itself, such as `team`. */
  readonly isFiller: boolean
}

/** One reading of a text. */
export interface Variant {
  readonly text: string
  readonly mask: number
  readonly words: readonly Word[]
  /** Cost of reading the text so, in bits. */
  readonly cost: number
  /** Words of another reading without those that name nothing. */
  readonly isCore: boolean
}

/** A text that is searched for, read once. */
export interface Query {
  /** Trimmed, in lower case. */
  readonly typed: string
  /** Whether punctuation was typed. */
  readonly isPunctuated: boolean
  readonly letters: string
  readonly sound: string
  readonly soundMask: number
  /** A few letters that may be initials. */
  readonly isShort: boolean
  /** The letters without their vowels, with and without words that name nothing. */
  readonly skeletons: readonly string[]
  /** No word has a vowel after its first letter. */
  readonly isWithoutVowels: boolean
  /** The text as it is comes first. */
  readonly variants: readonly [Variant, ...Variant[]]
}

/** More words of a query than this are not read. */
const maxWords = 8

const fillers = new Set(
  `team robot robots bot bots combat battlebot battlebots the a an of mr vs fight fights match class
  weight weightclass kg lb lbs pound pounds`.split(/\s+/),
)

const monthNames =
  'january february march april may june july august september october november december'.split(' ')
const months = new Set(monthNames.flatMap((month) => [month, month.slice(0, 3)]).concat('sept'))
const isYear = (word: string | undefined): boolean => /^(20)?\d\d$/.test(word ?? '')

const weight = /^\d+(lbs?|pounds?|kg|g)$/
const weightUnit = /^(lbs?|pounds?|kg)$/
const weightClass =
  /^(ant|beetle|cruiser|fairy|feather|flea|heavy|hobby|light|mantis|middle|plant|raptor|superheavy)weights?$/

/** Which words of a text are of no name: a team, a weight class, a date, the league. */
const fillersAmong = (
  words: readonly string[],
  leagueWords: ReadonlySet<string>,
): readonly boolean[] => {
  const isFiller = words.map((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]]
    if (fillers.has(word) || leagueWords.has(word)) return true
    if (weight.test(word) || weightClass.test(word)) return true
    if (/^\d+$/.test(word) && weightUnit.test(after ?? '')) return true
    if (/^20\d\d$/.test(word) && words.length > 1) return true
    if (isYear(word) && months.has(before ?? '')) return true
    return months.has(word) && (isYear(after) || (at > 0 && word.length > 3))
  })
  return isFiller.every(Boolean) ? words.map(() => false) : isFiller
}

const variantOf = (
  words: readonly string[],
  isFiller: readonly boolean[],
  cost: number,
  isCore = false,
): Variant => {
  const text = words.join('').slice(0, maxNameLength)
  return {
    text,
    mask: maskOf(text),
    words: words.map((word, at) => ({
      text: word,
      mask: maskOf(word),
      isFiller: isFiller[at] === true,
    })),
    cost,
    isCore,
  }
}

/** Cost of a word that names nothing; an article is rather typed where the name has one. */
export const fillerCost = (word: string): number => (isArticle(word) ? 1.4 : 0.4)
const digitsCost = 0.8
const lettersCost = 1.2

/** Words of a text as far as they are read. */
const readWords = (text: string): readonly string[] => {
  const words: string[] = []
  let length = 0
  for (const word of cleanWords(text.slice(0, 4 * maxNameLength)).slice(0, maxWords)) {
    if (length >= maxNameLength) break
    words.push(word.slice(0, maxNameLength - length))
    length += word.length
  }
  return words
}

/** A text as words in every reading; undefined for one that cleans to nothing. */
export const readQuery = (text: string, leagueWords: ReadonlySet<string>): Query | undefined => {
  const words = readWords(text)
  if (words.length === 0) return undefined
  const isFiller = fillersAmong(words, leagueWords)
  const plain = variantOf(words, isFiller, 0)
  const variants: [Variant, ...Variant[]] = [plain]
  const add = (variant: Variant): void => {
    if (!variants.some(({ text }) => text === variant.text)) variants.push(variant)
  }
  const core = words.filter((_, at) => !isFiller[at])
  add(variantOf(withDigits(words), isFiller, digitsCost))
  const dropped = Math.max(0, ...words.filter((_, at) => isFiller[at]).map(fillerCost))
  add(variantOf(core, [], dropped, true))
  add(variantOf(withDigits(core), [], dropped + digitsCost, true))
  const letters = unleet(core.join('').slice(0, maxNameLength))
  if (/[a-z]/.test(core.join(''))) add(variantOf(core.map(unleet), [], lettersCost))
  const sound = soundOf(letters)
  const skeletons = new Set([letters, unleet(plain.text)].map(skeletonOf))
  const typed = text.trim().toLowerCase()
  return {
    typed,
    isPunctuated: /[^\p{L}\p{N}\p{M}\s]/u.test(typed),
    isShort: words.length === 1 && plain.text.length <= 6,
    letters,
    sound,
    soundMask: maskOf(sound),
    skeletons: [...skeletons].filter((each) => each.length > 2),
    isWithoutVowels: core.every((word) => !/[aeiou]/.test(word.slice(1))),
    variants,
  }
}
