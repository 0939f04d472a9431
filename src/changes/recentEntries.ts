import { lowerBound } from '../league/sortedList.ts'
import type { Entry } from './entry.ts'

/** Characters of all entries, which take a byte each as a rule. */
const maxCharacters = 32 * 2 ** 20
/** This share goes at once: removing entries one by one costs a copy each. */
const droppedShare = 0.05

/** The last changes, in memory and in order. */
export interface RecentEntries {
  /** All changes after this number are here. */
  readonly keptAfter: () => number
  /** Removes all, and goes on after a number. */
  readonly startAfter: (seq: number) => void
  /** Adds the newest; the oldest go where there are too many. */
  readonly add: (added: readonly Entry[]) => void
  /** Those after a number. */
  readonly after: (seq: number) => Iterable<Entry>
}

export const createRecentEntries = (maxEntries: number): RecentEntries => {
  let entries: Entry[] = []
  let characters = 0
  let keptAfter = 0

  const dropOldest = (): void => {
    const most = maxEntries * (1 - droppedShare)
    const longest = maxCharacters * (1 - droppedShare)
    let dropped = 0
    while (entries.length - dropped > most || characters > longest) {
      characters -= entries[dropped]?.text.length ?? 0
      dropped += 1
    }
    keptAfter = entries[dropped - 1]?.seq ?? keptAfter
    entries = entries.slice(dropped)
  }

  return {
    keptAfter: () => keptAfter,
    startAfter: (seq) => {
      entries = []
      characters = 0
      keptAfter = seq
    },
    add: (added) => {
      for (const entry of added) {
        entries.push(entry)
        characters += entry.text.length
      }
      if (entries.length > maxEntries || characters > maxCharacters) dropOldest()
    },
    after: function* (seq) {
      const of = entries
      const first = lowerBound((index) => (of[index]?.seq ?? 0) <= seq, 0, of.length)
      for (let at = first; at < of.length; at += 1) {
        const entry = of[at]
        if (entry) yield entry
      }
    },
  }
}
