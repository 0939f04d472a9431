import { LRUCache } from 'lru-cache'
import type { Body } from './encoding.ts'
import type { Exchange, Moment } from './requestContext.ts'

/** An answer that may be given again while what it was made from is there, see {@link holds}. */
export interface StoredAnswer {
  readonly holdsFor: Exchange['holdsFor']
  readonly parts: Exchange['parts']
  readonly validUntil: number
  readonly route: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body
}

/** Whether an answer is still the right one. */
export const holds = (
  { holdsFor, parts, validUntil }: StoredAnswer,
  { archive, now }: Moment,
): boolean => {
  if (!archive || now >= validUntil) return false
  if (holdsFor(archive)) return true
  return parts.length > 0 && parts.every(({ find, key, found }) => find(archive, key) === found)
}

/** Bytes of memory that kept answers may take. */
const maxSize = 32 * 2 ** 20

/**
 * Answers by address, as canonical path and query. Bounded in bytes; what was not asked for longest
 * goes first.
 */
export const createAnswerStore = (): LRUCache<string, StoredAnswer> =>
  new LRUCache({
    maxSize,
    maxEntrySize: maxSize / 2,
    sizeCalculation: ({ body }, key) => body.kept.blob.size + key.length + 3072,
  })
