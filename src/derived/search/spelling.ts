/** Words that add nothing to a name. */
const articles = new Set(['the', 'a', 'an', 'le', 'la', 'el', 'der', 'die', 'das'])
export const isArticle = (word: string): boolean => articles.has(word)

/** Spellings of one word; the first of each line represents all. */
const spellingsOfWord = `
  0 zero; 1 one i; 2 two ii; 3 three iii; 4 four iv; 5 five v; 6 six vi; 7 seven vii; 8 eight viii
  9 nine ix; 10 ten x; 11 eleven xi; 12 twelve xii; 13 thirteen xiii
  mr mister; mrs missus; dr doctor; prof professor; jr junior; sr senior; st saint; mt mount
  sgt sergeant sargent sergent; capt captain cpt; lt lieutenant; col colonel; maj major
  mk mark; no number; lil little; n and; ctrl control; del delete`

const canonicalWords = new Map(
  spellingsOfWord.split(/[;\n]/).flatMap((line) => {
    const [canonical = '', ...others] = line.trim().split(' ')
    return others.map((word) => [word, canonical] as const)
  }),
)

/** A single letter at the start, as in `X-9`, is no Roman number. */
const canonicalWord = (word: string, at: number): string =>
  at === 0 && word.length === 1 ? word : (canonicalWords.get(word) ?? word)

/**
 * Words in one spelling: numbers in digits, be they spelled out or Roman, and titles abbreviated. Returns the same
 * list if nothing changes.
 */
export const inOneSpelling = (words: readonly string[]): readonly string[] =>
  words.some((word) => canonicalWords.has(word)) ? words.map(canonicalWord) : words

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
}

/** A clean text with digits replaced by the letters they resemble. */
export const unleet = (clean: string): string =>
  /[013457]/.test(clean) ? clean.replace(/[013457]/g, (digit) => lookalikes[digit] ?? digit) : clean

const sounds: Readonly<Record<string, string>> = {
  ph: 'f',
  sch: 'sk',
  qu: 'kw',
  q: 'k',
  x: 'ks',
  z: 's',
  igh: 'i',
  gh: 'g',
  wh: 'w',
  ee: 'i',
  ea: 'i',
  ie: 'i',
  ei: 'i',
  y: 'i',
  oo: 'u',
  ou: 'u',
  ew: 'u',
  ue: 'u',
}
const spellings = /ph|sch|qu|[cqxzy]|igh|gh|wh|ee|ea|ie|ei|oo|ou|ew|ue/g

/** Phonetic key of a text of letters: `phoenix` and `foeniks` have the same. */
export const phoneticKey = (letters: string): string =>
  letters
    .replace(spellings, (spelling, at: number) =>
      spelling === 'c'
        ? 'eiy'.includes(letters.charAt(at + 1) || ' ')
          ? 's'
          : 'k'
        : (sounds[spelling] ?? spelling),
    )
    .replace(/(.)\1+/g, '$1')

/** A text of letters without its vowels. */
const consonantsOf = (letters: string): string => letters.replace(/[aeiou]/g, '')

const romanNumber = /^[ivx]+$/

/** The consonants of words, with numbers, Roman ones too, in digits. */
export const consonantsOfWords = (words: readonly string[]): string => {
  const respelled = inOneSpelling(words)
  return words
    .map((word, at) => {
      const number = romanNumber.test(word) ? (respelled[at] ?? word) : word
      return /^\d+$/.test(number) ? number : consonantsOf(unleet(word))
    })
    .join('')
}

/** Set of the letters and digits of a clean text, one bit each; the ten digits share six bits. */
export const letterMask = (text: string): number => {
  let mask = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    mask |= 1 << (code >= 97 ? code - 97 : 26 + (code % 6))
  }
  return mask
}

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/** A display name with umlauts spelled as two letters: `Jaeger` for `Jäger`. */
export const withoutUmlauts = (name: string): string =>
  name.replace(
    /[äöü]|[aou]\u0308/gi,
    (letter) => umlauts[letter.normalize('NFC').toLowerCase()] ?? letter,
  )
