import type { Random } from '../../scripts/league/random.ts'
import { cleanName } from '../../src/data/league/cleanName.ts'

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

/** A misspelling of a lower-case text; null if there is none of this kind. */
export type Misspell = (text: string, random: Random) => string | null

/** Positions in UTF-16 units, as `charAt` and `slice` count: names may have emoji. */
const placesOf = (pattern: RegExp, text: string): number[] =>
  [...text.matchAll(pattern)].map(({ index }) => index)

/** A position of a letter in the text, never the first unless it is the only one. */
const letterPlace = (text: string, random: Random, from = 0): number | null => {
  const places = placesOf(/[a-z]/g, text).filter((at) => at >= from)
  return places.length === 0 ? null : random.pick(places)
}

export const edit = (text: string, at: number, length: number, by: string): string =>
  text.slice(0, at) + by + text.slice(at + length)

export const neighbourKey: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  if (at === null) return null
  return edit(text, at, 1, random.pick(neighboursOf(text.charAt(at))))
}
export const drop: Misspell = (text, random) => {
  const at = letterPlace(text, random, 1)
  return at === null ? null : edit(text, at, 1, '')
}
export const double: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  return at === null ? null : edit(text, at, 1, text.charAt(at).repeat(2))
}
export const swap: Misspell = (text, random) => {
  const places = placesOf(/([a-z])(?=[a-z])(?!\1)/g, text)
  if (places.length === 0) return null
  const at = random.pick(places)
  return edit(text, at, 2, text.charAt(at + 1) + text.charAt(at))
}
export const anyLetter: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  if (at === null) return null
  const letter = random.pick([...'abcdefghijklmnopqrstuvwxyz'])
  return letter === text.charAt(at) ? null : edit(text, at, 1, letter)
}
export const extraLetter: Misspell = (text, random) => {
  const at = letterPlace(text, random)
  return at === null ? null : edit(text, at, 0, random.pick([...'abcdefghijklmnopqrstuvwxyz']))
}

const typos = [neighbourKey, drop, double, swap]
export const oneTypo: Misspell = (text, random) => random.pick(typos)(text, random)

export const inTurn =
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

export const phonetic: Misspell = (text, random) => {
  const fitting = soundsAlike.filter(([pattern]) => pattern.test(text))
  if (fitting.length === 0) return null
  const [pattern, by] = random.pick(fitting)
  return text.replace(pattern, by)
}

export const withoutVowels: Misspell = (text) => {
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
export const oneDigit: Misspell = (text, random) => {
  const places = placesOf(/[oeaist]/g, text)
  if (places.length === 0) return null
  const at = random.pick(places)
  return edit(text, at, 1, leetDigits[text.charAt(at)] ?? '')
}
export const allDigits: Misspell = (text) =>
  text.replace(/[oeai]/g, (letter) => leetDigits[letter] ?? '')
