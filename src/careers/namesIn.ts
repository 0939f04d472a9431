import { cleanName } from '../league/cleanName.ts'
import { type Bots, findBot } from './bots.ts'

/** Names with more commas are none in a list. */
const maxCommas = 3

/** Clean parts of a name, which show where its commas are. */
const partsOf = (name: string): string => name.split(',').map(cleanName).join(',')

/**
 * Clean names in a list, each once. Commas separate, but for those of a name: where a bot was entered under a name with a
 * comma in that very place.
 */
export const namesIn = (list: string, bots: Bots): readonly string[] => {
  const parts = list.split(',')
  const names = new Set<string>()
  const commasOfNameAt = (start: number): number => {
    for (let commas = Math.min(maxCommas, parts.length - 1 - start); commas > 0; commas -= 1) {
      const text = parts.slice(start, start + commas + 1).join(',')
      const known = findBot(bots, cleanName(text))
      if (known?.entries.some(({ player: { name } }) => partsOf(name) === partsOf(text)))
        return commas
    }
    return 0
  }
  for (let start = 0; start < parts.length; ) {
    const end = start + commasOfNameAt(start) + 1
    names.add(cleanName(parts.slice(start, end).join(',')))
    start = end
  }
  names.delete('')
  return [...names]
}
