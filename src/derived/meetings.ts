import { cleanName } from '../dataset/cleanName.ts'
import type { Fight } from '../dataset/types.ts'
import { type Bot, type Bots, findBot, opponentOf } from './bots.ts'
import { type BotSearch, type Found, searchBots } from './search.ts'
import { mostWords } from './tournamentSearch.ts'

/** Completed fights between two bots, newest first. */
export const meetingsOf = (one: Bot, other: Bot): readonly Fight[] => {
  // The one with fewer fights is looked through; each of their fights stands in both lists.
  const [few, many] = one.fights.length <= other.fights.length ? [one, other] : [other, one]
  return few.fights.filter(
    (fight) => opponentOf(fight, few.cleanName).player?.cleanName === many.cleanName,
  )
}

/** Two bots that a text names, and their fights, if any. */
export interface Meeting {
  readonly bots: readonly [Found, Found]
  readonly fights: readonly Fight[]
}

const between = /^(v|vs|versus)\.?$/i

/** A text is parted in no more ways than this, as each costs two searches. */
const mostPartings = 4

/**
 * Where a text may be parted into two names: at `vs` if it has one; else between any two words, first
 * where one side is the very name of a bot, then near the middle.
 */
const partings = (words: readonly string[], bots: Bots): (readonly [string, string])[] => {
  const middle = words.findIndex(
    (word, index) => index > 0 && index < words.length - 1 && between.test(word),
  )
  const part = (end: number, start: number): readonly [string, string] => [
    words.slice(0, end).join(' '),
    words.slice(start).join(' '),
  ]
  if (middle > 0) return [part(middle, middle + 1)]
  return words
    .slice(1)
    .map((_, index) => {
      const sides = part(index + 1, index + 1)
      const known = sides.filter((side) => findBot(bots, cleanName(side))).length
      return { sides, known, offset: Math.abs(2 * (index + 1) - words.length) }
    })
    .sort((a, b) => b.known - a.known || a.offset - b.offset)
    .slice(0, mostPartings)
    .map(({ sides }) => sides)
}

/** The two bots whose very names stand on both sides; rather two that met, where there are more ways. */
const exactly = (ways: readonly (readonly [string, string])[], bots: Bots): Meeting | undefined => {
  const meetings = ways.flatMap(([left, right]): Meeting[] => {
    const one = findBot(bots, cleanName(left))
    const other = findBot(bots, cleanName(right))
    if (!(one && other)) return []
    const found = [
      { bot: one, score: 1 },
      { bot: other, score: 1 },
    ] as const
    return [{ bots: found, fights: meetingsOf(one, other) }]
  })
  return meetings.find(({ fights }) => fights.length > 0) ?? meetings[0]
}

/** Names this unlike any bot's are not taken for one. */
const leastScore = 0.5

/** Two bots that never met are meant less often. */
const neverMet = 0.7

/**
 * The two bots that a text of several words most likely names, however it is to be parted:
 * `wnyk gondla`, `norma l kurv yolk`, `wynk vs gondola`. None for the name of a single bot.
 */
export const findMeeting = (search: BotSearch, bots: Bots, text: string): Meeting | undefined => {
  if (findBot(bots, cleanName(text))) return undefined
  const words = text.split(/\s+/).filter(Boolean).slice(0, mostWords)
  const ways = partings(words, bots)
  const exact = exactly(ways, bots)
  if (exact) return exact
  const named = (name: string) =>
    searchBots(search, bots, name, 3, { isQuick: ways.length > 1 }).filter(
      ({ score }) => score >= leastScore,
    )
  let best: Meeting | undefined
  let bestScore = leastScore ** 2
  for (const [left, right] of ways) {
    const others = named(right)
    const most = others[0]?.score ?? 0
    // However well the other side is named, this would come to no more.
    if (most <= bestScore) continue
    for (const one of named(left)) {
      if (one.score * most <= bestScore) break
      for (const other of others) {
        const fights = meetingsOf(one.bot, other.bot)
        const score = one.score * other.score * (fights.length > 0 ? 1 : neverMet)
        if (score <= bestScore) continue
        best = { bots: [one, other], fights }
        bestScore = score
      }
    }
  }
  return best
}
