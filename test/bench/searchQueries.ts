import type { Random } from '../../scripts/league/random.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import { type Bot, type Bots, findBot } from '../../src/derived/careers/bots.ts'
import { around, botsWith, botTexts, type MakeText } from './searchBotTexts.ts'
import { drawPairQueries } from './searchPairQueries.ts'
import type { Kind, Query } from './searchQuery.ts'

export const mostFights = (bots: Bots, count: number): readonly Bot[] =>
  bots.toSorted((a, b) => b.fights.length - a.fights.length).slice(0, count)

/** The first letters of a well-known name mean the best known bot with such a name. */
const wellKnownBeginnings = (bots: Bots, length: number, count: number): Kind => ({
  name: `${length} letters, well-known`,
  isGibberish: false,
  queries: mostFights(bots, count).flatMap((bot) => {
    if (bot.cleanName.length <= length) return []
    const begun = bot.cleanName.slice(0, length)
    if (findBot(bots, begun)) return []
    const alike = bots.filter(({ cleanName: clean }) => clean.startsWith(begun))
    const most = Math.max(...alike.map(({ fights }) => fights.length))
    const wanted = alike.flatMap(({ cleanName: clean, fights }) =>
      fights.length === most ? [clean] : [],
    )
    return [{ text: begun, wanted, needsAll: false, source: bot.name }]
  }),
})

const gibberish = (bots: Bots, length: number, random: Random, count: number): Kind => ({
  name: `gibberish of ${length}`,
  isGibberish: true,
  queries: Array.from({ length: count }, () => {
    const text = Array.from({ length }, () => random.pick([...'abcdefghijklmnopqrstuvwxyz'])).join(
      '',
    )
    return { text, wanted: [], needsAll: false, source: '' }
  }).filter(({ text }) => !findBot(bots, text)),
})

/** Bots in random order, earlier the more fights they have: drawn in proportion to their fights. */
const shuffleByFights = (bots: Bots, random: Random): readonly Bot[] =>
  bots
    .map((bot) => ({ bot, at: -Math.log(1 - random.next()) / (1 + bot.fights.length) }))
    .sort((a, b) => a.at - b.at)
    .map(({ bot }) => bot)

/** Kinds whose text many names begin with: also measured for popular bots, which are searched for most. */
const beginnings = botTexts.filter(([name]) => name.includes('% prefix'))

const drawBotQueries = (
  ordered: readonly Bot[],
  bots: Bots,
  makeText: MakeText,
  random: Random,
  count: number,
): readonly Query[] => {
  const queries: Query[] = []
  for (const bot of ordered) {
    if (queries.length === count) break
    const made = makeText(bot, random)
    if (!made || cleanName(made.text) === '') continue
    const other = findBot(bots, cleanName(made.text))
    // A text that is the exact name of another bot means that one.
    if (other && other !== bot && made.word === undefined) continue
    const wanted = made.word === undefined ? [bot.cleanName] : botsWith(bots, made.word)
    queries.push({ text: made.text, wanted, needsAll: false, source: bot.name })
  }
  return queries
}

/** At most `count` queries of each kind; bots are drawn evenly unless the kind says otherwise. */
export const drawQueries = (
  bots: Bots,
  random: Random,
  count: number,
  league = 'cageside',
): readonly Kind[] => {
  const all = [...botTexts, ['league before', around(league, '')] as const]
  const kinds: Kind[] = all.map(([name, makeText]) => ({
    name,
    queries: drawBotQueries(random.shuffle(bots), bots, makeText, random, count),
    isGibberish: false,
  }))
  const byFights: Kind[] = beginnings.map(([name, makeText]) => ({
    name: `${name}, by fights`,
    queries: drawBotQueries(shuffleByFights(bots, random), bots, makeText, random, count),
    isGibberish: false,
  }))
  return [
    ...kinds,
    ...[3, 4, 5].map((length) => wellKnownBeginnings(bots, length, count)),
    ...drawPairQueries(bots, random, count),
    eightWords(bots, random, count),
    ...[3, 4, 5, 6, 7, 8].map((length) => gibberish(bots, length, random, count)),
    ...byFights,
  ]
}

/** Eight words of 64 letters, measured for their time: they expect no bot. */
const eightWords = (bots: Bots, random: Random, count: number): Kind => ({
  name: 'eight words',
  isGibberish: true,
  queries: Array.from({ length: count }, () => {
    const words = Array.from({ length: 8 }, () => random.pick(bots).cleanName.slice(0, 7))
    return { text: words.join(' '), wanted: [], needsAll: false, source: '' }
  }),
})
