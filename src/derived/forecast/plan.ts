import { findMeetings, resultOf } from '../../data/league/placements.ts'
import { feedsOf, inOrder } from '../../data/league/progression.ts'
import { isTable, stagesOf } from '../../data/league/stages.ts'
import type { Corner, Game, Player, Tournament } from '../../data/league/types.ts'

/**
 * Source of a corner: the index of a bot, or `bots.length + 2 * index` for the winner of an open game and one
 * more for its loser.
 */
export type Seat = number

/** Seat that stays empty: the other corner advances without a fight, so no open game has this seat. */
const nobody: Seat = -1

/** A game to be played. */
export interface OpenGame {
  readonly red: Seat
  readonly blue: Seat
  /** Index of its round; -1 for a second grand final that is not listed. */
  readonly round: number
  /** A second grand final is played unless one of its bots has lost twice. */
  readonly isSecond: boolean
}

export interface PlannedRound {
  readonly bracketID: string
  readonly idx: number
  readonly name: string
}

/** The open part of a bracket. */
export interface Plan {
  readonly bots: readonly Player[]
  readonly rounds: readonly PlannedRound[]
  /** Each game after the games that feed it. */
  readonly games: readonly OpenGame[]
  /** Bots that come to a round without a fight in it. */
  readonly walkovers: readonly { readonly seat: Seat; readonly round: number }[]
  /** True if a bot is in a round whatever the open games bring, at `round * bots.length + bot`. */
  readonly reached: Uint8Array
  /** Number of games lost by each bot. */
  readonly losses: Uint16Array
  /** Seat of the winner, or most wins; undefined if nobody can win any more. */
  readonly winner: { readonly seat: Seat } | Table | undefined
}

/** Reason why a bracket cannot be played out, as a sentence without capital and full stop. */
export interface Refusal {
  readonly reason: string
}

const unknownBots: Refusal = { reason: 'the bots of its first fights are not known yet' }

/** Maximum number of open games: 10,000 runs of them take about a second of CPU time. */
const maxOpenGames = 2000

interface Result {
  readonly winner: Seat
  readonly loser: Seat
}

const isRefusal = (value: object): value is Refusal => 'reason' in value

/** The rest of an elimination bracket. */
const planElimination = (
  { info, brackets }: Tournament,
  bots: readonly Player[],
  all: readonly Game[],
): Plan | Refusal => {
  const { seconds, refights } = findMeetings(all)
  const counted = all.filter(({ id }) => !refights.has(id))
  const feeds = feedsOf(all).map((feed) => ({
    ...feed,
    source: refights.get(feed.source.id) ?? feed.source,
  }))
  const feedsByTarget = Map.groupBy(feeds, ({ target }) => target)
  const sourcesOf = (game: Game): readonly Game[] =>
    (feedsByTarget.get(game) ?? []).flatMap(({ source }) => (source === game ? [] : [source]))
  const waysOut = new Set<string>()
  for (const { source, target, takes } of feeds) {
    if (source === target) continue
    const way = JSON.stringify([source.id, takes])
    if (waysOut.has(way)) return { reason: 'its links do not say where the winners go' }
    waysOut.add(way)
  }

  const leadsOn = (game: Game): boolean => waysOut.has(JSON.stringify([game.id, 'winner']))
  const placeOf = (game: Game): number => game.loserPlacement ?? Number.MAX_SAFE_INTEGER
  const [final, other] = counted
    .filter((game) => !leadsOn(game))
    .sort((a, b) => placeOf(a) - placeOf(b))
  if (!final) return { reason: 'its fights lead back to each other' }
  if (other && placeOf(other) === placeOf(final))
    return { reason: 'more than one of its fights could be the final' }

  const botSeats = new Map(bots.map(({ id }, index) => [id, index]))
  const toFinal = new Set(inOrder([final], sourcesOf))
  const rounds: PlannedRound[] = []
  const roundAt = new Map<string, number>()
  for (const { bracketID, round, roundName } of counted) {
    const key = JSON.stringify([bracketID, round])
    if (roundAt.has(key)) continue
    roundAt.set(key, rounds.length)
    rounds.push({ bracketID, idx: round, name: roundName })
  }
  const reached = new Uint8Array(rounds.length * bots.length)
  const losses = new Uint16Array(bots.length)
  const results = new Map<Game, Result>()
  const games: OpenGame[] = []
  const walkovers: { readonly seat: Seat; readonly round: number }[] = []

  const seatOf = (game: Game, corner: Corner, index: 0 | 1): Seat | undefined => {
    const { player } = corner
    if (player) return player.isBye ? nobody : botSeats.get(player.id)
    const feed = feedsByTarget.get(game)?.find((each) => each.corner === index)
    const result = feed && results.get(feed.source)
    return feed && result ? result[feed.takes] : game.state === 'done' ? nobody : undefined
  }
  const isOut = (seat: Seat): boolean => (losses[seat] ?? 0) >= 2
  const isNeedless = (red: Seat, blue: Seat): boolean => isOut(red) || isOut(blue)
  /** Plays a game, or advances a bot that has no opponent. */
  const play = (red: Seat, blue: Seat, round: number, isSecond: boolean): Result => {
    const isFought = red !== nobody && blue !== nobody
    if (!isFought || (isSecond && isNeedless(red, blue))) {
      const [winner, loser] = red === nobody || (isSecond && isOut(red)) ? [blue, red] : [red, blue]
      if (winner >= bots.length) walkovers.push({ seat: winner, round })
      return { winner, loser }
    }
    const winner = bots.length + 2 * games.length
    games.push({ red, blue, round, isSecond })
    return { winner, loser: winner + 1 }
  }

  const secondGames = new Set(seconds.values())
  for (const game of inOrder(counted, sourcesOf)) {
    const [red, blue] = [seatOf(game, game.red, 0), seatOf(game, game.blue, 1)]
    if (red === undefined || blue === undefined) return unknownBots
    const isSecond = secondGames.has(game)
    const round = roundAt.get(JSON.stringify([game.bracketID, game.round])) ?? -1
    const result = resultOf(game, [red, blue], nobody)
    // A second grand final that was not needed can be done without a winner.
    const isUnfought = isSecond && result?.winner === nobody && isNeedless(red, blue)
    const known = isUnfought ? undefined : result
    results.set(game, known ?? play(red, blue, round, isSecond))
    if (known && toFinal.has(game) && known.loser !== nobody)
      losses[known.loser] = (losses[known.loser] ?? 0) + 1
    if (isSecond && !known) continue
    for (const seat of [red, blue]) {
      if (seat >= 0 && seat < bots.length) reached[round * bots.length + seat] = 1
    }
  }
  const end = results.get(final)
  if (!end) return { reason: 'its fights lead back to each other' }
  // Event software lists the second grand final once the first one has made it necessary.
  const mayFollow =
    brackets.find(({ id }) => id === final.bracketID)?.formatType === 'double_elimination' &&
    !secondGames.has(final) &&
    (info.active || final.state !== 'done')
  const { winner } = mayFollow ? play(end.winner, end.loser, -1, true) : end
  return {
    bots,
    rounds,
    games,
    walkovers,
    reached,
    losses,
    winner: winner === nobody ? undefined : { seat: winner },
  }
}

/** Indexes of the winner and the loser of a fight. */
export interface Meeting {
  readonly winner: number
  readonly loser: number
}

/** The decided fights of a round robin. */
export interface Table {
  readonly wins: Uint16Array
  readonly meetings: readonly Meeting[]
}

/** The rest of a round robin, which has no rounds to reach. */
const planRoundRobin = (bots: readonly Player[], all: readonly Game[]): Plan | Refusal => {
  const seats = new Map(bots.map((bot, index) => [bot, index]))
  const wins = new Uint16Array(bots.length)
  const losses = new Uint16Array(bots.length)
  const meetings: Meeting[] = []
  const meet = (winner: number, loser: number): void => {
    meetings.push({ winner, loser })
    wins[winner] = (wins[winner] ?? 0) + 1
    losses[loser] = (losses[loser] ?? 0) + 1
  }
  const pairs = new Set<number>()
  const present = new Set<number>()
  const games: OpenGame[] = []
  for (const game of all) {
    const { state } = game
    if (game.red.player?.isBye || game.blue.player?.isBye) continue
    if (!game.isFight) return unknownBots
    const [red, blue] = [game.red, game.blue].map(({ player }) => seats.get(player))
    if (red === undefined || blue === undefined) continue
    present.add(red).add(blue)
    pairs.add(Math.min(red, blue) * bots.length + Math.max(red, blue))
    if (state !== 'done') games.push({ red, blue, round: -1, isSecond: false })
    else if (game.red.isWinner) meet(red, blue)
    else if (game.blue.isWinner) meet(blue, red)
  }
  if (pairs.size < (present.size * (present.size - 1)) / 2)
    return { reason: 'not all of its pairings are known' }
  return {
    bots,
    rounds: [],
    games,
    walkovers: [],
    reached: new Uint8Array(),
    losses,
    winner: { wins, meetings },
  }
}

/** The open part of a bracket, by the links between its games, without exhibition fights and qualifying. */
export const buildPlan = (tournament: Tournament): Plan | Refusal => {
  const { brackets, players } = tournament
  const stages = stagesOf(brackets)
  if (stages.length === 0) return { reason: 'it has no bracket yet' }
  const knockout = stages.filter((stage) => !isTable(stage))
  const isRoundRobin = knockout.length === 0
  const played = isRoundRobin ? stages : knockout
  const bots = players.flatMap(({ player }) => (player.isBot ? [player] : []))
  const all = played.flatMap(({ games }) => games)
  if (isRoundRobin && played.length > 1) return { reason: 'it has several groups' }
  if (isRoundRobin && played[0]?.formatType === 'swiss')
    return { reason: 'the pairings of a Swiss system follow from its results' }
  const plan = isRoundRobin ? planRoundRobin(bots, all) : planElimination(tournament, bots, all)
  return !isRefusal(plan) && plan.games.length > maxOpenGames
    ? { reason: `more than ${maxOpenGames} of its fights are open` }
    : plan
}
