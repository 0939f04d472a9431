import type { JudgeLineRow, SlotRow } from '../../../src/source/rows.ts'
import type { Report } from '../problems.ts'
import type { Video } from '../recordings/recordings.ts'
import type { ImportedTournament } from '../target/imported.ts'
import {
  CellError,
  type CellOptions,
  doubtAbout,
  readBracket,
  readCage,
  readCount,
  readEnd,
  readFlag,
  readId,
  readLength,
  readMethod,
  readScore,
  readTime,
  readTimeFrom,
  readWord,
} from './cells.ts'
import type { fightColumns, playerColumns, tournamentColumns } from './columns.ts'
import { doubleBookings } from './doubleBookings.ts'
import { type Game, type Slot, withLinks } from './links.ts'
import { createNames, nameKey, severalBots } from './names.ts'
import { createRoster, type Player } from './roster.ts'
import { createPlan, tournamentFormat } from './stages.ts'
import type { CsvRow } from './table.ts'
import { readWeight } from './weights.ts'

type FightRow = CsvRow<keyof typeof fightColumns>

export interface CsvLeague {
  readonly tournaments: readonly CsvRow<keyof typeof tournamentColumns>[]
  readonly players: readonly CsvRow<keyof typeof playerColumns>[]
  /** Calls back for each, as a list of all takes much memory. */
  readonly readFights: (onRow: (row: FightRow) => void) => void
}

interface Reports {
  readonly report: Report
  readonly warn: Report
  /** Called for each film that a line names. */
  readonly video?: ((video: Video) => void) | undefined
}

type TournamentPart = ImportedTournament['tournament']

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
    ...readWeight(cells.weight),
    active,
    isFreestyle: readFlag(cells.freestyle),
    privacy: readWord(cells.privacy, ['public', 'unlisted', 'private']),
    formatType: tournamentFormat(cells.format),
  }
}

type Outcome = 'red' | 'blue' | 'draw' | 'none' | undefined

/** In the languages of the truth values. */
const outcomeWords = {
  red: 'red rot rojo rouge rosso rood czerwony vermelho',
  blue: 'blue blau azul bleu blu blauw niebieski',
  draw: 'draw tie unentschieden empate nul égalité pareggio pari gelijk gelijkspel remis',
} as const
const outcomesByWord: ReadonlyMap<string, Outcome> = new Map(
  (['red', 'blue', 'draw'] as const).flatMap((outcome) =>
    outcomeWords[outcome].split(' ').map((word) => [word, outcome] as const),
  ),
)

const readOutcome = (
  { winner, method }: FightRow['cells'],
  red: Player,
  blue: Player,
  scores: ReturnType<typeof readScore>,
): Outcome => {
  const word = winner.toLowerCase()
  if (word === '' && scores && scores[0] !== scores[1]) {
    return scores[0] > scores[1] ? 'red' : 'blue'
  }
  if (word === '') return method === '' ? undefined : 'none'
  // A bot can be named Blue or Draw.
  const key = nameKey(winner)
  if (key === nameKey(red.name ?? '')) return 'red'
  if (key === nameKey(blue.name ?? '')) return 'blue'
  const outcome = outcomesByWord.get(word)
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

/** Collects one tournament's rows from the lines of the files. */
const createDraft = (
  tournament: TournamentPart,
  { cells: { end, format }, where: line }: CsvLeague['tournaments'][number],
) => {
  const { scheduledStartTime: opening = null } = tournament
  const endsOnDate = !end.includes(':')
  const roster = createRoster()
  const plan = createPlan(format)
  const games: Game[] = []
  const lines = new Map<string, string>()
  const slots: Slot[] = []
  const judgeLines: JudgeLineRow[] = []
  /** With the number of further fights whose ids were made from one. */
  const ids = new Map<string, number>()
  /** The given id, or one of both names that stays the same when lines are added. */
  const idOf = (given: string, red: Player, blue: Player): string => {
    const base = given || `${red.id}-${blue.id}`.slice(0, 120)
    if (given !== '' && ids.has(given)) throw new CellError(`there are two fights '${given}'`)
    let id = base
    let meeting = ids.get(base) ?? 1
    while (ids.has(id)) {
      meeting += 1
      id = `${base}-${meeting}`
    }
    ids.set(base, meeting).set(id, ids.get(id) ?? 1)
    return id
  }
  return {
    id: tournament.id,
    roster,
    addFight: (
      { cells, where }: FightRow,
      { red, blue }: { readonly red: Player; readonly blue: Player },
      options: CellOptions,
      { warn, video }: Pick<Reports, 'warn' | 'video'>,
    ): Outcome => {
      const scores = readScore(cells.score)
      const outcome = readOutcome(cells, red, blue, scores)
      const startTime = readTimeFrom(cells.start, opening, options)
      const length = readLength(cells.length)
      const scheduledTime = readTimeFrom(cells.scheduled, opening, options)
      const doubt = doubtAbout(cells.start, startTime, opening, options)
      if (doubt !== undefined) warn({ where, reason: doubt })
      const gameId = idOf(readId(cells.fight), red, blue)
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
      lines.set(gameId, where)
      games.push({
        id: gameId,
        ...place,
        name: cells.label || `${place.bracketId}:${number}`,
        state: isDone ? 'done' : 'available',
        cage: readCage(cells.cage),
        winAnnotation: isDone ? readMethod(cells.method) : null,
        timerDuration: isDone ? length : null,
        scheduledTime,
        startTime,
        stopTime: isDone ? stopTime : null,
        endTime: isDone ? stopTime : null,
        notice: cells.notice,
      })
      for (const [idx, corner, player] of [
        [0, 'red', red],
        [1, 'blue', blue],
      ] as const) {
        const state = slotState(outcome, corner)
        const score = isDone ? (scores?.[idx] ?? (state === 'winner' ? 1 : 0)) : null
        slots.push({ gameId, idx, playerId: player.id, state, score })
      }
      const addresses = cells.video.split(/\s*[|\n]\s*|\s+(?=https?:)/).filter(Boolean)
      for (const [index, address] of addresses.entries()) {
        const camera = addresses.length > 1 ? `Film ${index + 1}` : 'Film'
        video?.({ where, tournament: tournament.id, fight: gameId, camera, address })
      }
      const judges = cells.judges.split(/\||\n|<br\s*\/?>/).map((line) => line.trim())
      judgeLines.push(...judges.filter(Boolean).map((line, idx) => ({ gameId, idx, line })))
      return outcome
    },
    build: (warn: Report): ImportedTournament => {
      const linked = withLinks(plan.knockout(tournament), games, slots)
      const { unplaced } = linked
      const isPlaced = roster.players.some(({ placement }) => placement)
      if (
        unplaced &&
        !isPlaced &&
        !tournament.active &&
        games.some(({ state }) => state === 'done')
      ) {
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

/**
 * The tournaments of three files. Fights of a tournament without lines in the file of players name its players
 * themselves. Lines that cannot be used are reported and left out.
 */
export const buildCsvLeague = (
  { tournaments, players, readFights }: CsvLeague,
  options: CellOptions,
  { report, warn, video }: Reports,
): readonly ImportedTournament[] => {
  const drafts = new Map<string, ReturnType<typeof createDraft>>()
  for (const line of tournaments) {
    reading(line.where, report, () => {
      const row = readTournament(line, options)
      if (drafts.has(row.id)) throw new CellError(`there are two tournaments '${row.id}'`)
      drafts.set(row.id, createDraft(row, line))
    })
  }
  /** The one tournament of a folder need not be named. */
  const only = tournaments.length === 1 ? tournaments[0]?.cells.tournament : undefined
  const unreadable = new Set(
    tournaments.flatMap(({ cells: { tournament } }) =>
      drafts.has(tournament) ? [] : [tournament],
    ),
  )
  /** Lines of a tournament whose own line cannot be read are left out without a report. */
  const isReadable = ({ cells }: { readonly cells: { readonly tournament: string } }): boolean =>
    !unreadable.has(cells.tournament || (only ?? ''))
  const draftOf = (id: string) => {
    if (id === '' && only === undefined) throw new CellError("'tournament' is empty")
    const found = drafts.get(id || (only ?? ''))
    if (!found) throw new CellError(`there is no tournament '${id}' in tournaments.csv`)
    return found
  }
  const withRoster = new Set<string>()
  const names = createNames()
  /** Lines that a score alone decides. */
  const scored: string[] = []
  /** Lines whose winner has fewer points than the loser. */
  const contradicted: FightRow[] = []
  for (const { cells, where } of players.filter(isReadable)) {
    reading(where, report, () => {
      const { roster, id } = draftOf(cells.tournament)
      withRoster.add(id)
      const same = roster.find(cells.name)
      if (same) {
        throw new CellError(`'${cells.name}' is the same bot as '${same.name}' of this tournament`)
      }
      roster.add(cells.name, {
        seed: readCount(cells.seed),
        isDisqualified: readFlag(cells.disqualified),
        placement: readCount(cells.place) || null,
        team: cells.team || null,
        driver: cells.driver || null,
      })
      names.noteListed(cells.name, id, where)
    })
  }
  readFights((line) => {
    if (!isReadable(line)) return
    const { tournament, red: redName, blue: blueName } = line.cells
    reading(line.where, report, () => {
      const draft = draftOf(tournament)
      const playerOf = (name: string): Player => {
        const found = draft.roster.find(name)
        if (found) return found
        if (withRoster.has(draft.id)) {
          const several = severalBots(name, (part) => draft.roster.find(part) !== undefined)
          if (several !== undefined) throw new CellError(several)
          const similar = draft.roster.findSimilar(name)
          const hint = similar ? `: write '${similar.name}'` : ': add it there, or correct it'
          throw new CellError(`'${name}' is not in players.csv for '${draft.id}'${hint}`)
        }
        return draft.roster.add(name, { seed: null, isDisqualified: false, placement: null })
      }
      const red = playerOf(redName)
      const blue = playerOf(blueName)
      if (red === blue) throw new CellError(`'${redName}' is in both corners`)
      const outcome = draft.addFight(line, { red, blue }, options, { warn, video })
      names.noteFight(redName, blueName, line.where)
      const { winner, score } = line.cells
      const [a = 0, b = 0] = readScore(score) ?? []
      if (winner === '' && a !== b) scored.push(line.where)
      if (outcome === (a < b ? 'red' : 'blue') && a !== b) contradicted.push(line)
    })
  })
  names.doubts().forEach(warn)
  const others = (count: number): string => (count > 1 ? `, and of ${count - 1} more lines` : '')
  if (scored[0] !== undefined) {
    const reason = `without a winner, the score decides this fight${others(scored.length)}: write the winner`
    warn({ where: scored[0], reason: `${reason}, or leave the score empty while it goes on` })
  }
  if (contradicted[0]) {
    const { cells, where } = contradicted[0]
    const reason = `the winner has fewer points than the loser${others(contradicted.length)}`
    warn({ where, reason: `${reason}: '${cells.score}' is red, then blue` })
  }
  names.teams().forEach(report)
  return [...drafts.values()].map((draft) => draft.build(warn))
}
