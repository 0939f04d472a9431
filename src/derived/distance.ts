/** How many edits lie between a text and a name. */
export interface Distances {
  /** To the whole name. */
  readonly whole: number
  /** To the beginning of the name that comes closest. */
  readonly beginning: number
}

/**
 * Edits (insertion, deletion, substitution, transposition of neighbours) between a text and a name,
 * and between the text and the name's best beginning, in one pass. Gives up with infinity for both
 * when more than `most` are needed.
 */
export const editDistances = (text: string, name: string, most: number): Distances => {
  const width = name.length + 1
  let older = new Uint8Array(width)
  let row = Uint8Array.from({ length: width }, (_, column) => column)
  let next = new Uint8Array(width)
  for (let i = 1; i <= text.length; i += 1) {
    next[0] = i
    let best = i
    const letter = text.charCodeAt(i - 1)
    const before = text.charCodeAt(i - 2)
    for (let j = 1; j < width; j += 1) {
      const other = name.charCodeAt(j - 1)
      let edits = Math.min(
        (row[j - 1] ?? 0) + (letter === other ? 0 : 1),
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
      )
      if (i > 1 && j > 1 && letter === name.charCodeAt(j - 2) && before === other) {
        edits = Math.min(edits, (older[j - 2] ?? 0) + 1)
      }
      next[j] = edits
      if (edits < best) best = edits
    }
    if (best > most) return { whole: Number.POSITIVE_INFINITY, beginning: Number.POSITIVE_INFINITY }
    const free = older
    older = row
    row = next
    next = free
  }
  let beginning = Number.POSITIVE_INFINITY
  for (const edits of row) if (edits < beginning) beginning = edits
  const whole = row[name.length] ?? 0
  return {
    whole: whole > most ? Number.POSITIVE_INFINITY : whole,
    beginning: beginning > most ? Number.POSITIVE_INFINITY : beginning,
  }
}
