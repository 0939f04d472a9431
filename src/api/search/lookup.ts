import type { Bot } from '../../careers/bots.ts'
import { findMeeting, findSeparated, type Meeting } from '../../careers/headToHead.ts'
import { type BotSearch, type Found, searchBots, strictCost } from '../../derived/search.ts'

export interface FoundBots {
  /** Best first; scores never rise. */
  readonly found: readonly Found[]
  /** The two bots that the text names, if it names two. */
  readonly meeting: Meeting | undefined
}

/** Two names with `vs` between them that fit so well are meant, whatever else the text may be. */
const surePairCost = 8

/**
 * The bots that a text means: as a whole, or, where two names explain it better than any one, those two
 * first. Each bot once.
 */
export const findBots = (
  search: BotSearch,
  text: string,
  limit: number,
  accepts: (bot: Bot) => boolean = () => true,
): FoundBots => {
  const separated = findSeparated(search, text)
  const isSure = separated !== undefined && separated.cost <= surePairCost
  const whole = isSure ? [] : searchBots(search, text, limit, accepts)
  const best = whole[0]?.cost ?? Number.POSITIVE_INFINITY
  const meeting =
    separated && (isSure || separated.cost < best) ? separated : findMeeting(search, text, best)
  if (!meeting) return { found: whole, meeting }
  const pair = meeting.bots.filter(({ bot }) => accepts(bot))
  const others = whole.filter(
    ({ bot, cost }) => cost <= strictCost && !meeting.bots.some((each) => each.bot === bot),
  )
  let most = 1
  const found = [...pair, ...others].slice(0, limit).map((each) => {
    most = Math.min(most, each.score)
    return { ...each, score: most }
  })
  return { found, meeting }
}
