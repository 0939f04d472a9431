import type { Random } from '../../scripts/league/random.ts'
import { type Bot, type Bots, findBot } from '../../src/careers/bots.ts'
import { cleanName } from '../../src/league/cleanName.ts'
import type { TournamentInfo } from '../../src/league/types.ts'

/** A text somebody types, and the results that answer it. */
export interface Query {
  readonly text: string
  /** Clean names of the bots meant: any of them answers, all of them where two bots are meant. */
  readonly wanted: readonly string[]
  readonly needsAll: boolean
  /** Display name that the text was made from; empty for gibberish. */
  readonly source: string
}

export interface Kind {
  readonly name: string
  readonly queries: readonly Query[]
  /** Of gibberish, the share answered is measured, and less is better. */
  readonly isGibberish: boolean
}

/** Words of a name: split at spaces, punctuation, CamelCase humps and around digits. */
export const partsOf = (name: string): string[] =>
  name
    .replace(/['’]/g, '')
    .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{L})(?=\p{N})|(\p{N})(?=\p{L})/gu, '$1$2 ')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .map(cleanName)
    .filter(Boolean)

const spacedWords = (name: string): string[] =>
  name
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .map(cleanName)
    .filter(Boolean)

const articles = new Set(['the', 'a', 'an', 'of', 'and', 'n', 'le', 'la', 'el'])

// Misspelling ---------------------------------------------------------------------------------

const keyRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']

const neighboursOf = (letter: string): string[] => {
  const row = keyRows.findIndex((keys) => keys.includes(letter))
  const at = keyRows[row]?.indexOf(letter) ?? -1
  if (at < 0) return []
  const places = [
    [row, at - 1],
    [row, at + 1],
    [row - 1, at],
    [row - 1, at + 1],
    [row + 1, at - 1],
    [row + 1, at],
  ] as const
  return places.flatMap(([r, c]) => keyRows[r]?.[c] ?? [])
}

type Misspell = (text: string, random: Random) => string | null

/** A place in the text that holds a letter, never the first unless it is the only one. */
const letterPlace = (text: string, random: Random, from = 0): number | null => {
  const places = [...text].flatMap((char, at) => (at >= from && /[a-z]/.test(char) ? [at] : []))
  return places.length === 0 ? null : random.pick(places)
}

const edit = (text: string, at: number, length: number, by: string): string =>
  text.slice(0, at) + by + text.slice(at + length)

const neighbourKey: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  if (at === null) return null
  return edit(text, at, 1, random.pick(neighboursOf(text.charAt(at))))
}
const drop: Misspell = (text, random) => {
  const at = letterPlace(text, random, 1)
  return at === null ? null : edit(text, at, 1, '')
}
const double: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  return at === null ? null : edit(text, at, 1, text.charAt(at).repeat(2))
}
const swap: Misspell = (text, random) => {
  const places = [...text].flatMap((char, at) => {
    const next = text.charAt(at + 1)
    return /[a-z]/.test(char) && /[a-z]/.test(next) && char !== next ? [at] : []
  })
  if (places.length === 0) return null
  const at = random.pick(places)
  return edit(text, at, 2, text.charAt(at + 1) + text.charAt(at))
}
const anyLetter: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  if (at === null) return null
  const letter = random.pick([...'abcdefghijklmnopqrstuvwxyz'])
  return letter === text.charAt(at) ? null : edit(text, at, 1, letter)
}
const extraLetter: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  return at === null ? null : edit(text, at, 0, random.pick([...'abcdefghijklmnopqrstuvwxyz']))
}

const typos = [neighbourKey, drop, double, swap]
const oneTypo: Misspell = (text, random) => random.pick(typos)(text, random)

const then =
  (first: Misspell, second: Misspell): Misspell =>
  (text, random) => {
    const once = first(text, random)
    const twice = once === null ? null : second(once, random)
    return twice === text ? null : twice
  }

const soundsAlike: readonly (readonly [RegExp, string])[] = [
  [/ph/, 'f'],
  [/f(?!f)/, 'ph'],
  [/ck/, 'k'],
  [/c(?=[aourlt])/, 'k'],
  [/k(?=[aou])/, 'c'],
  [/c(?=[ei])/, 's'],
  [/y$/, 'ie'],
  [/y/, 'i'],
  [/i(?=[^aeiou])/, 'y'],
  [/z/, 's'],
  [/x/, 'ks'],
  [/qu/, 'kw'],
  [/ee/, 'ea'],
  [/ea/, 'ee'],
  [/oo/, 'u'],
  [/([bdfglmnprst])\1/, '$1'],
  [/([aeiou])([bdglmnprt])(?=[aeiou])/, '$1$2$2'],
  [/wh/, 'w'],
  [/gh/, 'g'],
]

const phonetic: Misspell = (text, random) => {
  const fitting = soundsAlike.filter(([pattern]) => pattern.test(text))
  if (fitting.length === 0) return null
  const [pattern, by] = random.pick(fitting)
  return text.replace(pattern, by)
}

const withoutVowels: Misspell = (text) => {
  const left = text.replace(/(?<=[a-z0-9])[aeiou]/g, '')
  return cleanName(left).length >= 3 ? left : null
}

const leetDigits: Readonly<Record<string, string>> = {
  o: '0',
  e: '3',
  a: '4',
  i: '1',
  s: '5',
  t: '7',
}
const oneDigit: Misspell = (text, random) => {
  const places = [...text].flatMap((char, at) => (char in leetDigits ? [at] : []))
  if (places.length === 0) return null
  const at = random.pick(places)
  return edit(text, at, 1, leetDigits[text.charAt(at)] ?? '')
}
const allDigits: Misspell = (text) => text.replace(/[oeai]/g, (letter) => leetDigits[letter] ?? '')

// Kinds of query about one bot ----------------------------------------------------------------

/** A text for a bot; null where there is none of the kind. `word`: every bot with that word answers. */
type Ask = (bot: Bot, random: Random) => { text: string; word?: string } | null

const typedName = ({ name }: Bot): string => name.toLowerCase()

const text = (value: string | null): { text: string } | null =>
  value === null ? null : { text: value }

const misspelt =
  (misspell: Misspell, leastLength = 4): Ask =>
  (bot, random) =>
    bot.cleanName.length < leastLength ? null : text(misspell(typedName(bot), random))

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
  (make: (words: readonly string[], random: Random) => string | null, least = 2): Ask =>
  (bot, random) => {
    const words = spacedWords(bot.name)
    return words.length < least ? null : text(make(words, random))
  }

const oneWord =
  (
    choose: (words: readonly string[], random: Random) => string | undefined,
    spell?: Misspell,
  ): Ask =>
  (bot, random) => {
    const words = significant(bot.name)
    if (words.length < 2) return null
    const word = choose(words, random)
    if (word === undefined || (spell && word.length < 5)) return null
    const typed = spell ? spell(word, random) : word
    return typed === null ? null : { text: typed, word }
  }

/** A later part of a single word: `glaze` of JawGlaze. */
const innerPart: Ask = ({ name }) => {
  for (const word of name.split(/\s+/)) {
    const parts = partsOf(word)
    const last = parts.at(-1)
    if (parts.length >= 2 && last && last.length >= 4) return { text: last, word: last }
  }
  return null
}

/** The last letters of a single word without humps. */
const innerEnd: Ask = ({ name, cleanName: clean }) => {
  if (partsOf(name).length > 1 || clean.length < 8) return null
  const end = clean.slice(-Math.ceil(clean.length / 2))
  return { text: end, word: end }
}

const numberWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const romans = ['', 'i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix']

const inOtherNumbers =
  (to: (value: number) => string | undefined): Ask =>
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

const around =
  (before: string, after: string): Ask =>
  (bot) => ({ text: `${before} ${typedName(bot)} ${after}`.trim() })

const initials: Ask = ({ name }) => {
  const words = partsOf(name)
  return words.length < 3 ? null : { text: words.map((word) => word.charAt(0)).join('') }
}

const asks: readonly (readonly [string, Ask])[] = [
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
  ['two: neighbour, drop', misspelt(then(neighbourKey, drop), 6)],
  ['two: swap, double', misspelt(then(swap, double), 6)],
  ['two: any', misspelt(then(oneTypo, oneTypo), 6)],
  ['phonetic', misspelt(phonetic)],
  ['phonetic, one typo', misspelt(then(phonetic, oneTypo), 7)],
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

/** Which bots have a word, or a word that begins or ends so. */
const botsWith = (bots: Bots, word: string): string[] =>
  bots.flatMap(({ name, cleanName: clean }) =>
    clean === word ||
    partsOf(name).some((part) => part.startsWith(word)) ||
    spacedWords(name).some((part) => part.startsWith(word) || part.endsWith(word))
      ? [clean]
      : [],
  )

// Two bots ------------------------------------------------------------------------------------

type Couple = (one: string, other: string, random: Random) => string | null

const couples: readonly (readonly [string, Couple])[] = [
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

const drawCouples = (bots: Bots, random: Random, count: number): Kind[] =>
  couples.map(([name, ask]) => {
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
      const asked = ask(spelled[0] ?? '', spelled[1] ?? '', random)
      if (asked === null || findBot(bots, cleanName(asked))) continue
      queries.push({
        text: asked,
        wanted: [one.cleanName, other.cleanName],
        needsAll: true,
        source: `${one.name} and ${other.name}`,
      })
    }
    return { name, queries, isGibberish: false }
  })

// Beginnings of well-known names, and gibberish -------------------------------------------------

export const mostFamous = (bots: Bots, count: number): readonly Bot[] =>
  bots.toSorted((a, b) => b.fights.length - a.fights.length).slice(0, count)

/** The first letters of a well-known name mean the best known bot whose name begins so. */
const wellKnownBeginnings = (bots: Bots, length: number, count: number): Kind => ({
  name: `${length} letters, well-known`,
  isGibberish: false,
  queries: mostFamous(bots, count).flatMap((bot) => {
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

/** At most `count` queries of each kind, about bots drawn by chance. */
export const drawQueries = (
  bots: Bots,
  random: Random,
  count: number,
  league = 'cageside',
): readonly Kind[] => {
  const all = [...asks, ['league before', around(league, '')] as const]
  const kinds: Kind[] = all.map(([name, ask]) => {
    const queries: Query[] = []
    for (const bot of random.shuffle(bots)) {
      if (queries.length === count) break
      const asked = ask(bot, random)
      if (!asked || cleanName(asked.text) === '') continue
      const other = findBot(bots, cleanName(asked.text))
      // A text that is the name of another bot asks for that one.
      if (other && other !== bot && asked.word === undefined) continue
      const wanted = asked.word === undefined ? [bot.cleanName] : botsWith(bots, asked.word)
      queries.push({ text: asked.text, wanted, needsAll: false, source: bot.name })
    }
    return { name, queries, isGibberish: false }
  })
  return [
    ...kinds,
    ...[3, 4, 5].map((length) => wellKnownBeginnings(bots, length, count)),
    ...drawCouples(bots, random, count),
    eightWords(bots, random, count),
    ...[3, 4, 5, 6, 7, 8].map((length) => gibberish(bots, length, random, count)),
  ]
}

/** Eight words of 64 letters, for the time they take: no bot is meant by all of them. */
const eightWords = (bots: Bots, random: Random, count: number): Kind => ({
  name: 'eight words',
  isGibberish: true,
  queries: Array.from({ length: count }, () => {
    const words = Array.from({ length: 8 }, () => random.pick(bots).cleanName.slice(0, 7))
    return { text: words.join(' '), wanted: [], needsAll: false, source: '' }
  }),
})

// Tournaments ---------------------------------------------------------------------------------

const monthNames =
  'january february march april may june july august september october november december'.split(' ')
const classNames = new Map([
  [3, 'beetleweight'],
  [12, 'hobbyweight'],
  [30, 'featherweight'],
])

interface Asked {
  readonly text: string
  /** Whether a tournament answers. */
  readonly isWanted: (info: TournamentInfo) => boolean
}

type AskTournament = (info: TournamentInfo, month: string, year: string) => Asked | null

const tournamentAsks: readonly (readonly [string, AskTournament])[] = [
  ['name', ({ name }) => ({ text: name, isWanted: (other) => other.name === name })],
  ['id', ({ id }) => ({ text: id, isWanted: (other) => other.id === id })],
  ...(['3 lb', '3lb', '3 lbs', '3 pounds'] as const).map(
    (spelling): readonly [string, AskTournament] => [
      `class as ${spelling}`,
      ({ weightClassPounds }) => ({
        text: spelling.replace('3', String(weightClassPounds)),
        isWanted: (other) => other.weightClassPounds === weightClassPounds,
      }),
    ],
  ),
  [
    'class by name',
    ({ weightClassPounds }) => {
      const text = classNames.get(weightClassPounds)
      const isWanted = (other: TournamentInfo) => other.weightClassPounds === weightClassPounds
      return text === undefined ? null : { text, isWanted }
    },
  ],
  ['month', (_, month) => ({ text: month, isWanted: isIn(month) })],
  [
    'month and year',
    (_, month, year) => ({ text: `${month} 20${year}`, isWanted: isIn(month, year) }),
  ],
  ['march 26', (_, month, year) => ({ text: `${month} ${year}`, isWanted: isIn(month, year) })],
  [
    'mar 26',
    (_, month, year) => ({ text: `${month.slice(0, 3)} ${year}`, isWanted: isIn(month, year) }),
  ],
  [
    'mar26',
    (_, month, year) => ({ text: `${month.slice(0, 3)}${year}`, isWanted: isIn(month, year) }),
  ],
  [
    'march 26 3lb',
    ({ weightClassPounds }, month, year) => ({
      text: `${month} ${year} ${weightClassPounds}lb`,
      isWanted: (other) =>
        isIn(month, year)(other) && other.weightClassPounds === weightClassPounds,
    }),
  ],
]

const dateOf = ({ startUnix, scheduledStartUnix, createUnix }: TournamentInfo): Date =>
  new Date(1000 * (startUnix ?? scheduledStartUnix ?? createUnix))
const monthOf = (info: TournamentInfo): string => monthNames[dateOf(info).getUTCMonth()] ?? ''
const yearOf = (info: TournamentInfo): string => String(dateOf(info).getUTCFullYear()).slice(2)
const isIn = (month: string, year?: string) => (info: TournamentInfo) =>
  monthOf(info) === month && (year === undefined || yearOf(info) === year)

/** At most `count` queries of each kind, about tournaments drawn by chance. */
export const drawTournamentQueries = (
  tournaments: readonly { readonly info: TournamentInfo }[],
  random: Random,
  count: number,
): readonly Kind[] => {
  const named = tournaments.filter(({ info }) => info.name.toLowerCase().includes(monthOf(info)))
  return tournamentAsks.map(([name, ask]) => ({
    name,
    isGibberish: false,
    queries: random
      .shuffle(named)
      .slice(0, count)
      .flatMap(({ info }) => {
        const asked = ask(info, monthOf(info), yearOf(info))
        if (!asked) return []
        const wanted = tournaments.flatMap((other) =>
          asked.isWanted(other.info) ? [other.info.id] : [],
        )
        return [{ text: asked.text, wanted, needsAll: false, source: info.name }]
      }),
  }))
}
