import { cleanName } from '../../data/league/cleanName.ts'
import { positionAfter } from '../../data/league/sortedList.ts'
import type { Fight } from '../../data/league/types.ts'
import { type Bots, findBot } from '../careers/bots.ts'
import { hasOdds, type Rated, type RatingClass, ratingClassOf } from './bouts.ts'
import { type FilterState, meanBefore, type Origin, startOfDay } from './state.ts'

type Classes = FilterState['classes']

/** Entry of a bot into a class. */
interface Entry {
  /** Start of the fight; null for one that has not begun. */
  readonly startUnix: number | null
  /** Fights from then on do not count if there is no start. */
  readonly endUnix: number
  /** Time at which both bots are rated; null for a fight that has not begun. */
  readonly atUnix: number | null
}

/** Number of newest fights of a bot that decide which class it comes from. */
const maxOriginFights = 64

/**
 * Strength of a bot in its other class with the most fights, or the later one on a tie; 0 without another class. Only
 * fights before the day of `startUnix` count, or all if it is null: no fight in another class that day changes a
 * chance.
 */
const inheritedStrength = (
  classes: Classes,
  bots: Bots,
  ratingClass: RatingClass,
  name: string,
  { startUnix, endUnix }: Entry,
): number => {
  const bot = findBot(bots, name)
  const isOther = (own: RatingClass): boolean => own !== ratingClass
  if (!bot?.classes.some(({ weightClass }) => isOther(ratingClassOf(weightClass)))) return 0
  const beforeUnix = startUnix === null ? endUnix : Math.min(startOfDay(startUnix), endUnix)
  const isLater = ({ isCompleted, momentUnix }: Fight): boolean =>
    !isCompleted || momentUnix >= beforeUnix
  const { fights } = bot
  const counts = new Map<RatingClass, number>()
  // Fights without an effect must not count: a change of only these is no change of the ratings.
  let left = maxOriginFights
  for (let index = positionAfter(fights, isLater); left > 0 && index < fights.length; index += 1) {
    const fight = fights[index]
    if (!fight?.isCompleted || !hasOdds(fight)) continue
    left -= 1
    const other = ratingClassOf(fight.tournament)
    if (isOther(other)) counts.set(other, (counts.get(other) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  const [origin] = [...counts].find(([, count]) => count === most) ?? []
  const known = origin === undefined ? undefined : classes.get(origin)?.bots.get(name)
  return (known && meanBefore(known, startUnix)) ?? 0
}

/** Key of the team of a bot; empty without one. */
export const teamOf = ({ team }: Rated): string => (team === null ? '' : cleanName(team))

/**
 * Strength of the best bot of a team before the day of a fight, or with null now: what ends in other cages meanwhile
 * changes no chance. 0 if there is none.
 */
const bestOfTeam = (
  classes: Classes,
  ratingClass: RatingClass,
  team: string,
  atUnix: number | null,
): number => {
  const own = classes.get(ratingClass)
  let best: number | null = null
  for (const name of own?.teams.get(team) ?? []) {
    const bot = own?.bots.get(name)
    const mean = bot ? meanBefore(bot, atUnix) : null
    if (mean !== null && (best === null || mean > best)) best = mean
  }
  return best ?? 0
}

/** A bot begins with its strength in another class, else with the strength of the best bot of its team. */
export const originOf = (
  classes: Classes,
  bots: Bots,
  ratingClass: RatingClass,
  rated: Rated,
  entry: Entry,
): Origin => {
  const inherited = inheritedStrength(classes, bots, ratingClass, rated.cleanName, entry)
  if (inherited !== 0) return { inherited, team: 0 }
  return { inherited, team: bestOfTeam(classes, ratingClass, teamOf(rated), entry.atUnix) }
}
