import { monthsByName } from './months.ts'
import { cleanWords, maxNameLength } from './nameWords.ts'
import {
  consonantsOfWords,
  inOneSpelling,
  isArticle,
  letterMask,
  phoneticKey,
  unleet,
} from './spelling.ts'
import { costs, limits } from './tuning.ts'

const stopWords = new Set(
  `team robot robots bot bots combat battlebot battlebots the a an of mr vs fight fights match class
  weight weightclass kg lb lbs pound pounds`.split(/\s+/),
)

const isYear = (word: string | undefined): boolean => /^(20)?\d\d$/.test(word ?? '')

const weight = /^\d+(lbs?|pounds?|kg|g)$/
const weightUnit = /^(lbs?|pounds?|kg)$/
const weightClass =
  /^(ant|beetle|cruiser|fairy|feather|flea|heavy|hobby|light|mantis|middle|plant|raptor|superheavy)weights?$/

/** Marks the stop words of a text; none if all of its words would be. */
const stopWordsAmong = (
  words: readonly string[],
  leagueWords: ReadonlySet<string>,
): readonly boolean[] => {
  const isStopWord = words.map((word, at) => {
    const [before, after] = [words[at - 1], words[at + 1]]
    if (stopWords.has(word) || leagueWords.has(word)) return true
    const first = word.charCodeAt(0)
    if (first < 58) {
      if (weight.test(word) || (weightUnit.test(after ?? '') && /^\d+$/.test(word))) return true
      return (
        (words.length > 1 && /^20\d\d$/.test(word)) ||
        (isYear(word) && monthsByName.has(before ?? ''))
      )
    }
    if (weightClass.test(word)) return true
    return monthsByName.has(word) && (isYear(after) || (at > 0 && word.length > 3))
  })
  if (!isStopWord.every(Boolean)) return isStopWord
  // `robot` can be a bot beside the name of the league.
  const ofLeague = words.map((word) => leagueWords.has(word))
  return ofLeague.every(Boolean) ? words.map(() => false) : ofLeague
}

interface Reading {
  readonly cost: number
  readonly articleCost?: number
  readonly isCore?: boolean
}

const variantOf = (
  words: readonly string[],
  isStopWord: readonly boolean[],
  { cost, articleCost = 0, isCore = false }: Reading,
) => {
  const text = words.join('').slice(0, maxNameLength)
  return {
    text,
    mask: letterMask(text),
    words: words.map((word, at) => ({
      text: word,
      mask: letterMask(word),
      /** True if it does not name a bot by itself: `team`, `robot`, a weight class, a date, the league. */
      isStopWord: isStopWord[at] === true,
    })),
    /** Cost in bits. */
    cost,
    /** Cost added if the text is only a part of the name: an article was typed that the reading omits. */
    articleCost,
    /** True for the words of another reading without its stop words. */
    isCore,
  }
}
/** One reading of a text. */
export type Variant = ReturnType<typeof variantOf>
export type Word = Variant['words'][number]

/** Cost of an unmatched stop word; an article is more likely typed if the name has one. */
export const stopWordCost = (word: string): number => (isArticle(word) ? 1.4 : 0.4)

/** Words of a text as far as they are read. */
const readWords = (text: string): readonly string[] => {
  const words: string[] = []
  let length = 0
  for (const word of cleanWords(text.slice(0, 4 * maxNameLength)).slice(0, limits.words)) {
    if (length >= maxNameLength) break
    words.push(word.slice(0, maxNameLength - length))
    length += word.length
  }
  return words
}

const punctuationOrOtherScript = /[^\p{L}\p{N}\p{M}\s]|(?!\p{Script=Latin})\p{L}/u

/** A text as words in every reading; undefined for one that cleans to nothing. */
export const readQuery = (text: string, leagueWords: ReadonlySet<string>) => {
  const words = readWords(text)
  if (words.length === 0) return undefined
  const isStopWord = stopWordsAmong(words, leagueWords)
  const plain = variantOf(words, isStopWord, { cost: 0 })
  const variants: [Variant, ...Variant[]] = [plain]
  const add = (
    variantWords: readonly string[],
    variantStopWords: readonly boolean[],
    reading: Reading,
  ): void => {
    const joined = variantWords.join('').slice(0, maxNameLength)
    if (variants.some((variant) => variant.text === joined)) return
    variants.push(variantOf(variantWords, variantStopWords, reading))
  }
  add(inOneSpelling(words), isStopWord, { cost: costs.oneSpelling })
  const dropped = words.filter((_, at) => isStopWord[at])
  const core = dropped.length > 0 ? words.filter((_, at) => !isStopWord[at]) : words
  const cost = Math.max(0, ...dropped.map(stopWordCost))
  const articleCost = dropped.some(isArticle) ? costs.partArticle : 0
  add(core, [], { cost, articleCost, isCore: true })
  add(inOneSpelling(core), [], { cost: cost + costs.oneSpelling, articleCost, isCore: true })
  const coreText = core.join('').slice(0, maxNameLength)
  const letters = unleet(coreText)
  if (letters !== coreText && /[a-z]/.test(coreText)) {
    add(words.map(unleet), isStopWord, { cost: costs.digitsAsLetters })
    add(core.map(unleet), [], { cost: cost + costs.digitsAsLetters, articleCost, isCore: true })
  }
  const phonetic = phoneticKey(letters)
  const consonants = new Set([core, words].map(consonantsOfWords))
  const typed = text.trim().toLowerCase()
  return {
    /** Trimmed, in lower case. */
    typed,
    /** True if the typed text distinguishes names with equal clean names: punctuation, other scripts. */
    isSpecial: punctuationOrOtherScript.test(typed),
    /** A few letters that may be initials. */
    maybeInitials: words.length === 1 && plain.text.length <= 6,
    phonetic,
    phoneticMask: letterMask(phonetic),
    /** The letters without their vowels, with and without stop words. */
    consonants: [...consonants].filter((each) => each.length > 2),
    /** No word has a vowel after its first letter. */
    isWithoutVowels: core.every((word) => !/[aeiou]/.test(word.slice(1))),
    /** The text as it is comes first. */
    variants,
  }
}
export type Query = NonNullable<ReturnType<typeof readQuery>>
