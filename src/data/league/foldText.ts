/** Maximum number of characters that are compared. */
export const maxFoldedLength = 128

/**
 * Folds a text for comparison without case, accents and surrounding space: NFKD without marks, lower
 * case, cut to {@link maxFoldedLength} characters.
 */
export const foldText = (text: string): string =>
  text
    .slice(0, 4 * maxFoldedLength)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .trim()
    .slice(0, maxFoldedLength)
    .trimEnd()
    .toWellFormed()
