import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Pseudo-random generator: the same seed gives the same values on every machine. */
export interface Random {
  /** From 0 (included) to 1 (left out). */
  next(): number
  /** A whole number, both bounds included. */
  int(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** An index, chosen in proportion to the weights. */
  weighted(weights: readonly number[]): number
  shuffle<T>(items: readonly T[]): T[]
  /** Normally distributed around 0 with deviation 1, limited to ±3. */
  bell(): number
  hex(digits: number): string
  /** Text that needs no escaping in an address. */
  token(length: number): string
  /** The seed of an independent stream. */
  seed(): number
}

const tokenAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

export const createRandom = (seed: number): Random => {
  const generator = xoroshiro128plus(seed)
  const int = (from: number, to: number) => uniformInt(generator, from, to)
  const next = () => (generator.next() >>> 0) / 2 ** 32
  const pick = <T>(items: readonly T[]): T => {
    const index = int(0, items.length - 1)
    for (const item of items.slice(index, index + 1)) return item
    throw new RangeError('nothing to pick from')
  }
  // The first draws of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 16; skipped++) generator.next()
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick,
    weighted: (weights) => {
      let rest = next() * weights.reduce((sum, weight) => sum + weight, 0)
      const index = weights.findIndex((weight) => {
        rest -= weight
        return rest < 0
      })
      return index < 0 ? weights.length - 1 : index
    },
    shuffle: (items) => {
      const pool = [...items]
      return items.flatMap(() => pool.splice(int(0, pool.length - 1), 1))
    },
    bell: () => next() + next() + next() + next() + next() + next() - 3,
    hex: (digits) => {
      let text = ''
      while (text.length < digits) text += (generator.next() >>> 0).toString(16).padStart(8, '0')
      return text.slice(0, digits)
    },
    token: (length) => {
      let text = ''
      while (text.length < length) text += tokenAlphabet.charAt(int(0, 63))
      return text
    },
    seed: () => generator.next(),
  }
}
