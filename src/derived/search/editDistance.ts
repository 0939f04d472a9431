import { edits } from './tuning.ts'

/** Cost of the edits between a text and a name, in tenths of a bit; Infinity beyond the bound. */
export interface Distances {
  readonly whole: number
  /** Distance to the closest beginning of the name. */
  readonly beginning: number
  readonly beginningLength: number
}

/** Cost above every bound, and above the cost of every edit of a text and name as long as can be. */
const unreachable = 30_000

/** Longer texts and names are compared up to here. */
const maxLength = 64

const {
  insertion,
  deletion,
  doubling,
  transposition,
  substitution,
  neighbourKey,
  soundsAlike,
  vowelForVowel,
  looksAlike,
  digitEdit,
  firstLetter,
} = edits

const keyboard = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm']
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
const isDigit = (code: number): boolean => code < 58

const codeOf = (letter: string): number => letter.charCodeAt(0)

/** Cost of a substitution, at `128 * one + other` by character code. */
const substitutions = (() => {
  const costs = new Uint8Array(128 * 128).fill(substitution)
  const set = (one: string, other: string, cost: number): void => {
    const [a, b] = [codeOf(one), codeOf(other)]
    costs[128 * a + b] = Math.min(costs[128 * a + b] ?? cost, cost)
    costs[128 * b + a] = Math.min(costs[128 * b + a] ?? cost, cost)
  }
  for (const digit of '0123456789') {
    for (const other of alphabet) {
      costs[128 * codeOf(digit) + codeOf(other)] = digitEdit
      costs[128 * codeOf(other) + codeOf(digit)] = digitEdit
    }
  }
  for (const one of 'aeiou') for (const other of 'aeiou') set(one, other, vowelForVowel)
  keyboard.forEach((keys, row) => {
    for (let at = 0; at < keys.length; at += 1) {
      const below = keyboard[row + 1] ?? ''
      const near = [keys.charAt(at + 1), below.charAt(at - 1), below.charAt(at)]
      for (const other of near) if (other) set(keys.charAt(at), other, neighbourKey)
    }
  })
  for (const [one = '', ...others] of ['cks', 'kq', 'sz', 'iy', 'fv', 'gj', 'vw', 'mn']) {
    for (const other of others) set(one, other, soundsAlike)
  }
  for (const [digit = '', ...others] of ['0o', '1il', '3e', '4a', '5s', '7t', '8b', '9g']) {
    for (const letter of others) set(digit, letter, looksAlike)
  }
  for (const letter of alphabet) set(letter, letter, 0)
  return costs
})()

/** Rows of the table, allocated once. */
const rows = [
  new Int16Array(maxLength + 2),
  new Int16Array(maxLength + 2),
  new Int16Array(maxLength + 2),
] as const

const tooFar: Distances = {
  whole: Number.POSITIVE_INFINITY,
  beginning: Number.POSITIVE_INFINITY,
  beginningLength: 0,
}

const insertionCost = (text: string, i: number): number => {
  const letter = text.charCodeAt(i - 1)
  if (i > 1 && letter === text.charCodeAt(i - 2)) return doubling
  if (isDigit(letter)) return digitEdit
  return i === 1 ? insertion + firstLetter : insertion
}

const deletionCost = (name: string, j: number): number => {
  const letter = name.charCodeAt(j - 1)
  if (j > 1 && letter === name.charCodeAt(j - 2)) return doubling
  if (isDigit(letter)) return digitEdit
  return j === 1 ? deletion + firstLetter : deletion
}

/**
 * Weighted edits (insertion, deletion, substitution, transposition of neighbours) that make a name, and
 * the closest beginning of it, into a text; both of `a-z0-9`. Slips of the finger and spellings that
 * sound alike cost less than other edits, edits of the first letter and of digits more. Only the part
 * of the table that `most` can reach is computed.
 */
export const editDistances = (text: string, name: string, most: number): Distances => {
  const height = Math.min(text.length, maxLength)
  const reach = Math.floor(most / doubling)
  const width = Math.min(name.length, height + reach, maxLength)
  let [older, row, next]: readonly [Int16Array, Int16Array, Int16Array] = rows
  row[0] = 0
  for (let j = 1; j <= width; j += 1) row[j] = (row[j - 1] ?? 0) + deletionCost(name, j)
  let bestBefore = 0
  for (let i = 1; i <= height; i += 1) {
    const from = Math.max(1, i - reach)
    const to = Math.min(width, i + reach)
    const letter = text.charCodeAt(i - 1)
    const before = text.charCodeAt(i - 2)
    const inserting = insertionCost(text, i)
    next[from - 1] = from === 1 ? (row[0] ?? 0) + inserting : unreachable
    let best = next[from - 1] ?? unreachable
    for (let j = from; j <= to; j += 1) {
      const other = name.charCodeAt(j - 1)
      let cost = row[j - 1] ?? unreachable
      if (letter !== other) {
        cost += substitutions[128 * letter + other] ?? substitution
        if (i === 1 && j === 1) cost += firstLetter
        if (i > 1 && j > 1 && letter === name.charCodeAt(j - 2) && before === other) {
          const swapped = (older[j - 2] ?? unreachable) + transposition
          if (swapped < cost) cost = swapped
        }
      }
      const inserted = (row[j] ?? unreachable) + inserting
      if (inserted < cost) cost = inserted
      const deleted = (next[j - 1] ?? unreachable) + deletionCost(name, j)
      if (deleted < cost) cost = deleted
      next[j] = cost
      if (cost < best) best = cost
    }
    // A transposition comes from the row before the last.
    if (best > most && bestBefore + transposition > most) return tooFar
    bestBefore = best
    // The row below reads one column beyond this one.
    if (to < width) next[to + 1] = unreachable
    const free = older
    older = row
    row = next
    next = free
  }
  let beginning = unreachable
  let beginningLength = 0
  for (let j = Math.max(0, height - reach); j <= Math.min(width, height + reach); j += 1) {
    const cost = row[j] ?? unreachable
    if (cost >= beginning) continue
    beginning = cost
    beginningLength = j
  }
  const whole =
    name.length === width && width <= height + reach ? (row[width] ?? unreachable) : unreachable
  return {
    whole: whole > most ? Number.POSITIVE_INFINITY : whole,
    beginning: beginning > most ? Number.POSITIVE_INFINITY : beginning,
    beginningLength,
  }
}
