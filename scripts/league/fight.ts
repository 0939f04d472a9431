import type { Random } from './random.ts'
import type { Bot } from './roster.ts'

/** Result of a fight. */
export interface Outcome {
  /** The winning corner, 0 red, 1 blue; null for a draw, or if neither showed up. */
  readonly winner: 0 | 1 | null
  readonly annotation: string
  readonly byDefault: boolean
  /** Seconds on the fight clock. */
  readonly clock: number
  readonly judgeLines: readonly string[]
}

/** Outcomes other than a win. */
export interface Rules {
  readonly allowsDraw: boolean
  /** The loser is eliminated, so a disqualification or double forfeit affects no later fight. */
  readonly eliminates: boolean
  readonly allowsDoubleForfeit: boolean
}

/** The fight clock of a full fight. */
export const fullClock = 180

const winChance = (red: Bot, blue: Bot) => 1 / (1 + Math.exp(1.1 * (blue.skill - red.skill)))

/** KO, TO, TKO by the winner's style. */
const endings = { striker: [65, 20, 15], gripper: [30, 50, 20], wrecker: [40, 30, 30] } as const
const annotations = ['KO', 'TO', 'TKO'] as const

const categories = [
  ['Damage', 5],
  ['Control', 3],
  ['Aggression', 3],
] as const

/** A judge's line in favour of `winner`; eleven points cannot be shared evenly. */
const judgeLine = (judge: number, winner: 0 | 1, random: Random): string => {
  const points = categories.map(([, most]) => random.int(0, most))
  const red = points.reduce((sum, own) => sum + own, 0)
  const isRed = red > 5.5
  const fits = isRed === (winner === 0)
  const scores = categories.map(([category, most], index) => {
    const own = points[index] ?? 0
    return fits ? `${category} ${own}-${most - own}` : `${category} ${most - own}-${own}`
  })
  return `Judge ${judge}: ${scores.join(', ')}`
}

const oddLines = ['Judge 2: unanimous', 'Judge 2 - no card handed in', 'split, see video'] as const

/** Three judges' lines, at least two of them for the winner. */
const judge = (winner: 0 | 1, random: Random): readonly string[] => {
  const isOdd = random.chance(0.03)
  const dissenter = !isOdd && random.chance(0.3) ? random.int(1, 3) : 0
  const other = winner === 0 ? 1 : 0
  return [1, 2, 3].map((number) =>
    isOdd && number === 2
      ? random.pick(oddLines)
      : judgeLine(number, number === dissenter ? other : winner, random),
  )
}

const clockOf = (random: Random): number => {
  if (random.chance(0.003)) return 0
  if (random.chance(0.3)) return random.int(4, 45)
  return random.chance(0.5) ? fullClock : random.int(46, fullClock - 1)
}

export const fight = (red: Bot, blue: Bot, rules: Rules, random: Random): Outcome => {
  const none = { byDefault: false, clock: 0, judgeLines: [] }
  if (rules.allowsDoubleForfeit && random.chance(0.012)) {
    return { ...none, winner: null, annotation: 'FF', byDefault: true }
  }
  const winner = random.chance(winChance(red, blue)) ? 0 : 1
  if (random.chance(0.015)) return { ...none, winner, annotation: 'FF', byDefault: true }
  if (rules.allowsDraw && random.chance(0.2)) {
    return { ...none, winner: null, annotation: 'TIE', clock: fullClock }
  }
  const clock = clockOf(random)
  if (rules.eliminates && random.chance(0.01)) {
    return { ...none, winner, annotation: 'DQ', clock: Math.min(clock, 90) }
  }
  if (clock === fullClock && random.chance(0.97)) {
    return { ...none, winner, annotation: 'JD', clock, judgeLines: judge(winner, random) }
  }
  const { style } = winner === 0 ? red : blue
  const annotation = annotations[random.weighted(endings[style])] ?? 'KO'
  return { ...none, winner, annotation, clock }
}
