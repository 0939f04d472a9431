import type { Steps } from '../../runtime/timeSlice.ts'

/** First index in [low, high) whose entry does not come before; `high` if all do. */
export const lowerBound = (
  isBefore: (index: number) => boolean,
  low: number,
  high: number,
): number => {
  let [start, end] = [low, high]
  while (start < end) {
    const middle = (start + end) >> 1
    if (isBefore(middle)) start = middle + 1
    else end = middle
  }
  return start
}

/**
 * First index of a sorted list, at or after `from`, whose entry does not come before the wanted one. Strides double
 * from there, so that a walk along the list costs the logarithm of each step.
 */
export const positionAfter = <T>(
  list: readonly T[],
  isBefore: (entry: T) => boolean,
  from = 0,
): number => {
  const isBeforeAt = (index: number): boolean => {
    const entry = list[index]
    return entry !== undefined && isBefore(entry)
  }
  let low = from
  let stride = 1
  while (isBeforeAt(low + stride - 1)) {
    low += stride
    stride *= 2
  }
  return lowerBound(isBeforeAt, low, Math.min(low + stride - 1, list.length))
}

/** The list in order; the same list if it is sorted already, as most are: one comparison for each entry. */
export const toSorted = <T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] => {
  let before: T | undefined
  for (const entry of list) {
    if (before !== undefined && compare(before, entry) > 0) return list.toSorted(compare)
    before = entry
  }
  return list
}

/**
 * A sorted list without some of its entries and with others. Only the change is sorted: a list of a million costs
 * as much as copying it.
 */
export const replaceSorted = <T>(
  list: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: (a: T, b: T) => number,
): readonly T[] => {
  if (list.length === 0) return toSorted(added, compare)
  const editsOf = (entries: readonly T[], skip: 0 | 1) => {
    let at = 0
    return toSorted(entries, compare).map((entry) => {
      at = positionAfter(list, (other) => compare(other, entry) < 0, at)
      return { entry, at, skip }
    })
  }
  const edits = [...editsOf(removed, 1), ...editsOf(added, 0)].sort((a, b) => a.at - b.at)
  const result: T[] = []
  let copied = 0
  const copyUntil = (end: number): void => {
    for (; copied < end; copied += 1) {
      const entry = list[copied]
      if (entry !== undefined) result.push(entry)
    }
  }
  for (const { entry, at, skip } of edits) {
    copyUntil(at)
    if (skip === 0) result.push(entry)
    copied = Math.max(copied, at + skip)
  }
  copyUntil(list.length)
  return result
}

/** Entries inserted in one step: a millisecond in a list of 100,000 (bench, `index`). */
const maxStepEntries = 2000

/** {@link replaceSorted} that can pause: removals come first, as an entry can be replaced by an equal one. */
export function* replaceInSteps<T>(
  list: readonly T[],
  removed: readonly T[],
  added: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<readonly T[]> {
  let result = list
  for (let at = 0; at < removed.length; at += maxStepEntries) {
    yield
    result = replaceSorted(result, removed.slice(at, at + maxStepEntries), [], compare)
  }
  for (let at = 0; at < added.length; at += maxStepEntries) {
    yield
    result = replaceSorted(result, [], added.slice(at, at + maxStepEntries), compare)
  }
  return result
}

/**
 * The entries that all lists share, in their order. `compare` is 0 only for equal entries. The cost is the length of
 * the shortest list, times the logarithm of the strides along the others.
 */
export const intersect = <T>(
  lists: readonly (readonly T[])[],
  compare: (a: T, b: T) => number,
): readonly T[] => {
  const [shortest = [], ...others] = lists.toSorted((a, b) => a.length - b.length)
  if (others.length === 0) return shortest
  const walks = others.map((list) => ({ list, at: 0 }))
  return shortest.filter((entry) => {
    for (const walk of walks) {
      walk.at = positionAfter(walk.list, (other) => compare(other, entry) < 0, walk.at)
      const found = walk.list[walk.at]
      if (found === undefined || compare(found, entry) !== 0) return false
    }
    return true
  })
}
