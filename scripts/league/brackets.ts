import { nullsOf } from '../../src/data/source/fields.ts'
import { GameRow, type PauseRow, type RoundRow, SlotRow } from '../../src/data/source/rows.ts'
import type { TournamentPlan } from './plan.ts'
import type { Random } from './random.ts'
import type { Bot } from './roster.ts'

/** One player of a tournament; a bye or an undecided seed has no bot. */
export interface Entrant {
  readonly id: string
  readonly name: string
  readonly bot: Bot | null
  readonly isBye: boolean
  seed: number | null
  isDisqualified: boolean
  /** Earliest time of the next call to the cage. */
  restedAt: number
}

/** Mutable state of one side of a game. */
export interface Corner extends Omit<SlotRow, 'gameId' | 'idx' | 'playerId'> {
  entrant: Entrant | null
}

/** Next slot of the winner or the loser of a game. */
export interface Feed {
  readonly game: Game
  readonly corner: 0 | 1
}

/** Purpose of a game, which determines its consequences. */
type Purpose =
  | 'opening'
  | 'cusp'
  | 'redemption'
  | 'bubble'
  | 'grudge'
  | 'knockout'
  | 'final'
  | 'roundRobin'

/** Mutable state of one game. */
export interface Game extends Omit<GameRow, 'cage'> {
  readonly purpose: Purpose
  readonly scoreToWin: number
  readonly corners: readonly [Corner, Corner]
  winnerTo: Feed | null
  loserTo: Feed | null
  cage: number | null
  /** Actual start, even if the record of the game has none. */
  recordedAt: number | null
  judgeLines: readonly string[]
  pauses: readonly Omit<PauseRow, 'gameId' | 'idx'>[]
}

const emptyCorner = (): Corner => ({
  ...nullsOf(SlotRow),
  entrant: null,
  state: 'pending',
  isReady: false,
  tapped: false,
})

/** A game in its initial state. */
export const buildGame = (
  key: Pick<Game, 'id' | 'purpose' | 'bracketId' | 'roundIdx' | 'position' | 'name' | 'scoreToWin'>,
  loserPlacement: number | null = null,
): Game => ({
  ...nullsOf(GameRow),
  ...key,
  corners: [emptyCorner(), emptyCorner()],
  winnerTo: null,
  loserTo: null,
  loserPlacement,
  countdown: 180,
  state: 'unavailable',
  recordedAt: null,
  notice: '',
  judgeLines: [],
  pauses: [],
})

/** Rounds of games, first round first. */
type Rounds = readonly (readonly Game[])[]

const sender =
  (to: 'winnerTo' | 'loserTo') =>
  (from: Game, game: Game, corner: 0 | 1): void => {
    from[to] = { game, corner }
    game.corners[corner].prevGameId = from.id
  }
const [sendWinner, sendLoser] = [sender('winnerTo'), sender('loserTo')]

/** Games with an even number fill the red corner of the next game, odd ones the blue. */
export const side = (index: number): 0 | 1 => (index % 2 === 0 ? 0 : 1)

/** Winners go on pairwise: games 0 and 1 to game 0 of the next round. */
const pairUp = (from: readonly Game[], to: readonly Game[]) => {
  for (const [index, game] of from.entries()) {
    const next = to[Math.floor(index / 2)]
    if (next) sendWinner(game, next, side(index))
  }
}

/** Standard seeding: the two best seeds can meet only in the final. */
export const seedOrder = (size: number): readonly number[] =>
  size === 1 ? [1] : seedOrder(size / 2).flatMap((seed) => [seed, size + 1 - seed])

const knockoutName = (games: number): string =>
  ({ 1: 'Finals', 2: 'Semifinals', 4: 'Quarterfinals' })[games] ?? `Round of ${games * 2}`

/** Makes a function that adds a round to a bracket, whose games are numbered in that order: `W-0`, `W-1`, … */
export const roundAdder = (bracketId: string, rounds: RoundRow[], games: Game[]) => {
  let number = 0
  let roundIdx = 0
  return (
    name: string,
    count: number,
    scoreToWin: number,
    loserPlacement: number | null,
    purpose: Purpose = 'knockout',
  ): readonly Game[] => {
    const idx = roundIdx++
    rounds.push({ bracketId, idx, name, scoreToWin })
    const round = Array.from({ length: count }, (_, position) =>
      buildGame(
        {
          id: `${bracketId}-${number++}`,
          purpose,
          bracketId,
          roundIdx: idx,
          position,
          name: `${bracketId}:${idx + 1}-${position + 1}`,
          scoreToWin,
        },
        loserPlacement,
      ),
    )
    games.push(...round)
    return round
  }
}

/** Lays out bracket `W` for `size` seeds, a power of two; returns its rounds up to the final. */
export const buildSingleElimination = (
  size: number,
  plan: TournamentPlan,
  rounds: RoundRow[],
  games: Game[],
): Rounds => {
  const addRound = roundAdder('W', rounds, games)
  const winners: (readonly Game[])[] = []
  for (let count = size / 2; count >= 1; count /= 2) {
    const isFinal = count === 1
    const placement = count === 2 && plan.hasThirdPlace ? null : count + 1
    winners.push(
      addRound(knockoutName(count), count, isFinal ? plan.finalScoreToWin : 1, placement),
    )
  }
  for (const [index, round] of winners.entries()) pairUp(round, winners[index + 1] ?? [])
  if (plan.hasThirdPlace) {
    // Third place has a bracket of its own: the final is the only game in the last round of its bracket.
    const [third] = roundAdder('T', rounds, games)('Third Place', 1, 1, 4)
    for (const [index, semifinal] of (winners.at(-2) ?? []).entries()) {
      if (third) sendLoser(semifinal, third, side(index))
    }
  }
  return winners
}

/** Lays out brackets `W` and `L` and a grand final; returns the rounds of the winners. */
export const buildDoubleElimination = (
  size: number,
  plan: TournamentPlan,
  rounds: RoundRow[],
  games: Game[],
): Rounds => {
  const addUpper = roundAdder('W', rounds, games)
  const addLower = roundAdder('L', rounds, games)
  const winners: (readonly Game[])[] = []
  for (let count = size / 2; count >= 1; count /= 2) {
    winners.push(addUpper(count === 1 ? 'Winners Final' : knockoutName(count), count, 1, null))
  }
  const [grandFinal] = addUpper('Grand Final', 1, plan.finalScoreToWin, 2, 'final')
  const counts = winners.slice(1).flatMap(({ length }) => [length, length])
  const losers = counts.map((count, index) => {
    const places = counts.slice(index + 1).reduce((sum, later) => sum + later, 3)
    const fromEnd = counts.length - index
    const name =
      fromEnd === 1
        ? 'Losers Final'
        : fromEnd === 2
          ? 'Losers Semifinal'
          : `Losers Round ${index + 1}`
    return addLower(name, count, 1, places)
  })
  for (const [index, round] of winners.entries()) {
    pairUp(round, winners[index + 1] ?? [])
    const drop = losers[index === 0 ? 0 : 2 * index - 1] ?? []
    for (const [position, game] of round.entries()) {
      // The first losers meet each other; later ones, from the far end, the survivors below.
      const target = drop[index === 0 ? Math.floor(position / 2) : drop.length - 1 - position]
      if (target) sendLoser(game, target, index === 0 ? side(position) : 1)
    }
  }
  for (const [index, round] of losers.entries()) {
    const next = losers[index + 1] ?? []
    if (next.length < round.length) pairUp(round, next)
    else
      for (const [position, game] of round.entries()) {
        const target = next[position]
        if (target) sendWinner(game, target, 0)
      }
  }
  const [winnersFinal] = winners.at(-1) ?? []
  const [losersFinal] = losers.at(-1) ?? []
  if (grandFinal && winnersFinal && losersFinal) {
    sendWinner(winnersFinal, grandFinal, 0)
    sendWinner(losersFinal, grandFinal, 1)
  }
  return winners
}

/** Purposes of the qualifying rounds, in order. */
export const qualifyingPurposes = ['opening', 'cusp', 'redemption', 'bubble'] as const

const qualifyingRounds = ['Opening', 'The Cusp', 'Redemption', 'Bubble'] as const

/** Two-loss qualifying for `padded` players, a multiple of four; returns its rounds. */
export const buildQualifying = (
  padded: number,
  rounds: RoundRow[],
  games: Game[],
  random: Random,
): Rounds => {
  const all = qualifyingRounds.map((name, idx) => {
    rounds.push({ bracketId: 'EX', idx, name, scoreToWin: 1 })
    return Array.from({ length: idx === 0 ? padded / 2 : padded / 4 }, (_, position) =>
      buildGame({
        id: `EX-${random.hex(16)}`,
        purpose: qualifyingPurposes[idx] ?? 'opening',
        bracketId: 'EX',
        roundIdx: idx,
        position,
        name: `Q${idx + 1}-${String(position + 1).padStart(2, '0')}`,
        scoreToWin: 1,
      }),
    )
  })
  games.push(...all.flat())
  const [openings = [], cusps = [], redemptions = [], bubbles = []] = all
  for (const [index, game] of openings.entries()) {
    const [cusp, redemption] = [cusps[index >> 1], redemptions[index >> 1]]
    if (cusp) sendWinner(game, cusp, side(index))
    if (redemption) sendLoser(game, redemption, side(index))
  }
  for (const [index, bubble] of bubbles.entries()) {
    const [cusp, redemption] = [cusps[index], redemptions[(index + 1) % redemptions.length]]
    if (cusp) sendLoser(cusp, bubble, 0)
    if (redemption) sendWinner(redemption, bubble, 1)
  }
  return all
}

/** Round robin by the circle method; one list of pairs per round. */
export const circle = <T>(players: readonly T[]): readonly (readonly (readonly [T, T])[])[] => {
  const [fixed, ...others] = players.length % 2 === 0 ? players : [...players, null]
  return others.map((_, turn) => {
    const line = [fixed, ...others.slice(turn), ...others.slice(0, turn)]
    return line.slice(0, line.length / 2).flatMap((red, index) => {
      const blue = line[line.length - 1 - index]
      return red !== null && red !== undefined && blue !== null && blue !== undefined
        ? [[red, blue] as const]
        : []
    })
  })
}

/** Size of a bracket for this number of seeds. */
export const powerOfTwo = (atLeast: number): number =>
  2 ** Math.ceil(Math.log2(Math.max(4, atLeast)))
