import { editDistances } from './editDistance.ts'
import { matched } from './matched.ts'
import type { Form, NameWords } from './nameWords.ts'
import type { Variant } from './query.ts'
import { costs, limits, maxEditsOf, maxPartEditsOf, maxUnitEditsOf } from './tuning.ts'

// Costs are in bits. A name that begins with the text and one with a later word that begins with it
// differ by a factor of six in fights; one wrong letter costs a factor of twenty or more.

const bitCount = (mask: number): number => {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** True if letters of the text that the name lacks cost more than allowed: a lower bound. */
export const lacksLetters = (mask: number, nameMask: number, maxCost: number): boolean => {
  const missing = mask & ~nameMask
  return missing !== 0 && bitCount(missing) * limits.cheapestLetter > maxCost
}

const untypedCost = (text: string, name: string): number =>
  costs.untyped * Math.log2(name.length / text.length)

/** The text as the last of two joined words. */
export const joinedWordCost = (text: string, name: string): number =>
  costs.wholeLaterWord + untypedCost(text, name)

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
    if (isFirst && matched.end === name.length) return cost + costs.wholeWithoutArticle
    const isWhole = ends.includes(matched.end)
    const later =
      text.length <= 2 ? costs.laterWordOfShort : isWhole ? costs.wholeLaterWord : costs.laterWord
    const part = isFirst ? costs.begins : later
    return cost + articleCost + part + untypedCost(text, name) + (isWhole ? 0 : costs.withinWord)
  }
  return Number.POSITIVE_INFINITY
}

/** The text as a part of a word, or from within one on into the next. */
export const innerCost = (
  { text, cost, articleCost }: Variant,
  { text: name, starts }: Form,
): number => {
  if (text.length < 4) return Number.POSITIVE_INFINITY
  const at = name.indexOf(text)
  if (at < 0) return Number.POSITIVE_INFINITY
  matched.start = at
  matched.end = at + text.length
  const inner = matched.end === name.length ? costs.innerEnd : costs.inner
  const isAcross = starts.some((start) => start > at && start < matched.end)
  return cost + articleCost + inner + (isAcross ? costs.acrossWords : 0)
}

/** The whole text misspelt: the name, its beginning, or one of its words. Infinite above the maximum. */
export const misspeltCost = (
  { text, mask }: Variant,
  form: Form,
  { units }: NameWords,
  maxCost: number,
): number => {
  const maxEditCost = Math.min(maxEditsOf(text.length), 10 * (maxCost - costs.misspelt))
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
      cost = costs.misspelt + whole / 10
      matched.end = form.text.length
    }
    if (
      beginning <= maxPartEditsOf(text.length) &&
      costs.misspeltBeginning + beginning / 10 < cost
    ) {
      cost = costs.misspeltBeginning + beginning / 10
      matched.end = shift + beginningLength
    }
  }
  if (cost <= limits.closeEnough) return cost
  for (const unit of units) {
    const base = unit.lead === 0 ? costs.misspeltFirstWord : costs.misspeltLaterWord
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
