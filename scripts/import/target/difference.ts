import { isDeepStrictEqual } from 'node:util'

/** Rows to write so that a table holds other rows. */
export interface Difference {
  readonly inserted: readonly object[]
  readonly updated: readonly object[]
  readonly deleted: readonly object[]
}

/** Compares the present rows of a table with those it shall have, by key. */
export const differenceOf = (
  before: readonly object[],
  after: readonly object[],
  keyOf: (row: object) => string,
): Difference => {
  if (before.length === 0) return { inserted: after, updated: [], deleted: [] }
  const old = new Map(before.map((row) => [keyOf(row), row]))
  const inserted: object[] = []
  const updated: object[] = []
  for (const row of after) {
    const key = keyOf(row)
    const present = old.get(key)
    old.delete(key)
    if (!present) inserted.push(row)
    else if (!isDeepStrictEqual({ ...present }, { ...row })) updated.push(row)
  }
  return { inserted, updated, deleted: [...old.values()] }
}

export const countDifference = ({ inserted, updated, deleted }: Difference) => ({
  inserted: inserted.length,
  updated: updated.length,
  deleted: deleted.length,
})
