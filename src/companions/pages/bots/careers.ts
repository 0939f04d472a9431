import { isCornerNamed } from '../../../api/fights/outcomes.ts'
import { findUpcoming } from '../../../api/live/lookup.ts'
import type { Fight, FightCorner } from '../../../data/league/types.ts'
import { distinctClasses, weightClassLabel } from '../../../data/league/weightClass.ts'
import { type Bot, lostBy, opponentOf, wonBy } from '../../../derived/careers/bots.ts'
import { compareWaiting, type Scheduled } from '../../../derived/live/schedule.ts'
import type { Asked } from '../respond.ts'
import type { Viewing } from '../site.ts'
import { recordText } from '../words.ts'

/** `W`, `L`, or `D` for a draw, a double forfeit, or a fight of a bot against itself. */
export const resultOf = (fight: Fight, cleanName: string): 'W' | 'L' | 'D' => {
  const won = wonBy(fight, cleanName)
  return won === lostBy(fight, cleanName) ? 'D' : won ? 'W' : 'L'
}

export const resultNames = { W: 'Won', L: 'Lost', D: 'No winner' } as const

/** Every opponent with the record against it, the most frequent first, then the latest. */
export const listOpponents = ({ cleanName, fights }: Bot) => {
  const byOpponent = Map.groupBy(fights, (fight) => {
    const { player } = opponentOf(fight, cleanName)
    return player.cleanName || player.name
  })
  byOpponent.delete(cleanName)
  return [...byOpponent.values()]
    .sort((a, b) => b.length - a.length)
    .flatMap((list) => {
      const [newest] = list
      if (!newest) return []
      const count = (hasEnded: typeof wonBy): number =>
        list.filter((fight) => hasEnded(fight, cleanName)).length
      return {
        player: opponentOf(newest, cleanName).player,
        wins: count(wonBy),
        losses: count(lostBy),
        draws: count((fight, name) => !wonBy(fight, name) && !lostBy(fight, name)),
      }
    })
}

/** The bot's own corner. */
const ownCorner = ({ red, blue }: Fight, cleanName: string): FightCorner =>
  red.player.cleanName === cleanName ? red : blue

/** Fights that a page may name: without outcomes, only fights that the bot was drawn for. */
export const shownFights = (
  viewing: Viewing,
  bot: Bot,
  fights: readonly Fight[],
): readonly Fight[] =>
  fights.filter((fight) => isCornerNamed(viewing, fight, ownCorner(fight, bot.cleanName)))

/** Fights of bots that are not done and may be named, each once, soonest first. */
export const upcomingOf = (
  { archive, viewing }: Asked,
  ...bots: readonly Bot[]
): readonly Scheduled[] => {
  const all = bots.flatMap((bot) =>
    findUpcoming(archive, bot).filter(({ fight }) => shownFights(viewing, bot, [fight]).length > 0),
  )
  return [...new Map(all.map((each) => [each.fight, each])).values()].sort(compareWaiting)
}

/** True if a bot is in an event that is under way. */
export const isInEvent = ({ entries }: Bot): boolean =>
  entries.some(({ tournament }) => tournament.info.active)

/** Weight classes, such as `3 lb, Beetle`; empty without a fight. */
export const classesOf = (bot: Bot): string =>
  distinctClasses(bot.classes.map(({ weightClass }) => weightClass))
    .map(weightClassLabel)
    .filter((label) => label !== '')
    .join(', ')

/** Summary of a bot in a line, such as `19–8 · 3 lb`, and the text after it. */
export const factsOf = (
  { showsOutcomes }: Viewing,
  bot: Bot,
  ...others: readonly (string | false)[]
): string => {
  const record = showsOutcomes && bot.totals.fights > 0 && recordText(bot.totals)
  return [record, classesOf(bot) || 'No fight yet', ...others].filter(Boolean).join(' · ')
}
