import type { Columns } from '../table.ts'

/** The column that has a heading. */
export type HeadingIndex<Name extends string> = (heading: string) => Name | undefined

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/))

/** Words of headings that do not tell their column, and units. */
const filling =
  listOf(`the of a an in and der die das des dem den und von vom el la los las de del le les du des et l
  d o os as do da dos das e y il lo gli della di s sec secs second seconds sek sekunden segundos secondes m min mins
  minutes hh mm ss hhmm fight match bout kampf game combat combate lucha luta partida optional name names`)

/** Words that make another thing of what is named beside them, such as the team of the red bot. */
const changing =
  listOf(`number num no nr n nummer numero número count anzahl total team mannschaft weight gewicht peso
  country land land city stadt age alter points point punkte score seed rank rang color colour farbe country notes note
  email id ids elo rating wins losses draws`)

/** Headings that can be two columns. */
const ambiguous = listOf('fighttime matchtime bouttime kampfzeit gametime')

/** Shorter words are part of too many others. */
const minPart = 5

/** Column that a heading of several words, or a longer word, probably means; undefined if none or several can be. */
export const nearColumn = <Name extends string>(
  heading: string,
  columns: Columns<Name>,
  columnFor: HeadingIndex<Name>,
): Name | undefined => {
  const all =
    heading
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  /** The whole heading, and its words that are long enough to tell the column. */
  const hints = new Set([all.join(' '), ...all.filter((word) => word.length >= minPart)])
  const hinted = Object.keys(columns)
    .filter((each): each is Name => each in columns)
    .find((each) => columns[each].near?.some((hint) => hints.has(hint)))
  if (ambiguous.has(all.join('')) || all.some((word) => changing.has(word))) return undefined
  if (hinted !== undefined) return hinted
  const words = all.filter((word) => !filling.has(word))
  const parts = words.flatMap((word, index) => [
    ...[1, 2, 3].map((count) => words.slice(index, index + count).join(' ')),
    // Compounds such as `Kampfdauer` and `Siegerroboter`.
    ...Array.from({ length: Math.max(0, word.length - minPart) }, (_, at) => word.slice(at + 1)),
    ...Array.from({ length: Math.max(0, word.length - minPart) }, (_, at) =>
      word.slice(0, -at - 1),
    ),
  ])
  const found = new Set(parts.map(columnFor).filter((each) => each !== undefined))
  return found.size === 1 ? [...found][0] : undefined
}
