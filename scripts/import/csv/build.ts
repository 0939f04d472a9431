import { isPlaceholderName } from '../../../src/data/league/cleanName.ts'
import { CellError, type Report, reading } from '../problems.ts'
import type { ImportedTournament } from '../target/imported.ts'
import {
  type CellOptions,
  readCount,
  readEnd,
  readFlag,
  readId,
  readScore,
  readTime,
  readWord,
  repeatedHour,
} from './cells.ts'
import type { playerColumns, tournamentColumns } from './columns.ts'
import type { FightRow, Reports, TournamentPart } from './draft.ts'
import { createEvents } from './events.ts'
import { createMethodDoubts } from './methodDoubts.ts'
import { createNames, namelessReason, severalBots } from './names.ts'
import type { Player } from './roster.ts'
import { tournamentFormat } from './stages.ts'
import type { CsvRow } from './table.ts'
import { readWeight } from './weights.ts'
import { cornerOf, readMethod } from './words.ts'

export interface CsvLeague {
  readonly tournaments: readonly CsvRow<keyof typeof tournamentColumns>[]
  readonly players: readonly CsvRow<keyof typeof playerColumns>[]
  /** Calls back for each, because a list of all takes much memory. */
  readonly readFights: (onRow: (row: FightRow) => void, onBadRow: (row: FightRow) => void) => void
}

const readTournament = (
  { cells, where }: CsvLeague['tournaments'][number],
  options: CellOptions,
  warn: Report,
): TournamentPart => {
  const startTime = readTime(cells.start, options)
  const active = readFlag(cells.active)
  const endTime = readEnd(cells.end, options)
  for (const [cell, unix] of [
    [cells.start, startTime],
    [cells.end, endTime],
  ] as const) {
    const doubt = repeatedHour(cell, unix, options)
    if (doubt !== undefined) warn({ where, reason: doubt })
  }
  if (startTime !== null && endTime !== null && endTime < startTime) {
    throw new CellError('it ends before it starts')
  }
  return {
    id: readId(cells.tournament),
    name: cells.name || cells.tournament,
    createTime: startTime ?? undefined,
    scheduledStartTime: startTime,
    endTime: active ? null : endTime,
    updateTime: endTime ?? startTime ?? undefined,
    ...readWeight(cells.weight),
    active,
    isFreestyle: readFlag(cells.freestyle),
    privacy: readWord(cells.privacy, ['public', 'unlisted', 'private']),
    formatType: tournamentFormat(cells.format),
  }
}

/** A line with the method of a fight that an export marks as forfeited. */
const withForfeit = (line: FightRow): FightRow =>
  readFlag(line.cells.forfeited) && line.cells.method === ''
    ? { ...line, cells: { ...line.cells, method: 'FF' } }
    : line

/** Win methods that need no winner. */
const withoutWinner: ReadonlySet<string | null> = new Set(['FF', 'DQ'])

/**
 * Reports unknown methods, wins without a winner, fights that scores decide, and winners with fewer points, each kind
 * once.
 */
const createResultDoubts = () => {
  const drawn: FightRow[] = []
  const scored: string[] = []
  const contradicted: FightRow[] = []
  const methods = createMethodDoubts()
  const others = (count: number): string => (count > 1 ? `, and of ${count - 1} more lines` : '')
  return {
    note: (line: FightRow, outcome: string | undefined): void => {
      const { method } = line.cells
      if (outcome !== 'none') methods.note(method, line.where)
      if (outcome === 'none' && !withoutWinner.has(readMethod(method))) drawn.push(line)
      const [a = 0, b = 0] = readScore(line.cells.score) ?? []
      if (a === b) return
      if (line.cells.winner === '') scored.push(line.where)
      if (outcome === (a < b ? 'red' : 'blue')) contradicted.push(line)
    },
    list: (warn: Report): void => {
      methods.list(warn)
      if (drawn[0]) {
        const { cells, where } = drawn[0]
        const { length } = drawn
        const lines = length > 1 ? ` (${length} lines in all)` : ''
        const method = readMethod(cells.method)
        warn({ where, reason: `'${method}' without a winner is a draw${lines}: write the winner` })
      }
      if (scored[0] !== undefined) {
        const reason = `without a winner, the score decides this fight${others(scored.length)}: write the winner`
        warn({ where: scored[0], reason: `${reason}, or leave the score empty while it goes on` })
      }
      if (contradicted[0]) {
        const { cells, where } = contradicted[0]
        const reason = `the winner has fewer points than the loser${others(contradicted.length)}`
        warn({ where, reason: `${reason}: '${cells.score}' is red, then blue` })
      }
    },
  }
}

/**
 * The tournaments of three files. If the file of players has no lines for a tournament, its fights name its players.
 * Unusable lines are reported and left out.
 */
export const buildCsvLeague = (
  { tournaments, players, readFights }: CsvLeague,
  options: CellOptions,
  { report, warn, video }: Reports,
): readonly ImportedTournament[] => {
  const events = createEvents(tournaments, readTournament, options, { report, warn })
  const withRoster = new Set<string>()
  const names = createNames()
  const results = createResultDoubts()
  for (const line of players) {
    const { cells, where } = line
    reading(line, report, () => {
      const { roster, id } = events.draftOf(cells, where)
      withRoster.add(id)
      if (isPlaceholderName(cells.name)) {
        const reason = `'${cells.name}' stands for a bye or an open corner, and its fights would vanish`
        throw new CellError(
          `${reason}: name the bot otherwise, in fights.csv too, or remove the line`,
        )
      }
      const nameless = namelessReason(cells.name)
      if (nameless !== undefined) throw new CellError(nameless)
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
  const skipFight = (line: FightRow): void => events.find(line.cells)?.skipFight(line)
  const readFight = (read: FightRow): void => {
    const { red: redName, blue: blueName } = read.cells
    const isRead = reading(read, report, () => {
      const line = withForfeit(read)
      const draft = events.draftOf(read.cells, read.where)
      const playerOf = (name: string): Player | null => {
        const found = draft.roster.find(name)
        if (found) return found
        const word = cornerOf(name)
        if (word) return word === 'bye' ? draft.roster.bye() : null
        const nameless = namelessReason(name)
        if (nameless !== undefined) throw new CellError(nameless)
        if (withRoster.has(draft.id)) {
          const several = severalBots(name, (part) => draft.roster.find(part) !== undefined)
          if (several !== undefined) throw new CellError(several)
          const similar = draft.roster.findSimilar(name)
          const hint = similar
            ? `: write '${similar.name}'`
            : ': add it there, correct it, or write TBD until it is known'
          throw new CellError(`'${name}' is not in players.csv for '${draft.id}'${hint}`, {
            files: ['players.csv'],
            cells: [name],
          })
        }
        return draft.roster.add(name, { seed: null, isDisqualified: false, placement: null })
      }
      const empty = redName === '' ? 'red' : 'blue'
      if (redName === '' || blueName === '')
        throw new CellError(`'${empty}' is empty: write TBD for a bot that is not known yet`)
      const red = playerOf(redName)
      const blue = playerOf(blueName)
      if (red && red === blue)
        throw new CellError(`${red.isBye ? 'a bye' : `'${redName}'`} is in both corners`)
      const outcome = draft.addFight(line, { red, blue }, options, warn)
      names.noteFight(
        red && !red.isBye ? redName : '',
        blue && !blue.isBye ? blueName : '',
        line.where,
      )
      results.note(line, outcome)
      return true
    })
    if (!isRead) skipFight(read)
  }
  readFights(readFight, skipFight)
  names.doubts().forEach(warn)
  results.list(warn)
  names.teams().forEach(report)
  events.doubts().forEach(warn)
  return [...events.drafts.values()].map((draft) => draft.build({ warn, video }))
}
