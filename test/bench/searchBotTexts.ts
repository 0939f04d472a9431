import type { Random } from '../../scripts/league/random.ts'
import { lists } from '../../scripts/league/words.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'
import type { Bot, Bots } from '../../src/derived/careers/bots.ts'
import { articles, partsOf, spacedWords } from './searchQuery.ts'
import {
  allDigits,
  anyLetter,
  double,
  drop,
  edit,
  extraLetter,
  inTurn,
  type Misspell,
  neighbourKey,
  oneDigit,
  oneTypo,
  phonetic,
  swap,
  withoutVowels,
} from './searchTypos.ts'

/** A text for a bot; null if the bot has none of this kind. With `word`, every bot with that word is expected. */
export type MakeText = (bot: Bot, random: Random) => { text: string; word?: string } | null

const typedName = ({ name }: Bot): string => name.toLowerCase()

const text = (value: string | null): { text: string } | null =>
  value === null ? null : { text: value }

const misspelt =
  (misspell: Misspell, minLength = 4): MakeText =>
  (bot, random) =>
    bot.cleanName.length < minLength ? null : text(misspell(typedName(bot), random))

const beginning = ({ cleanName: clean, ...bot }: Bot, share: number): string | null => {
  const chars = [...bot.name.toLowerCase()]
  const begun = chars
    .slice(0, Math.ceil(chars.length * share))
    .join('')
    .trimEnd()
  const length = cleanName(begun).length
  return length >= 3 && length < clean.length ? begun : null
}

const significant = (name: string): string[] =>
  partsOf(name).filter((word) => word.length >= 3 && !articles.has(word))

const severalWords =
  (make: (words: readonly string[], random: Random) => string | null, minWords = 2): MakeText =>
  (bot, random) => {
    const words = spacedWords(bot.name)
    return words.length < minWords ? null : text(make(words, random))
  }

const oneWord =
  (
    choose: (words: readonly string[], random: Random) => string | undefined,
    spell?: Misspell,
  ): MakeText =>
  (bot, random) => {
    const words = significant(bot.name)
    if (words.length < 2) return null
    const word = choose(words, random)
    if (word === undefined || (spell && word.length < 5)) return null
    const typed = spell ? spell(word, random) : word
    return typed === null ? null : { text: typed, word }
  }

/** A later part of a single word: `glaze` of JawGlaze. */
const innerPart: MakeText = ({ name }) => {
  for (const word of name.split(/\s+/)) {
    const parts = partsOf(word)
    const last = parts.at(-1)
    if (parts.length >= 2 && last && last.length >= 4) return { text: last, word: last }
  }
  return null
}

const [deeds = [], grounds = []] = ['deeds', 'grounds'].map((name) => lists.get(name))
const lowerDeeds = deeds.map((word) => word.toLowerCase())

/** The two parts of a compound of one word: `dash` and `jaw` of Dashjaw, `pinch` and `rod` of PinchRod. */
const compoundParts = ({ name, cleanName: clean }: Bot): readonly [string, string] | null => {
  const humps = partsOf(name)
  const [first = '', last = ''] = humps
  if (/\s/.test(name)) return null
  if (humps.length === 2 && /^[a-z]+$/.test(clean)) return [first, last]
  const deed = lowerDeeds.find(
    (word) => clean.startsWith(word) && grounds.includes(clean.slice(word.length)),
  )
  return deed === undefined ? null : [deed, clean.slice(deed.length)]
}

/** A part of a compound; every bot with a word, or a part of one, equal to it is expected. */
const compoundPart: MakeText = (bot, random) => {
  const part = random.pick(compoundParts(bot) ?? [''])
  return part.length < 3 ? null : { text: part, word: part }
}

const compoundInitials: MakeText = (bot) => {
  const parts = compoundParts(bot)
  return parts && { text: parts.map((part) => part.charAt(0)).join('') }
}

/** The last letters of a single word without humps. */
const innerEnd: MakeText = ({ name, cleanName: clean }) => {
  if (partsOf(name).length > 1 || clean.length < 8) return null
  const end = clean.slice(-Math.ceil(clean.length / 2))
  return { text: end, word: end }
}

const numberWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const romans = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix']

const inOtherNumbers =
  (to: (value: number) => string | undefined): MakeText =>
  ({ name }) => {
    const words = partsOf(name)
    let isChanged = false
    const changed = words.map((word, at) => {
      const roman = at > 0 ? romans.indexOf(word) : -1
      const spelled = numberWords.indexOf(word)
      const value = /^\d$/.test(word) ? Number(word) : roman > 0 ? roman : spelled
      const other = value > 0 ? to(value) : undefined
      if (other === undefined || other === word) return word
      isChanged = true
      return other
    })
    return isChanged ? { text: changed.join(' ') } : null
  }

export const around =
  (before: string, after: string): MakeText =>
  (bot) => ({ text: `${before} ${typedName(bot)} ${after}`.trim() })

const initials: MakeText = ({ name }) => {
  const words = partsOf(name)
  return words.length < 3 ? null : { text: words.map((word) => word.charAt(0)).join('') }
}

/** Kinds of query for one bot. */
export const botTexts: readonly (readonly [string, MakeText])[] = [
  ['as is', ({ name }) => ({ text: name })],
  ['clean', ({ cleanName: clean }) => ({ text: clean })],
  ['without punctuation', (bot) => text(spacedWords(bot.name).join(' '))],
  ['humps apart', ({ name }) => (partsOf(name).length > 1 ? text(partsOf(name).join(' ')) : null)],
  [
    'a space too many',
    ({ cleanName: clean }, random) =>
      clean.length < 6 ? null : text(edit(clean, random.int(2, clean.length - 2), 0, ' ')),
  ],
  ['one: neighbour key', misspelt(neighbourKey)],
  ['one: dropped', misspelt(drop)],
  ['one: doubled', misspelt(double)],
  ['one: swapped', misspelt(swap)],
  ['one: any letter', misspelt(anyLetter)],
  ['one: letter too many', misspelt(extraLetter)],
  ['two: neighbour, drop', misspelt(inTurn(neighbourKey, drop), 6)],
  ['two: swap, double', misspelt(inTurn(swap, double), 6)],
  ['two: any', misspelt(inTurn(oneTypo, oneTypo), 6)],
  ['phonetic', misspelt(phonetic)],
  ['phonetic, one typo', misspelt(inTurn(phonetic, oneTypo), 7)],
  ['vowels dropped', misspelt(withoutVowels)],
  ['digit for a letter', misspelt(oneDigit, 3)],
  ['digits for letters', misspelt(allDigits, 3)],
  ['words swapped', severalWords((words) => words.toReversed().join(' '))],
  [
    'words swapped, one typo',
    severalWords((words, random) => oneTypo(words.toReversed().join(' '), random)),
  ],
  ['first and last of three', severalWords((words) => `${words[0]} ${words.at(-1)}`, 3)],
  ['one of several', oneWord((words, random) => random.pick(words))],
  ['last word', oneWord((words) => words.at(-1))],
  ['last word misspelt', oneWord((words) => words.at(-1), oneTypo)],
  ['first word misspelt', oneWord((words) => words[0], oneTypo)],
  [
    'one right, one misspelt',
    severalWords((words, random) => {
      const [first, ...others] = words
      const rest = others.join(' ')
      const typo = rest.length < 4 ? null : oneTypo(rest, random)
      return typo === null ? null : `${first} ${typo}`
    }),
  ],
  [
    'begun words',
    severalWords((words) => {
      const begun = words.map((word) => word.slice(0, Math.max(3, Math.ceil(word.length / 2))))
      return begun.join(' ')
    }),
  ],
  ['last word begun', oneWord((words) => words.at(-1)?.slice(0, 4))],
  ['inner part', innerPart],
  ['part of a compound', compoundPart],
  ['initials of a compound', compoundInitials],
  ['inner end', innerEnd],
  ['initials', initials],
  ['team before', around('team', '')],
  ['the before', around('the', '')],
  ['robot after', around('', 'robot')],
  ['bot after', around('', 'bot')],
  ['weight class after', around('', '3lb')],
  ['weight class name after', around('', 'beetleweight')],
  ['team before, robot after', around('team', 'robot')],
  ['date after', around('', 'march 2026')],
  [
    'article left out',
    ({ name }) => text(/^the /i.test(name) ? name.slice(4).toLowerCase() : null),
  ],
  ['number in words', inOtherNumbers((value) => numberWords[value])],
  ['number in digits', inOtherNumbers(String)],
  ['number in Roman', inOtherNumbers((value) => romans[value])],
  ['50 % prefix', (bot) => text(beginning(bot, 0.5))],
  ['70 % prefix', (bot) => text(beginning(bot, 0.7))],
  [
    '70 % prefix, one typo',
    (bot, random) => {
      const begun = beginning(bot, 0.7)
      return begun === null || begun.length < 4 ? null : text(oneTypo(begun, random))
    },
  ],
  [
    '50 % prefix, one typo',
    (bot, random) => {
      const begun = beginning(bot, 0.5)
      return begun === null || begun.length < 5 ? null : text(oneTypo(begun, random))
    },
  ],
]

interface BotWords {
  readonly clean: string
  readonly parts: readonly string[]
  readonly words: readonly string[]
}
const wordsOfBots = new WeakMap<Bots, readonly BotWords[]>()

/** Names are split once: drawing 30 queries of each kind from 100,000 bots took minutes. */
const wordsOf = (bots: Bots): readonly BotWords[] =>
  wordsOfBots.getOrInsertComputed(bots, () =>
    bots.map(({ name, cleanName: clean }) => ({
      clean,
      parts: partsOf(name),
      words: spacedWords(name),
    })),
  )

/** Bots by their words, and by the beginnings and ends of those. */
export const botsWith = (bots: Bots, word: string): string[] =>
  wordsOf(bots).flatMap(({ clean, parts, words }) =>
    clean === word ||
    parts.some((part) => part.startsWith(word)) ||
    words.some((part) => part.startsWith(word) || part.endsWith(word))
      ? [clean]
      : [],
  )
