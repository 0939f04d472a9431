import { cleanName } from '../league/cleanName.ts'

/** No more letters of a name or of a query are compared. */
export const maxNameLength = 64

/** A name as one clean text, and where its words are. */
export interface Form {
  readonly text: string
  readonly mask: number
  /** Start of each word, hump and number; ascending, the first is 0. */
  readonly starts: readonly number[]
  /** End of each, by the same index. */
  readonly ends: readonly number[]
  /** Number of words before each that are no articles. */
  readonly leads: readonly number[]
}

/** Words that add nothing to a name. */
const articles = new Set(['the', 'a', 'an', 'le', 'la', 'el', 'der', 'die', 'das'])
export const isArticle = (word: string): boolean => articles.has(word)

const boundary =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u

/** Words as people write them, and every other character on its own: emoji have names, too. */
const tokens = /[\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}\s]/gu

/** An apostrophe does not end a word. */
const withoutApostrophes = (name: string): string => name.replace(/['’ʼ`´]/g, '')

const formOf = (parts: readonly string[]): Form => {
  const starts: number[] = []
  const ends: number[] = []
  const leads: number[] = []
  let text = ''
  let lead = 0
  for (const part of parts) {
    if (text.length >= maxNameLength) break
    starts.push(text.length)
    leads.push(lead)
    text = (text + part).slice(0, maxNameLength)
    ends.push(text.length)
    if (!isArticle(part)) lead += 1
  }
  return { text, mask: maskOf(text), starts, ends, leads }
}

/** The words of a text as clean texts: split at spaces and punctuation, not within words. */
export const cleanWords = (text: string): string[] =>
  (withoutApostrophes(text.normalize('NFC')).match(tokens) ?? []).map(cleanName).filter(Boolean)

/** The words of a display name, each split at CamelCase humps and around numbers. */
const tokensOf = (name: string, clean: string): readonly (readonly string[])[] => {
  const words = (withoutApostrophes(name.normalize('NFC')).match(tokens) ?? [])
    .map((word) => word.split(boundary).map(cleanName).filter(Boolean))
    .filter((parts) => parts.length > 0)
  return words.flat().join('') === clean ? words : [[clean]]
}

const numberWords =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen'.split(' ')
const romans = ' i ii iii iv v vi vii viii ix x xi xii xiii'.split(' ')
const numbers = new Map<string, string>()
numberWords.forEach((word, value) => {
  numbers.set(word, String(value))
})
romans.forEach((roman, value) => {
  if (value > 0) numbers.set(roman, String(value))
})

/** Words with numbers as digits, be they spelled out or Roman; the very list where there are none. */
export const withDigits = (words: readonly string[]): readonly string[] =>
  words.some((word) => numbers.has(word)) ? words.map((word) => numbers.get(word) ?? word) : words

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
}

/** A clean text whose digits are read as the letters they look like. */
export const unleet = (clean: string): string =>
  clean.replace(/[013457]/g, (digit) => lookalikes[digit] ?? digit)

const sounds: Readonly<Record<string, string>> = {
  ph: 'f',
  sch: 'sk',
  sc: 'sk',
  ck: 'k',
  qu: 'kw',
  q: 'k',
  x: 'ks',
  z: 's',
  igh: 'i',
  gh: 'g',
  wh: 'w',
  ee: 'i',
  ea: 'i',
  ie: 'i',
  ei: 'i',
  y: 'i',
  oo: 'u',
  ou: 'u',
  ew: 'u',
  ue: 'u',
}
const spellings = /ph|sch|sc(?![eiy])|ck|c(?=[eiy])|qu|[cqxzy]|igh|gh|wh|ee|ea|ie|ei|oo|ou|ew|ue/g

/** A text of letters spelled by its sound: `phoenix` and `foeniks` are one. */
export const soundOf = (letters: string): string =>
  letters
    .replace(spellings, (spelling, at: number) =>
      spelling === 'c'
        ? 'eiy'.includes(letters.charAt(at + 1) || ' ')
          ? 's'
          : 'k'
        : (sounds[spelling] ?? spelling),
    )
    .replace(/(.)\1+/g, '$1')

/** A text of letters without its vowels. */
export const skeletonOf = (letters: string): string => letters.replace(/[aeiou]/g, '')

/** Letters and digits of a clean text, a bit each; digits share six bits. */
export const maskOf = (text: string): number => {
  let mask = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    mask |= 1 << (code >= 97 ? code - 97 : 26 + (code % 6))
  }
  return mask
}

/** A word of a name that can be typed alone. */
export interface Unit {
  readonly text: string
  readonly mask: number
  /** Place in the first form. */
  readonly start: number
  readonly lead: number
}

/** Everything that a display name is compared by. Depends on the name alone. */
export interface NameWords {
  /** As spelled, then, where they differ, with numbers as digits and with digits as letters. */
  readonly forms: readonly [Form, ...Form[]]
  /** With digits as letters. */
  readonly letters: Form
  /** Words and their parts, where there is more than one. */
  readonly units: readonly Unit[]
  readonly sound: string
  readonly soundMask: number
  readonly skeleton: string
  /** First letters of all words, and of those that are no articles or `of` and the like. */
  readonly initials: readonly string[]
}

const smallWords = new Set(['of', 'and', 'n', 'to', 'in', 'on', 'with', 'for', 'from'])

const unitsOf = (words: readonly (readonly string[])[], { text, starts, leads }: Form): Unit[] => {
  const units: Unit[] = []
  let part = 0
  const add = (unit: string, at: number): void => {
    const start = starts[at]
    if (start === undefined || unit.length === text.length) return
    units.push({ text: unit, mask: maskOf(unit), start, lead: leads[at] ?? 0 })
  }
  for (const parts of words) {
    if (parts.length > 1) add(parts.join(''), part)
    for (const each of parts) {
      add(each, part)
      part += 1
    }
  }
  return units
}

const initialsOf = (parts: readonly string[]): string[] => {
  const significant = parts.filter((word) => !isArticle(word))
  const large = significant.filter((word) => !smallWords.has(word))
  const lists = [parts, significant, large].filter((words) => words.length > 1)
  return [...new Set(lists.map((words) => words.map((word) => word.charAt(0)).join('')))]
}

/** The digits of a name as numbers: a single letter at its start is no Roman one. */
const digitForm = (parts: readonly string[]): Form => {
  const [first = '', ...others] = parts
  return formOf(first.length === 1 ? [first, ...withDigits(others)] : withDigits(parts))
}

export const nameWords = (name: string, clean: string): NameWords => {
  const words = tokensOf(name, clean)
  const parts = words.flat()
  const plain = formOf(parts)
  const forms: [Form, ...Form[]] = [plain]
  const digits = digitForm(parts)
  if (digits.text !== plain.text) forms.push(digits)
  const text = unleet(plain.text)
  const letters = text === plain.text ? plain : { ...plain, text, mask: maskOf(text) }
  if (letters !== plain) forms.push(letters)
  const sound = soundOf(text)
  return {
    forms,
    letters,
    units: unitsOf(words, plain),
    sound,
    soundMask: maskOf(sound),
    skeleton: skeletonOf(text),
    initials: initialsOf(parts),
  }
}
