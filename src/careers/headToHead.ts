import { cleanWords } from '../derived/nameWords.ts'
import { type BotSearch, type Found, searchBots } from '../derived/search.ts'
import { cleanName } from '../league/cleanName.ts'
import type { Fight } from '../league/types.ts'
import { compareTexts } from '../source/rows.ts'
import { type Bot, findBot, opponentOf } from './bots.ts'

/** Completed fights between two bots, newest first. */
export const meetingsOf = (one: Bot, other: Bot): readonly Fight[] => {
  // The one with fewer fights is looked through; each of their fights stands in both lists.
  const [few, many] = one.fights.length <= other.fights.length ? [one, other] : [other, one]
  return few.fights.filter(
    (fight) => opponentOf(fight, few.cleanName).player?.cleanName === many.cleanName,
  )
}

/** Two bots that a text names, and their fights, if any. */
export interface Meeting {
  readonly bots: readonly [Found, Found]
  readonly fights: readonly Fight[]
  /** How badly the text names the two, in bits, as in {@link Found}. */
  readonly cost: number
}

/** A text in two parts. */
interface Split {
  readonly left: string
  readonly right: string
  /** Cost of reading the text so, in bits. */
  readonly cost: number
}

const versus = /\s+(?:vs?|versus|against)[.:]?(?:\s+|$)/iu
const looseSeparator = /\s+(?:x|and|meets|or|[-–—])\s+|\s*[/&+,|×@]\s*/iu
const aroundFights =
  /^(?:(?:the\s+)?fights?\s+(?:of|between)|between)\s+|[\s:]+(?:fights?|match(?:es)?|battles?|rematch|videos?|record|history|h2h|head to head)\s*$/giu

const separatedCost = 0
const looselySeparatedCost = 1
const runTogetherCost = 2
const unseparatedCost = 3
const neverMet = 4

/** A text without spaces is split at so few `vs` in it, one with spaces between so few words. */
const maxSplits = 3
const maxSplitWords = 8
/** Texts of more words are split only beside the very name of a bot. */
const manyWords = 3

const splitAt = (text: string, separator: RegExp, cost: number): Split[] => {
  const match = separator.exec(text)
  if (!match || match.index === 0) return []
  const right = text.slice(match.index + match[0].length)
  return [{ left: text.slice(0, match.index), right, cost }]
}

/** `AvsB` run together, at each `vs` that leaves a name on both sides. */
const runTogether = (text: string): Split[] => {
  const splits: Split[] = []
  for (const { index, 0: separator } of text.matchAll(/versus|vs/giu)) {
    const [left, right] = [text.slice(0, index), text.slice(index + separator.length)]
    const isBetween = cleanName(left).length > 1 && cleanName(right).length > 1
    if (isBetween) splits.push({ left, right, cost: runTogetherCost })
  }
  return splits.slice(0, maxSplits)
}

/** A single bot that explains a text at no more than this is rather meant than two misspelt ones. */
const singleCost = 12

/** Between any two words, first where a side is the very name of a bot, then near the middle. */
const betweenWords = (text: string, { bots }: BotSearch, most: number): Split[] => {
  const words = cleanWords(text).slice(0, maxSplitWords)
  return words
    .slice(1)
    .map((_, index) => {
      const sides = [words.slice(0, index + 1), words.slice(index + 1)] as const
      const [left, right] = [sides[0].join(' '), sides[1].join(' ')]
      const known = sides.filter((side) => findBot(bots, side.join(''))).length
      const offset = Math.abs(2 * (index + 1) - words.length)
      return { left, right, cost: unseparatedCost, known, offset }
    })
    .filter(({ known }) => known > 0 || (most > singleCost && words.length <= manyWords))
    .sort((a, b) => b.known - a.known || a.offset - b.offset)
    .slice(0, maxSplits)
}

/** Bots of each side that are paired. */
const perSide = 3

const opponentsOf = (bot: Bot): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const fight of bot.fights) {
    const opponent = opponentOf(fight, bot.cleanName).player?.cleanName
    if (opponent !== undefined && opponent !== bot.cleanName) {
      counts.set(opponent, (counts.get(opponent) ?? 0) + 1)
    }
  }
  return counts
}

/** The best pair of bots that two parts name; rather two that met. */
const pairOf = (
  { left, right, cost }: Split,
  most: number,
  find: (text: string, accepts?: (bot: Bot) => boolean) => readonly Found[],
): Meeting | undefined => {
  const ones = find(left)
  const least = ones[0]?.cost ?? Number.POSITIVE_INFINITY
  if (cost + least >= most) return undefined
  let best: Meeting | undefined
  const offer = (one: Found, other: Found): void => {
    if (one.bot === other.bot) return
    const sum = cost + one.cost + other.cost
    if (sum >= (best?.cost ?? most)) return
    const fights = meetingsOf(one.bot, other.bot)
    const total = sum + (fights.length > 0 ? 0 : neverMet)
    if (total >= (best?.cost ?? most)) return
    best = { bots: one.score >= other.score ? [one, other] : [other, one], fights, cost: total }
  }
  const others = find(right)
  for (const one of ones) for (const other of others) offer(one, other)
  // A half-typed name means rather an opponent than somebody else.
  const [first] = ones
  if (first && others[0]?.cost !== 0 && (best?.fights.length ?? 0) === 0) {
    const opponents = opponentsOf(first.bot)
    for (const other of find(right, ({ cleanName }) => opponents.has(cleanName)))
      offer(first, other)
  }
  return best
}

/** What two names are taken for costs at most this. */
const maxPairCost = 26

const finderFor = (search: BotSearch) => {
  const known = new Map<string, readonly Found[]>()
  return (part: string, accepts?: (bot: Bot) => boolean): readonly Found[] => {
    if (accepts) return searchBots(search, part, perSide, accepts)
    const before = known.get(part)
    if (before) return before
    const found = searchBots(search, part, perSide)
    known.set(part, found)
    return found
  }
}

const separate = (text: string): Split | undefined => splitAt(text, versus, separatedCost)[0]

/** The two bots on both sides of a `vs`, whoever they are; of `and` and the like, two very names. */
export const findSeparated = (search: BotSearch, text: string): Meeting | undefined => {
  const { bots } = search
  if (findBot(bots, cleanName(text))) return undefined
  const plain = text.replace(aroundFights, '')
  const separated = separate(plain)
  if (separated) return pairOf(separated, maxPairCost, finderFor(search))
  const [loose] = splitAt(plain, looseSeparator, looselySeparatedCost)
  const areNames =
    loose && [loose.left, loose.right].every((side) => findBot(bots, cleanName(side)))
  return areNames ? pairOf(loose, maxPairCost, finderFor(search)) : undefined
}

/**
 * The two bots that a text without `vs` most likely names, however it is to be split: `wynk vs gondera`,
 * `wynkvsgondola`, `wnyk gondla`. None where a single bot explains the text at no more than `most`.
 */
export const findMeeting = (search: BotSearch, text: string, most: number): Meeting | undefined => {
  if (findBot(search.bots, cleanName(text))) return undefined
  const find = finderFor(search)
  const plain = text.replace(aroundFights, '')
  const bestOf = (splits: readonly Split[]): Meeting | undefined => {
    let best: Meeting | undefined
    for (const split of splits) {
      best = pairOf(split, Math.min(most, best?.cost ?? maxPairCost), find) ?? best
      if (best && best.fights.length > 0 && best.cost <= singleCost) break
    }
    return best
  }
  return (
    bestOf([...splitAt(plain, looseSeparator, looselySeparatedCost), ...runTogether(plain)]) ??
    bestOf(betweenWords(plain, search, most))
  )
}

/** Two bots to offer while they are typed. */
export interface Pair {
  readonly one: Bot
  readonly other: Bot
  readonly meetings: number
}

/**
 * Pairs for a text that is being typed, best first: after `wynk vs` its opponents whose names fit the
 * rest, those met most often first where nothing is typed of it; else the two bots that a text names.
 */
export const suggestPairs = (search: BotSearch, text: string, limit: number): readonly Pair[] => {
  const separated = separate(text.replace(aroundFights, ''))
  const [first] = separated ? searchBots(search, separated.left, 1) : []
  if (!(separated && first)) {
    const whole = searchBots(search, text, 1)[0]?.cost ?? maxPairCost
    const meeting = findMeeting(search, text, whole)
    if (!meeting) return []
    const [one, other] = meeting.bots
    return [{ one: one.bot, other: other.bot, meetings: meeting.fights.length }]
  }
  const one = first.bot
  const counts = opponentsOf(one)
  if (cleanName(separated.right) === '') {
    return [...counts]
      .sort(([a, m], [b, n]) => n - m || compareTexts(a, b))
      .flatMap(([clean, meetings]) => {
        const other = findBot(search.bots, clean)
        return other ? [{ one, other, meetings }] : []
      })
      .slice(0, limit)
  }
  const met = searchBots(search, separated.right, limit, ({ cleanName }) => counts.has(cleanName))
  const all = met.length > 0 ? met : searchBots(search, separated.right, limit)
  return all.flatMap(({ bot: other }) =>
    other === one ? [] : [{ one, other, meetings: counts.get(other.cleanName) ?? 0 }],
  )
}
