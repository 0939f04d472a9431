import { replaceInSteps } from '../../data/league/sortedList.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import type { Steps } from '../../runtime/timeSlice.ts'
import type { Bot, Bots } from '../careers/bots.ts'
import { type NameWords, nameWords } from './nameWords.ts'
import { createNumbering, type Numbering } from './numbering.ts'
import { createTermIndex, type TermIndex } from './termIndex.ts'
import { nameTerms } from './terms.ts'

/** A name from the start of one of its words on. */
export interface Start {
  readonly text: string
  readonly cleanName: string
  readonly number: number
  /** Words before it, articles left out. */
  readonly lead: number
}

/**
 * The bots of one archive, indexed. Versions share the index of terms: a number found there belongs to the entry with
 * the same number in the version that is searched.
 */
export interface BotSearch {
  readonly terms: TermIndex
  /** Entries by number; undefined if the version has no such bot. */
  readonly entries: readonly (BotEntry | undefined)[]
  /** Starts of names, sorted by text, then clean name. */
  readonly starts: readonly Start[]
  readonly bots: Bots
  readonly newestUnix: number
  /** Words of the league's own name. */
  readonly leagueWords: ReadonlySet<string>
  /** Words of tournaments, by which joined names are divided. */
  readonly idsByWord: ReadonlyMap<string, unknown>
  readonly numbering: Numbering<BotSearch>
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

/** A bot, and its number in the index of terms. */
const entryOf = (bot: Bot, number: number, words: NameWords) => {
  /** Binary logarithm of its fights plus one. */
  const fame = Math.log2(1 + bot.fights.length)
  /** Fame plus a hash of the name below any difference of fame: a strict order. */
  const order = fame + Bun.hash.crc32(bot.cleanName) / 2 ** 52
  /** End of its last fight; 0 without one. */
  const lastUnix = bot.fights[0]?.finishUnix ?? 0
  return { bot, number, words, fame, order, lastUnix }
}
export type BotEntry = Readonly<ReturnType<typeof entryOf>>

/** Values of the league that the index depends on, besides the bots. */
export type SearchContext = Pick<BotSearch, 'newestUnix' | 'leagueWords' | 'idsByWord'>

/** The bots that only one of two versions has as they are, by clean name. */
function* changedBots(
  before: Bots,
  after: Bots,
): Generator<{ old: Bot | undefined; now: Bot | undefined }> {
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    const old = before[i]
    const now = after[j]
    const isOld = old !== undefined && !(now && now.cleanName < old.cleanName)
    const isNew = now !== undefined && !(old && old.cleanName < now.cleanName)
    if (isOld) i += 1
    if (isNew) j += 1
    if (old !== now) yield { old: isOld ? old : undefined, now: isNew ? now : undefined }
  }
}

const emptySearch = (context: SearchContext): BotSearch => {
  const numbering = createNumbering<BotSearch>()
  const shared = { terms: createTermIndex(), numbering }
  const search = { ...context, ...shared, entries: [], starts: [], bots: [] }
  numbering.setLatest(search)
  return search
}

/**
 * The index after a change: equal to a rebuilt one, at the cost of the changed bots: in the real league 3 ms for the
 * bots of a tournament, 63 ms for all. The version before stays usable: terms of removed bots leave the index with the
 * update after this one. An index that is at another version is rebuilt.
 */
export function* updateSearch(
  before: BotSearch,
  bots: Bots,
  context: SearchContext,
): Steps<BotSearch> {
  const { terms, numbering } = before
  if (!numbering.isLatest(before)) return yield* searchSteps(bots, context)
  if (before.bots === bots) {
    const search = { ...before, ...context }
    numbering.setLatest(search)
    return search
  }
  numbering.setLatest(undefined)
  for (const number of terms.retired()) {
    yield
    terms.remove(number)
    numbering.free(number)
  }
  yield
  const entries = before.entries.slice()
  const [removedStarts, addedStarts]: [Start[], Start[]] = [[], []]
  for (const { old, now } of changedBots(before.bots, bots)) {
    yield
    const known = old && entries[numbering.numberOf(old.cleanName) ?? -1]
    if (known && now && known.bot.name === now.name) {
      entries[known.number] = entryOf(now, known.number, known.words)
      continue
    }
    if (known) {
      entries[known.number] = undefined
      removedStarts.push(...startsOf(known))
      terms.retire(known.number, nameTerms(known.words))
      numbering.leave(known.bot.cleanName)
    }
    if (now) {
      const entry = entryOf(now, numbering.take(now.cleanName), nameWords(now.name, now.cleanName))
      entries[entry.number] = entry
      addedStarts.push(...startsOf(entry))
      terms.add(entry.number, nameTerms(entry.words))
    }
  }
  const starts = yield* replaceInSteps(before.starts, removedStarts, addedStarts, byText)
  const search = { ...context, terms, entries, starts, bots, numbering }
  numbering.setLatest(search)
  return search
}

export const searchSteps = (bots: Bots, context: SearchContext): Steps<BotSearch> =>
  updateSearch(emptySearch(context), bots, context)
