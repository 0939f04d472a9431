import { cleanName } from '../../../src/data/league/cleanName.ts'
import type { Problem } from '../problems.ts'
import { nameKey } from '../values.ts'

/** True if one added, changed or swapped letter makes one text of the other. */
export const isOneLetterApart = (a: string, b: string): boolean => {
  if (a === b || Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start += 1
  const [restA, restB] = [a.slice(start), b.slice(start)]
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0])
  )
}

/** Spellings that differ only in case and spaces are equal here. */
const spellingOf = (name: string): string => name.toLowerCase().replace(/\s+/g, '')

/** Names in a corner with several bots, such as `Axe & Blade`; one name for any other corner. */
const partsOf = (name: string): readonly string[] => name.split(/\s*(?:[&+,/]|\band\b)\s*/)

/** Error for a corner that names several bots; undefined unless all its parts are known names. */
export const severalBots = (
  name: string,
  isKnown: (part: string) => boolean,
): string | undefined => {
  const parts = partsOf(name)
  if (parts.length < 2 || !parts.every(isKnown)) return undefined
  return `'${name}' is several bots: write a fight of each two, in bracket EX`
}

/** Names whose letters a program could not write: it put `?` or U+FFFD for each, or read UTF-8 as Windows-1252. */
const damagedNames: readonly (readonly [RegExp, string])[] = [
  [
    /\ufffd|\?{2,}\s*\S|[\p{L}\p{N}]\?\p{L}/u,
    'has lost letters: save the sheet as CSV UTF-8 again',
  ],
  [
    /[ÃÄÅÐÑ][\u00a0-\u00bf\u0152-\u0192\u2013-\u2122]|â€/,
    'was saved in one encoding and read in another: write it again',
  ],
]

/** Reason why the letters of a name are probably not those that were typed. */
const damageOf = (name: string): string | undefined => {
  const [, reason] = damagedNames.find(([sign]) => sign.test(name)) ?? []
  return reason && `'${name}' ${reason}`
}

/** Error for a name that is no bot. */
export const namelessReason = (name: string): string | undefined => {
  if (cleanName(name) !== '') return undefined
  const damage = damageOf(name)
  return (
    damage ?? `'${name}' has no letter and no digit, so that it is no bot: write a name with one`
  )
}

interface Bot {
  readonly name: string
  readonly where: string
  fights: number
  /** The bot of the last fight with this spelling. */
  opponent: string
  /** Further spellings by their difference, with their first lines. */
  readonly spellings: Map<string, Problem>
  /** Tournaments that list it in the file of players. */
  readonly listedIn: Set<string>
}

/** Shorter names are more likely two bots than a typo. */
const minMistypedLength = 4

/** Keys of a text; two names that are one letter apart share a key. */
const shortened = (key: string): readonly string[] =>
  [...key].map((_, index) => key.slice(0, index) + key.slice(index + 1)).concat(key)

/** Collects the names of a league, to find likely typos. */
export const createNames = () => {
  const bots = new Map<string, Bot>()
  const note = (name: string, where: string): Bot => {
    const key = nameKey(name)
    const bot = bots.getOrInsertComputed(key, () => ({
      name,
      where,
      fights: 0,
      opponent: '',
      spellings: new Map(),
      listedIn: new Set(),
    }))
    const spelling = spellingOf(name)
    if (spelling !== spellingOf(bot.name) && !bot.spellings.has(spelling)) {
      const reason =
        `'${name}' is the same bot as '${bot.name}' (${bot.where}), as marks alone differ: ` +
        'write one of them, or add a letter or digit if they are two bots'
      bot.spellings.set(spelling, { where, reason })
    }
    return bot
  }
  const noteCorner = (name: string, opponent: string, where: string): void => {
    if (name === '') return
    const bot = note(name, where)
    bot.fights += 1
    bot.opponent = nameKey(opponent)
  }
  const mistypings = (): readonly Problem[] => {
    const bySimilar = new Map<string, string[]>()
    for (const key of bots.keys()) {
      for (const part of shortened(key)) bySimilar.getOrInsertComputed(part, () => []).push(key)
    }
    const found: Problem[] = []
    for (const [key, bot] of bots) {
      if (bot.fights !== 1 || key.length < minMistypedLength) continue
      const similar = shortened(key)
        .flatMap((part) => bySimilar.get(part) ?? [])
        .find((each) => {
          const other = bots.get(each)
          return (
            other !== undefined &&
            isOneLetterApart(key, each) &&
            // Bots in series have numbers.
            key.replace(/\d/g, '') !== each.replace(/\d/g, '') &&
            bot.opponent !== each &&
            bot.listedIn.isDisjointFrom(other.listedIn) &&
            (other.fights > 1 || other.where < bot.where)
          )
        })
      const other = bots.get(similar ?? '')
      if (!other) continue
      const reason =
        `'${bot.name}' fights once and is one letter from '${other.name}' (${other.where}): ` +
        `write '${other.name}' if it is the same bot`
      found.push({ where: bot.where, reason })
    }
    return found
  }
  return {
    /** Corners with several bots, such as `Axe & Blade` for Axe and Blade. */
    teams: (): readonly Problem[] =>
      [...bots.values()].flatMap(({ name, where }) => {
        const reason = severalBots(name, (part) => bots.has(nameKey(part)))
        if (reason === undefined) return []
        return [{ where, reason }]
      }),
    /** A line of the file of players. */
    noteListed: (name: string, tournament: string, where: string): void => {
      note(name, where).listedIn.add(tournament)
    },
    /** A corner without a bot is empty. */
    noteFight: (red: string, blue: string, where: string): void => {
      noteCorner(red, blue, where)
      noteCorner(blue, red, where)
    },
    doubts: (): readonly Problem[] => [
      ...bots.values().flatMap(({ name, where }) => {
        const reason = damageOf(name)
        return reason === undefined ? [] : [{ where, reason }]
      }),
      ...bots.values().flatMap(({ spellings }) => spellings.values()),
      ...mistypings(),
    ],
  }
}
