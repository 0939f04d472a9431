import type { TournamentRow } from '../../../src/source/rows.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { isExhibitionId } from '../target/references.ts'

export type Game = NonNullable<ImportedTournament['games']>[number]
export type Slot = NonNullable<ImportedTournament['slots']>[number]

/** Defeats after which a bot is out. */
const maxLosses = { single_elimination: 1, double_elimination: 2 } as const

/** A game with a winner and a loser. */
interface Decided {
  readonly id: string
  readonly round: string
  readonly winner: string
  readonly loser: string
}

const decidedGames = (games: readonly Game[], slots: readonly Slot[]): readonly Decided[] => {
  const byGame = Map.groupBy(slots, ({ gameId }) => gameId)
  return games.flatMap(({ id, bracketId, roundIdx }) => {
    const own = byGame.get(id) ?? []
    const winner = own.find(({ state }) => state === 'winner')?.playerId
    const loser = own.find(({ state }) => state === 'loser')?.playerId
    if (!winner || !loser || isExhibitionId(bracketId)) return []
    return [{ id, round: JSON.stringify([bracketId, roundIdx]), winner, loser }]
  })
}

/**
 * The place of the loser, by id, of each game of an elimination after which a bot is out, and of a game for the
 * third place. Who is out in the same round shares a place. Empty while more than one bot is left, and where rounds
 * do not tell who was out when.
 */
const losersPlaces = (decided: readonly Decided[], limit: number): ReadonlyMap<string, number> => {
  const losses = new Map<string, number>()
  const out = new Map<string, Decided>()
  const consolations: Decided[] = []
  for (const game of decided) {
    if (out.has(game.winner) || out.has(game.loser)) {
      consolations.push(game)
      continue
    }
    const number = (losses.get(game.loser) ?? 0) + 1
    losses.set(game.loser, number)
    if (number === limit) out.set(game.loser, game)
  }
  const left = new Set(decided.flatMap(({ winner, loser }) => [winner, loser])).size - out.size
  const last = decided.findLast((game) => !consolations.includes(game))
  // A final without a reset, which an unbeaten bot lost.
  if (left === 2 && last && !out.has(last.loser)) out.set(last.loser, last)
  else if (left !== 1) return new Map()
  const rounds = Map.groupBy(out.values(), ({ round }) => round)
  const places = new Map<string, number>()
  let ahead = 1
  for (const [round, ending] of [...rounds].reverse()) {
    const losers = new Set(ending.map(({ loser }) => loser))
    const hasWinner = decided.some((game) => game.round === round && losers.has(game.winner))
    if (losers.size > 1 && hasWinner) return new Map()
    for (const { id } of ending) places.set(id, ahead + 1)
    ahead += losers.size
  }
  for (const { id, winner, loser } of consolations) {
    const [one, other] = [winner, loser].map((player) => places.get(out.get(player)?.id ?? ''))
    if (one !== 3 || other !== 3 || ahead < 4) return new Map()
    places.set(id, 4)
  }
  return places
}

/**
 * Adds what the order of fights tells of an elimination: the game from which each player comes, its last one
 * before in the file, and the places of those who are out.
 */
export const withLinks = (
  formatType: TournamentRow['formatType'] | undefined,
  games: readonly Game[],
  slots: readonly Slot[],
): { readonly games: readonly Game[]; readonly slots: readonly Slot[] } => {
  if (formatType === 'round_robin') return { games, slots }
  const brackets = new Map(games.map(({ id, bracketId }) => [id, bracketId]))
  const lastGames = new Map<string, string>()
  const linked = slots.map((slot): Slot => {
    const { gameId, playerId } = slot
    if (!playerId || isExhibitionId(brackets.get(gameId) ?? '')) return slot
    const prevGameId = lastGames.get(playerId) ?? null
    lastGames.set(playerId, gameId)
    return { ...slot, prevGameId }
  })
  const places = losersPlaces(
    decidedGames(games, slots),
    maxLosses[formatType ?? 'single_elimination'],
  )
  return {
    slots: linked,
    games: games.map((game) => ({ ...game, loserPlacement: places.get(game.id) ?? null })),
  }
}
