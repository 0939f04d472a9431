import { cleanName, isPlaceholderName } from '../../src/league/cleanName.ts'
import type { Random } from './random.ts'
import {
  deeds,
  foreignWords,
  frames,
  grounds,
  matters,
  people,
  phrases,
  qualities,
  singles,
  surnames,
  things,
  titles,
  words,
} from './words.ts'

/** Marker that makes rows of non-public tournaments recognisable in any output. */
export const hiddenMarker = 'zzhidden'

/** Bots that are in every corpus, for tests and examples. */
export const cast = [
  { weightClass: 12, name: 'Wynk' },
  { weightClass: 12, name: 'Gondola' },
  { weightClass: 30, name: 'Norma L. Kurv', formerName: 'Norma L Kurv' },
  { weightClass: 3, name: 'Yolk' },
  // Two different bots with the same clean name.
  { weightClass: 30, name: 'Plonk-Tron' },
  { weightClass: 3, name: 'Plonktron!' },
] as const

/** Two bots of the cast that are drawn against each other wherever possible. */
export const rivals = [cast[0].name, cast[1].name] as const

/** Edge-case names: scripts, markup, lengths. */
export const oddNames = [
  'Dr. Wobble',
  "O'Clank",
  'Mrs. O’Grindy',
  'Flip-Flop 0-0',
  '0-0',
  'Spatula!',
  'Spatula!!',
  'Toast (Burnt)',
  'Toast (Burnt) 2',
  'LOUDHAILER',
  'quietly rusting',
  'Égalité',
  'Ærøskøbing Express',
  'Straße 9',
  'Smörgåsborg',
  'Żółw',
  'ドリル',
  'ドリル Mk 2',
  'Робот',
  'Ржавый Ёж',
  'ロボ',
  '!?',
  'Q',
  'Ö',
  'Zo',
  'X9',
  '404',
  '90210',
  '1000000',
  'Marzi',
  'Marzipan',
  'Marzipan Tank',
  'Marzipan Tank II',
  'Null',
  'undefined',
  'constructor',
  '__proto__',
  'toString',
  'NaN',
  'true',
  "Robert'); DROP TABLE fights;--",
  '"Quote" <b>Bold</b> & Sons',
  '<script>alert(1)</script>',
  'Back\\slash   Wide  Gap',
  'The Exceedingly Long-Winded Contraption of Lower Wobbleton (Rev. 7)',
  'روبوت الصدمة',
  '🔥 Ember 🔥',
  '100% Gravel?',
  'A/B Crusher',
  'Comma, Inc.',
  'Plus+Minus',
  '#1 Nuisance',
  'ﬁnal ﬂourish',
  'Ⅳ Horsemice',
  '½ Measure',
  'Bye Bye Birdbath',
  'Bracket Racket',
  '-dash-',
  '..',
] as const

const starts = words(`
  Al Bar Bel Bron Cla Cor Dro Dun Ex Fer Fli Gar Gra Hul Ich Jor Kel Kly Lim Lor Mag Mor Ne Ob Pel
  Pra Qui Rho Sal Ske Tam Tra Ulf Vor Wex Yar Zan Zeb`)
const middles = words('a an ber di do ga ka li mo ni ra ska ta ti vo zi e bu lo chi')
const ends = words(`
  bang brax crank dle dor fax gon kus lor mash nik plex rax shok tor trix vex wick zor zle don gast
  kin lax moth nox pod rod sim tron ver zoid`)

/** An invented word. */
const invented = (random: Random): string => {
  const syllables = random.chance(0.4)
    ? [random.pick(middles)]
    : [random.pick(middles), random.pick(middles)]
  return `${random.pick(starts)}${syllables.join('')}${random.pick(ends)}`
}

/** `Chop` becomes `Chopper`, `Slice` `Slicer`. */
const doer = (deed: string): string =>
  `${deed.replace(/e$/, '').replace(/([^aeiou][aeiou])([bdgmnprt])$/, '$1$2$2')}er`

const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
const lower = (text: string): string => text.toLowerCase()

/** Initials of which no word can be made. */
const initials = (count: number, random: Random): string =>
  random
    .shuffle([...'BCDFGHJKLMNPRSTVWXZ'])
    .slice(0, count)
    .map((letter) => `${letter}.`)
    .join('')

const versions = ['2', '3', '4', 'II', 'III', 'IV', 'Jr.', 'Mk. 2', 'v3', '2.0', 'XL'] as const
const sizes = ['Mini', 'Lil’', "Lil'", 'Son of', 'Big', 'Baby', 'Super', 'Mecha'] as const
const many = ['Two', 'Three', 'Five', 'Seven', '12', '42', '99', '1,000'] as const
const models = ['9000', '3000', 'XII', 'VII', 'MMXX', '64', '0.1', 'Mk. 4', 'X', 'Ω'] as const
const suffixes = ['-o-Matic', 'inator', '-tron', 'zilla', 'ographer', '-Bot', 'ster'] as const

/** Names of a bot and of a successor: `Rusty Anvil 2`, `Son of Rusty Anvil`. */
const relative = (name: string, random: Random): string =>
  random.chance(0.7)
    ? `${name} ${random.pick(versions)}`
    : `${random.pick(sizes)} ${name.replace(/^The /, '')}`

interface Pattern {
  /** Share of the names. */
  readonly weight: number
  readonly build: (random: Random) => string
}

const patterns: readonly Pattern[] = [
  { weight: 44, build: invented },
  { weight: 11, build: (random) => `${random.pick(qualities)} ${random.pick(things)}` },
  { weight: 2, build: (random) => `The ${random.pick(qualities)} ${random.pick(things)}` },
  { weight: 2, build: (random) => `The ${random.pick(things)} ${doer(random.pick(deeds))}` },
  { weight: 4, build: (random) => `${random.pick(things)} ${random.pick(matters)}` },
  { weight: 2, build: (random) => `${random.pick(deeds)} ${random.pick(matters)}` },
  // Two words in one, with and without the inner capital.
  {
    weight: 3,
    build: (random) => `${random.pick(deeds)}${capitalized(random.pick(grounds))}`,
  },
  { weight: 3, build: (random) => `${random.pick(deeds)}${random.pick(grounds)}` },
  { weight: 2, build: (random) => `${random.pick(things)}${random.pick(things)}` },
  { weight: 2, build: (random) => `${random.pick(things)}${lower(doer(random.pick(deeds)))}` },
  { weight: 4, build: (random) => random.pick(singles) },
  { weight: 2, build: (random) => random.pick(phrases) },
  { weight: 4, build: (random) => random.pick(frames).replace('_', random.pick(things)) },
  { weight: 2, build: (random) => `${random.pick(people)}'s ${random.pick(things)}` },
  { weight: 1.5, build: (random) => `${random.pick(titles)} ${random.pick(things)}` },
  {
    weight: 1.5,
    build: (random) => `${random.pick(people)} ${initials(1, random)} ${random.pick(surnames)}`,
  },
  { weight: 1, build: (random) => initials(random.int(3, 4), random) },
  { weight: 1, build: (random) => `${initials(2, random)} ${random.pick(things)}` },
  {
    weight: 1,
    build: (random) =>
      `${random.pick(things)} ${random.pick(['&', "'n'", 'and the'])} ${random.pick(things)}`,
  },
  {
    weight: 1,
    build: (random) => `${random.pick(many)} ${random.pick(qualities)} ${random.pick(things)}s`,
  },
  { weight: 1, build: (random) => `${random.pick(things)}-${random.int(2, 999)}` },
  {
    weight: 1.5,
    build: (random) => `${random.pick(qualities)} ${random.pick(things)} ${random.pick(models)}`,
  },
  { weight: 1, build: (random) => `${random.pick(things)}${random.pick(suffixes)}` },
  { weight: 0.5, build: (random) => `${random.pick(qualities)} ${random.pick(things)}!` },
  { weight: 0.5, build: (random) => `${random.pick(things)} (${random.pick(qualities)})` },
  {
    weight: 1,
    build: (random) => `${random.pick(qualities)} ${random.pick(things)}`.toUpperCase(),
  },
  { weight: 0.5, build: (random) => lower(`${random.pick(qualities)} ${random.pick(things)}`) },
  { weight: 1.5, build: (random) => random.pick(foreignWords) },
]

const weights = patterns.map(({ weight }) => weight)

/** Plain words that the parts of names can form: like single things, they are no names. */
const plainWords = ['Sledgehammer', 'Thunderbolt', 'Chainsaw-Bot', 'GBH', 'MRT'] as const

/** Source of bot names with unique clean names. */
export interface NameSource {
  next(random: Random): string
  /** The next unused one of {@link oddNames}, if any. */
  odd(isFree: (name: string) => boolean): string | undefined
}

const maxLength = 32

export const createNames = (): NameSource => {
  const odd: string[] = [...oddNames]
  /** Names that are no successors, so that none is built after a successor. */
  const originals: string[] = []
  const taken = new Set(
    [...cast.map(({ name }) => name), ...oddNames, ...things, ...plainWords].map(cleanName),
  )
  return {
    next: (random) => {
      for (;;) {
        const original = random.chance(0.07)
          ? originals[random.int(0, originals.length)]
          : undefined
        const name =
          original === undefined
            ? (patterns[random.weighted(weights)]?.build(random) ?? '')
            : relative(original, random)
        const clean = cleanName(name)
        if (clean === '' || name.length > maxLength || isPlaceholderName(name)) continue
        if (taken.has(clean)) continue
        taken.add(clean)
        if (original === undefined) originals.push(name)
        return name
      }
    },
    odd: (isFree) => {
      const index = odd.findIndex(isFree)
      return index < 0 ? undefined : odd.splice(index, 1)[0]
    },
  }
}

export const teamName = (random: Random): string =>
  [
    random.pick(['Team', 'Lab', 'House', 'Garage']),
    `${random.pick(things)}${random.pick(['works', 's', 'ology', ''])}`,
  ].join(' ')
