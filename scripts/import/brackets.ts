const names: ReadonlyMap<string, string> = new Map([
  ['W', 'Winners'],
  ['L', 'Losers'],
  ['EX', 'Exhibition'],
  ['RR', 'Round Robin'],
])

/** Name of a bracket if the source has none. */
export const bracketName = (id: string): string => names.get(id) ?? id
