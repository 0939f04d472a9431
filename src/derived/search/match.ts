import { editDistances } from './editDistance.ts'
import { matched } from './matched.ts'
import type { Form, NameWords } from './nameWords.ts'
import type { Query } from './query.ts'
import { costs, limits, maxPartEditsOf, maxSoundEditsOf } from './tuning.ts'
import { exactCost, innerCost, lacksLetters, misspeltCost } from './wholeMatch.ts'
import { wordsCost } from './wordMatch.ts'

/** A range of a clean name: start, and end left out. */
export type Span = readonly [number, number]

/** Match of a text with a name. */
export interface Match {
  /** Cost in bits; 0 is the exact name. */
  readonly cost: number
  /** True if some of its letters differ. */
  readonly isMisspelt: boolean
  readonly form: Form
  /** Starts and ends of the matched parts of that form. */
  readonly ranges: readonly number[]
}

const formCost = (form: Form, { forms: [plain], letters: ofLetters }: NameWords): number => {
  if (form === plain) return 0
  return form === ofLetters ? costs.digitsAsLetters : costs.oneSpelling
}

type Best = { -readonly [Key in keyof Match]: Match[Key] }

const improve = (best: Best, cost: number, form: Form, isMisspelt = false): void => {
  if (cost >= best.cost) return
  best.cost = cost
  best.isMisspelt = isMisspelt
  best.form = form
  best.ranges = [matched.start, matched.end]
}

const improveWhole = (best: Best, cost: number, form: Form): void => {
  matched.start = 0
  matched.end = form.text.length
  improve(best, cost, form, true)
}

/** The text as typed. */
const matchExactly = (query: Query, words: NameWords, name: string, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    for (const form of words.forms) {
      improve(best, exactCost(variant, form) + formCost(form, words), form)
    }
  }
  if (best.cost > 0 && query.isSpecial && name.toLowerCase().startsWith(query.typed)) {
    matched.start = 0
    matched.end = query.variants[0].text.length
    improve(best, costs.typedAsSpelled, plain)
  }
}

/** The text as initials, or without vowels. */
const matchShortened = (query: Query, words: NameWords, best: Best): void => {
  const [plain] = words.forms
  if (query.maybeInitials) {
    const { text } = query.variants[0]
    const cost = text.length > 3 ? costs.longInitials : costs.initials
    if (cost < best.cost && words.initials.includes(text)) {
      best.cost = cost
      best.isMisspelt = false
      best.form = plain
      best.ranges = plain.starts.flatMap((start) => [start, start + 1])
    }
  }
  if (best.cost <= costs.consonants) return
  for (const each of query.consonants) {
    if (words.consonants === each) {
      improveWhole(
        best,
        query.isWithoutVowels ? costs.consonants : costs.consonantsWithVowels,
        plain,
      )
    } else if (query.isWithoutVowels && words.consonants.startsWith(each)) {
      improveWhole(best, costs.consonantsBegin, plain)
    }
  }
}

/** The words of the text in any order, some of them misspelt. */
const matchWords = (query: Query, words: NameWords, maxCost: number, best: Best): void => {
  for (const variant of query.variants) {
    if (variant.words.length === 1 || variant.isCore) continue
    for (const form of words.forms) {
      const extra = variant.cost + formCost(form, words)
      const cost = extra + wordsCost(variant, form, words, Math.min(maxCost, best.cost) - extra)
      if (cost >= best.cost) continue
      best.cost = cost
      best.isMisspelt = matched.isMisspelt
      best.form = form
      best.ranges = [...matched.words]
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
      if (bound > costs.misspelt) {
        improve(best, extra + misspeltCost(variant, form, words, bound), form, true)
      }
    }
  }
  if (best.cost <= limits.closeEnough) return
  const { phonetic, phoneticMask } = query
  const maxEdits = Math.min(
    maxSoundEditsOf(phonetic.length),
    10 * (Math.min(maxCost, best.cost) - costs.misspelt - costs.bySound),
  )
  if (phonetic.length < 3 || maxEdits < 0) return
  if (lacksLetters(phoneticMask, words.phoneticMask, maxEdits)) return
  const { whole, beginning } = editDistances(phonetic, words.phonetic, maxEdits)
  improveWhole(best, costs.misspelt + costs.bySound + whole / 10, plain)
  const maxPartEdits = Math.min(maxPartEditsOf(phonetic.length), maxSoundEditsOf(phonetic.length))
  if (phonetic.length < 4 || beginning > maxPartEdits) return
  matched.start = 0
  matched.end = query.variants[0].text.length
  improve(best, costs.misspeltBeginning + costs.bySound + beginning / 10, plain, true)
}

/** The text within the name. */
const matchInner = (query: Query, words: NameWords, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    improve(best, innerCost(variant, plain), plain)
  }
}

/** Matches a text with a name; a cost above the maximum may be too high or infinite. */
export const matchName = (query: Query, words: NameWords, name: string, maxCost: number): Match => {
  const best: Best = {
    cost: Number.POSITIVE_INFINITY,
    isMisspelt: false,
    form: words.forms[0],
    ranges: [],
  }
  matchExactly(query, words, name, best)
  if (best.cost === 0) return best
  matchInner(query, words, best)
  matchShortened(query, words, best)
  matchWords(query, words, maxCost, best)
  if (best.cost > limits.wholeCost) matchMisspelt(query, words, maxCost, best)
  return best
}

/** The ranges of the clean name that a text matches, ascending; whole words if the form differs from it. */
export const spansOf = (
  { form, ranges }: Match,
  { forms: [plain] }: NameWords,
): readonly Span[] => {
  const isPlain = form === plain || form.ends.every((each, at) => each === plain.ends[at])
  const spans: Span[] = []
  for (let at = 0; at < ranges.length; at += 2) {
    const [start = 0, end = 0] = [ranges[at], ranges[at + 1]]
    const first = form.starts.findLastIndex((each) => each <= start)
    const last = form.starts.findLastIndex((each) => each < end)
    spans.push(
      isPlain ? [start, end] : [plain.starts[first] ?? 0, plain.ends[last] ?? plain.text.length],
    )
  }
  return spans.sort(([a], [b]) => a - b)
}
