import {
  type BracketRow,
  type RoundRow,
  stageFormats,
  type TournamentRow,
} from '../../../src/data/source/rows.ts'
import { bracketName } from '../brackets.ts'
import { isExhibitionId } from '../target/references.ts'
import { readId, readWord } from './cells.ts'

type Format = NonNullable<BracketRow['formatType']>

const isTable = (format: Format): boolean => format === 'round_robin' || format === 'swiss'

/** Format of a tournament; a Swiss system is a round robin to programs that know no other table. */
export const tournamentFormat = (cell: string): TournamentRow['formatType'] => {
  const format = readWord(cell, stageFormats)
  return format === 'swiss' ? 'round_robin' : format
}

/** Words in the name of a stage that give its format. */
const words: readonly (readonly [RegExp, Format])[] = [
  [/swiss|schweizer|suisse|su[ií][cç]o|suizo/i, 'swiss'],
  [/\b(groups?|gruppen?|grupos?|groupes?|pools?|league|liga)\b|round.?robin/i, 'round_robin'],
  [/double.?elim/i, 'double_elimination'],
  [/elim|bracket|play.?off|\bfinal|knock.?out|\bk\.?o\b|top \d/i, 'single_elimination'],
]

/** Name and format of a stage such as `Group A`, `Finals` and `Day 1: swiss`, in a tournament with a format. */
export const readStage = (cell: string, ofTournament: Format): { name: string; format: Format } => {
  const [, name = '', given = ''] = /^(.+?)\s*:\s*([a-z _-]+)$/i.exec(cell) ?? []
  if (name !== '') return { name: readId(name), format: readWord(given, stageFormats) }
  const found = words.find(([word]) => word.test(cell))?.[1] ?? ofTournament
  const isElimination = found === 'single_elimination' && !isTable(ofTournament)
  return { name: readId(cell), format: isElimination ? ofTournament : found }
}

/** Highest score of a best-of series; higher scores are points. */
const maxGamesWon = 5

/** Place of a fight as its line gives it. */
interface Line {
  readonly stage: string
  readonly bracket: string
  readonly round: string
  /** The higher score. */
  readonly score: number
}

interface Round {
  readonly row: Omit<RoundRow, 'scoreToWin'>
  maxScore: number
}

interface Bracket {
  readonly row: BracketRow
  fights: number
  nextIdx: number
  /** Place of the last line, because merged cells have it only in their first line. */
  round: string
}

/** Brackets and rounds of a tournament in the order that the fights name them in. */
export const createPlan = (format: string) => {
  const ofTournament = readWord(format, stageFormats)
  const brackets = new Map<string, Bracket>()
  /** Rounds by bracket and name. */
  const rounds = new Map<string, Round>()
  const taken = new Set<string>()
  const bracketOf = ({ stage, bracket }: Pick<Line, 'stage' | 'bracket'>): Bracket => {
    const isExhibition = isExhibitionId(bracket)
    const own = stage === '' || isExhibition ? undefined : readStage(stage, ofTournament)
    const unnamed = {
      round_robin: 'RR',
      swiss: 'Swiss',
      single_elimination: 'W',
      double_elimination: 'W',
    }
    const id = own
      ? [own.name, bracket].filter(Boolean).join(' ')
      : bracket || unnamed[ofTournament]
    const found = brackets.get(id)
    if (found) return found
    const name = own ? [own.name, bracketName(bracket)].filter(Boolean).join(', ') : bracketName(id)
    const ofStage = own?.format ?? ofTournament
    const isOwn = !isExhibition && ofStage !== tournamentFormat(format)
    const row = {
      id: readId(id),
      position: brackets.size,
      name,
      isExhibition,
      formatType: isOwn ? ofStage : null,
    }
    const added = { row, fights: 0, nextIdx: 0, round: '' }
    brackets.set(id, added)
    return added
  }
  /** Number of lines of the tournament so far: without times, fights are in line order. */
  let lines = 0
  const countIn = (line: Omit<Line, 'score'>): Bracket => {
    const bracket = bracketOf(line)
    lines += 1
    bracket.fights += 1
    bracket.round = line.round || bracket.round
    return bracket
  }
  const roundOf = (bracket: Bracket, given: string): Round => {
    const { id: bracketId } = bracket.row
    const isNumber = /^\d{1,4}$/.test(given) && Number(given) > 0
    const name = isNumber ? `Round ${Number(given)}` : given
    const key = JSON.stringify([bracketId, name])
    const found = rounds.get(key)
    if (found) return found
    const wanted = Number(given) - 1
    const isFree = isNumber && !taken.has(`${wanted} ${bracketId}`)
    const idx = isFree ? wanted : bracket.nextIdx
    taken.add(`${idx} ${bracketId}`)
    bracket.nextIdx = Math.max(bracket.nextIdx, idx + 1)
    const round = { row: { bracketId, idx, name }, maxScore: 1 }
    rounds.set(key, round)
    return round
  }
  const fought = () =>
    [...brackets.values()].flatMap(({ row, nextIdx }) => (nextIdx > 0 ? [row] : []))
  return {
    brackets: fought,
    /** Counts an unusable line. */
    skip: (line: Omit<Line, 'score'>): void => {
      countIn(line)
    },
    rounds: (): readonly RoundRow[] =>
      [...rounds.values()].map(({ row, maxScore }) => ({
        ...row,
        scoreToWin: maxScore > maxGamesWon ? 1 : maxScore,
      })),
    /** Place of the next fight, and its number in its bracket. */
    place: (line: Line) => {
      const bracket = countIn(line)
      const round = roundOf(bracket, bracket.round)
      round.maxScore = Math.max(round.maxScore, line.score)
      const { bracketId, idx: roundIdx } = round.row
      return { place: { bracketId, roundIdx, position: lines - 1 }, number: bracket.fights }
    },
    /** Format of the tournament's elimination, and the brackets outside it. */
    knockout: ({ active = false }: { readonly active?: boolean | undefined }) => {
      const rows = fought()
      const own = tournamentFormat(format)
      const isOut = ({ isExhibition, formatType }: BracketRow): boolean =>
        isExhibition || isTable(formatType ?? own)
      const stage = rows.find((row) => !isOut(row))
      return {
        active,
        formatType: stage ? (stage.formatType ?? own) : 'round_robin',
        others: new Set(rows.filter(isOut).map(({ id }) => id)),
      } as const
    },
  }
}
