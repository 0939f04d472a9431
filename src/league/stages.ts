import type { BracketRow, TournamentRows } from '../source/rows.ts'
import type { Bracket, Game, Player, Tournament } from './types.ts'

/** Whether a stage is decided by a table, as groups, a round robin and a Swiss system are, and not by who is out. */
export const isTable = ({ formatType }: Pick<Bracket, 'formatType'>): boolean =>
  formatType === 'round_robin' || formatType === 'swiss'

/** Brackets in which something is at stake. */
export const stagesOf = (brackets: readonly Bracket[]): readonly Bracket[] =>
  brackets.filter(({ isExhibition, games }) => !isExhibition && games.length > 0)

/** A line of the table of a stage. */
export interface Standing {
  readonly player: Player
  /** Equal records share one: 1, 2, 2, 4. */
  readonly rank: number
  readonly wins: number
  readonly losses: number
  /** Completed fights without a winner. */
  readonly draws: number
}

type Tally = { player: Player; wins: number; losses: number; draws: number }

const tallyOf = (games: readonly Game[]): readonly Tally[] => {
  const tallies = new Map<string, Tally>()
  const sides = [
    ['red', 'blue'],
    ['blue', 'red'],
  ] as const
  for (const game of games) {
    for (const [own, other] of sides) {
      const { player } = game[own]
      if (!player?.isBot) continue
      const none = { player, wins: 0, losses: 0, draws: 0 }
      const tally = tallies.getOrInsert(player.id, none)
      if (game[own].isWinner) tally.wins += 1
      else if (game[other].isWinner) tally.losses += 1
      else if (game.isCompleted) tally.draws += 1
    }
  }
  return [...tallies.values()]
}

/** The table of a stage: more wins first, then fewer losses, then by name. */
export const standingsOf = ({ games }: Pick<Bracket, 'games'>): readonly Standing[] => {
  const sorted = tallyOf(games).toSorted(
    (a, b) => b.wins - a.wins || a.losses - b.losses || (a.player.name < b.player.name ? -1 : 1),
  )
  let rank = 0
  return sorted.map((tally, index) => {
    const above = sorted[index - 1]
    if (above?.wins !== tally.wins || above.losses !== tally.losses) rank = index + 1
    return { ...tally, rank }
  })
}

type Rows = Pick<TournamentRows, 'tournament' | 'brackets' | 'games' | 'slots'>

/** By bracket, the first round whose bots follow from results before: of qualifying, of a table, of a Swiss system. */
export const qualifiedRounds = (rows: Rows): ReadonlyMap<string, number> => {
  const formatOf = ({ formatType }: BracketRow) => ({
    formatType: formatType ?? rows.tournament.formatType,
  })
  const used = new Set(rows.games.map(({ bracketId }) => bracketId))
  const played = rows.brackets.filter(({ id }) => used.has(id))
  const stages = played
    .filter(({ isExhibition }) => !isExhibition)
    .sort((a, b) => a.position - b.position)
  if (stages.length < played.length) return new Map(stages.map(({ id }) => [id, 0]))
  const from = new Map(
    stages.flatMap((stage) => (formatOf(stage).formatType === 'swiss' ? [[stage.id, 1]] : [])),
  )
  if (!stages.some((stage) => isTable(formatOf(stage)))) return from
  const bracketOf = new Map(rows.games.map(({ id, bracketId }) => [id, bracketId]))
  const bots = Map.groupBy(rows.slots, ({ gameId }) => bracketOf.get(gameId))
  const seen = new Set<string>()
  for (const stage of stages) {
    const own = new Set(bots.get(stage.id)?.flatMap(({ playerId }) => playerId ?? []))
    if (!seen.isDisjointFrom(own)) from.set(stage.id, 0)
    if (isTable(formatOf(stage))) for (const id of own) seen.add(id)
  }
  return from
}

/** Whether a tournament is inactive and has had fights. */
export const isOver = ({ info, completedFights }: Tournament): boolean =>
  !info.active && completedFights > 0
