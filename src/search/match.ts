import { editDistances } from './editDistance.ts'
import type { Form, NameWords } from './nameWords.ts'
import { fillerCost, type Query, type Variant, type Word } from './query.ts'

/** A stretch of the plain clean name: start, and end left out. */
export type Span = readonly [number, number]

/** How a text fits a name. */
export interface Fit {
  /** In bits; 0 is the very name. */
  readonly cost: number
  /** Some of its letters are wrong. */
  readonly isMisspelt: boolean
}

/** Nothing that costs more is an answer. */
export const maxCost = 24

// Costs in bits. A name that begins so and one with a later word that begins so differ by a factor of
// six in fights; one wrong letter costs a factor of twenty or more.
const typedAsSpelled = 0.1
const wholeWithoutArticle = 0.3
const articleLeftOut = 1
const begins = 2.5
const laterWord = 5
/** One or two letters are rather the beginning of a name. */
const laterWordOfShort = 6
const withinWord = 0.25
const inner = 7
const innerEnd = 6
/** For each halving of the share of a name that is typed. */
const untyped = 0.2
const initials = 6
const skeleton = 5
const skeletonBegins = 6.5
const skeletonWithOthers = 9
const misspelt = 1
/** With the cheapest edit. */
const cheapestMisspelt = 3
const misspeltBeginning = 4
const misspeltFirstWord = 3.5
const misspeltLaterWord = 5.5
const bySound = 2

/** One slip of the finger: no other reading of the text is tried. */
const closeEnough = 6.5

/** Edits that a text may need, in tenths of a bit, by its length. */
const editBounds = [0, 0, 0, 50, 56, 70, 105, 125, 140, 150, 165]
const editBound = (length: number): number => editBounds[length] ?? 180
/** For a beginning or a single word, which many names have in common. */
const partBounds = [0, 0, 0, 0, 50, 50, 71, 80, 100, 120]
const partBound = (length: number): number => partBounds[length] ?? 130

/** For a text as it sounds, of which less is left. */
const soundBounds = [0, 0, 0, 0, 0, 35, 50, 66]
const soundBound = (length: number): number => soundBounds[length] ?? 100

/** Cheapest edit by which a letter appears that the name does not have. */
const cheapestLetter = 35

const bitCount = (mask: number): number => {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** Whether letters of the text that the name lacks take more edits than allowed. */
const isTooStrange = (mask: number, nameMask: number, bound: number): boolean => {
  const missing = mask & ~nameMask
  return missing !== 0 && bitCount(missing) * cheapestLetter > bound
}

/** Found by the comparison that ran last; read at once. */
let lastStart = 0
let lastEnd = 0
let isLastMisspelt = false

/** The text as it is: the whole name, its beginning, the beginning of a later word, a part of a word. */
const strictCost = (text: string, { text: name, starts, ends, leads }: Form): number => {
  lastStart = 0
  lastEnd = text.length
  if (text === name) return 0
  for (let at = 0; at < starts.length; at += 1) {
    const start = starts[at] ?? 0
    if (!name.startsWith(text, start)) continue
    lastStart = start
    lastEnd = start + text.length
    const atWordEnd = ends.includes(lastEnd) ? 0 : withinWord
    const isFirst = leads[at] === 0
    if (isFirst && lastEnd === name.length) return wholeWithoutArticle
    const rest = untyped * Math.log2(name.length / text.length)
    const isShort = text.length <= 2
    return (isFirst ? begins : isShort ? laterWordOfShort : laterWord) + atWordEnd + rest
  }
  return Number.POSITIVE_INFINITY
}

/** The text as a part of a word. */
const innerCost = (text: string, name: string): number => {
  if (text.length < 4) return Number.POSITIVE_INFINITY
  const at = name.indexOf(text)
  if (at < 0) return Number.POSITIVE_INFINITY
  lastStart = at
  lastEnd = at + text.length
  return lastEnd === name.length ? innerEnd : inner
}

/** The whole text misspelt: the name, its beginning, or one of its words. */
const misspeltCost = (variant: Variant, form: Form, words: NameWords, most: number): number => {
  const { text, mask } = variant
  const bound = Math.min(editBound(text.length), 10 * (most - misspelt))
  let cost = Number.POSITIVE_INFINITY
  if (bound <= 0) return cost
  const from = form.leads[1] === 0 ? (form.starts[1] ?? 0) : 0
  if (!isTooStrange(mask, form.mask, bound)) {
    const name =
      from > 0 && !text.startsWith(form.text.slice(0, from)) ? form.text.slice(from) : form.text
    const { whole, beginning, beginningLength } = editDistances(text, name, bound)
    const shift = form.text.length - name.length
    lastStart = shift
    if (whole < Number.POSITIVE_INFINITY) {
      cost = misspelt + whole / 10 + (shift > 0 ? articleLeftOut : 0)
      lastEnd = form.text.length
    }
    if (beginning <= partBound(text.length) && misspeltBeginning + beginning / 10 < cost) {
      cost = misspeltBeginning + beginning / 10
      lastEnd = shift + beginningLength
    }
  }
  if (cost <= closeEnough) return cost
  for (const unit of words.units) {
    const base = unit.lead === 0 ? misspeltFirstWord : misspeltLaterWord
    const unitBound = Math.min(partBound(text.length), 10 * (Math.min(most, cost) - base))
    if (unitBound <= 0 || isTooStrange(mask, unit.mask, unitBound)) continue
    const { whole } = editDistances(text, unit.text, unitBound)
    if (base + whole / 10 >= cost) continue
    cost = base + whole / 10
    lastStart = unit.start
    lastEnd = unit.start + unit.text.length
  }
  return cost
}

// Words ---------------------------------------------------------------------------------------

const unmatchedWord = 7
const unmatchedLetter = 1.5
const allWords = 0.6
const begunWords = 2
const firstWordAmong = 2.5
const noFirstWord = 4
const otherOrder = 1.5
const begunLastWord = 0.7
const begunWord = 1.6
const begunShortWord = 3
const wordInner = 4
const wordMisspelt = 1

const begunCost = (text: string, isLast: boolean): number => {
  if (isLast) return begunLastWord
  return text.length > 2 ? begunWord : begunShortWord
}

/** One word of the text against the name; where it fits is left in `lastStart` and `lastEnd`. */
const wordCost = (
  { text, mask }: Word,
  isLast: boolean,
  { text: name, starts, ends, mask: nameMask }: Form,
  { units }: NameWords,
  most: number,
): number => {
  let cost = Number.POSITIVE_INFINITY
  isLastMisspelt = false
  for (const start of starts) {
    if (!name.startsWith(text, start)) continue
    const end = start + text.length
    const isWhole = ends.includes(end)
    const begun = isWhole ? 0 : begunCost(text, isLast)
    if (begun >= cost) continue
    cost = begun
    lastStart = start
    lastEnd = end
  }
  if (cost < Number.POSITIVE_INFINITY || text.length < 3) return cost
  if (text.length >= 4) {
    const at = name.indexOf(text)
    if (at >= 0) {
      lastStart = at
      lastEnd = at + text.length
      return wordInner
    }
  }
  const bound = Math.min(editBound(text.length), 10 * (most - wordMisspelt))
  if (bound <= 0 || isTooStrange(mask, nameMask, bound)) return cost
  for (const unit of units) {
    if (isTooStrange(mask, unit.mask, bound)) continue
    const { whole, beginning, beginningLength } = editDistances(text, unit.text, bound)
    const isBegun = isLast && beginning + 15 < whole && beginning <= partBound(text.length)
    const each = wordMisspelt + (isBegun ? beginning / 10 + 1.5 : whole / 10)
    if (each >= cost) continue
    cost = each
    isLastMisspelt = true
    lastStart = unit.start
    lastEnd = unit.start + (isBegun ? beginningLength : unit.text.length)
  }
  return cost
}

/** The words of a text against the words of a name, in any order. */
const wordsCost = (
  { words }: Variant,
  form: Form,
  name: NameWords,
  most: number,
  spans: Span[] | undefined,
): number => {
  const { starts, ends, leads } = form
  let cost = allWords
  let covered = 0
  let lastWordStart = -1
  let isInOrder = true
  let [fitting, letters] = [0, 0]
  let isMisspelt = false
  let isBegun = false
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word) continue
    if (cost > most) return Number.POSITIVE_INFINITY
    const { text, isFiller } = word
    const skipped = isFiller ? fillerCost(text) : unmatchedWord + unmatchedLetter * text.length
    if (!isFiller) letters += text.length
    const each = wordCost(word, at === words.length - 1, form, name, Math.min(most - cost, skipped))
    if (each >= skipped) {
      cost += skipped
      continue
    }
    cost += each
    if (isLastMisspelt) isMisspelt = true
    if (each > 0) isBegun = true
    if (!isFiller) fitting += text.length
    if (lastStart < lastWordStart) isInOrder = false
    lastWordStart = lastStart
    spans?.push([lastStart, lastEnd])
    for (let part = 0; part < starts.length; part += 1) {
      if ((starts[part] ?? 0) < lastEnd && (ends[part] ?? 0) > lastStart) covered |= 1 << part
    }
  }
  isLastMisspelt = isMisspelt
  if (cost > most || 2 * fitting < letters) return Number.POSITIVE_INFINITY
  let [isAll, isFirst] = [true, false]
  for (let part = 0; part < starts.length; part += 1) {
    const isCovered = (covered & (1 << part)) !== 0
    const lead = leads[part] ?? 0
    if (!isCovered && (leads[part + 1] ?? lead + 1) > lead) isAll = false
    if (isCovered && lead === 0) isFirst = true
  }
  if (!isAll) cost += (isFirst ? firstWordAmong : noFirstWord) - allWords
  else if (isBegun && !isMisspelt) cost += begunWords - allWords
  return isInOrder ? cost : cost + otherOrder
}

// All together --------------------------------------------------------------------------------

const digitsCost = 0.8
const lettersCost = 1.2

const formCost = (form: Form, { forms: [plain], letters }: NameWords): number => {
  if (form === plain) return 0
  return form === letters ? lettersCost : digitsCost
}

/** The fit found so far, and where; one text and one name at a time. */
interface Best {
  cost: number
  isMisspelt: boolean
  /** Undefined where only the cost is wanted. */
  readonly spans: Span[] | undefined
}

const offer = (best: Best, cost: number, form: Form, plain: Form, isMisspelt = false): void => {
  if (cost >= best.cost) return
  best.cost = cost
  best.isMisspelt = isMisspelt
  if (!best.spans) return
  best.spans.length = 0
  best.spans.push(...plainSpans([[lastStart, lastEnd]], form, plain))
}

const offerWhole = (best: Best, cost: number, plain: Form): void => {
  lastStart = 0
  lastEnd = plain.text.length
  offer(best, cost, plain, plain, true)
}

/** The text as it is typed. */
const fitStrictly = (query: Query, words: NameWords, name: string, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    for (const form of words.forms) {
      const extra = variant.cost + formCost(form, words)
      offer(best, strictCost(variant.text, form) + extra, form, plain)
    }
  }
  if (best.cost > 0 && query.isPunctuated && name.toLowerCase().startsWith(query.typed)) {
    lastStart = 0
    lastEnd = query.variants[0].text.length
    offer(best, typedAsSpelled, plain, plain)
  }
}

/** Initials, and consonants alone. */
const fitShortened = (query: Query, words: NameWords, best: Best): void => {
  const [plain] = words.forms
  if (initials < best.cost && query.isShort && words.initials.includes(query.variants[0].text)) {
    best.cost = initials
    best.isMisspelt = false
    if (best.spans) {
      best.spans.length = 0
      for (const start of plain.starts) best.spans.push([start, start + 1])
    }
  }
  if (best.cost <= skeleton) return
  for (const each of query.skeletons) {
    if (words.skeleton === each) {
      offerWhole(best, query.isWithoutVowels ? skeleton : skeletonWithOthers, plain)
    } else if (query.isWithoutVowels && words.skeleton.startsWith(each)) {
      offerWhole(best, skeletonBegins, plain)
    }
  }
}

/** Words in any order, some of them misspelt. */
const fitWords = (query: Query, words: NameWords, most: number, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    if (variant.words.length === 1 || variant.isCore) continue
    for (const form of words.forms) {
      const spans: Span[] | undefined = best.spans ? [] : undefined
      const extra = variant.cost + formCost(form, words)
      const bound = Math.min(most, best.cost) - extra
      const cost = extra + wordsCost(variant, form, words, bound, spans)
      if (cost >= best.cost) continue
      best.cost = cost
      best.isMisspelt = isLastMisspelt
      if (!(best.spans && spans)) continue
      best.spans.length = 0
      best.spans.push(...plainSpans(spans, form, plain))
    }
  }
}

/** The whole text misspelt, letter by letter and as it sounds. */
const fitMisspelt = (query: Query, words: NameWords, most: number, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    for (const form of words.forms) {
      const extra = variant.cost + formCost(form, words)
      const bound = Math.min(most, best.cost) - extra
      if (bound > misspelt) {
        offer(best, extra + misspeltCost(variant, form, words, bound), form, plain, true)
      }
    }
  }
  if (best.cost <= closeEnough) return
  const { sound, soundMask } = query
  const bound = Math.min(
    soundBound(sound.length),
    10 * (Math.min(most, best.cost) - misspelt - bySound),
  )
  if (sound.length < 3 || bound < 0 || isTooStrange(soundMask, words.soundMask, bound)) return
  const { whole, beginning } = editDistances(sound, words.sound, bound)
  offerWhole(best, misspelt + bySound + whole / 10, plain)
  if (sound.length < 4 || beginning > Math.min(partBound(sound.length), soundBound(sound.length)))
    return
  lastStart = 0
  lastEnd = query.variants[0].text.length
  offer(best, misspeltBeginning + bySound + beginning / 10, plain, plain, true)
}

/** Parts of words. */
const fitWithin = (query: Query, words: NameWords, best: Best): void => {
  const [plain] = words.forms
  for (const variant of query.variants) {
    const cost = innerCost(variant.text, plain.text) + variant.cost
    offer(best, cost, plain, plain)
  }
}

const fit = (query: Query, words: NameWords, name: string, most: number, best: Best): void => {
  fitStrictly(query, words, name, best)
  if (best.cost === 0) return
  fitWithin(query, words, best)
  fitShortened(query, words, best)
  fitWords(query, words, most, best)
  if (best.cost > cheapestMisspelt) fitMisspelt(query, words, most, best)
}

/** Stretches of a form as stretches of the plain one: where they differ, whole words. */
const plainSpans = (spans: readonly Span[], form: Form, plain: Form): Span[] =>
  spans.map(([start, end]): Span => {
    if (form === plain || form.ends.every((each, at) => each === plain.ends[at])) {
      return [start, Math.min(end, plain.text.length)]
    }
    const first = form.starts.findLastIndex((each) => each <= start)
    const last = form.starts.findLastIndex((each) => each < end)
    return [plain.starts[first] ?? 0, plain.ends[last] ?? plain.text.length]
  })

const nothing = (spans?: Span[]): Best => ({
  cost: Number.POSITIVE_INFINITY,
  isMisspelt: false,
  spans,
})

/** How badly a text fits a name; beyond `most` the cost is too high or Infinity. */
export const fitOf = (query: Query, words: NameWords, name: string, most: number): Fit => {
  const best = nothing()
  fit(query, words, name, most, best)
  return best
}

/** The same for a name that does not begin so, nor any of its words. */
export const looseFitOf = (query: Query, words: NameWords, most: number): Fit => {
  const best = nothing()
  fitWithin(query, words, best)
  fitShortened(query, words, best)
  fitWords(query, words, most, best)
  fitMisspelt(query, words, most, best)
  return best
}

/** The stretches of the clean name that a text fits, ascending. */
export const spansOf = (query: Query, words: NameWords, name: string): readonly Span[] => {
  const spans: Span[] = []
  fit(query, words, name, maxCost, nothing(spans))
  return spans.toSorted(([a], [b]) => a - b)
}
