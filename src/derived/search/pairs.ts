import { cleanName } from '../../data/league/cleanName.ts'
import type { Fight } from '../../data/league/types.ts'
import { compareTexts } from '../../runtime/compareTexts.ts'
import { once } from '../../runtime/once.ts'
import { type Bot, findBot } from '../careers/bots.ts'
import { fightsBetween, meetingsOf, opponentsOf } from '../careers/headToHead.ts'
import type { BotSearch } from './botIndex.ts'
import { cleanWords } from './nameWords.ts'
import { type Found, searchBots } from './search.ts'
import { costs, limits } from './tuning.ts'

/** Two bots that a text names, with their fights. */
export interface Meeting {
  readonly bots: readonly [Found, Found]
  readonly fights: readonly Fight[]
  /** Cost of the match in bits, as in {@link Found}. */
  readonly cost: number
  /** The separator cannot be part of a name: `vs`, but not `v`. */
  readonly isExplicit: boolean
}

/** A reading of a text as two names. */
interface Split {
  readonly left: string
  readonly right: string
  /** Cost in bits. */
  readonly cost: number
  readonly isExplicit?: boolean
}

const versus = /\s+(?:vs?|versus|against)[.:]?(?:\s+|$)/iu
const looseSeparator = /\s+(?:x|and|meets|or|[-–—])\s+|\s*[/&+,|×@]\s*/iu
const aroundFights =
  /^(?:(?:the\s+)?fights?\s+(?:of|between)|between)\s+|[\s:]+(?:fights?|match(?:es)?|battles?|rematch|videos?|record|history|h2h|head to head)\s*$/giu

const splitAt = (text: string, separator: RegExp, cost: number): Split[] => {
  const match = separator.exec(text)
  if (!match || match.index === 0) return []
  const right = text.slice(match.index + match[0].length)
  const isExplicit = separator === versus && /\w\w/.test(match[0])
  return [{ left: text.slice(0, match.index), right, cost, isExplicit }]
}

/** Splits `AvsB` at each `vs` with a name on both sides. */
const runTogether = (text: string): Split[] => {
  const splits: Split[] = []
  for (const { index, 0: separator } of text.matchAll(/versus|vs/giu)) {
    const [left, right] = [text.slice(0, index), text.slice(index + separator.length)]
    const isBetween = cleanName(left).length > 1 && cleanName(right).length > 1
    if (isBetween) splits.push({ left, right, cost: costs.unseparated })
  }
  return splits.slice(0, limits.splits)
}

/** Two words that are the exact names of bots with a fight between them, whatever else the words mean. */
const splitNames = (text: string, { bots }: BotSearch): Split | undefined => {
  const [left = '', right = '', ...others] = text.trim().split(/\s+/u)
  const [one, other] = [left, right].map((side) => findBot(bots, cleanName(side)))
  const areNamed = one && other && one !== other && others.length === 0
  return areNamed && fightsBetween(one, other).length > 0
    ? { left, right, cost: costs.separated, isExplicit: true }
    : undefined
}

/**
 * Splits between words: first splits with the exact name of a bot on a side, then splits near the middle. A side of
 * one letter must be an exact name.
 */
const betweenWords = (text: string, { bots }: BotSearch, maxCost: number): Split[] => {
  const words = cleanWords(text).slice(0, limits.splitWords)
  return words
    .slice(1)
    .map((_, index) => {
      const sides = [words.slice(0, index + 1), words.slice(index + 1)] as const
      const [left, right] = [sides[0].join(' '), sides[1].join(' ')]
      const isKnown = sides.map((side) => findBot(bots, side.join('')) !== undefined)
      const known = isKnown.filter(Boolean).length
      const hasLetter = sides.some((side, at) => side.join('').length === 1 && !isKnown[at])
      const offset = Math.abs(2 * (index + 1) - words.length)
      return { left, right, cost: costs.unseparated, known, offset, hasLetter }
    })
    .filter(({ hasLetter }) => !hasLetter)
    .filter(
      ({ known }) =>
        known > 0 || (maxCost > limits.singleCost && words.length <= limits.freeSplitWords),
    )
    .sort((a, b) => b.known - a.known || a.offset - b.offset)
    .slice(0, limits.splits)
}

/** Searches of the parts of one text, each done once. */
const createFinder = (search: BotSearch) => {
  const known = new Map<string, readonly Found[]>()
  return {
    /** All bots of a part, best first. */
    find: (part: string): readonly Found[] =>
      known.getOrInsertComputed(part, () => searchBots(search, part, Infinity)),
    /** Bots of a part among the opponents of a bot, best first. */
    findOpponents: (part: string, bot: Bot): readonly Found[] =>
      known.getOrInsertComputed(`${bot.cleanName}\0${part}`, () => {
        const opponents = opponentsOf(bot)
        return searchBots(search, part, Infinity, ({ cleanName }) => opponents.has(cleanName))
      }),
  }
}
type Finder = ReturnType<typeof createFinder>

/** The best pair of bots for a split, below a cost; bots that met are preferred. */
const pairOf = (
  { left, right, cost, isExplicit = false }: Split,
  maxCost: number,
  { find, findOpponents }: Finder,
): Meeting | undefined => {
  const ones = find(left).slice(0, limits.perSide)
  const minCost = ones[0]?.cost ?? Number.POSITIVE_INFINITY
  if (cost + minCost >= maxCost) return undefined
  let best: Meeting | undefined
  const offer = (one: Found, other: Found): void => {
    if (one.bot === other.bot) return
    const sum = cost + one.cost + other.cost
    if (sum >= (best?.cost ?? maxCost)) return
    const fights = meetingsOf(one.bot, other.bot)
    const total = sum + (fights.length > 0 ? 0 : costs.neverMet)
    if (total >= (best?.cost ?? maxCost)) return
    const bots = one.score >= other.score ? ([one, other] as const) : ([other, one] as const)
    best = { bots, fights, cost: total, isExplicit }
  }
  const others = find(right).slice(0, limits.perSide)
  for (const one of ones) for (const other of others) offer(one, other)
  // A half-typed second name is searched among the opponents first.
  const [first] = ones
  if (first && others[0]?.cost !== 0 && (best?.fights.length ?? 0) === 0) {
    for (const other of findOpponents(right, first.bot).slice(0, limits.perSide))
      offer(first, other)
  }
  return best
}

/** A text that is searched for: each search of it, of its parts and of the pairs in it is done once. */
export type SearchedText = ReturnType<typeof readText>

export const readText = (search: BotSearch, text: string) => {
  const { bots } = search
  const clean = cleanName(text)
  const isName = findBot(bots, clean) !== undefined
  const plain = text.replace(aroundFights, '')
  const [loose] = splitAt(plain, looseSeparator, costs.unseparated)
  const [split] = splitAt(plain, versus, costs.separated)
  const finder = createFinder(search)
  const bestOf = (splits: readonly Split[], maxCost: number): Meeting | undefined => {
    let best: Meeting | undefined
    for (const split of splits) {
      best = pairOf(split, Math.min(maxCost, best?.cost ?? limits.matchCost), finder) ?? best
      if (best && best.fights.length > 0 && best.cost <= limits.singleCost) break
    }
    return best
  }
  return {
    search,
    text,
    clean,
    ...finder,
    /** Both sides of a `vs`. */
    split,
    /** The bots on both sides of a `vs`; only exact names around `and`, `x`, `&` and a space. */
    separated: once((): Meeting | undefined => {
      const areNamed = ({ left, right }: Split): boolean =>
        [left, right].every((side) => findBot(bots, cleanName(side)))
      const areNames = loose !== undefined && areNamed(loose)
      // A bot's name that also reads as the names of two others: `flip flop`.
      if (isName && !(split && areNamed(split))) {
        const named = splitNames(text, search)
        return named && pairOf(named, limits.matchCost, finder)
      }
      const separated = split ?? splitNames(text, search) ?? (areNames ? loose : undefined)
      return separated && pairOf(separated, limits.matchCost, finder)
    }),
    /**
     * The most likely pair without a separate `vs`: `wynkvsgondola`, `wnyk gondla`. Undefined if every pair
     * costs `maxCost` or more, or the text is the exact name of a bot.
     */
    closest: (maxCost: number): Meeting | undefined =>
      isName
        ? undefined
        : (bestOf([...(loose ? [loose] : []), ...runTogether(plain)], maxCost) ??
          bestOf(betweenWords(plain, search, maxCost), maxCost)),
  }
}

export interface Pair {
  readonly one: Bot
  readonly other: Bot
  readonly meetings: number
}

/**
 * Pairs for a text being typed, best first. After `wynk vs`: opponents that match the rest, or the most
 * frequent ones when nothing follows. Otherwise the pair that the text names.
 */
export const suggestPairs = (
  { search, text, split, find, findOpponents, closest }: SearchedText,
  limit: number,
): readonly Pair[] => {
  const one = split && find(split.left)[0]?.bot
  if (!one) {
    const meeting = closest(find(text)[0]?.cost ?? limits.matchCost)
    if (!meeting) return []
    const [{ bot: one }, { bot: other }] = meeting.bots
    return [{ one, other, meetings: meeting.fights.length }]
  }
  const counts = opponentsOf(one)
  const pairWith = (other: Bot | undefined): readonly Pair[] =>
    other && other !== one ? [{ one, other, meetings: counts.get(other.cleanName) ?? 0 }] : []
  if (cleanName(split.right) === '') {
    return [...counts]
      .sort(([a, m], [b, n]) => n - m || compareTexts(a, b))
      .flatMap(([clean]) => pairWith(findBot(search.bots, clean)))
      .slice(0, limit)
  }
  const met = findOpponents(split.right, one)
  const all = met.length > 0 ? met : find(split.right)
  return all.slice(0, limit).flatMap(({ bot }) => pairWith(bot))
}
