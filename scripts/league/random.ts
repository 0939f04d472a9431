import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

const tokenAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Pseudo-random generator: the same seed gives the same values on every machine. */
export const createRandom = (seed: number) => {
  const generator = xoroshiro128plus(seed)
  const int = (from: number, to: number): number => uniformInt(generator, from, to)
  const next = (): number => (generator.next() >>> 0) / 2 ** 32
  const pick = <T>(items: readonly T[]): T => {
    const index = int(0, items.length - 1)
    for (const item of items.slice(index, index + 1)) return item
    throw new RangeError('nothing to pick from')
  }
  // The first draws of neighbouring seeds are alike.
  for (let skipped = 0; skipped < 16; skipped++) generator.next()
  return {
    /** A number from 0 (included) to 1 (excluded). */
    next,
    /** A whole number; both bounds are included. */
    int,
    chance: (probability: number): boolean => next() < probability,
    pick,
    /** An index, chosen in proportion to the weights. */
    weighted: (weights: readonly number[]): number => {
      let rest = next() * weights.reduce((sum, weight) => sum + weight, 0)
      const index = weights.findIndex((weight) => {
        rest -= weight
        return rest < 0
      })
      return index < 0 ? weights.length - 1 : index
    },
    shuffle: <T>(items: readonly T[]): T[] => {
      const pool = [...items]
      return items.flatMap(() => pool.splice(int(0, pool.length - 1), 1))
    },
    /** Normally distributed around 0 with deviation 1, limited to ±3. */
    bell: (): number => next() + next() + next() + next() + next() + next() - 3,
    hex: (digits: number): string => {
      let text = ''
      while (text.length < digits) text += (generator.next() >>> 0).toString(16).padStart(8, '0')
      return text.slice(0, digits)
    },
    /** A text that needs no escaping in a URL. */
    token: (length: number): string => {
      let text = ''
      while (text.length < length) text += tokenAlphabet.charAt(int(0, 63))
      return text
    },
    /** Seed of an independent stream. */
    seed: (): number => generator.next(),
  }
}
export type Random = ReturnType<typeof createRandom>
