/** How many edits lie between a text and a name. */
export interface Distances {
  /** To the whole name. */
  readonly whole: number
  /** To the beginning of the name that comes closest. */
  readonly beginning: number
}

/** More than any number of edits that counts. */
const many = 255

/** Rows of the table, for texts of at most 250 characters; made once, as they are needed all the time. */
const rows = [new Uint8Array(256), new Uint8Array(256), new Uint8Array(256)] as const

const tooMany: Distances = {
  whole: Number.POSITIVE_INFINITY,
  beginning: Number.POSITIVE_INFINITY,
}

/**
 * Edits (insertion, deletion, substitution, transposition of neighbours) between a text and a name,
 * and between the text and the name's best beginning, in one pass over the places that at most `most`
 * edits can reach. Infinity where more are needed. Of the text, 250 characters count.
 */
export const editDistances = (text: string, name: string, most: number): Distances => {
  const height = Math.min(text.length, 250)
  const width = Math.min(name.length, height + most)
  let [older, row, next]: readonly [Uint8Array, Uint8Array, Uint8Array] = rows
  for (let j = 0; j <= width; j += 1) row[j] = j
  for (let i = 1; i <= height; i += 1) {
    const from = Math.max(1, i - most)
    const to = Math.min(width, i + most)
    const letter = text.charCodeAt(i - 1)
    const before = text.charCodeAt(i - 2)
    next[from - 1] = from === 1 ? i : many
    let best = next[from - 1] ?? many
    for (let j = from; j <= to; j += 1) {
      const other = name.charCodeAt(j - 1)
      let edits = (row[j - 1] ?? many) + (letter === other ? 0 : 1)
      edits = Math.min(edits, (row[j] ?? many) + 1, (next[j - 1] ?? many) + 1)
      if (i > 1 && j > 1 && letter === name.charCodeAt(j - 2) && before === other) {
        edits = Math.min(edits, (older[j - 2] ?? many) + 1)
      }
      next[j] = Math.min(edits, many)
      if (edits < best) best = edits
    }
    if (best > most) return tooMany
    // The row below looks one place further than this one went.
    if (to < width) next[to + 1] = many
    const free = older
    older = row
    row = next
    next = free
  }
  let beginning = many
  for (let j = Math.max(0, height - most); j <= width; j += 1) {
    beginning = Math.min(beginning, row[j] ?? many)
  }
  const whole = name.length === width ? (row[width] ?? many) : many
  return {
    whole: whole > most ? Number.POSITIVE_INFINITY : whole,
    beginning: beginning > most ? Number.POSITIVE_INFINITY : beginning,
  }
}
