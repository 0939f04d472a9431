import { compareTexts } from '../../runtime/compareTexts.ts'
import type { BracketRow, TournamentRows } from '../source/rows.ts'
import type { Bracket, Game, Player, Tournament } from './types.ts'

/** True if a table decides a stage (groups, round robin, Swiss system) and not who is out. */
export const isTable = ({ formatType }: Pick<Bracket, 'formatType'>): boolean =>
  formatType === 'round_robin' || formatType === 'swiss'

/** Brackets with something at stake. */
export const stagesOf = (brackets: readonly Bracket[]): readonly Bracket[] =>
  brackets.filter(({ isExhibition, games }) => !isExhibition && games.length > 0)

/** A line of the table of a stage. */
export interface Standing {
  readonly player: Player
  /** Rank, from 1; equal records share one: 1, 2, 2, 4. */
  readonly rank: number
  readonly wins: number
  readonly losses: number
  /** Completed fights without a winner. */
  readonly draws: number
}

interface Tally extends Omit<Standing, 'rank'> {
  /** Wins against bots with the same number of wins. */
  readonly winsAmongEqual: number
}

/** Only fights count: a bye is no win. */
const tallyOf = (games: readonly Game[]): readonly Tally[] => {
  const fights = games.filter((game) => game.isFight && game.isCompleted)
  const tallies = new Map<string, { -readonly [Name in keyof Tally]: Tally[Name] }>()
  for (const { red, blue } of games) {
    for (const { player } of [red, blue]) {
      if (!player?.isBot) continue
      const none = { player, wins: 0, losses: 0, draws: 0, winsAmongEqual: 0 }
      tallies.getOrInsert(player.id, none)
    }
  }
  const sidesOf = ({ red, blue }: Game) => [
    { own: red, other: blue },
    { own: blue, other: red },
  ]
  for (const { own, other } of fights.flatMap(sidesOf)) {
    const tally = tallies.get(own.player?.id ?? '')
    if (!tally) continue
    if (own.isWinner) tally.wins += 1
    else if (other.isWinner) tally.losses += 1
    else tally.draws += 1
  }
  for (const { own, other } of fights.flatMap(sidesOf)) {
    const tally = tallies.get(own.player?.id ?? '')
    const beaten = tallies.get(other.player?.id ?? '')
    if (own.isWinner && tally && tally.wins === beaten?.wins) tally.winsAmongEqual += 1
  }
  return [...tallies.values()]
}

const byRecord = (a: Tally, b: Tally): number =>
  b.wins - a.wins || b.winsAmongEqual - a.winsAmongEqual || a.losses - b.losses

/**
 * The table of a stage, which also decides its places: by wins, then wins against bots with as many wins, then fewer
 * losses. Tied bots share a rank and are sorted by name.
 */
export const standingsOf = ({ games }: Pick<Bracket, 'games'>): readonly Standing[] => {
  const sorted = tallyOf(games).toSorted(
    (a, b) => byRecord(a, b) || compareTexts(a.player.name, b.player.name),
  )
  let rank = 0
  return sorted.map((tally, index) => {
    const above = sorted[index - 1]
    if (!above || byRecord(above, tally) !== 0) rank = index + 1
    const { winsAmongEqual, ...record } = tally
    return { ...record, rank }
  })
}

/**
 * Exhibition brackets that bots qualify in: their games are linked, or they come before every other stage. `linked`
 * holds the brackets with a linked game.
 */
export const qualifyingBrackets = (
  brackets: readonly Pick<BracketRow, 'id' | 'position' | 'isExhibition'>[],
  linked: ReadonlySet<string>,
): ReadonlySet<string> => {
  const others = brackets.filter(({ isExhibition }) => !isExhibition)
  const first = Math.min(...others.map(({ position }) => position))
  return new Set(
    brackets.flatMap(({ id, position, isExhibition }) =>
      isExhibition && (position < first || linked.has(id)) ? [id] : [],
    ),
  )
}

type Rows = Pick<TournamentRows, 'tournament' | 'brackets' | 'games' | 'slots'>

/**
 * First round of each bracket whose bots follow from earlier results: after qualifying, from a table, in a Swiss
 * system.
 */
export const qualifiedRounds = (rows: Rows): ReadonlyMap<string, number> => {
  const formatOf = ({ formatType }: BracketRow) => ({
    formatType: formatType ?? rows.tournament.formatType,
  })
  const used = new Set(rows.games.map(({ bracketId }) => bracketId))
  const played = rows.brackets.filter(({ id }) => used.has(id))
  const stages = played
    .filter(({ isExhibition }) => !isExhibition)
    .sort((a, b) => a.position - b.position)
  const bracketOf = new Map(rows.games.map(({ id, bracketId }) => [id, bracketId]))
  const linked = new Set(
    rows.slots.flatMap(({ gameId, prevGameId }) =>
      prevGameId === null ? [] : (bracketOf.get(gameId) ?? []),
    ),
  )
  if (qualifyingBrackets(played, linked).size > 0) return new Map(stages.map(({ id }) => [id, 0]))
  const from = new Map(
    stages.flatMap((stage) => (formatOf(stage).formatType === 'swiss' ? [[stage.id, 1]] : [])),
  )
  if (!stages.some((stage) => isTable(formatOf(stage)))) return from
  const bots = Map.groupBy(rows.slots, ({ gameId }) => bracketOf.get(gameId))
  const seen = new Set<string>()
  for (const stage of stages) {
    const own = new Set(bots.get(stage.id)?.flatMap(({ playerId }) => playerId ?? []))
    if (!seen.isDisjointFrom(own)) from.set(stage.id, 0)
    if (isTable(formatOf(stage))) for (const id of own) seen.add(id)
  }
  return from
}

/** True if a tournament is inactive and has had fights. */
export const isOver = ({ info, completedFights }: Tournament): boolean =>
  !info.active && completedFights > 0
