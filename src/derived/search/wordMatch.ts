import { editDistances } from './editDistance.ts'
import { matched } from './matched.ts'
import type { Form, NameWords } from './nameWords.ts'
import { stopWordCost, type Variant, type Word } from './query.ts'
import { isArticle } from './spelling.ts'
import { costs, maxEditsOf, maxPartEditsOf } from './tuning.ts'
import { lacksLetters } from './wholeMatch.ts'

const begunCost = (text: string, isLast: boolean): number => {
  if (isLast) return costs.begunLastWord
  return text.length > 2 ? costs.begunWord : costs.begunShortWord
}

/** The word as typed: a word of the name, its beginning, or an inner part. */
const exactWordCost = (
  text: string,
  isLast: boolean,
  { text: name, starts, ends }: Form,
): number => {
  let cost = Number.POSITIVE_INFINITY
  for (const start of starts) {
    if (!name.startsWith(text, start)) continue
    const end = start + text.length
    const begun = ends.includes(end) ? 0 : begunCost(text, isLast)
    if (begun >= cost) continue
    cost = begun
    matched.start = start
    matched.end = end
  }
  if (cost < Number.POSITIVE_INFINITY || text.length < 4) return cost
  const at = name.indexOf(text)
  if (at < 0) return cost
  matched.start = at
  matched.end = at + text.length
  return costs.wordInner
}

/** One word of the text against the name; its range is left in `matched`. */
const wordCost = (
  word: Word,
  isLast: boolean,
  form: Form,
  { units }: NameWords,
  maxCost: number,
): number => {
  const { text, mask } = word
  matched.isMisspelt = false
  let cost = exactWordCost(text, isLast, form)
  if (cost < Number.POSITIVE_INFINITY || text.length < 3) return cost
  const maxEditCost = Math.min(maxEditsOf(text.length), 10 * (maxCost - costs.wordMisspelt))
  if (maxEditCost <= 0 || lacksLetters(mask, form.mask, maxEditCost)) return cost
  for (const unit of units) {
    if (lacksLetters(mask, unit.mask, maxEditCost)) continue
    const { whole, beginning, beginningLength } = editDistances(text, unit.text, maxEditCost)
    const isBegun = isLast && beginning + 15 < whole && beginning <= maxPartEditsOf(text.length)
    const edits = isBegun ? beginning / 10 + costs.wordMisspeltBeginning : whole / 10
    if (costs.wordMisspelt + edits >= cost) continue
    cost = costs.wordMisspelt + edits
    matched.isMisspelt = true
    matched.start = unit.start
    matched.end = unit.start + (isBegun ? beginningLength : unit.text.length)
  }
  return cost
}

/** Cost of the words of the name that no word of the text matched, by a mask of the matched ones. */
const coverageCost = (
  { starts, leads }: Form,
  covered: number,
  isBegun: boolean,
  isMisspelt: boolean,
): number => {
  let isFirst = false
  let uncovered = 0
  for (let part = 0; part < starts.length; part += 1) {
    const isCovered = (covered & (1 << part)) !== 0
    const lead = leads[part] ?? 0
    if (!isCovered && (leads[part + 1] ?? lead + 1) > lead) uncovered += 1
    if (isCovered && lead === 0) isFirst = true
  }
  if (uncovered > 0) {
    const missing = isFirst ? costs.firstWordAmong : costs.noFirstWord
    return missing + costs.uncoveredWord * (uncovered - 1)
  }
  return isBegun && !isMisspelt ? costs.allWordsBegun : costs.allWords
}

/**
 * The words of a text against the words of a name, in any order. Their ranges and whether one is misspelt are
 * left in `matched`.
 */
export const wordsCost = (
  { words }: Variant,
  form: Form,
  name: NameWords,
  maxCost: number,
): number => {
  const { starts, ends } = form
  matched.words.length = 0
  let cost = costs.allWords
  let covered = 0
  let lastStart = -1
  let [isInOrder, isMisspelt, isBegun, lacksArticle] = [true, false, false, false]
  let [matchedLetters, letters] = [0, 0]
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]
    if (!word) continue
    if (cost > maxCost) return Number.POSITIVE_INFINITY
    const { text, isStopWord } = word
    const skipped = isStopWord
      ? stopWordCost(text)
      : costs.unmatchedWord + costs.unmatchedLetter * text.length
    if (!isStopWord) letters += text.length
    const isLast = at === words.length - 1
    const each = wordCost(word, isLast, form, name, Math.min(maxCost - cost, skipped))
    if (each >= skipped) {
      cost += skipped
      if (isStopWord && isArticle(text)) lacksArticle = true
      continue
    }
    cost += each
    if (matched.isMisspelt) isMisspelt = true
    if (each > 0) isBegun = true
    if (!isStopWord) matchedLetters += text.length
    if (matched.start < lastStart) isInOrder = false
    lastStart = matched.start
    matched.words.push(matched.start, matched.end)
    for (let part = 0; part < starts.length; part += 1) {
      const isWithin = (starts[part] ?? 0) < matched.end && (ends[part] ?? 0) > matched.start
      if (isWithin) covered |= 1 << part
    }
  }
  matched.isMisspelt = isMisspelt
  if (cost > maxCost || 2 * matchedLetters < letters) return Number.POSITIVE_INFINITY
  const coverage = coverageCost(form, covered, isBegun, isMisspelt)
  cost += coverage - costs.allWords
  if (lacksArticle && coverage > costs.allWords) cost += costs.partArticle
  return isInOrder ? cost : cost + costs.otherOrder
}
