import { type Bot, lostBy, wonBy } from './bots.ts'

export interface Streaks {
  /** The current streak; null if the last fight had no winner, or there is none. */
  readonly current: { readonly type: 'W' | 'L' | null; readonly length: number }
  readonly longestWin: number
}

/** 'W' and 'L'; null for a draw, a double forfeit, and a fight of a bot against itself. */
const outcomeOf = (fight: Bot['fights'][number], cleanName: string): 'W' | 'L' | null => {
  const won = wonBy(fight, cleanName)
  return won === lostBy(fight, cleanName) ? null : won ? 'W' : 'L'
}

/** A fight without a winner ends a streak. */
export const buildStreaks = ({ cleanName, fights }: Bot): Streaks => {
  const outcomes = fights.map((fight) => outcomeOf(fight, cleanName))
  const type = outcomes[0] ?? null
  const end = outcomes.findIndex((outcome) => outcome !== type)
  let run = 0
  let longestWin = 0
  for (const outcome of outcomes) {
    run = outcome === 'W' ? run + 1 : 0
    longestWin = Math.max(longestWin, run)
  }
  const length = type === null ? 0 : end < 0 ? outcomes.length : end
  return { current: { type, length }, longestWin }
}
