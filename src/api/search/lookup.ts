import { cleanName } from '../../data/league/cleanName.ts'
import type { Fight } from '../../data/league/types.ts'
import { type Bot, type Bots, positionOf } from '../../derived/careers/bots.ts'
import { fightsBetween } from '../../derived/careers/headToHead.ts'
import { searchTeams, type Team } from '../../derived/careers/teams.ts'
import type { Meeting, SearchedText } from '../../derived/search/pairs.ts'
import { type Found, searchBots } from '../../derived/search/search.ts'
import { limits } from '../../derived/search/tuning.ts'

export const findTeams = (bots: Bots, text: string, limit: number): readonly Team[] =>
  searchTeams(bots, cleanName(text), limit)

/** The fights between the two bots that a text names, newest first. */
export const fightsOf = (meeting: Meeting | undefined, limit: number): readonly Fight[] => {
  const [one, other] = meeting?.bots ?? []
  return one && other ? fightsBetween(one.bot, other.bot).slice(0, limit) : []
}

/**
 * Finds the bots of a text, best first: as one name, or, if two names match better, with these two first, which are the
 * `meeting`. Each bot comes once; scores never rise.
 */
export const findBots = (
  { search, text, clean, find, separated: findSeparated, closest }: SearchedText,
  limit: number,
  accepts?: (bot: Bot) => boolean,
) => {
  const separated = findSeparated()
  const isSure = separated?.isExplicit === true && separated.cost <= limits.surePairCost
  const beginsName = ({ cleanName }: Bot): boolean => cleanName.startsWith(clean)
  const nextName = search.bots[positionOf(search.bots, clean)]
  /** True if a bot's whole name begins with the text: `Alien vs Editor` for `alien vs ed`. */
  const mayBegin = separated !== undefined && nextName !== undefined && beginsName(nextName)
  const listed =
    isSure && !mayBegin
      ? []
      : accepts
        ? searchBots(search, text, limit, accepts)
        : find(text).slice(0, limit)
  const begun = mayBegin ? listed.filter(({ bot }) => beginsName(bot)) : []
  const whole = isSure ? begun : listed
  const best = whole[0]?.cost ?? Number.POSITIVE_INFINITY
  const meeting = separated && (isSure || separated.cost < best) ? separated : closest(best)
  if (!meeting) return { found: whole, meeting }
  const isBegun = ({ bot }: Found): boolean => begun.some((each) => each.bot === bot)
  const pair = meeting.bots.filter((each) => (accepts?.(each.bot) ?? true) && !isBegun(each))
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
