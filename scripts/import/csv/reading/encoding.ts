import { decode, decodeWhole, foreignCells, guessEncoding } from './guess.ts'

/** An unreadable character of a file; lines and columns count from 1. */
export interface BadCharacter {
  readonly line: number
  readonly column: number
  readonly reason: string
}

export interface DecodedText {
  readonly text: string
  /** The first unreadable character of each line. */
  readonly bad: readonly BadCharacter[]
  /** Reason why the text cannot be used: no encoding fits. */
  readonly refused?: string
}

/** Encoding of a byte order mark, or of zeros between the ASCII letters of the headings. */
const markedEncoding = (bytes: Uint8Array): string | undefined => {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first && second === 0 && third && fourth === 0) return 'utf-16le'
  return first === 0 && second && third === 0 && fourth ? 'utf-16be' : undefined
}

/** True for UTF-8, also damaged: it has more characters of several bytes than unreadable ones. */
const isUtf8 = (bytes: Uint8Array): boolean => {
  if (decodeWhole(bytes, 'utf-8') !== undefined) return true
  const text = decode(bytes, 'utf-8')
  const count = (characters: RegExp): number => text.match(characters)?.length ?? 0
  return count(/[\u0080-\ufffc]/g) > count(/\ufffd/g)
}

/** Encodings of files by name; undefined for a file that is likely text in none. */
export type Encodings = ReadonlyMap<string, string | undefined>

/**
 * Encodings of the files of a folder. Files that are not Unicode are guessed together if one encoding fits them all,
 * because one program saves them and each has few names.
 */
export const encodingsOf = (
  contents: ReadonlyMap<string, Uint8Array>,
  given?: string | undefined,
): Encodings => {
  const encodings = new Map<string, string | undefined>()
  const samples = new Map<string, Uint8Array>()
  for (const [name, bytes] of contents) {
    const known = markedEncoding(bytes) ?? given ?? (isUtf8(bytes) ? 'utf-8' : undefined)
    encodings.set(name, known)
    if (known === undefined) samples.set(name, foreignCells(bytes))
  }
  if (samples.size === 0) return encodings
  const shared = guessEncoding(Buffer.concat([...samples.values()]))
  for (const [name, cells] of samples) encodings.set(name, shared ?? guessEncoding(cells))
  return encodings
}

const maxExamples = 2

/** Names below the headings of a file, as they are read in an encoding that is not Unicode. */
const examplesIn = (bytes: Uint8Array, encoding: string): readonly string[] =>
  decode(foreignCells(bytes.subarray(bytes.indexOf(0x0a) + 1)), encoding)
    .split('\n')
    .map((cell) => cell.trim())
    .filter((cell) => /\P{ASCII}/u.test(cell))
    .slice(0, maxExamples)

const isUnicode = (encoding: string): boolean => encoding.startsWith('utf-')

/** What is taken for each file that is not Unicode, with names to check it. */
export const encodingNotes = (contents: ReadonlyMap<string, Uint8Array>, encodings: Encodings) =>
  [...encodings].flatMap(([where, encoding]) => {
    if (encoding === undefined || isUnicode(encoding)) return []
    const names = examplesIn(contents.get(where) ?? new Uint8Array(), encoding)
    if (names.length === 0) return []
    const shown = names.map((name) => `'${name.slice(0, 40)}'`).join(' and ')
    return [{ where, reason: `read as ${encoding}: ${shown}; if wrong, add --encoding NAME` }]
  })

const refusal =
  'the encoding of this file cannot be guessed: save it as CSV UTF-8, or name it by --encoding, ' +
  'such as shift_jis, gb18030, euc-kr, windows-1251 or macintosh'

const control = /[^\P{Cc}\t\n\v\f\r]/u

const reasonFor = (found: string, encoding: string): string => {
  if (found === '\0') return 'a NUL character'
  if (found === '\ufffd') return `bytes that are not ${encoding.toUpperCase()}`
  const code = found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  return `the control character U+${code}: remove it, or name the encoding of the file by --encoding`
}

/** Text of a file, in the encoding that is given or else guessed from its bytes only. */
export const decodeText = (bytes: Uint8Array, given?: string | undefined): DecodedText => {
  const encoding = given ?? encodingsOf(new Map([['', bytes]])).get('')
  if (encoding === undefined) return { text: decode(bytes, 'latin1'), bad: [], refused: refusal }
  const whole = decodeWhole(bytes, encoding)
  const unreadable = whole === undefined ? new RegExp(`${control.source}|\\ufffd`, 'u') : control
  const text = (whole ?? decode(bytes, encoding)).replace(/\r\n?/g, '\n')
  if (!unreadable.test(text)) return { text, bad: [] }
  const bad = text.split('\n').flatMap((line, index): readonly BadCharacter[] => {
    const found = unreadable.exec(line)
    if (!found) return []
    const reason = reasonFor(found[0], encoding)
    return [{ line: index + 1, column: found.index + 1, reason }]
  })
  return { text, bad }
}
