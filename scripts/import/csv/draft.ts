import type { JudgeLineRow } from '../../../src/data/source/rows.ts'
import { CellError, type Report, reading } from '../problems.ts'
import type { Video } from '../recordings/recordings.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { nameKey } from '../values.ts'
import {
  type CellOptions,
  doubtAbout,
  readCage,
  readId,
  readLength,
  readScore,
  readTimeFrom,
  repeatedHour,
} from './cells.ts'
import type { fightColumns } from './columns.ts'
import { doubleBookings } from './doubleBookings.ts'
import { type Game, type Slot, withLinks } from './links.ts'
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

/** Players of a fight; null for an unknown player. */
interface Comers {
  readonly red: Player | null
  readonly blue: Player | null
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
  if (winner === '' && [red, blue].some(({ name = '' }) => nameKey(name) === nameKey(method))) {
    throw new CellError(
      `'${method}' is a bot of this fight and no method: head its column 'winner'`,
    )
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

/** {@link readOutcome} if one corner can be open, null, or a bye, against which the other bot wins without a fight. */
const outcomeOfCorners = (
  cells: FightRow['cells'],
  { red, blue }: Comers,
  scores: ReturnType<typeof readScore>,
): Outcome => {
  if (!red || !blue) {
    if (`${cells.winner}${cells.method}` === '' && scores?.[0] === scores?.[1]) return undefined
    throw new CellError(
      `'${red ? cells.blue : cells.red}' is a corner that is open: write who fought, or no result`,
    )
  }
  const outcome = readOutcome(cells, red, blue, scores)
  if (!red.isBye && !blue.isBye) return outcome
  const [winner, bot] = red.isBye ? (['blue', blue] as const) : (['red', red] as const)
  if (outcome !== undefined && outcome !== 'none' && outcome !== winner)
    throw new CellError(`a bye cannot win: write '${bot.name}', or leave the winner empty`)
  return winner
}

const slotState = (
  outcome: Outcome,
  corner: 'red' | 'blue',
): 'pending' | 'tie' | 'winner' | 'loser' => {
  if (outcome === 'draw') return 'tie'
  if (outcome !== 'red' && outcome !== 'blue') return 'pending'
  return outcome === corner ? 'winner' : 'loser'
}

/** Place of a fight; Challonge numbers the rounds of the losers' bracket from -1 down. */
const roundOf = ({ stage, bracket, round }: FightRow['cells']) => {
  const [, losersRound] = /^-(\d{1,4})$/.exec(round) ?? []
  const own = readBracket(bracket) || (losersRound ? 'L' : '')
  return { stage, bracket: own, round: losersRound ?? round }
}

/**
 * Start in the file, for a tournament whose fights have no times; otherwise the times of the fights count.
 */
const startOf = (
  { scheduledStartTime = null }: TournamentPart,
  games: readonly Game[],
): number | null => {
  const fought = games.filter(({ state }) => state === 'done')
  const hasTimes = fought.some(({ startTime }) => startTime)
  return fought.length > 0 && !hasTimes ? scheduledStartTime : null
}

type Draft<Row> = { -readonly [Property in keyof Row]: Row[Property] }

/** Id of a fight from its bracket and its number there: a corrected name changes no URL of a fight. */
const idOf = ({ bracketId }: Game, number: number, taken: ReadonlySet<string>): string => {
  const base = `${bracketId.slice(0, 100).replace(/\s+/g, '-')}-${number}`
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
  const ids = new Set<string>()
  /** Id null if the line gives none, until all ids are known. */
  const games: Draft<Game>[] = []
  /** Red and blue corner of each game in turn. */
  const slots: Draft<Slot>[] = []
  /** Line of each game, and its number in its bracket from 1. */
  const wheres: string[] = []
  const numbers: number[] = []
  /** Judges' lines and films of games that have any. */
  const texts: { index: number; judges: readonly string[]; films: readonly string[] }[] = []
  return {
    id: tournament.id,
    roster,
    addFight: (
      { cells, where }: FightRow,
      comers: Comers,
      options: CellOptions,
      warn: Report,
    ): Outcome => {
      const scores = readScore(cells.score)
      const outcome = outcomeOfCorners(cells, comers, scores)
      const { red, blue } = comers
      const isOpen = !red || !blue
      const isByDefault = red?.isBye || blue?.isBye
      const startTime = readTimeFrom(cells.start, opening, options)
      const length = isByDefault ? null : readLength(cells.length)
      const scheduledTime = readTimeFrom(cells.scheduled, opening, options)
      for (const doubt of [
        doubtAbout(cells.start, startTime, opening, options),
        repeatedHour(cells.scheduled, scheduledTime, options),
      ])
        if (doubt !== undefined) warn({ where, reason: doubt })
      const id = readId(cells.fight)
      if (ids.has(id)) throw new CellError(`two fights have the id '${id}'`)
      if (id !== '') ids.add(id)
      const isDone = outcome !== undefined
      const stopTime = startTime === null || length === null ? null : startTime + length
      const { place, number } = plan.place({
        ...roundOf(cells),
        score: isDone && scores ? Math.max(...scores) : 1,
      })
      for (const [idx, corner, player] of [
        [0, 'red', red],
        [1, 'blue', blue],
      ] as const) {
        const result = slotState(outcome, corner)
        const score = isDone ? (scores?.[idx] ?? (result === 'winner' ? 1 : 0)) : null
        const isDecided = result === 'winner' || result === 'loser'
        const state = isByDefault && isDecided ? (`${result}_by_default` as const) : result
        slots.push({
          gameId: id,
          idx,
          playerId: player?.id ?? null,
          prevGameId: null,
          state,
          score,
        })
      }
      const judges = cells.judges.split(/\||\n|<br\s*\/?>/).map((each) => each.trim())
      const films = cells.video.split(/\s*[|\n]\s*|\s+(?=https?:)/).filter(Boolean)
      if (cells.judges || cells.video) {
        texts.push({ index: games.length, judges: judges.filter(Boolean), films })
      }
      wheres.push(where)
      numbers.push(number)
      games.push({
        id,
        ...place,
        name: cells.label || `${place.bracketId}:${number}`,
        state: isDone ? 'done' : isOpen ? 'unavailable' : 'available',
        cage: readCage(cells.cage),
        loserPlacement: null,
        winAnnotation: readMethod(cells.method),
        timerDuration: isDone ? length : null,
        scheduledTime,
        startTime,
        stopTime: isDone ? stopTime : null,
        endTime: isDone ? stopTime : null,
        notice: cells.notice,
      })
      return outcome
    },
    /** Counts an unusable line, so that correcting it changes no URL. */
    skipFight: (line: FightRow): void =>
      reading(
        line,
        () => undefined,
        () => plan.skip(roundOf(line.cells)),
      ),
    build: ({ warn, video }: Omit<Reports, 'report'>): ImportedTournament => {
      const lines = new Map<string, string>()
      for (const [index, game] of games.entries()) {
        game.id ||= idOf(game, numbers[index] ?? 0, ids)
        ids.add(game.id)
        lines.set(game.id, wheres[index] ?? '')
      }
      for (const [index, slot] of slots.entries()) slot.gameId = games[index >> 1]?.id ?? ''
      const judgeLines: JudgeLineRow[] = []
      for (const { index, judges, films } of texts) {
        const { id: gameId = '' } = games[index] ?? {}
        judgeLines.push(...judges.map((text, idx) => ({ gameId, idx, line: text })))
        for (const [at, address] of films.entries()) {
          const camera = films.length > 1 ? `Film ${at + 1}` : 'Film'
          const where = wheres[index] ?? ''
          video?.({ where, tournament: tournament.id, fight: gameId, camera, address })
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
          // The last fight is a more exact end than a date.
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
