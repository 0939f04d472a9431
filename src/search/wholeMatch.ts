import { editDistances } from './editDistance.ts'
import { matched } from './matched.ts'
import type { Form, NameWords } from './nameWords.ts'
import type { Variant } from './query.ts'

// Costs are in bits. A name that begins with the text and one with a later word that begins with it
// differ by a factor of six in fights; one wrong letter costs a factor of twenty or more.
export const articleLeftOut = 1
const wholeWithoutArticle = 0.3
const begins = 2.5
const laterWord = 5
/** A later word, or part of a compound, to its end. Below 4.2 half-typed names rank lower (bench, `50 % prefix`). */
const wholeLaterWord = 4.2
/** One or two letters are rather the start of a name. */
const laterWordOfShort = 6
const withinWord = 0.25
export const inner = 7
const innerEnd = 6
/** For each halving of the typed share of a name. */
const untyped = 0.2
export const misspelt = 1
export const misspeltBeginning = 4
const misspeltFirstWord = 3.5
const misspeltLaterWord = 5.5

/** One typing error: no other reading of the text is tried. */
export const closeEnough = 6.5

/** Maximum cost of the edits of a whole name, in tenths of a bit, by the length of the text. */
const maxEdits = [0, 0, 0, 50, 56, 70, 105, 125, 140, 150, 165]
export const maxEditsOf = (length: number): number => maxEdits[length] ?? 180
/** The same for a beginning or a single word, which many names share. */
const maxPartEdits = [0, 0, 0, 0, 50, 50, 71, 80, 100, 120]
export const maxPartEditsOf = (length: number): number => maxPartEdits[length] ?? 130
/** The same for a whole word: a neighbouring key for its first letter, from five letters on. */
const maxUnitEditsOf = (length: number): number => (length === 5 ? 70 : maxPartEditsOf(length))

/** Cheapest edit by which a letter appears that the name does not have. */
const cheapestLetter = 35

const bitCount = (mask: number): number => {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** Whether letters of the text that the name lacks cost more than allowed: a lower bound. */
export const lacksLetters = (mask: number, nameMask: number, maxCost: number): boolean => {
  const missing = mask & ~nameMask
  return missing !== 0 && bitCount(missing) * cheapestLetter > maxCost
}

const untypedCost = (text: string, name: string): number =>
  untyped * Math.log2(name.length / text.length)

/** The text as the last of two joined words. */
export const joinedWordCost = ({ text, cost, articleCost }: Variant, name: string): number =>
  cost + articleCost + wholeLaterWord + untypedCost(text, name)

/** The text as typed: the whole name, its beginning, or the beginning of a later word. */
export const exactCost = (
  { text, cost, articleCost }: Variant,
  { text: name, starts, ends, leads }: Form,
): number => {
  matched.start = 0
  matched.end = text.length
  if (text === name) return cost
  for (let at = 0; at < starts.length; at += 1) {
    const start = starts[at] ?? 0
    if (!name.startsWith(text, start)) continue
    matched.start = start
    matched.end = start + text.length
    const isFirst = leads[at] === 0
    if (isFirst && matched.end === name.length) return cost + wholeWithoutArticle
    const isWhole = ends.includes(matched.end)
    const later = text.length <= 2 ? laterWordOfShort : isWhole ? wholeLaterWord : laterWord
    const part = isFirst ? begins : later
    return cost + articleCost + part + untypedCost(text, name) + (isWhole ? 0 : withinWord)
  }
  return Number.POSITIVE_INFINITY
}

/** The text as a part of a word. */
export const innerCost = ({ text, cost, articleCost }: Variant, name: string): number => {
  if (text.length < 4) return Number.POSITIVE_INFINITY
  const at = name.indexOf(text)
  if (at < 0) return Number.POSITIVE_INFINITY
  matched.start = at
  matched.end = at + text.length
  return cost + articleCost + (matched.end === name.length ? innerEnd : inner)
}

/** The whole text misspelt: the name, its beginning, or one of its words. Infinite above the maximum. */
export const misspeltCost = (
  { text, mask }: Variant,
  form: Form,
  { units }: NameWords,
  maxCost: number,
): number => {
  const maxEditCost = Math.min(maxEditsOf(text.length), 10 * (maxCost - misspelt))
  let cost = Number.POSITIVE_INFINITY
  if (maxEditCost <= 0) return cost
  if (!lacksLetters(mask, form.mask, maxEditCost)) {
    const from = form.leads[1] === 0 ? (form.starts[1] ?? 0) : 0
    const name =
      from > 0 && !text.startsWith(form.text.slice(0, from)) ? form.text.slice(from) : form.text
    const { whole, beginning, beginningLength } = editDistances(text, name, maxEditCost)
    const shift = form.text.length - name.length
    matched.start = shift
    if (whole < Number.POSITIVE_INFINITY) {
      cost = misspelt + whole / 10 + (shift > 0 ? articleLeftOut : 0)
      matched.end = form.text.length
    }
    if (beginning <= maxPartEditsOf(text.length) && misspeltBeginning + beginning / 10 < cost) {
      cost = misspeltBeginning + beginning / 10
      matched.end = shift + beginningLength
    }
  }
  if (cost <= closeEnough) return cost
  for (const unit of units) {
    const base = unit.lead === 0 ? misspeltFirstWord : misspeltLaterWord
    const maxUnitEdits = Math.min(
      maxUnitEditsOf(text.length),
      10 * (Math.min(maxCost, cost) - base),
    )
    if (maxUnitEdits <= 0 || lacksLetters(mask, unit.mask, maxUnitEdits)) continue
    const { whole } = editDistances(text, unit.text, maxUnitEdits)
    if (base + whole / 10 >= cost) continue
    cost = base + whole / 10
    matched.start = unit.start
    matched.end = unit.start + unit.text.length
  }
  return cost
}
