import { positionAfter } from '../../data/league/sortedList.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import type { Bot } from '../careers/bots.ts'
import type { BotEntry, BotSearch, Start } from './botIndex.ts'
import type { Query } from './query.ts'
import { initialsTerm, queryTerms, termWeight } from './terms.ts'
import { costs, limits } from './tuning.ts'

export interface Job {
  readonly search: BotSearch
  readonly query: Query
  readonly accepts: (bot: Bot) => boolean
}

/** The starts that begin with a text, as a range. */
const rangeOf = (starts: readonly Start[], text: string): readonly [number, number] => {
  const from = positionAfter(starts, (start) => start.text < text)
  if (!starts[from]?.text.startsWith(text)) return [from, from]
  const last = `${text}\uffff`
  return [from, positionAfter(starts, (start) => start.text < last, from)]
}

/** Fame of a bot in bits: from all of its fights, and up to a third of a bit for recent ones. */
export const fameOf = ({ fame, lastUnix }: BotEntry, newestUnix: number): number => {
  const years = (newestUnix - lastUnix) / 31_557_600
  return lastUnix === 0 ? fame : fame + 0.3 / (1 + Math.max(0, years))
}

/** Adds names with a word that begins with the text. True if there are too many to match all. */
const addBegun = ({ search, accepts }: Job, text: string, found: Set<BotEntry>): boolean => {
  const { starts, entries, newestUnix } = search
  const [from, to] = rangeOf(starts, text)
  if (to - from <= limits.withWord) {
    for (let at = from; at < to; at += 1) {
      const entry = entries[starts[at]?.number ?? -1]
      if (entry && accepts(entry.bot)) found.add(entry)
    }
    return false
  }
  const best: { entry: BotEntry; rank: number }[] = []
  for (let at = from; at < to; at += 1) {
    const start = starts[at]
    const entry = start && entries[start.number]
    if (!entry) continue
    // Names that are typed nearly completely come first.
    if (at < from + limits.famousBegun && accepts(entry.bot)) found.add(entry)
    const rank = fameOf(entry, newestUnix) - (start.lead > 0 ? costs.lead : 0)
    const last = best.at(-1)
    if (best.length === limits.famousBegun && last && last.rank >= rank) continue
    if (!accepts(entry.bot)) continue
    const place = best.findIndex((other) => other.rank < rank)
    best.splice(place < 0 ? best.length : place, 0, { entry, rank })
    if (best.length > limits.famousBegun) best.pop()
  }
  for (const { entry } of best) found.add(entry)
  return true
}

/** Adds names with the rarest of several words: a name that has all of them is among these. */
const addWithWord = ({ search, query, accepts }: Job, found: Set<BotEntry>): void => {
  const { starts, entries } = search
  let [from, to] = [0, 0]
  for (const { text, isStopWord } of query.variants[0].words) {
    if (isStopWord) continue
    const [start, end] = rangeOf(starts, text)
    if (end > start && (to === from || end - start < to - from)) [from, to] = [start, end]
  }
  if (to - from > limits.withWord) return
  for (let at = from; at < to; at += 1) {
    const entry = entries[starts[at]?.number ?? -1]
    if (entry && accepts(entry.bot)) found.add(entry)
  }
}

const addWithInitials = ({ search, query, accepts }: Job, found: Set<BotEntry>): void => {
  const term = initialsTerm(query.variants[0].text)
  if (!query.maybeInitials || search.terms.count(term) > limits.withWord) return
  for (const number of search.terms.find(term)) {
    const entry = search.entries[Number(number)]
    if (entry && accepts(entry.bot)) found.add(entry)
  }
}

/** Names that the text is typed of, in part; `isCut` if only the most famous of them are listed. */
export const typedCandidates = (job: Job): { begun: ReadonlySet<BotEntry>; isCut: boolean } => {
  const begun = new Set<BotEntry>()
  let isCut = false
  for (const { text } of job.query.variants) isCut = addBegun(job, text, begun) || isCut
  if (job.query.variants[0].words.length > 1) addWithWord(job, begun)
  addWithInitials(job, begun)
  return { begun, isCut }
}

/** The most famous entries; ties are broken by name, so that equal leagues have equal answers. */
const mostFamous = (entries: readonly BotEntry[], count: number): readonly BotEntry[] => {
  if (entries.length <= count) return entries
  const orders = Float64Array.from(entries, ({ order }) => order).sort()
  const least = orders[orders.length - count] ?? 0
  return entries.filter(({ order }) => order >= least)
}

/**
 * Weight of the terms that each name shares with the query, by number. The rarest terms of each group are looked
 * up, as long as the names that have them number no more than a budget.
 */
const weigh = ({ search: { terms, bots }, query }: Job): ReadonlyMap<number, number> => {
  const weights = new Map<number, number>()
  const groups = queryTerms(query)
  const budgetPerGroup = (24 * Math.sqrt(bots.length)) / Math.max(1, groups.length)
  const seen = new Set<string>()
  let budget = 0
  for (const group of groups) {
    budget += budgetPerGroup
    const counted: { term: string; count: number }[] = []
    let sum = 0
    for (const term of group) {
      if (seen.has(term) || !terms.has(term)) continue
      const count = terms.count(term)
      counted.push({ term, count })
      sum += count
    }
    if (sum > budget) counted.sort((a, b) => a.count - b.count || compareTexts(a.term, b.term))
    for (const { term, count } of counted) {
      if (count > budget) break
      budget -= count
      seen.add(term)
      const weight = termWeight(term)
      for (const each of terms.find(term)) {
        const number = Number(each)
        weights.set(number, (weights.get(number) ?? 0) + weight)
      }
    }
  }
  return weights
}

/** The names that share the most terms with the query, most first, without already known ones. */
export const misspeltCandidates = (job: Job, known: ReadonlySet<BotEntry>): readonly BotEntry[] => {
  const byWeight: BotEntry[][] = []
  for (const [number, weight] of weigh(job)) {
    const entry = job.search.entries[number]
    if (!entry || known.has(entry) || !job.accepts(entry.bot)) continue
    const level = byWeight[weight]
    if (level) level.push(entry)
    else byWeight[weight] = [entry]
  }
  const candidates: BotEntry[] = []
  const words = job.query.variants[0].words.length
  const max = Math.min(limits.candidates, Math.ceil(limits.wordComparisons / words))
  const minWeight = (byWeight.length - 1) * limits.weightShare
  for (let weight = byWeight.length - 1; weight > 0; weight -= 1) {
    const level = byWeight[weight]
    if (!level) continue
    const left = max - candidates.length
    if (left <= 0 || (weight < minWeight && candidates.length >= limits.minCandidates)) break
    candidates.push(...mostFamous(level, left))
  }
  return candidates
}
