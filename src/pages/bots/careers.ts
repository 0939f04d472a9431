import { type Bot, lostBy, opponentOf, wonBy } from '../../careers/bots.ts'
import type { Fight, FightCorner } from '../../league/types.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { followsFromOutcome } from '../outcomes.ts'
import type { Viewing } from '../site.ts'

/** `W`, `L`, or `D` for a draw, a double forfeit and a fight of a bot against itself. */
export const resultOf = (fight: Fight, cleanName: string): 'W' | 'L' | 'D' => {
  const won = wonBy(fight, cleanName)
  return won === lostBy(fight, cleanName) ? 'D' : won ? 'W' : 'L'
}

export const resultNames = { W: 'Won', L: 'Lost', D: 'No winner' } as const

/** The record against one bot. */
export interface Opponent {
  /** Empty for a name without letters and digits, which has no pages. */
  readonly cleanName: string
  readonly name: string
  readonly fights: number
  readonly wins: number
  readonly losses: number
}

/** Every opponent, the most frequent first, then the latest. */
export const listOpponents = ({ cleanName, fights }: Bot): readonly Opponent[] => {
  const byOpponent = Map.groupBy(fights, (fight) => {
    const { player } = opponentOf(fight, cleanName)
    return player.cleanName || player.name
  })
  byOpponent.delete(cleanName)
  return [...byOpponent]
    .map(([opponent, list]) => {
      const [newest] = list
      const player = newest && opponentOf(newest, cleanName).player
      return {
        cleanName: player?.cleanName ?? '',
        name: player?.name ?? opponent,
        fights: list.length,
        wins: list.filter((fight) => wonBy(fight, cleanName)).length,
        losses: list.filter((fight) => lostBy(fight, cleanName)).length,
      }
    })
    .sort((a, b) => b.fights - a.fights)
}

/** The bot's own corner. */
const ownCorner = ({ red, blue }: Fight, cleanName: string): FightCorner =>
  red.player.cleanName === cleanName ? red : blue

/** The fights that a page may name: without outcomes those alone that the bot was in whatever happened. */
export const shownFights = (
  { showsOutcomes }: Viewing,
  bot: Bot,
  fights: readonly Fight[],
): readonly Fight[] => {
  if (showsOutcomes) return fights
  return fights.filter((fight) => !followsFromOutcome(fight, ownCorner(fight, bot.cleanName)))
}

export const shownUpcoming = (
  viewing: Viewing,
  bot: Bot,
  upcoming: readonly Scheduled[],
): readonly Scheduled[] =>
  upcoming.filter(({ fight }) => shownFights(viewing, bot, [fight]).length > 0)
