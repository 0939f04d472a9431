/**
 * Draws `count` entries of a list without replacement, in order of drawing. Uniform if `below(n)`
 * is uniform over 0 to n - 1. Cost proportional to `count`.
 */
export const draw = <T>(
  list: readonly T[],
  count: number,
  below: (n: number) => number,
): readonly T[] => {
  // A sparse Fisher-Yates shuffle: only moved places are stored.
  const moved = new Map<number, number>()
  const drawn: T[] = []
  for (let place = 0; place < Math.min(count, list.length); place += 1) {
    const other = place + below(list.length - place)
    const entry = list[moved.get(other) ?? other]
    moved.set(other, moved.get(place) ?? place)
    if (entry !== undefined) drawn.push(entry)
  }
  return drawn
}
