import type { BracketRow } from '../../../src/data/source/rows.ts'
import type { ImportedTournament } from '../target/imported.ts'
import { byeID } from './roster.ts'

export type Game = NonNullable<ImportedTournament['games']>[number]
export type Slot = NonNullable<ImportedTournament['slots']>[number]

/** A game with something at stake. */
interface Bout {
  readonly id: string
  readonly round: string
  readonly isDone: boolean
  readonly players: readonly string[]
  /** Loser of the game; undefined if nobody lost to another. */
  readonly loser: string | undefined
}

/** The elimination of a tournament. */
interface Knockout {
  readonly active: boolean
  readonly formatType: NonNullable<BracketRow['formatType']>
  /** Ids of brackets that eliminate nobody: exhibitions and tables. */
  readonly others: ReadonlySet<string>
}

const boutsOf = (
  games: readonly Game[],
  slots: readonly Slot[],
  { others }: Knockout,
): readonly Bout[] => {
  const byGame = Map.groupBy(slots, ({ gameId }) => gameId)
  return games.flatMap(({ id, bracketId, roundIdx, state }) => {
    if (others.has(bracketId ?? '')) return []
    const own = byGame.get(id) ?? []
    return [
      {
        id,
        round: JSON.stringify([bracketId, roundIdx]),
        isDone: state === 'done',
        players: own.flatMap(({ playerId }) => (playerId === byeID ? [] : (playerId ?? []))),
        loser: own.find((slot) => slot.state === 'loser')?.playerId ?? undefined,
      },
    ]
  })
}

/** Reason why places do not follow from the fights: the fight concerned, and what to write instead. */
export interface Unplaced {
  readonly gameId?: string
  readonly reason: string
}

/**
 * Place of the loser, by id, for each game of an elimination after which a bot is out, and for a game for third place,
 * which both keep if nobody wins it. Bots that are out in the same round share a place. Empty while more than one bot
 * is left, and if rounds do not tell who was out when.
 */
const losersPlaces = (
  bouts: readonly Bout[],
  { formatType, active }: Knockout,
): ReadonlyMap<string, number> | Unplaced => {
  const limit = formatType === 'double_elimination' ? 2 : 1
  const losses = new Map<string, number>()
  /** The game after which each bot is out. */
  const out = new Map<string, Bout>()
  const consolations: Bout[] = []
  const winners = new Map<string, Set<string>>()
  let last: Bout | undefined
  for (const bout of bouts) {
    const { id, players, loser, round, isDone } = bout
    if (players.some((player) => out.has(player))) {
      if (isDone) consolations.push(bout)
      continue
    }
    if (!isDone) return { gameId: id, reason: 'this fight has no result: write its winner' }
    if (loser === undefined) continue
    last = bout
    const number = (losses.get(loser) ?? 0) + 1
    losses.set(loser, number)
    if (number === limit) out.set(loser, bout)
    const ofRound = winners.getOrInsertComputed(round, () => new Set())
    for (const player of players) if (player !== loser) ofRound.add(player)
  }
  // A double forfeit of the last two leaves their places open.
  const final = bouts.findLast(({ players }) => !players.some((player) => out.has(player)))
  const undecidedFinal = final?.isDone && final.loser === undefined ? final : undefined
  const bots = new Set(bouts.flatMap(({ players }) => players))
  const left = winners.size === 0 ? 0 : bots.size - out.size
  const lastLoser = last?.loser
  // A final without a reset that an unbeaten bot lost.
  if (left === 2 && !active && last && lastLoser !== undefined && !out.has(lastLoser)) {
    out.set(lastLoser, last)
  } else if (left !== 1 && !(left === 2 && undecidedFinal)) {
    const names = [...bots.difference(out)].slice(0, 5).join(', ')
    const hint = 'write the fights that are missing, and the right format'
    return { reason: `${left} bots are left at its end (${names}): ${hint}` }
  }
  const rounds = Map.groupBy(out, ([, { round }]) => round)
  const places = new Map<string, number>()
  let ahead = bots.size - out.size
  if (undecidedFinal && ahead === 2) places.set(undecidedFinal.id, 2)
  for (const [round, ending] of [...rounds].reverse()) {
    const both = ending.find(([loser]) => winners.get(round)?.has(loser))
    if (ending.length > 1 && both) {
      const reason = 'its loser won a fight of the same round: write the round of each fight'
      return { gameId: both[1].id, reason }
    }
    for (const [, { id }] of ending) places.set(id, ahead + 1)
    ahead += ending.length
  }
  for (const { id, players, loser } of consolations) {
    const isForThird = players.every((player) => places.get(out.get(player)?.id ?? '') === 3)
    if (!isForThird) {
      const reason = 'one of its bots was out before: write EX as its bracket, or the right winners'
      return { gameId: id, reason }
    }
    // A walkover has a winner and no loser.
    places.set(id, loser === undefined && players.length > 1 ? 3 : 4)
  }
  return places
}

/**
 * Adds consequences of the order of fights of an elimination: the game from which each player comes, which is its
 * last one before in the file, and the places of players who are out.
 */
export const withLinks = (
  knockout: Knockout,
  games: readonly Game[],
  slots: readonly Slot[],
): {
  readonly games: readonly Game[]
  readonly slots: readonly Slot[]
  readonly unplaced?: Unplaced
} => {
  if (knockout.formatType === 'round_robin' || knockout.formatType === 'swiss')
    return { games, slots }
  const brackets = new Map(games.map(({ id, bracketId }) => [id, bracketId]))
  const lastGames = new Map<string, string>()
  const linked = slots.map((slot): Slot => {
    const { gameId, playerId } = slot
    if (!playerId || playerId === byeID || knockout.others.has(brackets.get(gameId) ?? ''))
      return slot
    const prevGameId = lastGames.get(playerId) ?? null
    lastGames.set(playerId, gameId)
    return { ...slot, prevGameId }
  })
  const places = losersPlaces(boutsOf(games, slots, knockout), knockout)
  const placeOf = (id: string): number | null =>
    'reason' in places ? null : (places.get(id) ?? null)
  return {
    slots: linked,
    games: games.map((game) => ({ ...game, loserPlacement: placeOf(game.id) })),
    ...('reason' in places && { unplaced: places }),
  }
}
