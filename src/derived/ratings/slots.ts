import type { RatingClass } from './bouts.ts'

/** Numbers of bots in the tables of the filter, by class and clean name. */
export type Slots = ReadonlyMap<RatingClass, ReadonlyMap<string, number>>

export const noSlots: Slots = new Map()

/** Adds bots to a copy of the slots; what does not change is shared. */
export const createSlots = (before: Slots) => {
  const slots = new Map(before)
  let size = 0
  for (const own of before.values()) size += own.size
  /** Copies made here, which alone are changed. */
  const copies = new Map<RatingClass, Map<string, number>>()
  const copyOf = (ratingClass: RatingClass): Map<string, number> => {
    const known = copies.get(ratingClass)
    if (known) return known
    const copy = new Map(slots.get(ratingClass))
    copies.set(ratingClass, copy)
    slots.set(ratingClass, copy)
    return copy
  }
  return {
    slots: (): Slots => slots,
    /** The slot of a bot, a new one if it has none. */
    slot: (ratingClass: RatingClass, cleanName: string): number => {
      const known = slots.get(ratingClass)?.get(cleanName)
      if (known !== undefined) return known
      copyOf(ratingClass).set(cleanName, size)
      size += 1
      return size - 1
    },
  }
}
