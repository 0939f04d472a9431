import { cleanName } from '../../data/league/cleanName.ts'
import {
  consonantsOfWords,
  inOneSpelling,
  isArticle,
  letterMask,
  phoneticKey,
  unleet,
  withoutUmlauts,
} from './spelling.ts'

/** Characters of a name or of a query that are compared. */
export const maxNameLength = 64

/** A name as one clean text, and the positions of its words. */
export interface Form {
  readonly text: string
  readonly mask: number
  /** Start of each word, CamelCase part and number; ascending, the first is 0. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Number of words before each, articles left out. */
  readonly leads: readonly number[]
}

/** The words of a form, parted at humps and around numbers. */
export const partsOf = ({ text, starts, ends }: Form): string[] =>
  starts.map((start, at) => text.slice(start, ends[at]))

/** Letters of the shorter of two joined words. */
export const minJoinedLength = 3

/** Positions at which a word may be two joined words, which only the rest of the league can tell: `flip|flop`. */
export const jointsOf = (word: string): number[] =>
  /^[a-z]+$/.test(word)
    ? Array.from(
        { length: Math.max(0, word.length - 2 * minJoinedLength + 1) },
        (_, at) => minJoinedLength + at,
      )
    : []

/** The initials of a word of two joined ones. */
export const initialsAt = (word: string, joint: number): string =>
  word.charAt(0) + word.charAt(joint)

const boundary =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u

/** Words, and every other character by itself: an emoji has a name, too. */
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
  return { text, mask: letterMask(text), starts, ends, leads }
}

const plainWords = /^[a-z0-9]+(?: [a-z0-9]+)*$/

/** The words of a text as clean texts: split at spaces and punctuation, not within words. */
export const cleanWords = (text: string): string[] =>
  plainWords.test(text)
    ? text.split(' ')
    : (withoutApostrophes(text.normalize('NFC')).match(tokens) ?? []).map(cleanName).filter(Boolean)

const latin = /^[\p{Script=Latin}\p{N}\p{M}]+$/u

/** The words of a text in lower case: clean, except words of other scripts, which stay as typed. */
export const typedWords = (text: string): string[] =>
  plainWords.test(text)
    ? text.split(' ')
    : (withoutApostrophes(text.normalize('NFC')).match(tokens) ?? []).flatMap((word) => {
        const clean = cleanName(word)
        if (clean === '') return []
        return latin.test(word) ? clean : word.toLowerCase()
      })

/** The words of a display name, each split at CamelCase humps and around numbers. */
const splitWords = (name: string): readonly (readonly string[])[] =>
  (withoutApostrophes(name.normalize('NFC')).match(tokens) ?? [])
    .map((word) => word.split(boundary).map(cleanName).filter(Boolean))
    .filter((parts) => parts.length > 0)

/** A word of a name that can be typed by itself. */
export interface Unit {
  readonly text: string
  readonly mask: number
  /** Position in the first form. */
  readonly start: number
  readonly lead: number
}

const smallWords = new Set(['of', 'and', 'n', 'to', 'in', 'on', 'with', 'for', 'from'])

const unitsOf = (words: readonly (readonly string[])[], { text, starts, leads }: Form): Unit[] => {
  const units: Unit[] = []
  let part = 0
  const add = (unit: string, at: number): void => {
    const start = starts[at]
    if (start === undefined || unit.length === text.length) return
    units.push({ text: unit, mask: letterMask(unit), start, lead: leads[at] ?? 0 })
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

/** Forms of a name that texts are compared with; depends only on the display name. */
export const nameWords = (name: string, clean: string) => {
  const split = splitWords(name)
  const words = split.flat().join('') === clean ? split : [[clean]]
  const parts = words.flat()
  const plain = formOf(parts)
  const forms: [Form, ...Form[]] = [plain]
  const respelled = withoutUmlauts(name)
  const ofRespelled = respelled === name ? parts : splitWords(respelled).flat()
  for (const other of [inOneSpelling(parts), ofRespelled]) {
    if (other === parts || other.length !== parts.length) continue
    const form = formOf(other)
    if (forms.every(({ text }) => text !== form.text)) forms.push(form)
  }
  const text = unleet(plain.text)
  const letters = text === plain.text ? plain : { ...plain, text, mask: letterMask(text) }
  if (letters !== plain) forms.push(letters)
  const phonetic = phoneticKey(text)
  return {
    /**
     * The name as spelled; then, if they differ, with words in one spelling, umlauts as two letters, and digits
     * as letters.
     */
    forms,
    /** Text with digits read as letters. */
    letters,
    /** Words and their parts, if there is more than one. */
    units: unitsOf(words, plain),
    phonetic,
    phoneticMask: letterMask(phonetic),
    consonants: consonantsOfWords(parts),
    /** First letters of all words, and of all words but articles, prepositions and the like. */
    initials: initialsOf(parts),
  }
}
export type NameWords = Readonly<ReturnType<typeof nameWords>>
