import { Index } from 'flexsearch'
import { cleanName as toCleanName } from '../dataset/cleanName.ts'
import { type Bot, type Bots, positionOf } from './bots.ts'
import { editDistances } from './distance.ts'
import { cleanWords } from './tournamentSearch.ts'

/** What is weighed of a bot, made once. */
interface Entry {
  /** As the bots that the index knows have it. */
  bot: Bot
  /** The display name in lower case. */
  readonly typed: string
  /** The clean name with digits that stand for letters read as those. */
  readonly letters: string
  /** Which letters those are, see {@link lettersIn}. */
  readonly mask: number
  readonly words: readonly string[]
}

/**
 * An index of bots that proposes by shared pairs and triples of letters, so that a misspelt name still
 * finds its own. It changes in place, and always follows to the very bots that a search is about.
 */
export interface BotSearch {
  readonly index: Index
  readonly numbers: Map<string, number>
  readonly entries: Map<number, Entry>
  /** The bots with a word, by number. */
  readonly numbersByWord: Map<string, Set<number>>
  /** How many bots the index has a gram of. */
  readonly countsByGram: Map<string, number>
  /** The bots that the index knows. */
  bots: Bots
  nextNumber: number
}

export interface Found {
  readonly bot: Bot
  /** From 0 to 1; 1 is the very name. */
  readonly score: number
}

/** More letters of a query than this say nothing more. */
const longestQuery = 64

/** As many proposals are weighed; twice as many find 0.1 % more. */
const proposals = 160

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
}

/** Digits that stand for letters, read as those. */
const unleet = (clean: string): string =>
  clean.replace(/[013457]/g, (digit) => lookalikes[digit] ?? digit)

const maskBits = [...'abcdefghijklmnopqrstuvwxyz2689']

/** The letters of a text whose digits are read as letters, a bit for each. */
const lettersIn = (letters: string): number => {
  let mask = 0
  for (const letter of letters) mask |= 1 << maskBits.indexOf(letter)
  return mask
}

/** How many bits are set. */
const bitCount = (mask: number): number => {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}

/** Pairs and triples of clean texts, and their beginnings with a mark before them, each once. */
const gramsOf = (...texts: readonly string[]): Set<string> => {
  const grams = new Set<string>()
  for (const clean of new Set(texts)) {
    const marked = `^${clean}`
    for (let at = 0; at < marked.length - 1; at += 1) {
      grams.add(marked.slice(at, at + 2))
      if (at < marked.length - 2) grams.add(marked.slice(at, at + 3))
    }
  }
  return grams
}

const entryOf = (bot: Bot): Entry => {
  const { cleanName, name } = bot
  // `Mk.4` is two words to some and one to others.
  const words = new Set([...cleanWords(name), ...name.split(/\s+/).map(toCleanName)])
  const letters = unleet(cleanName)
  return {
    bot,
    typed: name.toLowerCase(),
    letters,
    mask: lettersIn(letters),
    words: [...words].filter(Boolean),
  }
}

/** Everything that proposes a bot: the grams of its name, and how each of its words begins. */
const indexedGrams = ({ bot, letters, words }: Entry): ReadonlySet<string> => {
  const grams = gramsOf(bot.cleanName, letters)
  for (const word of words) {
    grams.add(`^${word.slice(0, 1)}`)
    grams.add(`^${word.slice(0, 2)}`)
  }
  return grams
}

/** What is asked: as typed, cleaned, and with digits read as letters. */
interface Asked {
  readonly typed: string
  readonly clean: string
  readonly letters: string
  /** Which letters those are, see {@link lettersIn}. */
  readonly mask: number
}

/**
 * What of a text is looked up: its rarest grams, which say the most, as long as they propose no more
 * bots in all than are counted in a moment. Of misspelt names in a league of 18,000 bots, half as many
 * find 2 % less, twice as many 0.5 % more. `isQuick` is for half as many.
 */
const queryGrams = (
  { bots, countsByGram }: BotSearch,
  { clean, letters }: Asked,
  isQuick: boolean,
): readonly string[] => {
  const grams = Array.from(gramsOf(clean, letters), (gram) => ({
    gram,
    count: countsByGram.get(gram) ?? 0,
  })).sort((a, b) => a.count - b.count)
  let rest = (isQuick ? 10 : 20) * Math.sqrt(bots.length)
  return grams.flatMap(({ gram, count }) => {
    rest -= count
    return count > 0 && rest > 0 ? [gram] : []
  })
}

const add = (search: BotSearch, bot: Bot): void => {
  const number = search.nextNumber
  const entry = entryOf(bot)
  search.nextNumber += 1
  search.numbers.set(bot.cleanName, number)
  search.entries.set(number, entry)
  const grams = indexedGrams(entry)
  search.index.add(number, [...grams].join(' '))
  for (const gram of grams) search.countsByGram.set(gram, (search.countsByGram.get(gram) ?? 0) + 1)
  for (const word of entry.words) {
    const numbers = search.numbersByWord.get(word)
    if (numbers) numbers.add(number)
    else search.numbersByWord.set(word, new Set([number]))
  }
}

const remove = (search: BotSearch, { cleanName }: Bot): void => {
  const { numbers, entries, numbersByWord, countsByGram } = search
  const number = numbers.get(cleanName)
  const entry = number === undefined ? undefined : entries.get(number)
  if (number === undefined || !entry) return
  for (const word of entry.words) {
    const others = numbersByWord.get(word)
    others?.delete(number)
    if (others?.size === 0) numbersByWord.delete(word)
  }
  for (const gram of indexedGrams(entry)) {
    const count = (countsByGram.get(gram) ?? 0) - 1
    if (count > 0) countsByGram.set(gram, count)
    else countsByGram.delete(gram)
  }
  numbers.delete(cleanName)
  entries.delete(number)
  search.index.remove(number)
}

/** Brings the index to these bots, at the cost of those that came, went or changed their name. */
export const followBots = (search: BotSearch, bots: Bots): void => {
  const before = search.bots
  if (before === bots) return
  search.bots = bots
  let old = 0
  let now = 0
  while (old < before.length || now < bots.length) {
    const gone = before[old]
    const come = bots[now]
    if (gone && come && gone.cleanName === come.cleanName) {
      const entry = search.entries.get(search.numbers.get(gone.cleanName) ?? -1)
      if (entry && gone.name === come.name) {
        entry.bot = come
      } else {
        remove(search, gone)
        add(search, come)
      }
      old += 1
      now += 1
    } else if (come && (!gone || come.cleanName < gone.cleanName)) {
      add(search, come)
      now += 1
    } else if (gone) {
      remove(search, gone)
      old += 1
    }
  }
}

export const buildSearch = (bots: Bots): BotSearch => {
  const search: BotSearch = {
    index: new Index({
      tokenize: 'strict',
      resolution: 1,
      encode: (grams) => grams.split(' '),
    }),
    numbers: new Map(),
    entries: new Map(),
    numbersByWord: new Map(),
    countsByGram: new Map(),
    bots: [],
    nextNumber: 0,
  }
  followBots(search, bots)
  return search
}

/** The bots whose clean names begin so. */
function* beginningWith(bots: Bots, clean: string): Generator<Bot> {
  for (let at = positionOf(bots, clean); at < bots.length; at += 1) {
    const bot = bots[at]
    if (!bot?.cleanName.startsWith(clean)) return
    yield bot
  }
}

/** The bots with this very word. */
function* withWord({ numbersByWord, entries }: BotSearch, word: string): Generator<Bot> {
  for (const number of numbersByWord.get(word) ?? []) {
    const entry = entries.get(number)
    if (entry) yield entry.bot
  }
}

/**
 * Of bots that answer a text alike, however many: those with the most fights, and those of whose names
 * so much is typed that it counts.
 */
const narrow = (bots: Iterable<Bot>, { typed, clean }: Asked, limit: number): readonly Bot[] => {
  const famous: Bot[] = []
  const near: Bot[] = []
  for (const bot of bots) {
    const isNear =
      isHalf(clean, bot.cleanName) || (typed !== clean && bot.name.toLowerCase().startsWith(typed))
    if (isNear && near.length < proposals) near.push(bot)
    const last = famous.at(-1)
    if (famous.length === limit && last && last.fights.length >= bot.fights.length) continue
    const place = famous.findIndex((other) => other.fights.length < bot.fights.length)
    famous.splice(place < 0 ? famous.length : place, 0, bot)
    if (famous.length > limit) famous.pop()
  }
  return [...famous, ...near]
}

/** Edits that may lie between a text and what was meant by it. */
const mostEdits = (length: number): number =>
  length <= 2 ? 0 : length <= 4 ? 1 : length <= 7 ? 2 : 3

/** Whether the text is at least half of the name. */
const isHalf = (text: string, name: string): boolean => 2 * text.length >= name.length

/** From this share of a name on, it is rather that name than one with the text as a word. */
const nearlyTyped = 0.7

/**
 * How close a name comes to a text: a tier first, then closeness within it. While less than half of a
 * name is typed its length says nothing, and fame decides.
 */
const closeness = (
  text: string,
  name: string,
  words: readonly string[],
  beginsAsTyped = false,
): number => {
  if (name === text) return 1
  const share = Math.min(1, text.length / name.length)
  const typed = share >= 0.5 ? 0.04 * share : 0
  const begins = name.startsWith(text)
  const isWord = words.includes(text)
  if (beginsAsTyped) return 0.95 + typed
  // One or two letters are rather the beginning of a name than a word of it.
  if ((isWord && text.length > 2) || (begins && share >= nearlyTyped)) return 0.9 + typed
  if (begins) return 0.85 + typed
  if (isWord) return 0.84
  if (words.some((word) => word.startsWith(text))) return 0.8 + typed
  const most = mostEdits(text.length)
  const { whole, beginning } = editDistances(text, name, most)
  if (whole <= most) return 0.75 - (0.4 * whole) / text.length + typed
  if (beginning <= most) return 0.7 - (0.4 * beginning) / text.length + typed
  return 0
}

const weigh = ({ typed, clean, letters, mask }: Asked, entry: Entry): number => {
  // Each letter that the name does not have takes an edit.
  if (bitCount(mask & ~entry.mask) > mostEdits(clean.length)) return 0
  // With its very spaces and punctuation: `quokka-` is rather Quokka-438 than Quokka Fog.
  const beginsAsTyped = typed !== clean && entry.typed.startsWith(typed)
  const { cleanName } = entry.bot
  const plain = closeness(clean, cleanName, entry.words, beginsAsTyped)
  if (plain >= 0.8 || (letters === clean && entry.letters === cleanName)) return plain
  return Math.max(plain, closeness(letters, entry.letters, entry.words) - 0.05)
}

const alphabet = [...'abcdefghijklmnopqrstuvwxyz0123456789']

/** Every text that one edit makes of a short one: too few letters to share pairs with what is meant. */
const oneEditFrom = (text: string): string[] => {
  const texts: string[] = []
  for (let at = 0; at <= text.length; at += 1) {
    const [before, letter, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)]
    if (letter) texts.push(before + after)
    if (after) texts.push(before + after.charAt(0) + letter + after.slice(1))
    for (const other of alphabet) {
      texts.push(before + other + letter + after)
      if (letter) texts.push(before + other + after)
    }
  }
  return texts
}

const longestEdited = 6

/**
 * The bots that a text means, best first: the exact name, then names that begin just as typed, names
 * with this very word or nearly typed out, names that begin so, names with a word that begins so, then
 * the fewest edits; among equals the bot with more fights. Nothing for a text that cleans to nothing. The work is bounded
 * whatever the text; `isQuick` is for many searches in a row.
 */
export const searchBots = (
  search: BotSearch,
  bots: Bots,
  text: string,
  limit: number,
  { isQuick = false }: { readonly isQuick?: boolean } = {},
): readonly Found[] => {
  const clean = toCleanName(text.slice(0, 4 * longestQuery)).slice(0, longestQuery)
  if (clean === '') return []
  followBots(search, bots)
  const letters = unleet(clean)
  const asked = { typed: text.trim().toLowerCase(), clean, letters, mask: lettersIn(letters) }
  const numbers = new Set<number>()
  const propose = (name: string): void => {
    const number = search.numbers.get(name)
    if (number !== undefined) numbers.add(number)
  }
  propose(clean)
  for (const { cleanName } of narrow(beginningWith(bots, clean), asked, limit)) propose(cleanName)
  for (const { cleanName } of narrow(withWord(search, clean), asked, limit)) propose(cleanName)
  if (clean.length > 2 && clean.length <= longestEdited) oneEditFrom(clean).forEach(propose)
  const grams = queryGrams(search, asked, isQuick).join(' ')
  for (const number of search.index.search(grams, { limit: proposals, suggest: true })) {
    numbers.add(Number(number))
  }
  const found: Found[] = []
  for (const number of numbers) {
    const entry = search.entries.get(number)
    const score = entry ? weigh(asked, entry) : 0
    if (entry && score > 0) found.push({ bot: entry.bot, score: Math.round(score * 1000) / 1000 })
  }
  return found
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.bot.fights.length - a.bot.fights.length ||
        (a.bot.cleanName < b.bot.cleanName ? -1 : 1),
    )
    .slice(0, limit)
}
