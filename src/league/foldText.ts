/** Characters of a text that are compared. */
export const longestFolded = 128

/**
 * Folds a text for comparison without case, accents and surrounding space: NFKD without marks, lower
 * case, cut to {@link longestFolded} characters.
 */
export const foldText = (text: string): string =>
  text
    .slice(0, 4 * longestFolded)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .slice(0, longestFolded)
    .trimEnd()
    .toWellFormed()
