import data from './words.json' with { type: 'json' }

/** Words and phrases of the names, by list. */
export const lists: ReadonlyMap<string, readonly string[]> = new Map([
  ...Object.entries(data.words).map(([name, lines]) => [name, lines.join(' ').split(' ')] as const),
  ...Object.entries(data.phrases).map(
    ([name, lines]) => [name, lines.join(' ').split('; ')] as const,
  ),
])
export const wordsOf = (name: string): readonly string[] => lists.get(name) ?? []

/** Edge-case names: scripts, markup, lengths. */
export const { oddNames } = data
