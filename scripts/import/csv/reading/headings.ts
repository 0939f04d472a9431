import { isOneLetterApart } from '../names.ts'
import type { Columns, TableReports } from '../table.ts'
import { columnOf } from '../words.ts'
import { type HeadingIndex, nearColumn } from './nearHeadings.ts'

/** Each unknown heading is compared with all known ones. */
const maxHeadings = 1000

export const plain = (heading: string): string => heading.toLowerCase().replace(/[^a-z0-9]/g, '')

const namesOf = <Name extends string>(columns: Columns<Name>): readonly Name[] =>
  Object.keys(columns).filter((each): each is Name => each in columns)

/** Columns by their accepted headings. */
const indexOf = <Name extends string>(columns: Columns<Name>) => {
  const names = namesOf(columns)
  const byHeading = new Map(
    names.flatMap((each) =>
      [each, ...(columns[each].aliases ?? [])].map((heading) => [plain(heading), each] as const),
    ),
  )
  const columnFor: HeadingIndex<Name> = (heading) =>
    byHeading.get(plain(heading)) ?? byHeading.get(plain(columnOf(heading) ?? ''))
  return { names, byHeading, columnFor }
}

/** True if a heading is one that a column falls back to. */
const isFallback = (fallback: readonly string[] | undefined, cell: string): boolean =>
  cell !== '' && fallback?.some((each) => each === columnOf(cell) || each === plain(cell)) === true

/** True if most filled cells of a line are headings of two columns at least, or its only cell is one. */
export const areHeadings = <Name extends string>(
  cells: readonly string[],
  columns: Columns<Name>,
): boolean => {
  const { names, columnFor } = indexOf(columns)
  const filled = cells.filter(Boolean).slice(0, maxHeadings)
  const [only = ''] = filled
  if (filled.length < 2) return columnFor(only) !== undefined
  const known = filled.map(
    (heading) =>
      columnFor(heading) ??
      names.find((each) => isFallback(columns[each].fallback, heading)) ??
      nearColumn(heading, columns, columnFor),
  )
  const { size } = new Set(known.filter((each) => each !== undefined))
  return size > 1 && size * 2 >= filled.length
}

/** True if a cell of a line is a heading. */
export const hasHeading = (cells: readonly string[], columns: Columns): boolean => {
  const { columnFor, byHeading } = indexOf(columns)
  const isNear = (heading: string): boolean =>
    byHeading.keys().some((each) => isOneLetterApart(each, plain(heading)))
  return cells
    .filter(Boolean)
    .slice(0, maxHeadings)
    .some((each) => columnFor(each) !== undefined || isNear(each))
}

/** Columns with a fallback that are taken from it, because none of them has a heading. */
const fallbacks = <Name extends string>(
  cells: readonly string[],
  columns: Columns<Name>,
  isFound: (name: Name) => boolean,
): ReadonlyMap<Name, number> => {
  const { names, columnFor } = indexOf(columns)
  const wanted = names.filter((each) => columns[each].fallback)
  const found = wanted.flatMap((each) => {
    const { fallback = [] } = columns[each]
    const index = cells.findIndex(
      (cell) => isFallback(fallback, cell) || fallback.some((one) => one === columnFor(cell)),
    )
    return index < 0 || isFound(each) ? [] : [[each, index] as const]
  })
  return new Map(found.length === wanted.length ? found : [])
}

/** The cell of each column in a line of headings; undefined if they do not fit, which is reported. */
export const readHeadings = <Name extends string>(
  where: string,
  cells: readonly string[],
  columns: Columns<Name>,
  { report, ignore, warn }: TableReports,
): ReadonlyMap<Name, number> | undefined => {
  if (cells.filter(Boolean).length > maxHeadings) {
    report({ where, reason: `more than ${maxHeadings} columns with a heading` })
    return undefined
  }
  const { names, byHeading, columnFor } = indexOf(columns)
  const listed = names.filter((each) => !columns[each].isExport).join(', ')
  const known = cells.map(columnFor)
  /** A heading with a column's own name wins over other accepted headings. */
  const found = known.map((each, index) => {
    if (each === undefined) return undefined
    const own = cells.findIndex((heading) => plain(heading) === plain(each))
    const first = own < 0 ? known.indexOf(each) : own
    return first === index || plain(cells[index] ?? '') === plain(each) ? each : undefined
  })
  const instead = fallbacks(cells, columns, (each) => found.includes(each))
  const isTaken = (each: Name): boolean => found.includes(each) || instead.has(each)
  const near = cells.map((heading, index) =>
    heading === '' || found[index] ? undefined : nearColumn(heading, columns, columnFor),
  )
  const mistakes: string[] = []
  const ignored: string[] = []
  for (const [index, heading] of cells.entries()) {
    if (heading === '' || found[index] || instead.values().some((each) => each === index)) continue
    const refused = names.find((each) => columns[each].refused?.[0].test(plain(heading)))
    if (refused) {
      mistakes.push(`'${heading}' ${columns[refused].refused?.[1]}`)
      continue
    }
    const isOther = names.some((each) => columns[each].others?.includes(plain(heading)))
    const mistyped = isOther
      ? undefined
      : byHeading.keys().find((each) => isOneLetterApart(each, plain(heading)))
    const column = mistyped === undefined ? undefined : byHeading.get(mistyped)
    const meant = known[index] ? undefined : near[index]
    const isOnly = meant !== undefined && near.indexOf(meant) === near.lastIndexOf(meant)
    if (column !== undefined && known[index] === undefined && !isTaken(column)) {
      mistakes.push(`unknown column '${heading}': write '${column}', or another name`)
    } else if (isOnly && !isTaken(meant)) {
      found[index] = meant
      warn?.({ where, reason: `'${heading}' is read as the column '${meant}': write '${meant}'` })
    } else
      ignored.push(
        meant && !isTaken(meant) ? `'${heading}' (or is it '${meant}'?)` : `'${heading}'`,
      )
  }
  if (ignored.length > 0) ignore({ where, reason: `${ignored.join(', ')}; there are: ${listed}` })
  if (found.every((each) => each === undefined) && instead.size === 0 && mistakes.length === 0) {
    const reason = `no heading of this line is known: the first line has the headings, such as ${listed}`
    report({ where, reason })
    return undefined
  }
  for (const each of names) {
    if (columns[each].isRequired && !isTaken(each)) {
      const { ifMissing } = columns[each]
      mistakes.push(`the column '${each}' is missing${ifMissing ? `: ${ifMissing}` : ''}`)
    }
  }
  for (const [index, each] of found.entries()) {
    if (each && found.indexOf(each) !== index) mistakes.push(`the column '${each}' is there twice`)
  }
  for (const reason of mistakes) report({ where, reason })
  if (mistakes.length > 0) return undefined
  if (instead.size > 0) {
    const taken = [...instead].map(([each, index]) => `'${cells[index]}' is taken for '${each}'`)
    warn?.({ where, reason: `${taken.join(', and ')}, as there are no columns of these names` })
  }
  return new Map([
    ...instead,
    ...found.flatMap((each, index) => (each === undefined ? [] : [[each, index] as const])),
  ])
}
