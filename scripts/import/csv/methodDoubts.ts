import type { Report } from '../problems.ts'
import { understandMethod } from './words.ts'

const codes = 'KO, TKO, TO, JD, FF or DQ'

/** Doubt about a method that is not written as one of the known words; undefined for a known one. */
const doubtOf = (cell: string): string | undefined => {
  const { code, isExact, isKnown } = understandMethod(cell)
  if (isExact) return undefined
  return isKnown
    ? `the method '${cell}' is read as ${code}: write ${code}`
    : `the method '${cell}' is not known, and counts as one of its own: write ${codes} if it is one of these`
}

/** Collects methods that are not known words, to list each of them once. */
export const createMethodDoubts = () => {
  const seen = new Map<string, { readonly where: string; lines: number }>()
  return {
    note: (method: string, where: string): void => {
      seen.getOrInsertComputed(method, () => ({ where, lines: 0 })).lines += 1
    },
    list: (warn: Report): void => {
      for (const [method, { where, lines }] of seen) {
        const reason = doubtOf(method)
        const others = lines > 1 ? ` (${lines} lines in all)` : ''
        if (reason !== undefined) warn({ where, reason: reason + others })
      }
    },
  }
}
