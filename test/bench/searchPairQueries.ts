import type { Random } from '../../scripts/league/random.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import { type Bots, findBot } from '../../src/derived/careers/bots.ts'
import { type Kind, type Query, spacedWords } from './searchQuery.ts'
import { oneTypo } from './searchTypos.ts'

type MakeText = (one: string, other: string, random: Random) => string | null

const pairTexts: readonly (readonly [string, MakeText])[] = [
  ['a vs b', (a, b) => `${a} vs ${b}`],
  ['a v b', (a, b) => `${a} v ${b}`],
  ['a vs. b', (a, b) => `${a} vs. ${b}`],
  ['a versus b', (a, b) => `${a} versus ${b}`],
  ['a against b', (a, b) => `${a} against ${b}`],
  ['a b', (a, b) => `${a} ${b}`],
  ['AvsB', (a, b) => `${cleanName(a)}vs${cleanName(b)}`],
  ['a vs b fight', (a, b) => `${a} vs ${b} fight`],
  ['a - b', (a, b) => `${a} - ${b}`],
  ['a/b', (a, b) => `${a}/${b}`],
  ['a and b', (a, b) => `${a} and ${b}`],
  ['a x b', (a, b) => `${a} x ${b}`],
  [
    'a vs b, one typo',
    (a, b, random) => {
      const typo = b.length < 5 ? null : oneTypo(b, random)
      return typo === null ? null : `${a} vs ${typo}`
    },
  ],
  [
    'a b, one typo',
    (a, b, random) => {
      const typo = a.length < 5 ? null : oneTypo(a, random)
      return typo === null ? null : `${typo} ${b}`
    },
  ],
  [
    'a vs b half typed',
    (a, b) => (b.length < 7 ? null : `${a} vs ${b.slice(0, Math.ceil(b.length * 0.6)).trim()}`),
  ],
  [
    'words of a swapped vs b',
    (a, b) => {
      const words = a.split(' ')
      return words.length < 2 ? null : `${words.toReversed().join(' ')} vs ${b}`
    },
  ],
]

/** At most `count` queries of each kind for two bots that met. */
export const drawPairQueries = (bots: Bots, random: Random, count: number): Kind[] =>
  pairTexts.map(([name, makeText]) => {
    const queries: Query[] = []
    const known = bots.filter(({ fights }) => fights.length > 2)
    for (let tries = 0; queries.length < count && tries < 20 * count; tries += 1) {
      const one = random.pick(known)
      // People look for fights that took place.
      const { red, blue } = random.pick(one.fights)
      const opponent = red.player?.cleanName === one.cleanName ? blue : red
      const other = findBot(bots, opponent.player?.cleanName ?? '')
      if (!other || other === one) continue
      const spelled = [one, other].map((bot) => spacedWords(bot.name).join(' '))
      const text = makeText(spelled[0] ?? '', spelled[1] ?? '', random)
      if (text === null || findBot(bots, cleanName(text))) continue
      queries.push({
        text,
        wanted: [one.cleanName, other.cleanName],
        needsAll: true,
        source: `${one.name} and ${other.name}`,
      })
    }
    return { name, queries, isGibberish: false }
  })
