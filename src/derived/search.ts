import { setImmediate } from 'node:timers/promises'
import type { Bot, Bots } from '../careers/bots.ts'
import { replaceSorted } from '../league/merge.ts'
import { compareTexts } from '../source/rows.ts'
import { createGramIndex, type GramIndex } from './gramIndex.ts'
import { type Fit, fitOf, looseFitOf, maxCost, type Span, spansOf } from './match.ts'
import { type NameWords, nameWords, soundOf, unleet } from './nameWords.ts'
import { type Query, readQuery } from './query.ts'

/** A bot as it is searched for. */
export interface BotEntry {
  readonly bot: Bot
  /** Its number in the index. */
  readonly number: number
  readonly words: NameWords
  /** Logarithm of its fights. */
  readonly fame: number
  /** Fame, and less than the least difference of it from the name. */
  readonly order: number
  /** End of its last fight; 0 without one. */
  readonly lastUnix: number
}

/** A name from the start of one of its words on. */
interface Start {
  readonly text: string
  readonly cleanName: string
  readonly number: number
  /** Words before it that are no articles. */
  readonly lead: number
}

/**
 * The bots of one archive as they are searched for. Versions share the index of terms: a number that it
 * finds means the entry of that number in the version that is searched.
 */
export interface BotSearch {
  readonly terms: GramIndex
  /** By number; undefined where the version has no such bot. */
  readonly entries: readonly (BotEntry | undefined)[]
  /** By text, then clean name. */
  readonly starts: readonly Start[]
  readonly bots: Bots
  /** End of the newest fight. */
  readonly newestUnix: number
  /** Words of the league's own name. */
  readonly leagueWords: ReadonlySet<string>
  readonly numbering: Numbering
}

/** Which version the shared index was last brought to, and which numbers are free; closed over. */
interface Numbering {
  readonly isLatest: (search: BotSearch) => boolean
  readonly setLatest: (search: BotSearch | undefined) => void
  readonly take: (cleanName: string) => number
  /** The number of a bot in the latest version. */
  readonly numberOf: (cleanName: string) => number | undefined
  readonly capacity: () => number
  /** Numbers that the latest version has no bot for, but the one before it. */
  readonly retired: () => readonly number[]
  readonly retire: (cleanName: string, number: number) => void
  readonly free: (number: number) => void
}

const createNumbering = (): Numbering => {
  let latest: BotSearch | undefined
  let next = 0
  const free: number[] = []
  const retired = new Set<number>()
  const numbers = new Map<string, number>()
  return {
    isLatest: (search) => search === latest,
    setLatest: (search) => {
      latest = search
    },
    take: (cleanName) => {
      const number = free.pop() ?? next
      if (number === next) next += 1
      numbers.set(cleanName, number)
      return number
    },
    numberOf: (cleanName) => numbers.get(cleanName),
    capacity: () => next,
    retired: () => [...retired],
    retire: (cleanName, number) => {
      retired.add(number)
      if (numbers.get(cleanName) === number) numbers.delete(cleanName)
    },
    free: (number) => {
      retired.delete(number)
      free.push(number)
    },
  }
}

export interface Found {
  readonly bot: Bot
  /** From 0 to 1, in the order of the list; 1 is the very name. */
  readonly score: number
  /** How badly the text fits the name, in bits; fame left out. */
  readonly cost: number
  /** Stretches of the clean name that the text fits. */
  readonly spans: () => readonly Span[]
}

// Index ---------------------------------------------------------------------------------------

/** Triples of a text, with a mark before its beginning. */
const addGrams = (grams: Set<string>, text: string): void => {
  const marked = `^${text}`
  for (let at = 0; at < Math.max(1, marked.length - 2); at += 1) {
    grams.add(marked.slice(at, at + 3))
  }
}

/** Of short texts pairs of letters count, too: two wrong letters can spoil every triple. */
const maxPairLength = 9

const addPairs = (terms: Set<string>, text: string, most: number): void => {
  if (text.length > most) return
  for (let at = 0; at < text.length - 1; at += 1) terms.add(text.slice(at, at + 2))
}

const maxDeletionLength = 5

/** A short word and all that one deletion makes of it: two texts one edit apart share one of these. */
const addDeletions = (terms: Set<string>, word: string, most: number): void => {
  if (word.length < 2 || word.length > most) return
  terms.add(`-${word}`)
  if (word.length < 3) return
  for (let at = 0; at < word.length; at += 1) {
    terms.add(`-${word.slice(0, at)}${word.slice(at + 1)}`)
  }
}

/** Everything by which a name is proposed. */
const termsOf = ({ forms, units, sound, skeleton, initials }: NameWords): ReadonlySet<string> => {
  const terms = new Set<string>()
  const [plain, ...others] = forms
  addGrams(terms, sound)
  addPairs(terms, sound, maxPairLength)
  for (const { text } of others) addGrams(terms, soundOf(unleet(text)))
  for (const { starts, text } of forms) {
    for (const start of starts) {
      const begun = `^${soundOf(unleet(text.slice(start, start + 5)))}`
      terms.add(begun.slice(0, 3)).add(begun.slice(0, 4))
    }
  }
  addDeletions(terms, plain.text, maxDeletionLength + 1)
  for (const { text } of units) if (text.length > 2) addDeletions(terms, text, maxDeletionLength)
  if (skeleton.length > 2) terms.add(`~${skeleton}`)
  for (const each of initials) terms.add(`!${each}`)
  return terms
}

const startsOf = ({ bot, number, words }: BotEntry): Start[] => {
  const starts = new Map<string, Start>()
  for (const form of words.forms) {
    form.starts.forEach((start, index) => {
      const text = form.text.slice(start)
      const lead = form.leads[index] ?? 0
      if (!starts.has(text)) starts.set(text, { text, cleanName: bot.cleanName, number, lead })
    })
  }
  return [...starts.values()]
}

const byText = (a: Start, b: Start): number =>
  compareTexts(a.text, b.text) || compareTexts(a.cleanName, b.cleanName)

const entryOf = (bot: Bot, number: number, words: NameWords): BotEntry => {
  const fame = Math.log2(1 + bot.fights.length)
  const order = fame + Bun.hash.crc32(bot.cleanName) / 2 ** 52
  return { bot, number, words, fame, order, lastUnix: bot.fights[0]?.stopUnix ?? 0 }
}

/** What a version takes over from the league beside its bots. */
export interface SearchContext {
  readonly newestUnix: number
  readonly leagueWords: ReadonlySet<string>
}

/** The index of all bots. */
export const buildSearch = (bots: Bots, { newestUnix, leagueWords }: SearchContext): BotSearch => {
  const terms = createGramIndex()
  const numbering = createNumbering()
  const entries = bots.map((bot) => {
    const entry = entryOf(bot, numbering.take(bot.cleanName), nameWords(bot.name, bot.cleanName))
    terms.add(entry.number, termsOf(entry.words))
    return entry
  })
  const starts = entries.flatMap(startsOf).sort(byText)
  const search = { terms, entries, starts, bots, newestUnix, leagueWords, numbering }
  numbering.setLatest(search)
  return search
}

/** The bots of either version that the other does not have as they are, by clean name. */
const changedBots = (
  before: Bots,
  after: Bots,
): { old: Bot | undefined; now: Bot | undefined }[] => {
  const changes: { old: Bot | undefined; now: Bot | undefined }[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const old = before[i]
    const now = after[j]
    if (old === now) {
      i += 1
      j += 1
    } else if (old && now && old.cleanName === now.cleanName) {
      changes.push({ old, now })
      i += 1
      j += 1
    } else if (now && (!old || now.cleanName < old.cleanName)) {
      changes.push({ old: undefined, now })
      j += 1
    } else {
      changes.push({ old, now: undefined })
      i += 1
    }
  }
  return changes
}

/** Names that are indexed between two pauses. */
const stepSize = 8

/**
 * The index after a change: equals one built anew, at the cost of the bots that changed, and lets
 * requests through between its steps. The version before stays whole: terms of bots that left are
 * removed by the update after this one. An index that was brought to another version is built anew.
 */
export const updateSearch = async (
  before: BotSearch,
  bots: Bots,
  context: SearchContext,
): Promise<BotSearch> => {
  const { terms, numbering } = before
  if (!numbering.isLatest(before)) return buildSearch(bots, context)
  if (before.bots === bots) {
    const search = { ...before, ...context }
    numbering.setLatest(search)
    return search
  }
  // Until the end there is no version that the index is brought to.
  numbering.setLatest(undefined)
  let steps = 0
  const step = async (): Promise<void> => {
    steps += 1
    if (steps % stepSize === 0) await setImmediate()
  }
  for (const number of numbering.retired()) {
    terms.remove(number)
    numbering.free(number)
    await step()
  }
  const entries = before.entries.slice()
  const [goneStarts, newStarts]: [Start[], Start[]] = [[], []]
  for (const { old, now } of changedBots(before.bots, bots)) {
    const known = old && entries[numbering.numberOf(old.cleanName) ?? -1]
    if (known && now && known.bot.name === now.name) {
      entries[known.number] = entryOf(now, known.number, known.words)
      continue
    }
    if (known) {
      entries[known.number] = undefined
      goneStarts.push(...startsOf(known))
      terms.retire(termsOf(known.words))
      numbering.retire(known.bot.cleanName, known.number)
    }
    if (now) {
      const entry = entryOf(now, numbering.take(now.cleanName), nameWords(now.name, now.cleanName))
      entries[entry.number] = entry
      newStarts.push(...startsOf(entry))
      terms.add(entry.number, termsOf(entry.words))
    }
    await step()
  }
  const starts =
    goneStarts.length + newStarts.length === 0
      ? before.starts
      : replaceSorted(before.starts, goneStarts, newStarts.sort(byText), byText)
  const search = { ...context, terms, entries, starts, bots, numbering }
  numbering.setLatest(search)
  return search
}

// Search --------------------------------------------------------------------------------------

/** Where a text is in the starts, or would be. */
const positionIn = (starts: readonly Start[], text: string): number => {
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle]?.text ?? '') < text) low = middle + 1
    else high = middle
  }
  return low
}

/** The starts that begin with a text, as a range. */
const rangeOf = (starts: readonly Start[], text: string): readonly [number, number] => {
  const from = positionIn(starts, text)
  return [from, positionIn(starts, `${text}\uffff`)]
}

/** Fame in bits: fights on a logarithmic scale, and up to a third of a bit for recent ones. */
const fameOf = ({ fame, lastUnix }: BotEntry, newestUnix: number): number => {
  const years = (newestUnix - lastUnix) / 31_557_600
  return lastUnix === 0 ? fame : fame + 0.3 / (1 + Math.max(0, years))
}

/** Begun names of one text that are ranked, the most famous; more of one text are cut. */
const maxBegun = 40
/** From so many begun names on, no misspelt ones are looked for. */
const manyBegun = 200
/** Candidates that are compared letter by letter. */
const maxCandidates = 64
/** The same for texts of several words, each of which is compared. */
const maxComparisons = 160
/** So many are compared at least; of the others, those with this share of the most shared terms. */
const fewCandidates = 24
const leastHits = 0.4
/** A later word is as likely as the first of a name with a fifth of the fights. */
const leadCost = 2.5

interface Search {
  readonly search: BotSearch
  readonly query: Query
  readonly accepts: (bot: Bot) => boolean
}

/** Names with a word that begins so; of many the most famous. True if there are many. */
const addBegun = ({ search, accepts }: Search, text: string, found: Set<BotEntry>): boolean => {
  const { starts, entries, newestUnix } = search
  const [from, to] = rangeOf(starts, text)
  if (to - from <= manyBegun) {
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
    // Names of which nearly all is typed come first.
    if (at < from + maxBegun && accepts(entry.bot)) found.add(entry)
    const rank = fameOf(entry, newestUnix) - (start.lead > 0 ? leadCost : 0)
    const last = best.at(-1)
    if ((best.length === maxBegun && last && last.rank >= rank) || !accepts(entry.bot)) continue
    const place = best.findIndex((other) => other.rank < rank)
    best.splice(place < 0 ? best.length : place, 0, { entry, rank })
    if (best.length > maxBegun) best.pop()
  }
  for (const { entry } of best) found.add(entry)
  return true
}

/** From so many names with a word on, the word is looked for by its letters alone. */
const manyWithWord = 100

/** Names with the rarest of several words: who has all of them is among these. */
const addWithWord = ({ search, query, accepts }: Search, found: Set<BotEntry>): void => {
  const { starts, entries } = search
  let [from, to] = [0, 0]
  for (const { text, isFiller } of query.variants[0].words) {
    if (isFiller) continue
    const [start, end] = rangeOf(starts, text)
    if (end > start && (to === from || end - start < to - from)) [from, to] = [start, end]
  }
  if (to - from > manyWithWord) return
  for (let at = from; at < to; at += 1) {
    const entry = entries[starts[at]?.number ?? -1]
    if (entry && accepts(entry.bot)) found.add(entry)
  }
}

/** Names have fewer words: a text of so many is looked for word by word. */
const manyWords = 5

/** Terms of a query: those of the whole text, then those of each word. */
const termGroups = ({ variants, skeletons }: Query): readonly ReadonlySet<string>[] => {
  const whole = new Set<string>()
  const byWord = new Map<string, Set<string>>()
  const addTerms = (terms: Set<string>, text: string, longest: number): void => {
    const sound = soundOf(unleet(text))
    addGrams(terms, sound)
    terms.add(`^${sound.slice(0, 3)}`)
    addDeletions(terms, text, longest)
  }
  for (const { text, words } of variants) {
    if (words.length < manyWords) {
      addTerms(whole, text, maxDeletionLength + 2)
      addPairs(whole, soundOf(unleet(text)), maxPairLength + 1)
    }
    if (words.length === 1) continue
    for (const word of words) {
      if (word.isFiller || byWord.has(word.text)) continue
      const terms = new Set<string>()
      addTerms(terms, word.text, maxDeletionLength + 1)
      byWord.set(word.text, terms)
    }
  }
  for (const skeleton of skeletons) whole.add(`~${skeleton}`)
  whole.add(`!${variants[0].text}`)
  return [whole, ...byWord.values()]
}

let hits = new Uint16Array(1024)

/** The most famous entries; ties are broken by name, so that equal leagues have equal answers. */
const mostFamous = (entries: readonly BotEntry[], count: number): readonly BotEntry[] => {
  if (entries.length <= count) return entries
  const orders = Float64Array.from(entries, ({ order }) => order).sort()
  const least = orders[orders.length - count] ?? 0
  return entries.filter(({ order }) => order >= least)
}

/** Weight of a shared term: deletions, initials and the like say more than a pair of letters. */
const weightOf = (term: string): number => ('-~!'.includes(term.charAt(0)) ? 6 : 1)

/**
 * The names that share the most terms with the query. Of each word its rarest terms are looked up, as
 * long as they propose no more names than are counted in a moment.
 */
const candidatesFor = (
  { search, query, accepts }: Search,
  known: ReadonlySet<BotEntry>,
): readonly BotEntry[] => {
  const { terms, entries, numbering, bots } = search
  if (hits.length < numbering.capacity()) hits = new Uint16Array(2 * numbering.capacity())
  const groups = termGroups(query)
  const share = (24 * Math.sqrt(bots.length)) / Math.max(1, groups.length)
  const touched: number[] = []
  const seen = new Set<string>()
  let rest = 0
  for (const group of groups) {
    rest += share
    const counted: { term: string; count: number }[] = []
    let sum = 0
    for (const term of group) {
      if (seen.has(term)) continue
      const count = terms.count(term)
      counted.push({ term, count })
      sum += count
    }
    if (sum > rest) counted.sort((a, b) => a.count - b.count || compareTexts(a.term, b.term))
    for (const { term, count } of counted) {
      if (count > rest) break
      rest -= count
      seen.add(term)
      const weight = weightOf(term)
      for (const each of terms.find(term)) {
        const number = Number(each)
        const before = hits[number] ?? 0
        if (before === 0) touched.push(number)
        hits[number] = before + weight
      }
    }
  }
  const byHits: BotEntry[][] = []
  for (const number of touched) {
    const entry = entries[number]
    const count = hits[number] ?? 0
    hits[number] = 0
    if (!entry || known.has(entry) || !accepts(entry.bot)) continue
    const level = byHits[count]
    if (level) level.push(entry)
    else byHits[count] = [entry]
  }
  const candidates: BotEntry[] = []
  const most = Math.min(maxCandidates, Math.ceil(maxComparisons / query.variants[0].words.length))
  const least = (byHits.length - 1) * leastHits
  for (let count = byHits.length - 1; count > 0; count -= 1) {
    const level = byHits[count]
    if (!level) continue
    const left = most - candidates.length
    if (left <= 0 || (count < least && candidates.length >= fewCandidates)) break
    candidates.push(...mostFamous(level, left))
  }
  return candidates
}

/** Up to this cost a name fits as it is typed; beyond, letters are wrong. */
export const strictCost = 7.1
/** Up to this cost a name is typed out, in another spelling or with words that name nothing. */
const likeExact = 2.5
/** What lies further than this behind the best fit is no answer. */
const margin = 4.6
const looseMargin = 3

const limitFor = (best: Fit): number => {
  if (best.cost <= 0) return margin
  if (!best.isMisspelt && best.cost <= strictCost) return strictCost
  return best.cost + (best.cost <= 9 ? margin : looseMargin)
}

/**
 * The bots that a text means, best first. The exact name comes first; then the fit of the text to the
 * name counts in bits, and fame against it. What fits far worse than the best is left out. Nothing for a
 * text that cleans to nothing. The work is bounded whatever the text.
 */
export const searchBots = (
  search: BotSearch,
  text: string,
  limit: number,
  accepts: (bot: Bot) => boolean = () => true,
): readonly Found[] => {
  const query = readQuery(text, search.leagueWords)
  if (!query) return []
  const job = { search, query, accepts }
  const begun = new Set<BotEntry>()
  let isMany = false
  for (const variant of query.variants) isMany = addBegun(job, variant.text, begun) || isMany
  if (query.variants[0].words.length > 1) addWithWord(job, begun)
  const results: { entry: BotEntry; fit: Fit }[] = []
  let best: Fit = { cost: maxCost, isMisspelt: true }
  const weigh = (entry: BotEntry, fit: Fit): void => {
    if (fit.cost > maxCost) return
    if (fit.cost < best.cost) best = fit
    results.push({ entry, fit })
  }
  for (const entry of begun) {
    weigh(entry, fitOf(query, entry.words, entry.bot.name, limitFor(best)))
  }
  const isEnough =
    best.cost < likeExact ||
    (!best.isMisspelt && best.cost <= strictCost && (isMany || begun.size >= limit))
  if (!isEnough) {
    for (const entry of candidatesFor(job, begun)) {
      weigh(entry, looseFitOf(query, entry.words, limitFor(best)))
    }
  }
  const cut = limitFor(best)
  return results
    .filter(({ fit }) => fit.cost <= cut)
    .map(({ entry, fit }) => ({ entry, fit, rank: rankOf(entry, fit, search.newestUnix) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        b.entry.bot.fights.length - a.entry.bot.fights.length ||
        compareTexts(a.entry.bot.cleanName, b.entry.bot.cleanName),
    )
    .slice(0, limit)
    .map(({ entry: { bot, words }, fit: { cost }, rank }) => ({
      bot,
      cost,
      score: scoreOf(cost, rank),
      spans: () => spansOf(query, words, bot.name),
    }))
}

/** Fame says less where letters are wrong. */
const rankOf = (entry: BotEntry, { cost, isMisspelt }: Fit, newestUnix: number): number => {
  if (cost === 0) return Number.NEGATIVE_INFINITY
  const fame = fameOf(entry, newestUnix)
  if (cost < likeExact) return cost - fame - 8
  return isMisspelt ? cost - 0.5 * fame : cost - fame
}

const scoreOf = (cost: number, rank: number): number =>
  cost === 0 ? 1 : Math.round(1000 * Math.min(0.99, Math.max(0.01, 1 - (rank + 17) / 40))) / 1000
