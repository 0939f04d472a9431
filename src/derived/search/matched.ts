/** Ranges of a form that the last comparison matched; overwritten by the next one, so read at once. */
export const matched = {
  start: 0,
  end: 0,
  /** True if letters differ. */
  isMisspelt: false,
  /** Starts and ends of the words of the text. */
  words: Array.of<number>(),
}
