import { positionAfter } from '../../data/league/sortedList.ts'
import type { Entry } from './entry.ts'

/** Maximum number of characters in all entries; a character usually takes a byte. */
const maxCharacters = 32 * 2 ** 20
/** Share that is removed at once: removing entries one by one costs a copy each. */
const droppedShare = 0.05

/** The last changes, in memory and in order. */
export const createRecentEntries = (maxEntries: number) => {
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
    /** Every change after this number is here. */
    keptAfter: (): number => keptAfter,
    /** Removes all entries and continues after a number. */
    startAfter: (seq: number): void => {
      entries = []
      characters = 0
      keptAfter = seq
    },
    /** Adds the newest entries; the oldest are removed if there are too many. */
    add: (added: readonly Entry[]): void => {
      for (const entry of added) {
        entries.push(entry)
        characters += entry.text.length
      }
      if (entries.length > maxEntries || characters > maxCharacters) dropOldest()
    },
    /** Entries after a number. */
    after: function* (seq: number): Generator<Entry> {
      const of = entries
      const first = positionAfter(of, (entry) => entry.seq <= seq)
      for (let at = first; at < of.length; at += 1) {
        const entry = of[at]
        if (entry) yield entry
      }
    },
  }
}
