interface Matched {
  start: number
  end: number
  /** Whether letters differ. */
  isMisspelt: boolean
  /** Starts and ends of the words of the text. */
  readonly words: number[]
}

/** Ranges of a form that the last comparison matched; overwritten by the next one, so read at once. */
export const matched: Matched = {
  start: 0,
  end: 0,
  isMisspelt: false,
  words: [],
}
