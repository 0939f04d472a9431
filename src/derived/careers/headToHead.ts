import { newestFirst } from '../../data/league/order.ts'
import type { Fight } from '../../data/league/types.ts'
import { type Bot, opponentOf } from './bots.ts'

/** Completed fights between two bots, newest first. */
export const meetingsOf = (one: Bot, other: Bot): readonly Fight[] => {
  // Each of their fights is in both lists, so the shorter one is filtered.
  const [few, many] = one.fights.length <= other.fights.length ? [one, other] : [other, one]
  return few.fights.filter(
    (fight) => opponentOf(fight, few.cleanName).player.cleanName === many.cleanName,
  )
}

/** Every fight between two bots, newest first, with current and coming ones. */
export const fightsBetween = (one: Bot, other: Bot): readonly Fight[] => {
  const open = one.entries.flatMap(({ tournament: { fights, completedFights } }) =>
    fights.length === completedFights
      ? []
      : fights.filter(({ isCompleted, red, blue }) => {
          const corners = [red.player.cleanName, blue.player.cleanName]
          return (
            !isCompleted && corners.includes(one.cleanName) && corners.includes(other.cleanName)
          )
        }),
  )
  return [...open, ...meetingsOf(one, other)].sort(newestFirst)
}

/** Number of completed fights with each opponent, by clean name. */
export const opponentsOf = (bot: Bot): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const fight of bot.fights) {
    const opponent = opponentOf(fight, bot.cleanName).player.cleanName
    if (opponent !== bot.cleanName) {
      counts.set(opponent, (counts.get(opponent) ?? 0) + 1)
    }
  }
  return counts
}
