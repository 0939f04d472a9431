import type { Bot } from '../../careers/bots.ts'
import { findMeeting, findSeparated, type Meeting } from '../../careers/headToHead.ts'
import type { BotSearch } from '../../search/botIndex.ts'
import { type Found, maxTypedCost, searchBots } from '../../search/search.ts'

export interface FoundBots {
  /** Best first; scores never rise. */
  readonly found: readonly Found[]
  /** The two bots named by the text, if it names two. */
  readonly meeting: Meeting | undefined
}

/** Max cost at which two names joined by `vs` are taken as a pair regardless of other matches. */
const maxSurePairCost = 8

/**
 * Bots that match a text; if two names explain it better than one, those two come first. Each bot
 * once.
 */
export const findBots = (
  search: BotSearch,
  text: string,
  limit: number,
  accepts: (bot: Bot) => boolean = () => true,
): FoundBots => {
  const separated = findSeparated(search, text)
  const isSure = separated?.isExplicit === true && separated.cost <= maxSurePairCost
  const whole = isSure ? [] : searchBots(search, text, limit, accepts)
  const best = whole[0]?.cost ?? Number.POSITIVE_INFINITY
  const meeting =
    separated && (isSure || separated.cost < best) ? separated : findMeeting(search, text, best)
  if (!meeting) return { found: whole, meeting }
  const pair = meeting.bots.filter(({ bot }) => accepts(bot))
  const others = whole.filter(
    ({ bot, cost }) => cost <= maxTypedCost && !meeting.bots.some((each) => each.bot === bot),
  )
  let most = 1
  const found = [...pair, ...others].slice(0, limit).map((each) => {
    most = Math.min(most, each.score)
    return { ...each, score: most }
  })
  return { found, meeting }
}
