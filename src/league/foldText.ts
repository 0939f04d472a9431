/** Of a text that is compared with others, so many characters count. */
export const longestFolded = 128

/**
 * A text as it is compared where case, accents and the space around it do not matter: NFKD without
 * marks, lower case, cut to {@link longestFolded} characters.
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
