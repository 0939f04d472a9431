import { cleanName } from '../../src/data/league/cleanName.ts'

/** A typed text and its expected results. */
export interface Query {
  readonly text: string
  /** Expected keys: any of them, or all of them with `needsAll`. */
  readonly wanted: readonly string[]
  readonly needsAll: boolean
  /** Display name that the text was made from; empty for gibberish. */
  readonly source: string
}

export interface Kind {
  readonly name: string
  readonly queries: readonly Query[]
  /** Expects no results: the share with any is measured. */
  readonly isGibberish: boolean
}

/** Words of a name, split at spaces and punctuation. */
export const spacedWords = (name: string): string[] =>
  name
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .map(cleanName)
    .filter(Boolean)

/** Words of a name, split at CamelCase humps and around digits, too. */
export const partsOf = (name: string): string[] =>
  spacedWords(
    name
      .replace(/['’]/g, '')
      .replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')
      .replace(/(\p{L})(?=\p{N})|(\p{N})(?=\p{L})/gu, '$1$2 '),
  )

export const articles = new Set(['the', 'a', 'an', 'of', 'and', 'n', 'le', 'la', 'el'])
