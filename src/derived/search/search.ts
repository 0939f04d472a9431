import { compareTexts } from '../../runtime/compareTexts.ts'
import type { Bot } from '../careers/bots.ts'
import type { BotEntry, BotSearch } from './botIndex.ts'
import { fameOf, misspeltCandidates, typedCandidates } from './candidates.ts'
import { joinedMatches } from './joined.ts'
import { type Match, matchName, type Span, spansOf } from './match.ts'
import { readQuery } from './query.ts'
import { limits } from './tuning.ts'

export interface Found {
  readonly bot: Bot
  /** Score from 0 to 1, never rising along the list; 1 is the exact name. */
  readonly score: number
  /** Cost of the match of text and name in bits, whatever its fame. */
  readonly cost: number
  /** Ranges of the clean name that the text matches. */
  readonly spans: () => readonly Span[]
}

/** Maximum cost of a result beside the best one. */
const maxCostBeside = (best: Pick<Match, 'cost' | 'isMisspelt'>): number => {
  if (best.cost <= 0) return limits.margin
  if (!best.isMisspelt && best.cost < limits.innerCost) return limits.typedCost
  return best.cost + (best.cost <= limits.nearCost ? limits.margin : limits.farMargin)
}

interface Result {
  readonly entry: BotEntry
  readonly match: Match
}

/** Cost less fame, which counts half if letters differ; whole names come before all others. */
const rankOf = ({ entry, match: { cost, isMisspelt } }: Result, newestUnix: number): number => {
  if (cost === 0) return Number.NEGATIVE_INFINITY
  const fame = fameOf(entry, newestUnix)
  if (cost < limits.wholeCost) return cost - fame - 8
  return isMisspelt ? cost - 0.5 * fame : cost - fame
}

const scoreOf = (cost: number, rank: number): number =>
  cost === 0 ? 1 : Math.round(1000 * Math.min(0.99, Math.max(0.01, 1 - (rank + 17) / 40))) / 1000

/**
 * The bots that a text means, best first: the exact name, then by the cost of the match less the fame of
 * the bot. FlexSearch finds candidates by shared terms (`termIndex.ts`); terms, costs and ranking are this
 * project's. Results far worse than the best are left out; a text that cleans to nothing finds none. The
 * work is bounded for any text.
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
  const { begun, isCut } = typedCandidates(job)
  const results = new Map<BotEntry, Match>()
  let best: Pick<Match, 'cost' | 'isMisspelt'> = { cost: limits.matchCost, isMisspelt: true }
  const add = (entry: BotEntry, match: Match): void => {
    if (
      match.cost > limits.matchCost ||
      match.cost >= (results.get(entry)?.cost ?? limits.matchCost + 1)
    )
      return
    if (match.cost < best.cost) best = match
    results.set(entry, match)
  }
  const compare = (entry: BotEntry): void =>
    add(entry, matchName(query, entry.words, entry.bot.name, maxCostBeside(best)))
  for (const entry of begun) compare(entry)
  const isTyped = !best.isMisspelt && best.cost <= limits.typedCost
  const isEnough =
    best.cost < limits.wholeCost || (isTyped && (isCut || begun.size >= limits.enough))
  for (const [entry, match] of joinedMatches(job)) add(entry, match)
  if (!isEnough) for (const entry of misspeltCandidates(job, begun)) compare(entry)
  const maxCost = maxCostBeside(best)
  return [...results]
    .filter(([, match]) => match.cost <= maxCost)
    .map(([entry, match]) => ({ entry, match, rank: rankOf({ entry, match }, search.newestUnix) }))
    .sort(
      (a, b) =>
        a.rank - b.rank ||
        b.entry.bot.fights.length - a.entry.bot.fights.length ||
        compareTexts(a.entry.bot.cleanName, b.entry.bot.cleanName),
    )
    .slice(0, limit)
    .map(({ entry: { bot, words }, match, rank }) => ({
      bot,
      cost: match.cost,
      score: scoreOf(match.cost, rank),
      spans: () => spansOf(match, words),
    }))
}
