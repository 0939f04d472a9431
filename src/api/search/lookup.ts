import { cleanName } from '../../data/league/cleanName.ts'
import type { Fight } from '../../data/league/types.ts'
import { type Bot, type Bots, positionOf } from '../../derived/careers/bots.ts'
import { fightsBetween } from '../../derived/careers/headToHead.ts'
import { searchTeams, type Team } from '../../derived/careers/teams.ts'
import type { BotSearch } from '../../derived/search/botIndex.ts'
import { type Meeting, pairsIn } from '../../derived/search/pairs.ts'
import { type Found, searchBots } from '../../derived/search/search.ts'
import { limits } from '../../derived/search/tuning.ts'

export const findTeams = (bots: Bots, text: string, limit: number): readonly Team[] =>
  searchTeams(bots, cleanName(text), limit)

/** The fights between the two bots that a text names, newest first. */
export const fightsOf = (meeting: Meeting | undefined, limit: number): readonly Fight[] => {
  const [one, other] = meeting?.bots ?? []
  return one && other ? fightsBetween(one.bot, other.bot).slice(0, limit) : []
}

/** True if the name of a bot begins with the text. */
const beginsName = ({ bots }: BotSearch, text: string): boolean => {
  const clean = cleanName(text)
  return bots[positionOf(bots, clean)]?.cleanName.startsWith(clean) === true
}

const begunBots = (...[search, text, ...rest]: Parameters<typeof searchBots>): readonly Found[] =>
  searchBots(search, text, ...rest).filter(({ bot }) => bot.cleanName.startsWith(cleanName(text)))

/**
 * Finds the bots of a text, best first: as one name, or, if two names match better, those two first, which are the
 * `meeting`. Each bot comes once; scores never rise.
 */
export const findBots = (
  search: BotSearch,
  text: string,
  limit: number,
  accepts: (bot: Bot) => boolean = () => true,
) => {
  const pairs = pairsIn(search, text)
  const separated = pairs.separated()
  const isSure = separated?.isExplicit === true && separated.cost <= limits.surePairCost
  /** Bots whose whole name begins with the text: `Alien vs Editor` for `alien vs ed`. */
  const begun = separated && beginsName(search, text) ? begunBots(search, text, limit, accepts) : []
  const whole = isSure ? begun : searchBots(search, text, limit, accepts)
  const best = whole[0]?.cost ?? Number.POSITIVE_INFINITY
  const meeting = separated && (isSure || separated.cost < best) ? separated : pairs.closest(best)
  if (!meeting) return { found: whole, meeting }
  const isBegun = ({ bot }: Found): boolean => begun.some((each) => each.bot === bot)
  const pair = meeting.bots.filter((each) => accepts(each.bot) && !isBegun(each))
  const others = whole.filter(
    (each) =>
      each.cost <= limits.typedCost &&
      !isBegun(each) &&
      !meeting.bots.some(({ bot }) => bot === each.bot),
  )
  let maxScore = 1
  const found = [...begun, ...pair, ...others].slice(0, limit).map((each) => {
    maxScore = Math.min(maxScore, each.score)
    return { ...each, score: maxScore }
  })
  return { found, meeting }
}
