import type { CageRow } from '../../../src/data/source/rows.ts'
import { CellError, missingFight, type Report, reading } from '../problems.ts'
import type { ImportedCage } from '../target/cages.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { nameKey } from '../values.ts'
import { readCage } from './cells.ts'
import type { cageColumns } from './columns.ts'
import type { CsvRow } from './table.ts'
import { cornerOf } from './words.ts'

type Line = CsvRow<keyof typeof cageColumns>
type Game = NonNullable<ImportedTournament['games']>[number]

/** A fight of the folder, with the names of its corners. */
interface FolderFight {
  readonly tournamentId: string
  readonly isUnderWay: boolean
  readonly game: Game
  /** Names of the corners; empty for a corner without a bot. */
  readonly corners: readonly string[]
}

const statuses: ReadonlyMap<string, CageRow['status']> = new Map([
  ...['active', 'fighting', 'live', 'running', 'now'].map((word) => [word, 'active'] as const),
  ...['paused', 'pause'].map((word) => [word, 'paused'] as const),
  ...['assigned', 'called', 'ready', 'next'].map((word) => [word, 'assigned'] as const),
  ...['completed', 'done', 'over', 'finished'].map((word) => [word, 'completed'] as const),
  ...['idle', 'free', 'empty', 'closed'].map((word) => [word, 'idle'] as const),
])

const readStatus = (cell: string, hasFight: boolean): CageRow['status'] => {
  if (cell === '') return hasFight ? 'assigned' : 'idle'
  const found = statuses.get(cell.toLowerCase())
  if (found === undefined) {
    throw new CellError(
      `'${cell}' is not a status; use idle, assigned, active, paused or completed`,
    )
  }
  return found
}

const fightsOf = ({ tournament, games = [], slots = [], players = [] }: ImportedTournament) => {
  const names = new Map(players.map(({ id, name = '', isBye }) => [id, isBye ? '' : nameKey(name)]))
  const corners = Map.groupBy(slots, ({ gameId }) => gameId)
  return games.map((game): FolderFight => {
    const own = corners.get(game.id)?.map(({ playerId }) => names.get(playerId ?? '') ?? '')
    const isUnderWay = tournament.active === true
    return { tournamentId: tournament.id, isUnderWay, game, corners: own ?? [] }
  })
}

/** Finds fights by id, or by both names as in `Axe v Blade`; fights of current and coming events win. */
const createFinder = (league: readonly ImportedTournament[]) => {
  const fights = league.flatMap(fightsOf)
  const byID = Map.groupBy(fights, ({ game }) => game.id)
  const pairKey = (names: Iterable<string>): string => [...names].sort().join(' ')
  const byCorners = Map.groupBy(fights, ({ corners }) => pairKey(corners))
  return (cell: string, tournament: string): FolderFight => {
    const pair = cell.split(/\s+(?:vs?\.?|x|×|-|–|—|gegen|contre|contra)\s+/i)
    const found = (
      byID.get(cell) ??
      byCorners.get(pairKey(pair.map(nameKey))) ??
      byCorners.get(pairKey(pair.map((name) => (cornerOf(name) ? '' : nameKey(name))))) ??
      []
    ).filter(({ tournamentId }) => tournament === '' || tournamentId === tournament)
    const present = found.filter(({ isUnderWay }) => isUnderWay)
    const candidates = present.length > 0 ? present : found
    const waiting = candidates.filter(({ game }) => game.state !== 'done')
    const fight = waiting[0] ?? candidates.at(-1)
    if (!fight) {
      throw new CellError(
        `there is no fight '${cell}': write its id, or both names as in 'Axe v Blade'`,
        missingFight(cell, pair.map(nameKey)),
      )
    }
    const events = new Set(
      (waiting.length > 0 ? waiting : candidates).map((each) => each.tournamentId),
    )
    if (events.size > 1) {
      throw new CellError(`'${cell}' is in ${[...events].join(' and ')}: fill in 'tournament'`)
    }
    return fight
  }
}

/** The cages of a file, and the league with the fights in them under way. */
export const buildCsvCages = (
  league: readonly ImportedTournament[],
  lines: readonly Line[],
  report: Report,
): { readonly league: readonly ImportedTournament[]; readonly cages: readonly ImportedCage[] } => {
  const find = createFinder(league)
  const cages = new Map<number, ImportedCage>()
  /** Cages with the fights in them. */
  const inCages = new Map<Game, { readonly cage: string | null; readonly isActive: boolean }>()
  for (const line of lines) {
    reading(line, report, () => {
      const { cells } = line
      const cage = readCage(cells.cage)
      const number = Number(/^Cage (\d{1,4})$/.exec(cage ?? '')?.[1] ?? 0)
      if (number === 0)
        throw new CellError(`'${cells.cage}' is not a cage; write its number, such as 1`)
      if (cages.has(number)) throw new CellError(`cage ${number} has two lines`)
      const fight = cells.fight === '' ? undefined : find(cells.fight, cells.tournament)
      const status = readStatus(cells.status, fight !== undefined)
      if (fight && status !== 'idle') {
        const isGoingOn = status === 'active' || status === 'paused'
        inCages.set(fight.game, { cage, isActive: isGoingOn && fight.game.state !== 'done' })
      }
      const waiting = cells.next
        .split(/\s*[|\n;]\s*/)
        .filter(Boolean)
        .map((cell) => find(cell, cells.tournament))
      cages.set(number, {
        number,
        row: {
          number,
          status,
          tournamentId: fight?.tournamentId ?? null,
          gameId: fight?.game.id ?? null,
          pausedSince: null,
        },
        queue: waiting.map(({ tournamentId, game }, position) => ({
          cage: number,
          position,
          tournamentId,
          gameId: game.id,
        })),
      })
    })
  }
  const inCage = (game: Game): Game => {
    const found = inCages.get(game)
    if (!found) return game
    return {
      ...game,
      cage: found.cage,
      ...(found.isActive && { state: 'active' as const }),
    }
  }
  const withCages = (tournament: ImportedTournament): ImportedTournament =>
    tournament.games?.some((game) => inCages.has(game))
      ? { ...tournament, games: tournament.games.map(inCage) }
      : tournament
  return { league: league.map(withCages), cages: [...cages.values()] }
}
