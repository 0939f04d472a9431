import { cleanName } from '../../../src/league/cleanName.ts'
import type { BracketRow, JudgeLineRow, RoundRow, SlotRow } from '../../../src/source/rows.ts'
import { bracketName } from '../brackets.ts'
import type { Report } from '../problems.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { isExhibitionId } from '../target/references.ts'
import {
  CellError,
  type CellOptions,
  onDateOf,
  readCage,
  readCount,
  readEnd,
  readFlag,
  readId,
  readLength,
  readMethod,
  readPounds,
  readTime,
  readWord,
} from './cells.ts'
import type { fightColumns, playerColumns, tournamentColumns } from './columns.ts'
import { type Game, type Slot, withLinks } from './links.ts'
import type { CsvRow } from './table.ts'

export interface CsvLeague {
  readonly tournaments: readonly CsvRow<keyof typeof tournamentColumns>[]
  readonly players: readonly CsvRow<keyof typeof playerColumns>[]
  readonly fights: readonly CsvRow<keyof typeof fightColumns>[]
}

type TournamentPart = ImportedTournament['tournament']
type Player = NonNullable<ImportedTournament['players']>[number]

/** Reads a row; a cell that cannot be read is reported and leaves the row out. */
const reading = <T>(where: string, report: Report, read: () => T): T | undefined => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CellError)) throw error
    report({ where, reason: error.message })
    return undefined
  }
}

const readTournament = (
  { cells }: CsvLeague['tournaments'][number],
  options: CellOptions,
): TournamentPart => {
  const startTime = readTime(cells.start, options)
  const active = readFlag(cells.active)
  const endTime = readEnd(cells.end, options)
  if (startTime !== null && endTime !== null && endTime < startTime) {
    throw new CellError('it ends before it starts')
  }
  return {
    id: readId(cells.tournament),
    name: cells.name || cells.tournament,
    createTime: startTime ?? 0,
    scheduledStartTime: startTime,
    endTime: active ? null : endTime,
    updateTime: endTime ?? startTime ?? 0,
    weightClass: readPounds(cells.weight) ?? 0,
    active,
    isFreestyle: readFlag(cells.freestyle),
    privacy: readWord(cells.privacy, ['public', 'unlisted', 'private']),
    formatType: readWord(cells.format, ['single_elimination', 'double_elimination', 'round_robin']),
  }
}

/** Players of one tournament, found by name as written or by clean name. */
interface Roster {
  readonly players: Player[]
  readonly find: (name: string) => Player | undefined
  readonly add: (name: string, seed: number | null, isDisqualified: boolean) => Player
}

const createRoster = (): Roster => {
  const players: Player[] = []
  const byName = new Map<string, Player>()
  const keyOf = (name: string): string => cleanName(name) || name.trim()
  return {
    players,
    find: (name) => byName.get(keyOf(name)),
    add: (name, seed, isDisqualified) => {
      const id = keyOf(name).slice(0, 128)
      const player: Player = { id, name, seed, isDisqualified }
      players.push(player)
      byName.set(keyOf(name), player)
      return player
    },
  }
}

type Outcome = 'red' | 'blue' | 'draw' | 'none' | undefined

const readOutcome = (
  { winner, method }: CsvLeague['fights'][number]['cells'],
  red: Player,
  blue: Player,
): Outcome => {
  const word = winner.toLowerCase()
  if (word === '') return method === '' ? undefined : 'none'
  if (word === 'red' || word === 'blue') return word
  if (word === 'draw' || word === 'tie') return 'draw'
  const clean = cleanName(winner)
  if (winner === red.name || (clean !== '' && clean === cleanName(red.name ?? ''))) return 'red'
  if (winner === blue.name || (clean !== '' && clean === cleanName(blue.name ?? ''))) return 'blue'
  throw new CellError(`the winner '${winner}' is in neither corner`)
}

const slotState = (outcome: Outcome, corner: 'red' | 'blue'): SlotRow['state'] => {
  if (outcome === 'draw') return 'tie'
  if (outcome !== 'red' && outcome !== 'blue') return 'pending'
  return outcome === corner ? 'winner' : 'loser'
}

/** Brackets and rounds in the order in which the fights name them. */
const createPlan = () => {
  const brackets: BracketRow[] = []
  const rounds: RoundRow[] = []
  const games: { bracketId: string; roundIdx: number }[] = []
  return {
    brackets,
    rounds,
    /** Place of the next fight. */
    place: (bracketId: string, round: string) => {
      if (!brackets.some(({ id }) => id === bracketId)) {
        const isExhibition = isExhibitionId(bracketId)
        const name = bracketName(bracketId)
        brackets.push({ id: bracketId, position: brackets.length, name, isExhibition })
      }
      const isNumber = /^\d{1,4}$/.test(round) && Number(round) > 0
      const name = isNumber ? `Round ${Number(round)}` : round
      const own = rounds.filter((each) => each.bracketId === bracketId)
      const idx =
        own.find((each) => each.name === name)?.idx ??
        (isNumber && !own.some((each) => each.idx === Number(round) - 1)
          ? Number(round) - 1
          : 1 + Math.max(-1, ...own.map((each) => each.idx)))
      if (!own.some((each) => each.idx === idx)) {
        rounds.push({ bracketId, idx, name, scoreToWin: 1 })
      }
      const place = { bracketId, roundIdx: idx }
      const position = games.filter(
        (each) => each.bracketId === bracketId && each.roundIdx === idx,
      ).length
      games.push(place)
      return { ...place, position }
    },
  }
}

/** The start in the file, where fights were fought and none has a time; otherwise theirs counts. */
const startOf = (
  { scheduledStartTime = null }: TournamentPart,
  games: readonly Game[],
): number | null => {
  const isFought = games.some(({ state }) => state === 'done')
  return isFought && !games.some(({ startTime }) => startTime) ? scheduledStartTime : null
}

/** Collects one tournament's rows from the lines of the files. */
const createDraft = (
  tournament: TournamentPart,
  { start, end }: CsvLeague['tournaments'][number]['cells'],
) => {
  const defaultBracket = tournament.formatType === 'round_robin' ? 'RR' : 'W'
  const endsOnDate = !end.includes(':')
  const roster = createRoster()
  const plan = createPlan()
  const games: Game[] = []
  const slots: Slot[] = []
  const judgeLines: JudgeLineRow[] = []
  const ids = new Set<string>()
  /** The given id, or one of both names that stays the same when lines are added. */
  const idOf = (given: string, red: Player, blue: Player): string => {
    const base = given || `${red.id}-${blue.id}`.slice(0, 120)
    if (given !== '' && ids.has(given)) throw new CellError(`there are two fights '${given}'`)
    let id = base
    for (let meeting = 2; ids.has(id); meeting += 1) id = `${base}-${meeting}`
    ids.add(id)
    return id
  }
  return {
    roster,
    addFight: (
      { cells }: CsvLeague['fights'][number],
      { red, blue }: { readonly red: Player; readonly blue: Player },
      options: CellOptions,
    ): void => {
      const outcome = readOutcome(cells, red, blue)
      const startTime = readTime(onDateOf(cells.start, start), options)
      const length = readLength(cells.length)
      const scheduledTime = readTime(onDateOf(cells.scheduled, start), options)
      const gameId = idOf(readId(cells.fight), red, blue)
      const isDone = outcome !== undefined
      const stopTime = startTime === null || length === null ? null : startTime + length
      const bracketId = readId(cells.bracket || defaultBracket)
      games.push({
        id: gameId,
        ...plan.place(bracketId, cells.round),
        name:
          cells.label ||
          `${bracketId}:${games.filter((game) => game.bracketId === bracketId).length + 1}`,
        state: isDone ? 'done' : 'available',
        cage: readCage(cells.cage),
        winAnnotation: isDone ? readMethod(cells.method) : null,
        timerDuration: isDone ? length : null,
        scheduledTime,
        startTime: isDone ? startTime : null,
        stopTime: isDone ? stopTime : null,
        endTime: isDone ? stopTime : null,
        notice: cells.notice,
      })
      for (const [idx, corner, player] of [
        [0, 'red', red],
        [1, 'blue', blue],
      ] as const) {
        const state = slotState(outcome, corner)
        const score = isDone ? (state === 'winner' ? 1 : 0) : null
        slots.push({ gameId, idx, playerId: player.id, state, score })
      }
      const lines = cells.judges.split(/\||\n|<br\s*\/?>/).map((line) => line.trim())
      judgeLines.push(...lines.filter(Boolean).map((line, idx) => ({ gameId, idx, line })))
    },
    build: (): ImportedTournament => ({
      tournament: {
        ...tournament,
        startTime: startOf(tournament, games),
        // The last fight tells the end better than a date does.
        endTime: endsOnDate && games.some((game) => game.stopTime) ? null : tournament.endTime,
      },
      brackets: plan.brackets,
      rounds: plan.rounds,
      players: roster.players,
      ...withLinks(tournament.formatType, games, slots),
      judgeLines,
    }),
  }
}

/**
 * The tournaments of three files. Fights of a tournament without lines in the file of players name its players
 * themselves. Lines that cannot be used are reported and left out.
 */
export const buildCsvLeague = (
  { tournaments, players, fights }: CsvLeague,
  options: CellOptions,
  report: Report,
): readonly ImportedTournament[] => {
  const drafts = new Map<string, ReturnType<typeof createDraft>>()
  for (const line of tournaments) {
    reading(line.where, report, () => {
      const row = readTournament(line, options)
      if (drafts.has(row.id)) throw new CellError(`there are two tournaments '${row.id}'`)
      drafts.set(row.id, createDraft(row, line.cells))
    })
  }
  const unreadable = new Set(
    tournaments.flatMap(({ cells: { tournament } }) =>
      drafts.has(tournament) ? [] : [tournament],
    ),
  )
  /** Lines of a tournament whose own line cannot be read are left out without a report. */
  const isReadable = ({ cells }: { readonly cells: { readonly tournament: string } }): boolean =>
    !unreadable.has(cells.tournament)
  const draftOf = (id: string) => {
    const found = drafts.get(id)
    if (!found) throw new CellError(`there is no tournament '${id}' in tournaments.csv`)
    return found
  }
  const withRoster = new Set<string>()
  for (const { cells, where } of players.filter(isReadable)) {
    reading(where, report, () => {
      const { roster } = draftOf(cells.tournament)
      withRoster.add(cells.tournament)
      const same = roster.find(cells.name)
      if (same) {
        throw new CellError(`'${cells.name}' is the same bot as '${same.name}' of this tournament`)
      }
      roster.add(cells.name, readCount(cells.seed), readFlag(cells.disqualified))
    })
  }
  for (const line of fights.filter(isReadable)) {
    const { tournament } = line.cells
    reading(line.where, report, () => {
      const draft = draftOf(tournament)
      const playerOf = (name: string): Player => {
        const found = draft.roster.find(name)
        if (found) return found
        if (withRoster.has(tournament)) {
          throw new CellError(`'${name}' is not in players.csv for '${tournament}'`)
        }
        return draft.roster.add(name, null, false)
      }
      const red = playerOf(line.cells.red)
      const blue = playerOf(line.cells.blue)
      if (red === blue) throw new CellError(`'${line.cells.red}' is in both corners`)
      draft.addFight(line, { red, blue }, options)
    })
  }
  return [...drafts.values()].map((draft) => draft.build())
}
