import { detectAll } from 'jschardet'
import { languageFit } from './latinLanguages.ts'

/**
 * Encodings that are guessed, the more frequent ones first, with the other names that programs have for them.
 * Windows-1252 is last, because text in western languages is recognised before.
 */
const guessed: Readonly<Record<string, string>> = {
  'windows-1251': 'cp1251',
  shift_jis: 'cp932',
  gb18030: 'cp936 gb2312 gbk',
  'euc-kr': 'cp949',
  big5: 'cp950',
  'windows-1250': 'cp1250',
  'windows-1254': 'cp1254',
  'windows-1253': 'cp1253',
  'euc-jp': 'eucjp',
  'windows-1255': 'cp1255',
  'windows-1256': 'cp1256',
  'windows-874': 'cp874 tis-620',
  'windows-1257': 'cp1257',
  'windows-1258': 'cp1258',
  'koi8-r': 'koi8',
  'koi8-u': '',
  ibm866: 'cp866',
  macintosh: 'macroman mac-roman',
  'x-mac-cyrillic': 'maccyrillic mac-cyrillic',
  'iso-8859-2': '',
  'iso-8859-5': '',
  'iso-8859-7': '',
  'windows-1252': 'cp1252 ansi latin1 latin-1',
}
const names = Object.keys(guessed)
const byName: ReadonlyMap<string, string> = new Map(
  names.flatMap((name) =>
    [name, ...(guessed[name] ?? '').split(' ')].map((each) => [each, name] as const),
  ),
)

type Encoding = NonNullable<ConstructorParameters<typeof TextDecoder>[0]>

const isEncoding = (name: string): name is Encoding => {
  try {
    Reflect.construct(TextDecoder, [name])
    return true
  } catch {
    return false
  }
}

/** The name under which TextDecoder knows an encoding; undefined if it does not. */
export const encodingNamed = (name: string): string | undefined => {
  const label = name.trim().toLowerCase().replace(/\s+/g, '-')
  const known = byName.get(label) ?? label
  return isEncoding(known) ? new TextDecoder(known).encoding : undefined
}

/** Text of some bytes, with U+FFFD for those that the encoding does not have. */
export const decode = (bytes: Uint8Array, encoding: string): string =>
  isEncoding(encoding) ? new TextDecoder(encoding).decode(bytes) : ''

/** Text of some bytes; undefined if the encoding does not have them. */
export const decodeWhole = (bytes: Uint8Array, encoding: string): string | undefined => {
  if (!isEncoding(encoding)) return undefined
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Characters that no text has: C1 controls, private and unassigned ones. */
const impossible = /[\u0080-\u009f\ufffd\p{Co}\p{Cn}]/u

/** Words with a character outside ASCII. */
const foreignWords = (text: string): readonly string[] =>
  text.match(/[^\s\0-\x2f:-@[-`{-~]*[^\0-\x7f\s][^\s\0-\x2f:-@[-`{-~]*/g) ?? []

/** Words that a wrong encoding makes: signs within words, capitals after small letters, mixed alphabets. */
const unlikelyWord: readonly RegExp[] = [
  /[\p{L}\p{N}][^\p{L}\p{M}\p{N}\s\0-\x7f’‘·・‐]\p{L}/u,
  /^[^\p{L}\p{M}\p{N}\s\0-\x7f«“„‘¿¡€™®©°º–—…]\p{L}/u,
  /^„[^“”]*$/,
  /\p{Ll}(?![A-Z])\p{Lu}|(?![a-z])\p{Ll}\p{Lu}/u,
  /[ªºµƒ](?=\p{L})/u,
  /[a-z]\p{sc=Han}|\p{sc=Han}[a-z]/u,
  /(?=.*\p{sc=Cyrl})(?=.*[\p{sc=Latn}\p{sc=Grek}])|(?=.*\p{sc=Grek})(?=.*\p{sc=Latn})/u,
]
const isUnlikely = (word: string): boolean => unlikelyWord.some((each) => each.test(word))

/** Share of the words that are likely in a text, 0 for an impossible text. */
const likelihood = (text: string): number => {
  if (impossible.test(text)) return 0
  const words = foreignWords(text)
  return words.length === 0 ? 1 : 1 - words.filter(isUnlikely).length / words.length
}

/** A word of a language of western Europe: its letters outside ASCII are the frequent ones, beside plain ones. */
const westernWord =
  /^[–—…°™®©€“”„‘’«»¿¡]+$|^[„“‘«¿¡]?(?=.*[A-Za-z])(?:[\w’'äöüßéèêëàâáíóúñçåøæîïôûùãõÄÖÜÉÈÀÁÍÓÚÑÇÅØÆÂÊÎÔ€°™®©º]|œ(?=u))+[”“’»…–]?$/

const isWestern = (text: string): boolean => {
  const words = foreignWords(text)
  return words.every((word) => westernWord.test(word) && !isUnlikely(word))
}

const maxSampleBytes = 20_000
const [lineFeed, comma, semicolon, tab, quote] = [10, 44, 59, 9, 34] as const
/** Bytes that end a cell; no character of several bytes has them. */
const ends: ReadonlySet<number> = new Set([lineFeed, 13, comma, semicolon, tab, quote])

/** Different cells with a byte outside ASCII, one per line. */
export const foreignCells = (bytes: Uint8Array): Uint8Array => {
  const cells = new Map<string, Uint8Array>()
  let [start, isForeign, size] = [0, false, 0]
  for (let at = 0; at <= bytes.length && size < maxSampleBytes; at += 1) {
    const byte = bytes[at] ?? lineFeed
    if (byte >= 0x80) isForeign = true
    if (!ends.has(byte)) continue
    const cell = bytes.subarray(start, at)
    const key = isForeign ? Buffer.from(cell).toString('latin1') : ''
    if (isForeign && !cells.has(key)) {
      cells.set(key, cell)
      size += cell.length
    }
    ;[start, isForeign] = [at + 1, false]
  }
  return Buffer.concat([...cells.values()].flatMap((cell) => [cell, Uint8Array.of(lineFeed)]))
}

/** A less frequent encoding wins only if it is this much more probable. */
const minLead = 1.4
const minLikelihood = 0.8

/** True if most bytes of the words with others are ASCII letters, as in languages with Latin letters. */
const isLatin = (cells: Uint8Array): boolean => {
  const words = foreignWords(decode(cells, 'latin1')).join('')
  return (words.match(/[a-z]/gi)?.length ?? 0) * 2 > words.length
}

/** Probable encoding of cells of {@link foreignCells}; undefined if they are likely text in none. */
export const guessEncoding = (cells: Uint8Array): string | undefined => {
  const western = decodeWhole(cells, 'windows-1252')
  if (western !== undefined && isWestern(western)) return 'windows-1252'
  const isLatinText = isLatin(cells)
  const found = detectAll(cells).flatMap(({ encoding, confidence }) => {
    const name = byName.get(encoding?.toLowerCase() ?? '')
    const text = name === undefined ? undefined : decodeWhole(cells, name)
    if (name === undefined || text === undefined) return []
    const share = likelihood(text)
    if (share < minLikelihood) return []
    const fit = languageFit(foreignWords(text), name)
    if (isLatinText && fit === undefined) return []
    return [{ name, fit: isLatinText ? fit : undefined, score: confidence * share ** 2 }]
  })
  const best = Math.max(...found.map(({ score }) => score))
  const isLeading = (score: number): boolean => score * minLead >= best
  const [first] = found.toSorted(
    (a, b) =>
      (b.fit ?? 0) - (a.fit ?? 0) ||
      Number(isLeading(b.score)) - Number(isLeading(a.score)) ||
      names.indexOf(a.name) - names.indexOf(b.name),
  )
  return first?.name
}
