import anyAscii from 'any-ascii'

const printable = /^[ -~]*$/

/** Half-width Katakana write a voiced consonant as two characters, which transliteration ignores. */
const fullWidth = (name: string): string =>
  name.replace(/[\uFF66-\uFF9F]+/g, (run) => run.normalize('NFKC'))

/**
 * Name of a bot in addresses: transliterated to ASCII (`Żółw` is `zolw`, `ロボ` is `robo`), lower case,
 * everything outside `a-z0-9` dropped. Names with the same clean name are the same bot; a name that
 * cleans to the empty string is none. Composed and decomposed spellings of a letter are equal, as are
 * half-width and full-width Katakana.
 */
export const cleanName = (name: string): string =>
  // Most names are ASCII already; transliterating takes ten times as long.
  (printable.test(name) ? name : anyAscii(fullWidth(name).normalize('NFC')))
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const placeholder = /^(\(?bye\)?|bracket seed \d+)$/i

/** True for the name of a bye or of a seed that is not assigned yet. */
export const isPlaceholderName = (name: string): boolean => placeholder.test(name.trim())
