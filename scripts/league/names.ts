import { cleanName, isPlaceholderName } from '../../src/data/league/cleanName.ts'
import type { Random } from './random.ts'
import { oddNames, wordsOf } from './words.ts'

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

/** `Chop` becomes `Chopper`, `Slice` `Slicer`. */
const doer = (deed: string): string =>
  `${deed.replace(/e$/, '').replace(/([^aeiou][aeiou])([bdgmnprt])$/, '$1$2$2')}er`

const forms: Readonly<Record<string, (text: string) => string>> = {
  doer,
  capital: (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  lower: (text) => text.toLowerCase(),
  upper: (text) => text.toUpperCase(),
}

/** Initials that form no word. */
const initials = (count: number, random: Random): string =>
  random
    .shuffle([...'BCDFGHJKLMNPRSTVWXZ'])
    .slice(0, count)
    .map((letter) => `${letter}.`)
    .join('')

/** An invented word. */
const invented = (random: Random): string => {
  const middle = random.chance(0.4) ? '{middles}' : '{middles}{middles}'
  const syllables = build(middle, random)
  return build(`{starts}${syllables}{ends}`, random)
}

/** Text for a pair of braces: an entry of a list in some form, initials, or a number within bounds. */
const part = (braced: string, random: Random): string => {
  if (braced === 'invented') return invented(random)
  const [, from, to] = /^(\d+)-(\d+)$/.exec(braced) ?? []
  if (from !== undefined) return String(random.int(Number(from), Number(to)))
  const [, count] = /^(\d) initials$/.exec(braced) ?? []
  if (count !== undefined) return initials(Number(count), random)
  if (braced === 'some initials') return initials(random.int(3, 4), random)
  const [list = '', ...changes] = braced.split(' ')
  const found = build(random.pick(wordsOf(list)), random)
  return changes.reduce((text, form) => forms[form]?.(text) ?? text, found)
}

const build = (pattern: string, random: Random): string =>
  pattern.replace(/\{(.+?)\}/g, (_, name) => part(name, random))

/** Patterns of names, with their shares. */
const patterns = [
  [44, '{invented}'],
  [11, '{qualities} {things}'],
  [2, 'The {qualities} {things}'],
  [2, 'The {things} {deeds doer}'],
  [4, '{things} {matters}'],
  [2, '{deeds} {matters}'],
  // Two words in one, with and without the inner capital.
  [3, '{deeds}{grounds capital}'],
  [3, '{deeds}{grounds}'],
  [2, '{things}{things}'],
  [2, '{things}{deeds doer lower}'],
  [4, '{singles}'],
  [2, '{phrases}'],
  [4, '{frames}'],
  [2, "{people}'s {things}"],
  [1.5, '{titles} {things}'],
  [1.5, '{people} {1 initials} {surnames}'],
  [1, '{some initials}'],
  [1, '{2 initials} {things}'],
  [1, '{things} {joints} {things}'],
  [1, '{counts} {qualities} {things}s'],
  [1, '{things}-{2-999}'],
  [1.5, '{qualities} {things} {models}'],
  [1, '{things}{suffixes}'],
  [0.5, '{qualities} {things}!'],
  [0.5, '{things} ({qualities})'],
  [1, '{qualities upper} {things upper}'],
  [0.5, '{qualities lower} {things lower}'],
  [1.5, '{foreign}'],
] as const

const weights = patterns.map(([weight]) => weight)

/** Name of a successor: `Rusty Anvil 2`, `Son of Rusty Anvil`. */
const relative = (name: string, random: Random): string =>
  random.chance(0.7)
    ? `${name} ${build('{versions}', random)}`
    : `${build('{sizes}', random)} ${name.replace(/^The /, '')}`

const maxLength = 32

/** Source of bot names with unique clean names. */
export const createNames = () => {
  const odd: string[] = [...oddNames]
  /** Names that are no successors, so that none is built after a successor. */
  const originals: string[] = []
  const taken = new Set(
    [
      ...[...cast.map(({ name }) => name), ...oddNames],
      // Words that could be parts of invented names are no names of single things.
      ...[...wordsOf('things'), ...wordsOf('plain')],
    ].map(cleanName),
  )
  return {
    next: (random: Random): string => {
      for (;;) {
        const original = random.chance(0.07)
          ? originals[random.int(0, originals.length)]
          : undefined
        const name =
          original === undefined
            ? build(patterns[random.weighted(weights)]?.[1] ?? '', random)
            : relative(original, random)
        const clean = cleanName(name)
        if (clean === '' || name.length > maxLength || isPlaceholderName(name)) continue
        if (taken.has(clean)) continue
        taken.add(clean)
        if (original === undefined) originals.push(name)
        return name
      }
    },
    /** The next unused one of {@link oddNames}, if any. */
    odd: (isFree: (name: string) => boolean): string | undefined => {
      const index = odd.findIndex(isFree)
      return index < 0 ? undefined : odd.splice(index, 1)[0]
    },
  }
}

export type NameSource = ReturnType<typeof createNames>

export const teamName = (random: Random): string =>
  [
    random.pick(['Team', 'Lab', 'House', 'Garage']),
    `${build('{things}', random)}${random.pick(['works', 's', 'ology', ''])}`,
  ].join(' ')
