const german = 'äöüß'
const central = {
  pl: 'ąćęłńóśźż',
  cs: 'áčďéěíňóřšťúůýž',
  sk: 'áäčďéíĺľňóôŕšťúýž',
  hu: 'áéíóöőúüű',
  ro: 'ăâîşţ',
  hr: 'čćđšž',
  de: german,
} as const
const western = {
  de: german,
  fr: 'éèêëàâîïôûùüçœæ',
  es: 'ñáéíóúü',
  pt: 'ãõáâàéêíóôúç',
  it: 'àèéìòù',
  nordic: 'åäöæø',
} as const

/** Letters outside ASCII of the languages that are written in encodings of Latin letters. */
const letters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'windows-1250': central,
  'iso-8859-2': central,
  'windows-1252': { ...western, is: 'áéíóúýþæöð', fi: 'äöåšž' },
  'windows-1254': { tr: 'çğıöşüâîû\u0307', de: german },
  'windows-1257': { lt: 'ąčęėįšųūž', lv: 'āčēģīķļņšūž', et: 'äöõüšž' },
  macintosh: western,
}

/**
 * How well the words of a text are those of languages of an encoding: 1 if one language has all their letters, less if
 * several are needed; undefined for an encoding of another alphabet.
 */
export const languageFit = (words: readonly string[], encoding: string): number | undefined => {
  const languages = letters[encoding]
  if (!languages || words.length === 0) return undefined
  const has = (word: string, known: string): boolean =>
    [...word.toLowerCase()].every((each) => /[\0-\x7f’“”„–]/.test(each) || known.includes(each))
  const known = Object.values(languages)
  const best = Math.max(...known.map((each) => words.filter((word) => has(word, each)).length))
  const any = words.filter((word) => known.some((each) => has(word, each))).length
  return (best + any) / 2 / words.length
}
