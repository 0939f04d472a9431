import { feedsByCorner } from '../../../api/fights/outcomes.ts'
import { inOrder } from '../../../data/league/progression.ts'
import { isTable, stagesOf } from '../../../data/league/stages.ts'
import type { Bracket, Game, Tournament } from '../../../data/league/types.ts'

/** A game and its place: column and row in units of one game; rows are halves if two games meet. */
export interface PlacedGame {
  readonly game: Game
  readonly column: number
  readonly row: number
}

/** Link from an earlier game to the corner that gets its bot. */
export interface Link {
  readonly from: string
  /** Name of the earlier game; its id if the tournament lacks it. */
  readonly fromName: string
  readonly to: PlacedGame
  readonly corner: 0 | 1
  /** Place of the earlier game if a line comes from there; undefined if a note replaces it. */
  readonly source: PlacedGame | undefined
  readonly takes: 'winner' | 'loser'
}

interface Heading {
  readonly text: string
  readonly column: number
  readonly row: number
}

/** Brackets below each other, each from its first round on the left to its last on the right. */
export interface BracketLayout {
  readonly games: readonly PlacedGame[]
  /** One for each corner that an earlier game feeds. */
  readonly links: readonly Link[]
  readonly headings: readonly Heading[]
  readonly columns: number
  readonly rows: number
}

/** Columns: at least the round of a game, and right of every game whose winner comes. */
const findColumns = (
  brackets: readonly Bracket[],
  feedersOf: (game: Game) => readonly Game[],
): ReadonlyMap<Game, number> => {
  const ranks = new Map(
    brackets.map(({ id, games }) => {
      const rounds = [...new Set(games.map(({ round }) => round))].sort((a, b) => a - b)
      return [id, new Map(rounds.map((round, index) => [round, index]))]
    }),
  )
  const columns = new Map<Game, number>()
  const all = brackets.flatMap(({ games }) => games)
  for (const game of inOrder(all, feedersOf)) {
    const feeders = feedersOf(game).map((source) => (columns.get(source) ?? -1) + 1)
    columns.set(game, Math.max(ranks.get(game.bracketID)?.get(game.round) ?? 0, ...feeders))
  }
  return columns
}

/** Rows of one bracket from `first` on: a game is between the games whose winners come to it. */
const findRows = (
  { games }: Bracket,
  allFeedersOf: (game: Game) => readonly Game[],
  first: number,
): ReadonlyMap<Game, number> => {
  const own = new Set(games)
  const feedersOf = (game: Game) => allFeedersOf(game).filter((each) => own.has(each))
  const continued = new Set(games.flatMap(feedersOf))
  // The last games come first, so that no lines cross; then games that only feed each other.
  const roots = [...games.filter((game) => !continued.has(game)), ...games]
  const rows = new Map<Game, number>()
  let next = first
  for (const game of inOrder(roots, feedersOf)) {
    const feeders = feedersOf(game).flatMap((each) => rows.get(each) ?? [])
    const sum = feeders.reduce((all, row) => all + row, 0)
    rows.set(game, feeders.length === 0 ? next++ : sum / feeders.length)
  }
  return rows
}

/** Rows between two brackets. */
const gapRows = 1

/** Games at the same place, which odd data can cause, are moved down. */
const spread = (games: readonly PlacedGame[]): readonly PlacedGame[] => {
  const lowest = new Map<number, number>()
  return games
    .toSorted((a, b) => a.row - b.row)
    .map((placed) => {
      const row = Math.max(placed.row, (lowest.get(placed.column) ?? Number.NEGATIVE_INFINITY) + 1)
      lowest.set(placed.column, row)
      return { ...placed, row }
    })
}

/** The elimination brackets of a tournament; without games if it has none. */
export const layOutBrackets = (tournament: Tournament): BracketLayout => {
  const shown = stagesOf(tournament.brackets).filter((stage) => !isTable(stage))
  const feeds = feedsByCorner(tournament)
  const own = new Set(shown.flatMap(({ games }) => games))
  const feedersOf = ({ red, blue }: Game): readonly Game[] =>
    [red, blue].flatMap((corner) => {
      const feed = feeds.get(corner)
      return feed?.takes === 'winner' && own.has(feed.source) ? feed.source : []
    })
  const columns = findColumns(shown, feedersOf)
  const headings: Heading[] = []
  const placed: PlacedGame[] = []
  let next = 0
  for (const bracket of shown) {
    const rows = findRows(bracket, feedersOf, next)
    const games = spread(
      bracket.games.map((game) => ({
        game,
        column: columns.get(game) ?? 0,
        row: rows.get(game) ?? next,
      })),
    )
    const titles = new Map(games.map(({ game, column }) => [column, game.roundName]))
    for (const [column, text] of titles) headings.push({ text, column, row: next })
    placed.push(...games)
    next = games.reduce((max, { row }) => Math.max(max, row + 1), next) + gapRows
  }
  const placeOf = new Map(placed.map((each) => [each.game.id, each]))
  const links = placed.flatMap((to) =>
    ([0, 1] as const).flatMap((corner): Link[] => {
      const target = corner === 0 ? to.game.red : to.game.blue
      const from = target.prevGameID
      if (from === null) return []
      const { source: game, takes = 'winner' } = feeds.get(target) ?? {}
      const source = placeOf.get(from)
      const hasLine = source !== undefined && source.column < to.column && takes === 'winner'
      const fromName = game?.name ?? from
      return [{ from, fromName, to, corner, source: hasLine ? source : undefined, takes }]
    }),
  )
  return {
    games: placed,
    links,
    headings,
    columns: placed.reduce((max, { column }) => Math.max(max, column + 1), 0),
    rows: Math.max(0, next - gapRows),
  }
}
