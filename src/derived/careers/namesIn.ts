import { cleanName } from '../../data/league/cleanName.ts'
import { type Bots, findBot } from './bots.ts'

/** Names with more commas are not recognised in a list. */
const maxCommas = 3

/** Clean name with its commas kept. */
const partsOf = (name: string): string => name.split(',').map(cleanName).join(',')

/**
 * Distinct clean names in a comma-separated list. A comma that is part of a bot's name, such as `Smith, Jr.`, does not
 * separate.
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
