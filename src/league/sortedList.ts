/**
 * The first place in a sorted list, at or after `from`, whose entry does not come before what is
 * looked for. Strides double from there on, so that a walk along the list pays for the distance.
 */
export const positionAfter = <T>(
  list: readonly T[],
  isBefore: (entry: T) => boolean,
  from = 0,
): number => {
  let low = from
  let stride = 1
  for (;;) {
    const next = list[low + stride - 1]
    if (next === undefined || !isBefore(next)) break
    low += stride
    stride *= 2
  }
  let high = Math.min(low + stride - 1, list.length)
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = list[middle]
    if (entry !== undefined && isBefore(entry)) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * What all of some lists hold, in their order. `compare` must tell any two entries apart. The cost is
 * that of the shortest list, times the logarithm of the strides along the others.
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
