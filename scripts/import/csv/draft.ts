import type { JudgeLineRow, SlotRow } from '../../../src/source/rows.ts'
import { CellError, type Report } from '../problems.ts'
import type { Video } from '../recordings/recordings.ts'
import type { ImportedTournament } from '../target/imported.ts'
import {
  type CellOptions,
  doubtAbout,
  readCage,
  readId,
  readLength,
  readScore,
  readTimeFrom,
} from './cells.ts'
import type { fightColumns } from './columns.ts'
import { doubleBookings } from './doubleBookings.ts'
import { type Game, type Slot, withLinks } from './links.ts'
import { nameKey } from './names.ts'
import { createRoster, type Player } from './roster.ts'
import { createPlan } from './stages.ts'
import type { CsvRow } from './table.ts'
import { type Outcome, outcomeOf, readBracket, readMethod } from './words.ts'

export type FightRow = CsvRow<keyof typeof fightColumns>

export interface Reports {
  readonly report: Report
  readonly warn: Report
  /** Called for each film that a line names. */
  readonly video?: ((video: Video) => void) | undefined
}

export type TournamentPart = ImportedTournament['tournament']

const readOutcome = (
  { winner, method }: FightRow['cells'],
  red: Player,
  blue: Player,
  scores: ReturnType<typeof readScore>,
): Outcome => {
  if (winner === '' && scores && scores[0] !== scores[1]) {
    return scores[0] > scores[1] ? 'red' : 'blue'
  }
  if (winner === '') return method === '' ? undefined : 'none'
  // A bot can be named Blue or Draw.
  const key = nameKey(winner)
  if (key === nameKey(red.name ?? '')) return 'red'
  if (key === nameKey(blue.name ?? '')) return 'blue'
  const outcome = outcomeOf(winner)
  if (outcome !== undefined) return outcome
  throw new CellError(
    `the winner '${winner}' is in neither corner: write '${red.name}', '${blue.name}', red, blue or draw`,
  )
}

const slotState = (outcome: Outcome, corner: 'red' | 'blue'): SlotRow['state'] => {
  if (outcome === 'draw') return 'tie'
  if (outcome !== 'red' && outcome !== 'blue') return 'pending'
  return outcome === corner ? 'winner' : 'loser'
}

/** The start in the file, where fights were fought and none has a time; otherwise theirs counts. */
const startOf = (
  { scheduledStartTime = null }: TournamentPart,
  games: readonly Game[],
): number | null => {
  const fought = games.filter(({ state }) => state === 'done')
  const hasTimes = fought.some(({ startTime }) => startTime)
  return fought.length > 0 && !hasTimes ? scheduledStartTime : null
}

/** A line of the file: its game has no id yet where the line gives none. */
interface Fight {
  readonly where: string
  readonly game: Game
  /** In its bracket, from 1. */
  readonly number: number
  readonly corners: readonly Omit<Slot, 'gameId'>[]
  readonly judges: readonly string[]
  readonly films: readonly string[]
}

/** An id from the bracket and the number in it: corrections of names change no address of a fight. */
const idOf = ({ game, number }: Fight, taken: ReadonlySet<string>): string => {
  const base = `${game.bracketId.slice(0, 100).replace(/\s+/g, '-')}-${number}`
  let id = base
  for (let copy = 2; taken.has(id); copy += 1) id = `${base}-${copy}`
  return id
}

/** Collects one tournament's rows from the lines of the files. */
export const createDraft = (
  tournament: TournamentPart,
  {
    cells: { end, format },
    where: line,
  }: { readonly cells: { readonly end: string; readonly format: string }; readonly where: string },
) => {
  const { scheduledStartTime: opening = null } = tournament
  const endsOnDate = !end.includes(':')
  const roster = createRoster()
  const plan = createPlan(format)
  const fights: Fight[] = []
  const ids = new Set<string>()
  return {
    id: tournament.id,
    roster,
    addFight: (
      { cells, where }: FightRow,
      { red, blue }: { readonly red: Player; readonly blue: Player },
      options: CellOptions,
      warn: Report,
    ): Outcome => {
      const scores = readScore(cells.score)
      const outcome = readOutcome(cells, red, blue, scores)
      const startTime = readTimeFrom(cells.start, opening, options)
      const length = readLength(cells.length)
      const scheduledTime = readTimeFrom(cells.scheduled, opening, options)
      const doubt = doubtAbout(cells.start, startTime, opening, options)
      if (doubt !== undefined) warn({ where, reason: doubt })
      const id = readId(cells.fight)
      if (ids.has(id)) throw new CellError(`there are two fights '${id}'`)
      if (id !== '') ids.add(id)
      const isDone = outcome !== undefined
      const stopTime = startTime === null || length === null ? null : startTime + length
      // Challonge numbers the rounds of the losers' bracket from -1 down.
      const [, losersRound] = /^-(\d{1,4})$/.exec(cells.round) ?? []
      const { place, number } = plan.place({
        stage: cells.stage,
        bracket: readBracket(cells.bracket) || (losersRound ? 'L' : ''),
        round: losersRound ?? cells.round,
        score: isDone && scores ? Math.max(...scores) : 1,
      })
      const corners = ([0, 1] as const).map((idx) => {
        const state = slotState(outcome, idx === 0 ? 'red' : 'blue')
        const score = isDone ? (scores?.[idx] ?? (state === 'winner' ? 1 : 0)) : null
        const { id: playerId } = idx === 0 ? red : blue
        return { idx, playerId, prevGameId: null, state, score }
      })
      const judges = cells.judges.split(/\||\n|<br\s*\/?>/).map((each) => each.trim())
      fights.push({
        where,
        number,
        game: {
          id,
          ...place,
          name: cells.label || `${place.bracketId}:${number}`,
          state: isDone ? 'done' : 'available',
          cage: readCage(cells.cage),
          loserPlacement: null,
          winAnnotation: isDone ? readMethod(cells.method) : null,
          timerDuration: isDone ? length : null,
          scheduledTime,
          startTime,
          stopTime: isDone ? stopTime : null,
          endTime: isDone ? stopTime : null,
          notice: cells.notice,
        },
        corners,
        judges: judges.filter(Boolean),
        films: cells.video.split(/\s*[|\n]\s*|\s+(?=https?:)/).filter(Boolean),
      })
      return outcome
    },
    build: ({ warn, video }: Omit<Reports, 'report'>): ImportedTournament => {
      const lines = new Map<string, string>()
      const games: Game[] = []
      const slots: Slot[] = []
      const judgeLines: JudgeLineRow[] = []
      for (const fight of fights) {
        const { where, game, corners, judges, films } = fight
        const id = game.id || idOf(fight, ids)
        ids.add(id)
        lines.set(id, where)
        games.push({ ...game, id })
        slots.push(...corners.map((corner) => ({ gameId: id, ...corner })))
        judgeLines.push(...judges.map((text, idx) => ({ gameId: id, idx, line: text })))
        for (const [index, address] of films.entries()) {
          const camera = films.length > 1 ? `Film ${index + 1}` : 'Film'
          video?.({ where, tournament: tournament.id, fight: id, camera, address })
        }
      }
      const linked = withLinks(plan.knockout(tournament), games, slots)
      const { unplaced } = linked
      const isPlaced = roster.players.some(({ placement }) => placement)
      const isFought = games.some(({ state }) => state === 'done')
      if (unplaced && !isPlaced && !tournament.active && isFought) {
        const where = lines.get(unplaced.gameId ?? '') ?? line
        warn({ where, reason: `'${tournament.id}' has no places: ${unplaced.reason}` })
      }
      doubleBookings(games, slots, lines).forEach(warn)
      return {
        tournament: {
          ...tournament,
          startTime: startOf(tournament, games),
          // The last fight tells the end better than a date does.
          endTime: endsOnDate && games.some((game) => game.stopTime) ? null : tournament.endTime,
        },
        brackets: plan.brackets(),
        rounds: plan.rounds(),
        players: roster.players,
        games: linked.games,
        slots: linked.slots,
        judgeLines,
      }
    },
  }
}
