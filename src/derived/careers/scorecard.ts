/** One judge's ratings of both corners in one category. */
export interface Score {
  readonly judge: string
  readonly category: string
  readonly red: number
  readonly blue: number
}

const part = /^(\S.*?) (\d{1,6}(?:\.\d{1,3})?)-(\d{1,6}(?:\.\d{1,3})?)$/

/** Parses a judge's line, `<judge>: <category> <red>-<blue>[, …]`; an empty list if any part of it does not match. */
export const parseJudgeLine = (line: string): readonly Score[] => {
  const colon = line.indexOf(': ')
  if (colon < 1) return []
  const judge = line.slice(0, colon)
  const scores = line
    .slice(colon + 2)
    .split(', ')
    .map((text) => part.exec(text))
  if (scores.includes(null)) return []
  return scores.map((match) => ({
    judge,
    category: match?.[1] ?? '',
    red: Number(match?.[2]),
    blue: Number(match?.[3]),
  }))
}
