import { editDistances } from './editDistance.ts'
import { matched } from './matched.ts'
import type { Form, NameWords } from './nameWords.ts'
import type { Query } from './query.ts'
import {
  closeEnough,
  exactCost,
  innerCost,
  lacksLetters,
  maxPartEditsOf,
  misspelt,
  misspeltBeginning,
  misspeltCost,
} from './wholeMatch.ts'
import { type Span, wordsCost } from './wordMatch.ts'

/** How well a text matches a name. */
export interface Match {
  /** In bits; 0 is the exact name. */
  readonly cost: number
  /** Some of its letters differ. */
  readonly isMisspelt: boolean
}

/** Maximum cost of a result. */
export const maxMatchCost = 24

// Costs in bits.
const typedAsSpelled = 0.1
const oneSpelling = 0.8
const letters = 1.2
const initials = 6
/** Four letters or more are rarely initials by chance. */
const longInitials = 4.5
const consonants = 5
const consonantsBegin = 6.5
const consonantsWithVowels = 9
/** With the cheapest edit. */
const cheapestMisspelt = 3
const bySound = 2

/** Maximum cost of edits of a phonetic key, which has fewer letters, by its length. */
const maxSoundEdits = [0, 0, 0, 0, 0, 35, 50, 66]
const maxSoundEditsOf = (length: number): number => maxSoundEdits[length] ?? 100

const formCost = (form: Form, { forms: [plain], letters: ofLetters }: NameWords): number => {
  if (form === plain) return 0
  return form === ofLetters ? letters : oneSpelling
}

/** The best match so far. */
interface Best {
  cost: number
  isMisspelt: boolean
  /** Undefined where the cost alone is needed. */
  readonly spans: Span[] | undefined
}

/** Ranges of a form as ranges of the plain one; whole words where the two differ. */
const plainSpans = (spans: readonly Span[], form: Form, plain: Form): Span[] =>
  spans.map(([start, end]): Span => {
    if (form === plain || form.ends.every((each, at) => each === plain.ends[at])) {
      return [start, Math.min(end, plain.text.length)]
    }
    const first = form.starts.findLastIndex((each) => each <= start)
    const last = form.starts.findLastIndex((each) => each < end)
    return [plain.starts[first] ?? 0, plain.ends[last] ?? plain.text.length]
  })

const improve = (best: Best, cost: number, form: Form, plain: Form, isMisspelt = false): void => {
  if (cost >= best.cost) return
  best.cost = cost
  best.isMisspelt = isMisspelt
  if (!best.spans) return
  best.spans.length = 0
  best.spans.push(...plainSpans([[matched.start, matched.end]], form, plain))
}

const improveWhole = (best: Best, cost: number, plain: Form): void => {
  matched.start = 0
  matched.end = plain.text.length
  improve(best, cost, plain, plain, true)
}

/** The text as typed. */
const matchExactly = (query: Query, words: NameWords, name: string, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    for (const form of words.forms) {
      improve(best, exactCost(variant, form) + formCost(form, words), form, plain)
    }
  }
  if (best.cost > 0 && query.isSpecial && name.toLowerCase().startsWith(query.typed)) {
    matched.start = 0
    matched.end = query.variants[0].text.length
    improve(best, typedAsSpelled, plain, plain)
  }
}

/** The text as initials, or without vowels. */
const matchShortened = (query: Query, words: NameWords, best: Best): void => {
  const [plain] = words.forms
  if (query.maybeInitials) {
    const { text } = query.variants[0]
    const cost = text.length > 3 ? longInitials : initials
    if (cost < best.cost && words.initials.includes(text)) {
      best.cost = cost
      best.isMisspelt = false
      if (best.spans) {
        best.spans.length = 0
        for (const start of plain.starts) best.spans.push([start, start + 1])
      }
    }
  }
  if (best.cost <= consonants) return
  for (const each of query.consonants) {
    if (words.consonants === each) {
      improveWhole(best, query.isWithoutVowels ? consonants : consonantsWithVowels, plain)
    } else if (query.isWithoutVowels && words.consonants.startsWith(each)) {
      improveWhole(best, consonantsBegin, plain)
    }
  }
}

/** The words of the text in any order, some of them misspelt. */
const matchWords = (query: Query, words: NameWords, maxCost: number, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    if (variant.words.length === 1 || variant.isCore) continue
    for (const form of words.forms) {
      const spans: Span[] | undefined = best.spans ? [] : undefined
      const extra = variant.cost + formCost(form, words)
      const bound = Math.min(maxCost, best.cost) - extra
      const cost = extra + wordsCost(variant, form, words, bound, spans)
      if (cost >= best.cost) continue
      best.cost = cost
      best.isMisspelt = matched.isMisspelt
      if (!(best.spans && spans)) continue
      best.spans.length = 0
      best.spans.push(...plainSpans(spans, form, plain))
    }
  }
}

/** The whole text misspelt, by its letters and by its sound. */
const matchMisspelt = (query: Query, words: NameWords, maxCost: number, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    for (const form of words.forms) {
      const extra = variant.cost + formCost(form, words)
      const bound = Math.min(maxCost, best.cost) - extra
      if (bound > misspelt) {
        improve(best, extra + misspeltCost(variant, form, words, bound), form, plain, true)
      }
    }
  }
  if (best.cost <= closeEnough) return
  const { phonetic, phoneticMask } = query
  const maxEdits = Math.min(
    maxSoundEditsOf(phonetic.length),
    10 * (Math.min(maxCost, best.cost) - misspelt - bySound),
  )
  if (phonetic.length < 3 || maxEdits < 0) return
  if (lacksLetters(phoneticMask, words.phoneticMask, maxEdits)) return
  const { whole, beginning } = editDistances(phonetic, words.phonetic, maxEdits)
  improveWhole(best, misspelt + bySound + whole / 10, plain)
  const maxPartEdits = Math.min(maxPartEditsOf(phonetic.length), maxSoundEditsOf(phonetic.length))
  if (phonetic.length < 4 || beginning > maxPartEdits) return
  matched.start = 0
  matched.end = query.variants[0].text.length
  improve(best, misspeltBeginning + bySound + beginning / 10, plain, plain, true)
}

/** The text as a part of a word. */
const matchInner = (query: Query, words: NameWords, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    improve(best, innerCost(variant, plain.text), plain, plain)
  }
}

const matchAll = (
  query: Query,
  words: NameWords,
  name: string,
  maxCost: number,
  best: Best,
): void => {
  matchExactly(query, words, name, best)
  if (best.cost === 0) return
  matchInner(query, words, best)
  matchShortened(query, words, best)
  matchWords(query, words, maxCost, best)
  if (best.cost > cheapestMisspelt) matchMisspelt(query, words, maxCost, best)
}

const noMatch = (spans?: Span[]): Best => ({
  cost: Number.POSITIVE_INFINITY,
  isMisspelt: false,
  spans,
})

/** How well a text matches a name; a cost above the maximum may be too high or infinite. */
export const matchName = (query: Query, words: NameWords, name: string, maxCost: number): Match => {
  const best = noMatch()
  matchAll(query, words, name, maxCost, best)
  return best
}

/** The same for a name that does not begin with the text, nor any of its words. */
export const matchCandidate = (query: Query, words: NameWords, maxCost: number): Match => {
  const best = noMatch()
  matchInner(query, words, best)
  matchShortened(query, words, best)
  matchWords(query, words, maxCost, best)
  matchMisspelt(query, words, maxCost, best)
  return best
}

/** The ranges of the clean name that a text matches, ascending. */
export const spansOf = (query: Query, words: NameWords, name: string): readonly Span[] => {
  const spans: Span[] = []
  matchAll(query, words, name, maxMatchCost, noMatch(spans))
  return spans.toSorted(([a], [b]) => a - b)
}
