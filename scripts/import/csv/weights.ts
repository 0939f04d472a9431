import { CellError } from '../problems.ts'
import { wholePounds } from '../values.ts'

const gramsPerPound = 453.592_37

/** Grams of each unit. */
const units: ReadonlyMap<string, number> = new Map([
  ['lb', gramsPerPound],
  ['pound', gramsPerPound],
  ['kg', 1000],
  ['g', 1],
])

/** Limits of common classes in grams by country; a country without a class has the limit of the US. */
export const classLimits = {
  US: {
    Fleaweight: 75,
    Fairyweight: 150,
    Antweight: 454,
    Beetleweight: 1361,
    Mantisweight: 2722,
    Hobbyweight: 5443,
    Dogeweight: 6804,
    Featherweight: 13_608,
    Sportsman: 13_608,
    Lightweight: 27_216,
    Middleweight: 54_431,
    Heavyweight: 99_790,
    'Super Heavyweight': 154_221,
  },
  UK: {
    Nanoweight: 25,
    Antweight: 150,
    Beetleweight: 1500,
    Featherweight: 13_600,
    Lightweight: 30_000,
    Middleweight: 55_000,
    Heavyweight: 110_000,
  },
  Brazil: {},
  China: { Beetleweight: 1500, Featherweight: 15_000, Heavyweight: 110_000 },
  Australia: { Antweight: 150, Beetleweight: 1361, Featherweight: 13_600, Heavyweight: 100_000 },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number>>>>

const countries: readonly (readonly [RegExp, keyof typeof classLimits])[] = [
  [/\b(uk|gb|united kingdom)\b/, 'UK'],
  [/\b(brazil|brasil|br)\b/, 'Brazil'],
  [/\b(china|cn)\b/, 'China'],
  [/\b(australia|aus?)\b/, 'Australia'],
  [/\b(usa?|united states)\b/, 'US'],
]

const plainName = (name: string): string => name.toLowerCase().replace(/[\s-]|weights?\b/g, '')

const limitsOf = (country: keyof typeof classLimits): ReadonlyMap<string, number> =>
  new Map(
    [...Object.entries(classLimits.US), ...Object.entries(classLimits[country])].map(
      ([name, grams]) => [plainName(name), grams],
    ),
  )

/** Grams of a class by its name, with a country or without: `Beetleweight (UK)`, `UK Ant`. */
const namedGrams = (cell: string): number | undefined => {
  const text = cell.toLowerCase()
  const [pattern, country] = countries.find(([each]) => each.test(text)) ?? [/$^/, 'US']
  const name = plainName(
    text
      .replace(pattern, '')
      .replace(/^\s*plastic\b/, '')
      .replace(/[(),]/g, ''),
  )
  return limitsOf(country).get(name)
}

/** Separators of thousands: a dot or comma only in grams, and a space only in a number at the start. */
const thousands: readonly RegExp[] = [
  /(?<![\d.,])[1-9]\d{0,2}([.,]\d{3})+(?=\s*g(?:r|rams?)?(?![a-z]))/gi,
  /(?<![\d.,])[1-9]\d{0,2}(['’\u00a0\u202f]\d{3})+(?!\d)/g,
  /^[1-9]\d{0,2}(\s\d{3})+(?!\d)/g,
]

/** Grams of the measure in a text: `1,5 kg`, `1.500 g`, `Sportsman (30lb)`, `1.5kg级`. */
const measuredGrams = (cell: string): number | undefined => {
  const joined = thousands.reduce(
    (text, each) => text.replace(each, (number) => number.replace(/\D/g, '')),
    cell,
  )
  // `Open 1 500 g` can be 500 g of a first class.
  const [, number = '', unit = ''] =
    /(?<![\d.,'’-]|\d\s(?=\d{3}(?!\d)))(\d{1,6}(?:[.,]\d{1,3})?)\s*(lb|pound|kg|g)(?:s|r|rams?)?(?![a-z])/i.exec(
      joined,
    ) ?? []
  const ofUnit = units.get(unit.toLowerCase())
  return ofUnit && Number(number.replace(',', '.')) * ofUnit
}

/** A weight class as the tables have it. */
export interface Weight {
  /** Whole pounds, at least 1. */
  readonly weightClass: number
  /** Name as written; null for whole pounds. */
  readonly weightClassName: string | null
  readonly weightGrams: number
}

/** Class named by a text such as `30`, `150 g`, `1,5 kg`, `0.33 lb`, `Beetleweight (UK)` and `Sportsman 30 lb`. */
export const readWeight = (cell: string): Weight => {
  const [, whole] = /^(\d{1,6})(?:[.,]0+)?\s*(?:(?:lb|pound)s?\.?)?$/i.exec(cell) ?? []
  const [, bare] = /^(\d{1,6}[.,]\d{1,3})$/.exec(cell) ?? []
  const pounds = whole ?? bare?.replace(',', '.')
  const grams =
    pounds === undefined
      ? (measuredGrams(cell) ?? namedGrams(cell))
      : Number(pounds) * gramsPerPound
  if (!grams) {
    throw new CellError(
      `'${cell}' is no weight: write pounds such as 3, 150 g, Beetleweight or Open 5 kg`,
    )
  }
  return {
    weightClass: wholePounds(grams / gramsPerPound),
    weightClassName: whole === undefined ? (bare ? `${cell} lb` : cell) : null,
    weightGrams: Math.round(grams),
  }
}
