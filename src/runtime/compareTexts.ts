/** Orders texts by code unit: the same on every machine, whatever its locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Runs of digits and the text between them. */
const parts = /\d+|\D+/g

const compareDigits = (a: string, b: string): number => {
  const [own, other] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return own.length - other.length || compareTexts(own, other)
}

/** Natural order: numbers within texts compare by value, so `W-2` comes before `W-10`. */
export const compareNaturally = (a: string, b: string): number => {
  const [own, other] = [a.match(parts) ?? [], b.match(parts) ?? []]
  for (const [index, part] of own.entries()) {
    const otherPart = other[index]
    if (otherPart === undefined) return 1
    const isNumber = /^\d/.test(part) && /^\d/.test(otherPart)
    const by = isNumber ? compareDigits(part, otherPart) : compareTexts(part, otherPart)
    if (by !== 0) return by
  }
  return own.length - other.length || compareTexts(a, b)
}
