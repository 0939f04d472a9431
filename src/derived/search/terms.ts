import { initialsAt, jointsOf, type NameWords, partsOf } from './nameWords.ts'
import type { Query } from './query.ts'
import { phoneticKey, unleet } from './spelling.ts'
import { limits } from './tuning.ts'

// A term is a short text that a name and a misspelt query for it have in common. Its first character
// distinguishes terms: `^` marks a trigram at the start, `-` a word with at most one letter deleted, `~`
// the consonants of a name, `!` its initials, `=` the sorted letters at the start of a word, `_` a whole
// word, `|` and `?` the end and the initials of a word that may be two joined ones; all others are pairs and
// triples of letters.

/** Trigrams of a text, with a mark before its start. */
const addTrigrams = (terms: Set<string>, text: string): void => {
  const marked = `^${text}`
  const last = Math.max(1, marked.length - 2)
  for (let at = 0; at < last; at += 1) terms.add(marked.slice(at, at + 3))
}

const addPairs = (terms: Set<string>, text: string, maxLength: number): void => {
  if (text.length > maxLength) return
  for (let at = 0; at < text.length - 1; at += 1) terms.add(text.slice(at, at + 2))
}

/** Adds a short word, and the word without each of its letters: two words one edit apart share one. */
const addDeletions = (terms: Set<string>, word: string, maxLength: number): void => {
  if (word.length < 2 || word.length > maxLength) return
  terms.add(`-${word}`)
  if (word.length < 3) return
  for (let at = 0; at < word.length; at += 1) {
    terms.add(`-${word.slice(0, at)}${word.slice(at + 1)}`)
  }
}

/** The first letters of a word in alphabetical order: `mrosk` begins as `morsk` does. */
const startTerm = (text: string): string =>
  `=${[...text.slice(0, limits.startLength)].sort().join('')}`

/** Terms under which a name is indexed. */
export const nameTerms = (words: NameWords): ReadonlySet<string> => {
  const { forms, units, phonetic, consonants, initials } = words
  const terms = new Set<string>()
  const [plain, ...others] = forms
  addTrigrams(terms, phonetic)
  addPairs(terms, phonetic, limits.pairLength)
  for (const { text } of others) addTrigrams(terms, phoneticKey(unleet(text)))
  for (const { starts, text } of forms) {
    for (const start of starts) {
      const begun = `^${phoneticKey(unleet(text.slice(start, start + 5)))}`
      terms.add(begun.slice(0, 3)).add(begun.slice(0, 4))
      if (text.length - start >= limits.startLength) terms.add(startTerm(text.slice(start)))
    }
  }
  for (const part of partsOf(plain)) {
    terms.add(wordTerm(part))
    for (const joint of jointsOf(part)) {
      terms.add(endTerm(part.slice(joint)))
      if (plain.starts.length === 1) terms.add(joinedInitialsTerm(initialsAt(part, joint)))
    }
  }
  addDeletions(terms, plain.text, limits.nameDeletionLength)
  for (const { text } of units)
    if (text.length > 2) addDeletions(terms, text, limits.deletionLength)
  if (consonants.length > 2) terms.add(`~${consonants}`)
  for (const each of initials) terms.add(initialsTerm(each))
  return terms
}

/** Terms of a whole word, of the end of a word, and of the possible initials of two joined words. */
export const wordTerm = (word: string): string => `_${word}`
export const endTerm = (end: string): string => `|${end}`
export const joinedInitialsTerm = (initials: string): string => `?${initials}`

export const initialsTerm = (initials: string): string => `!${initials}`

/** Terms to look up a query by: first of the whole text, then of each of its words. */
export const queryTerms = ({ variants, consonants }: Query): readonly ReadonlySet<string>[] => {
  const whole = new Set<string>()
  const byWord = new Map<string, Set<string>>()
  const addTerms = (
    terms: Set<string>,
    text: string,
    phonetic: string,
    maxLength: number,
  ): void => {
    addTrigrams(terms, phonetic)
    terms.add(`^${phonetic.slice(0, 3)}`)
    addDeletions(terms, text, maxLength)
  }
  for (const { text, words } of variants) {
    if (words.length <= limits.wordsOfWhole) {
      const phonetic = phoneticKey(unleet(text))
      addTerms(whole, text, phonetic, limits.deletionLength + 2)
      addPairs(whole, phonetic, limits.pairLength + 1)
      if (text.length >= limits.startLength) whole.add(startTerm(text))
    }
    if (words.length === 1) continue
    for (const word of words) {
      if (word.isStopWord || byWord.has(word.text)) continue
      const terms = new Set<string>()
      addTerms(terms, word.text, phoneticKey(unleet(word.text)), limits.deletionLength + 1)
      byWord.set(word.text, terms)
    }
  }
  for (const each of consonants) whole.add(`~${each}`)
  return [whole, ...byWord.values()]
}

/** Weight of a shared term: pairs and triples of letters are often shared by chance. */
export const termWeight = (term: string): number => {
  if (term.startsWith('=')) return 3
  return '-~!'.includes(term.charAt(0)) ? 6 : 1
}
