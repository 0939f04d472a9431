import { cleanName } from '../../data/league/cleanName.ts'
import { once } from '../../runtime/once.ts'
import type { Span } from './match.ts'

const plain = /^[ -~]*$/
const graphemes = once(() => new Intl.Segmenter('und', { granularity: 'grapheme' }))

/** Origin of each letter of the clean name in the display name, in UTF-16 units. */
const originsOf = (name: string): readonly Span[] => {
  const origins: Span[] = []
  if (plain.test(name)) {
    for (let at = 0; at < name.length; at += 1) {
      if (/[a-z0-9]/i.test(name.charAt(at))) origins.push([at, at + 1])
    }
    return origins
  }
  for (const { segment, index } of graphemes().segment(name)) {
    const letters = cleanName(segment).length
    for (let letter = 0; letter < letters; letter += 1) {
      origins.push([index, index + segment.length])
    }
  }
  return origins
}

/**
 * Stretches of a clean name as ranges of its display name, in UTF-16 units: start, and end left out;
 * ascending and apart. None if letters of one cannot be located in the other.
 */
export const rangesIn = (
  name: string,
  clean: string,
  spans: readonly Span[],
): [number, number][] => {
  const origins = originsOf(name)
  if (origins.length !== clean.length) return []
  const ranges: [number, number][] = []
  for (const [from, to] of spans) {
    const [first, last] = [origins[from], origins[Math.min(to, origins.length) - 1]]
    if (!(first && last) || to <= from) continue
    const before = ranges.at(-1)
    if (before && first[0] <= before[1]) before[1] = Math.max(before[1], last[1])
    else ranges.push([first[0], last[1]])
  }
  return ranges
}
