import { CellError, type Report, reading } from '../problems.ts'
import type { CellOptions } from './cells.ts'
import type { tournamentColumns } from './columns.ts'
import { createDraft, type TournamentPart } from './draft.ts'
import type { CsvRow } from './table.ts'

/** Cells by which a line of bots or fights names its tournament. */
type Naming = Readonly<Record<'tournament' | 'event' | 'class', string>>

/** Text as part of an id: `Spring Bash, 26` is `spring-bash-26`. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}.]+/gu, '-')
    .replace(/^-+|-+$/g, '')

/** Sheets without a file of tournaments name the event in either column. */
const eventOf = (cells: Naming): Naming => ({ ...cells, event: cells.event || cells.tournament })

/** Id of the tournament of a class of an event, or undefined if the line names none. */
const idOfPair = ({ event, class: weight }: Naming): string | undefined =>
  weight === '' ? undefined : [event, weight].map(slug).filter(Boolean).join('-') || undefined

type TournamentLine = CsvRow<keyof typeof tournamentColumns>

const noCells = {
  ...{ tournament: '', name: '', weight: '', start: '', end: '', active: '', freestyle: '' },
  ...{ format: '', privacy: '' },
} as const satisfies TournamentLine['cells']

/**
 * The tournaments of a folder: those of the lines of a file, and, of lines that have columns of an event and a class but
 * no tournament, one for each pair.
 */
export const createEvents = (
  lines: readonly TournamentLine[],
  readTournament: (line: TournamentLine, options: CellOptions, warn: Report) => TournamentPart,
  options: CellOptions,
  { report, warn }: { readonly report: Report; readonly warn: Report },
) => {
  const drafts = new Map<string, ReturnType<typeof createDraft>>()
  for (const line of lines) {
    reading(line, report, () => {
      const row = readTournament(line, options, warn)
      if (drafts.has(row.id)) throw new CellError(`two tournaments have the id '${row.id}'`)
      drafts.set(row.id, createDraft(row, line))
    })
  }
  /** A folder with only one tournament need not name it. */
  const only = lines.length === 1 ? lines[0]?.cells.tournament : undefined
  /** Pairs of a folder with one tournament, by line. */
  const merged = new Map<string, string>()
  const ofPair = (id: string, { event, class: weight }: Naming, where: string) => {
    const name = [event, weight].filter(Boolean).join(', ')
    const line = { cells: { ...noCells, tournament: id, name, weight }, where }
    const draft = createDraft(readTournament(line, options, warn), line)
    drafts.set(id, draft)
    const reason = `'${name}' is the tournament '${id}': a line of tournaments.csv can give its start and format`
    warn({ where, reason })
    return draft
  }
  return {
    drafts,
    /** The tournament of a line, if there is one already. */
    find: (cells: Naming) =>
      drafts.get(cells.tournament || (only ?? '')) ?? drafts.get(idOfPair(eventOf(cells)) ?? ''),
    /** The tournament of a line. */
    draftOf: (cells: Naming, where: string) => {
      const isPair = cells.tournament === '' || lines.length === 0
      const naming = eventOf(cells)
      const pair = isPair ? idOfPair(naming) : undefined
      if (pair !== undefined && only !== undefined && !merged.has(pair)) merged.set(pair, where)
      if (pair !== undefined && only === undefined)
        return drafts.get(pair) ?? ofPair(pair, naming, where)
      const id = cells.tournament || (only ?? '')
      const missing = { files: ['tournaments.csv'], cells: id === '' ? [] : [id] }
      if (id === '') {
        const several = `tournaments.csv has ${lines.length}: write its id in each line`
        throw new CellError(`'tournament' is empty, and ${several}`, missing)
      }
      const found = drafts.get(id)
      if (!found) throw new CellError(`tournaments.csv has no tournament '${id}'`, missing)
      return found
    },
    /** Several classes or events that are one tournament, because the file has only one. */
    doubts: () => {
      const [, where] = [...merged.values()]
      if (where === undefined) return []
      const reason =
        `the columns of event and class name ${merged.size} tournaments, but tournaments.csv has only ` +
        `'${only}', which has them all: write the id of each in 'tournament', or remove that line`
      return [{ where, reason }]
    },
  }
}
