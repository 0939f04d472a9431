import type { Bot, Bots } from '../careers/bots.ts'
import { compareTexts } from '../compareTexts.ts'
import { replaceSorted } from '../league/sortedList.ts'
import { createTimeSlice } from '../timeSlice.ts'
import { type NameWords, nameWords } from './nameWords.ts'
import { createNumbering, type Numbering } from './numbering.ts'
import { createTermIndex, type TermIndex } from './termIndex.ts'
import { nameTerms } from './terms.ts'

/** A bot as indexed. */
export interface BotEntry {
  readonly bot: Bot
  /** Its number in the index of terms. */
  readonly number: number
  readonly words: NameWords
  /** Binary logarithm of its fights plus one. */
  readonly fame: number
  /** Fame plus a hash of the name below any difference of fame: a strict order. */
  readonly order: number
  /** End of its last fight; 0 without one. */
  readonly lastUnix: number
}

/** A name from the start of one of its words on. */
export interface Start {
  readonly text: string
  readonly cleanName: string
  readonly number: number
  /** Words before it, articles left out. */
  readonly lead: number
}

/**
 * The bots of one archive, indexed. Versions share the index of terms: a number found there is that of
 * the entry with that number in the version that is searched.
 */
export interface BotSearch {
  readonly terms: TermIndex
  /** By number; undefined where the version has no such bot. */
  readonly entries: readonly (BotEntry | undefined)[]
  /** By text, then clean name. */
  readonly starts: readonly Start[]
  readonly bots: Bots
  /** End of the newest fight. */
  readonly newestUnix: number
  /** Words of the league's own name. */
  readonly leagueWords: ReadonlySet<string>
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

const entryOf = (bot: Bot, number: number, words: NameWords): BotEntry => {
  const fame = Math.log2(1 + bot.fights.length)
  const order = fame + Bun.hash.crc32(bot.cleanName) / 2 ** 52
  return { bot, number, words, fame, order, lastUnix: bot.fights[0]?.finishUnix ?? 0 }
}

/** What a version takes from the league beside its bots. */
export interface SearchContext {
  readonly newestUnix: number
  readonly leagueWords: ReadonlySet<string>
}

/** The index of all bots. */
export const buildSearch = (bots: Bots, { newestUnix, leagueWords }: SearchContext): BotSearch => {
  const terms = createTermIndex()
  const numbering = createNumbering<BotSearch>()
  const entries = bots.map((bot) => {
    const entry = entryOf(bot, numbering.take(bot.cleanName), nameWords(bot.name, bot.cleanName))
    terms.add(entry.number, nameTerms(entry.words))
    return entry
  })
  const starts = entries.flatMap(startsOf).sort(byText)
  const search = { terms, entries, starts, bots, newestUnix, leagueWords, numbering }
  numbering.setLatest(search)
  return search
}

/** The bots that only one of two versions has as they are, by clean name. */
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

/** Names indexed in one slice, which takes about a millisecond at most. */
const maxSliceNames = 8

/** Starts of names put in their places in one slice. */
const maxStepStarts = 2000

/**
 * The index after a change: equal to one built anew, at the cost of the changed bots. Requests are
 * answered between its slices. The version before stays usable: terms of removed
 * bots leave the index with the update after this one. An index that is at another version is built anew.
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
  numbering.setLatest(undefined)
  const { isOver, next } = createTimeSlice()
  let names = 0
  const restBetween = async (): Promise<void> => {
    names += 1
    if (names % maxSliceNames === 0 || isOver()) await next()
  }
  await next()
  for (const number of numbering.retired()) {
    terms.remove(number)
    numbering.free(number)
    await restBetween()
  }
  const changes = changedBots(before.bots, bots)
  await next()
  const entries = before.entries.slice()
  const [removedStarts, addedStarts]: [Start[], Start[]] = [[], []]
  for (const { old, now } of changes) {
    const known = old && entries[numbering.numberOf(old.cleanName) ?? -1]
    if (known && now && known.bot.name === now.name) {
      entries[known.number] = entryOf(now, known.number, known.words)
      continue
    }
    if (known) {
      entries[known.number] = undefined
      removedStarts.push(...startsOf(known))
      terms.retire(nameTerms(known.words))
      numbering.retire(known.bot.cleanName, known.number)
    }
    if (now) {
      const entry = entryOf(now, numbering.take(now.cleanName), nameWords(now.name, now.cleanName))
      entries[entry.number] = entry
      addedStarts.push(...startsOf(entry))
      terms.add(entry.number, nameTerms(entry.words))
    }
    await restBetween()
  }
  let { starts } = before
  if (removedStarts.length + addedStarts.length > 0) {
    await next()
    for (let at = 0; at < removedStarts.length; at += maxStepStarts) {
      starts = replaceSorted(starts, removedStarts.slice(at, at + maxStepStarts), [], byText)
      await next()
    }
    for (let at = 0; at < addedStarts.length; at += maxStepStarts) {
      starts = replaceSorted(starts, [], addedStarts.slice(at, at + maxStepStarts), byText)
      await next()
    }
  }
  const search = { ...context, terms, entries, starts, bots, numbering }
  numbering.setLatest(search)
  return search
}
