/**
 * So many entries of a list drawn without putting back, in the order in which they are drawn: every
 * draw is equally likely if `below(n)` is every whole number from 0 to n - 1 alike. The work depends
 * on the count alone.
 */
export const draw = <T>(
  list: readonly T[],
  count: number,
  below: (n: number) => number,
): readonly T[] => {
  // A shuffle of the places of the list, of which only those that moved are written down.
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
