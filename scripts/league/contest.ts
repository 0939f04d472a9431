import type { BracketRow, GameRow, PauseRow, RoundRow, SlotRow } from '../../src/source/rows.ts'
import type { Rules } from './fight.ts'
import type { TournamentPlan } from './plan.ts'
import type { Random } from './random.ts'
import { type Bot, botNameAt } from './roster.ts'

/** One player of a tournament; a bye or a seed nobody holds yet has no bot. */
export interface Entrant {
  readonly id: string
  readonly name: string
  readonly bot: Bot | null
  readonly isBye: boolean
  seed: number | null
  isDisqualified: boolean
  /** Not to be called to the cage before. */
  restedAt: number
}

/** One side of a game, as the simulation goes on. */
export interface Corner {
  entrant: Entrant | null
  prevGameId: string | null
  score: number | null
  state: SlotRow['state']
  isReady: boolean
  tapped: boolean
  unstickTime: number | null
  showMotionTime: number | null
}

/** Where the winner or the loser of a game goes. */
interface Feed {
  readonly game: Game
  readonly corner: 0 | 1
}

/** What a game is for, which decides what follows from it. */
type Purpose =
  | 'opening'
  | 'cusp'
  | 'redemption'
  | 'bubble'
  | 'grudge'
  | 'knockout'
  | 'final'
  | 'roundRobin'

/** One game, as the simulation goes on. */
export interface Game {
  readonly id: string
  readonly purpose: Purpose
  readonly bracketId: string
  readonly roundIdx: number
  readonly position: number
  readonly name: string
  readonly scoreToWin: number
  readonly corners: readonly [Corner, Corner]
  winnerTo: Feed | null
  loserTo: Feed | null
  loserPlacement: number | null
  countdown: number | null
  state: GameRow['state']
  cage: number | null
  winAnnotation: string | null
  timerDuration: number | null
  scheduledTime: number | null
  availableSince: number | null
  calledSince: number | null
  startTime: number | null
  stopTime: number | null
  endTime: number | null
  /** When the cameras saw it begin, even where the record of the game lost the time. */
  filmedAt: number | null
  notice: string
  judgeLines: readonly string[]
  pauses: readonly Omit<PauseRow, 'gameId' | 'idx'>[]
}

/** A tournament as the simulation goes on. */
export interface Contest {
  readonly plan: TournamentPlan
  readonly opensAt: number
  /** Before this the bracket does not begin. */
  readonly bracketsFrom: number
  readonly entrants: Entrant[]
  readonly brackets: readonly BracketRow[]
  readonly rounds: RoundRow[]
  readonly games: Game[]
  /** Games with both players there, waiting for a cage. */
  readonly ready: Game[]
  /** The corners of the bracket that seeds are put in: the best first. */
  readonly seeds: readonly Feed[]
  readonly qualified: { readonly entrant: Entrant; readonly losses: number }[]
  qualifyingLeft: number
  readonly tracksMotion: boolean
  readonly random: Random
}

const emptyCorner = (): Corner => ({
  entrant: null,
  prevGameId: null,
  score: null,
  state: 'pending',
  isReady: false,
  tapped: false,
  unstickTime: null,
  showMotionTime: null,
})

const buildGame = (
  key: Pick<Game, 'id' | 'purpose' | 'bracketId' | 'roundIdx' | 'position' | 'name' | 'scoreToWin'>,
  loserPlacement: number | null = null,
): Game => ({
  ...key,
  corners: [emptyCorner(), emptyCorner()],
  winnerTo: null,
  loserTo: null,
  loserPlacement,
  countdown: 180,
  state: 'unavailable',
  cage: null,
  winAnnotation: null,
  timerDuration: null,
  scheduledTime: null,
  availableSince: null,
  calledSince: null,
  startTime: null,
  stopTime: null,
  endTime: null,
  filmedAt: null,
  notice: '',
  judgeLines: [],
  pauses: [],
})

/** Rounds of games, first round first. */
type Rounds = readonly (readonly Game[])[]

const sendWinner = (from: Game, game: Game, corner: 0 | 1) => {
  from.winnerTo = { game, corner }
  game.corners[corner].prevGameId = from.id
}

const sendLoser = (from: Game, game: Game, corner: 0 | 1) => {
  from.loserTo = { game, corner }
  game.corners[corner].prevGameId = from.id
}

const side = (index: number): 0 | 1 => (index % 2 === 0 ? 0 : 1)

/** Winners go on pairwise: games 0 and 1 to game 0 of the next round. */
const pairUp = (from: readonly Game[], to: readonly Game[]) => {
  for (const [index, game] of from.entries()) {
    const next = to[Math.floor(index / 2)]
    if (next) sendWinner(game, next, side(index))
  }
}

/** The usual seeding: the best two meet in the final, if they get there. */
const seedOrder = (size: number): readonly number[] =>
  size === 1 ? [1] : seedOrder(size / 2).flatMap((seed) => [seed, size + 1 - seed])

const knockoutName = (games: number): string =>
  ({ 1: 'Finals', 2: 'Semifinals', 4: 'Quarterfinals' })[games] ?? `Round of ${games * 2}`

/** Numbers the games of a bracket in the order in which they are added: `W-0`, `W-1`, … */
const bracketBuilder = (bracketId: string, rounds: RoundRow[], games: Game[]) => {
  let number = 0
  let roundIdx = 0
  const addGame = (
    round: number,
    position: number,
    scoreToWin: number,
    loserPlacement: number | null,
    purpose: Purpose,
  ): Game => {
    const game = buildGame(
      {
        id: `${bracketId}-${number++}`,
        purpose,
        bracketId,
        roundIdx: round,
        position,
        name: `${bracketId}:${round + 1}-${position + 1}`,
        scoreToWin,
      },
      loserPlacement,
    )
    games.push(game)
    return game
  }
  return {
    addGame,
    addRound: (
      name: string,
      count: number,
      scoreToWin: number,
      loserPlacement: number | null,
      purpose: Purpose = 'knockout',
    ): readonly Game[] => {
      const idx = roundIdx++
      rounds.push({ bracketId, idx, name, scoreToWin })
      return Array.from({ length: count }, (_, position) =>
        addGame(idx, position, scoreToWin, loserPlacement, purpose),
      )
    },
  }
}

const buildSingleElimination = (
  size: number,
  plan: TournamentPlan,
  rounds: RoundRow[],
  games: Game[],
): Rounds => {
  const { addRound, addGame } = bracketBuilder('W', rounds, games)
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
    const third = addGame(winners.length - 1, 1, plan.finalScoreToWin, 4, 'knockout')
    for (const [index, semifinal] of (winners.at(-2) ?? []).entries()) {
      sendLoser(semifinal, third, side(index))
    }
  }
  return winners
}

const buildDoubleElimination = (
  size: number,
  plan: TournamentPlan,
  rounds: RoundRow[],
  games: Game[],
): Rounds => {
  const upper = bracketBuilder('W', rounds, games)
  const lower = bracketBuilder('L', rounds, games)
  const winners: (readonly Game[])[] = []
  for (let count = size / 2; count >= 1; count /= 2) {
    winners.push(
      upper.addRound(count === 1 ? 'Winners Final' : knockoutName(count), count, 1, null),
    )
  }
  const [grandFinal] = upper.addRound('Grand Final', 1, plan.finalScoreToWin, 2, 'final')
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
    return lower.addRound(name, count, 1, places)
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

const qualifyingRounds = ['Opening', 'The Cusp', 'Redemption', 'Bubble'] as const
const grudgeRound = { bracketId: 'EX', idx: 4, name: 'Grudge Match', scoreToWin: 1 } as const
const purposes = ['opening', 'cusp', 'redemption', 'bubble'] as const

/** Two-loss qualifying for `padded` players, a multiple of four; returns its rounds. */
const buildQualifying = (
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
        purpose: purposes[idx] ?? 'opening',
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

/** Everybody against everybody, by the circle method; one list of pairs a round. */
const circle = <T>(players: readonly T[]): readonly (readonly (readonly [T, T])[])[] => {
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

const rivals = ['Lynx', 'Caldera'] as const

/** The field in drawing order: one bye at most in a group of four, old rivals beside each other. */
const drawOrder = (contest: Contest, padded: number): readonly Entrant[] => {
  const line = contest.random.shuffle(contest.entrants.filter(({ bot }) => bot))
  const [lynx, caldera] = rivals.map((name) => line.find((entrant) => entrant.name === name))
  if (lynx && caldera && contest.random.chance(0.9)) {
    for (const rival of [lynx, caldera]) line.splice(line.indexOf(rival), 1)
    line.unshift(lynx, caldera)
  }
  for (let group = 1; line.length < padded; group++) line.splice(group * 4 - 1, 0, addBye(contest))
  return line
}

const addBye = (contest: Contest): Entrant => {
  const number = contest.entrants.filter(({ isBye }) => isBye).length + 1
  const bye: Entrant = {
    id: `bye-${number}`,
    name: '(Bye)',
    bot: null,
    isBye: true,
    seed: null,
    isDisqualified: false,
    restedAt: 0,
  }
  contest.entrants.push(bye)
  return bye
}

/** Seconds from one opening fight's turn to the next. */
export const openingInterval = 120

/** The start of the five minutes in which `time` lies. */
export const floorTo5Minutes = (time: number): number => time - (time % 300)

/** Puts a player in a corner; a game whose corners are both filled waits for a cage. */
const fill = (contest: Contest, { game, corner }: Feed, entrant: Entrant, at: number) => {
  // A bye that was known from the start has ended its game when the other seed came.
  if (game.state === 'done') return
  game.corners[corner].entrant = entrant
  const [red, blue] = game.corners
  if (!red.entrant || !blue.entrant || isPlaceholder(red.entrant) || isPlaceholder(blue.entrant)) {
    return
  }
  if (red.entrant.isBye || blue.entrant.isBye) {
    const winner = red.entrant.isBye && !blue.entrant.isBye ? 1 : 0
    game.state = 'done'
    game.countdown = null
    for (const [index, own] of game.corners.entries()) {
      own.state = index === winner ? 'winner_by_default' : 'loser_by_default'
      own.score = index === winner ? game.scoreToWin : 0
      own.isReady = true
    }
    settle(contest, game, winner, at)
    return
  }
  game.availableSince = at
  if (contest.random.chance(0.7)) {
    game.scheduledTime = floorTo5Minutes(at - contest.random.int(0, 900))
  }
  contest.ready.push(game)
}

/** True for `Bracket Seed 4`. */
export const isPlaceholder = ({ bot, isBye }: Entrant): boolean => bot === null && !isBye

/** Draws what follows from a finished game: who goes on, who drops, who is seeded where. */
export const settle = (contest: Contest, game: Game, winner: 0 | 1 | null, at: number): void => {
  const [red, blue] = game.corners
  const [won, lost] = winner === 1 ? [blue.entrant, red.entrant] : [red.entrant, blue.entrant]
  const next = winner === null ? null : won
  if (game.winnerTo) fill(contest, game.winnerTo, next ?? addBye(contest), at)
  if (game.loserTo && lost) fill(contest, game.loserTo, lost, at)
  if (game.purpose === 'final' && winner === 1 && red.entrant && blue.entrant) {
    addReset(contest, game, red.entrant, blue.entrant, at)
  }
  if (!purposes.some((purpose) => purpose === game.purpose)) return
  if (next && (game.purpose === 'cusp' || game.purpose === 'bubble')) {
    contest.qualified.push({ entrant: next, losses: game.purpose === 'cusp' ? 0 : 1 })
  }
  contest.qualifyingLeft--
  if (contest.qualifyingLeft === 0) seedBracket(contest, Math.max(at, contest.bracketsFrom))
}

/** The second grand final, needed when the first was the winners' finalist's first loss. */
const addReset = (contest: Contest, final: Game, red: Entrant, blue: Entrant, at: number) => {
  const { bracketId, scoreToWin } = final
  const roundIdx = final.roundIdx + 1
  contest.rounds.push({ bracketId, idx: roundIdx, name: 'Grand Final Reset', scoreToWin })
  const number = contest.games.filter((game) => game.bracketId === 'W').length
  const reset = buildGame(
    {
      id: `W-${number}`,
      purpose: 'knockout',
      bracketId,
      roundIdx,
      position: 0,
      name: `W:${roundIdx + 1}-1`,
      scoreToWin,
    },
    2,
  )
  contest.games.push(reset)
  final.loserPlacement = null
  for (const corner of reset.corners) corner.prevGameId = final.id
  fill(contest, { game: reset, corner: 0 }, red, at)
  fill(contest, { game: reset, corner: 1 }, blue, at)
}

const strength = ({ bot }: Entrant): number => bot?.skill ?? 0

/** Ends qualifying: the qualified get their seeds, and some who are out settle a grudge. */
const seedBracket = (contest: Contest, at: number) => {
  const { entrants, qualified, random } = contest
  const seeded = qualified
    .map(({ entrant, losses }) => ({
      entrant,
      rank: losses * 10 - strength(entrant) + random.bell(),
    }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ entrant }) => entrant)
  for (const seat of entrants.filter(isPlaceholder)) entrants.splice(entrants.indexOf(seat), 1)
  const out = entrants.filter((entrant) => entrant.bot && !seeded.includes(entrant))
  for (const [index, entrant] of [...seeded, ...out].entries()) entrant.seed = index + 1
  for (const [index, seat] of contest.seeds.entries()) {
    const known = seat.game.corners[seat.corner].entrant
    fill(contest, seat, seeded[index] ?? (known?.isBye ? known : addBye(contest)), at)
  }
  if (random.chance(0.45)) {
    contest.rounds.push(grudgeRound)
    const angry = random.shuffle(out.filter(({ isDisqualified }) => !isDisqualified))
    for (let position = 0; position < random.int(1, 3); position++) {
      const [red, blue] = angry.slice(2 * position, 2 * position + 2)
      if (red && blue) addGrudge(contest, position, red, blue, at)
    }
    if (!contest.games.some(({ purpose }) => purpose === 'grudge')) contest.rounds.pop()
  }
}

const addGrudge = (contest: Contest, position: number, red: Entrant, blue: Entrant, at: number) => {
  const game = buildGame({
    id: `EX-${contest.random.hex(16)}`,
    purpose: 'grudge',
    bracketId: 'EX',
    roundIdx: grudgeRound.idx,
    position,
    name: `X-${String(position + 1).padStart(2, '0')}`,
    scoreToWin: 1,
  })
  contest.games.push(game)
  fill(contest, { game, corner: 0 }, red, at)
  fill(contest, { game, corner: 1 }, blue, at)
}

const powerOfTwo = (atLeast: number): number => 2 ** Math.ceil(Math.log2(Math.max(4, atLeast)))

const exhibition = { id: 'EX', position: 0, name: 'Exhibition', isExhibition: true } as const
const winnersBracket = { id: 'W', position: 1, name: 'Winners', isExhibition: false } as const
const losersBracket = { id: 'L', position: 2, name: 'Losers', isExhibition: false } as const

/** A tournament with its field entered and its games laid out, ready for the first fight. */
export const buildContest = (
  plan: TournamentPlan,
  bots: readonly Bot[],
  event: { readonly index: number; readonly startTime: number; readonly isTwoDays: boolean },
  random: Random,
): Contest => {
  const opensAt = event.startTime + plan.opensAfter
  const rounds: RoundRow[] = []
  const games: Game[] = []
  const hasSerialIds = random.chance(0.4)
  const ranked = bots
    .map((bot) => ({ bot, rank: random.bell() - bot.skill }))
    .sort((a, b) => a.rank - b.rank)
  const isUnseeded = plan.hasQualifying && random.chance(0.3)
  const entrants = ranked.map(
    ({ bot }, index): Entrant => ({
      id: hasSerialIds ? `p${index + 1}` : random.hex(16),
      name: botNameAt(bot, event.index),
      bot,
      isBye: false,
      seed: isUnseeded ? null : index + 1,
      isDisqualified: false,
      restedAt: 0,
    }),
  )
  const padded = Math.ceil(bots.length / 4) * 4
  const qualifying = plan.hasQualifying ? buildQualifying(padded, rounds, games, random) : []
  const [openings = []] = qualifying
  const seedCount = plan.hasQualifying ? padded / 2 : bots.length
  const size = powerOfTwo(seedCount)
  const isRoundRobin = plan.formatType === 'round_robin'
  const isDouble = plan.formatType === 'double_elimination'
  const [firstRound = []] = isRoundRobin
    ? []
    : (isDouble ? buildDoubleElimination : buildSingleElimination)(size, plan, rounds, games)
  const order = seedOrder(size)
  const seeds = Array.from({ length: size }, (_, index): readonly Feed[] => {
    const place = order.indexOf(index + 1)
    const game = firstRound[Math.floor(place / 2)]
    return game ? [{ game, corner: side(place) }] : []
  }).flat()

  const contest: Contest = {
    plan,
    opensAt,
    bracketsFrom: event.isTwoDays ? event.startTime + 86_400 : opensAt,
    entrants,
    brackets: [
      ...(plan.hasQualifying ? [exhibition] : []),
      winnersBracket,
      ...(isDouble ? [losersBracket] : []),
    ],
    rounds,
    games,
    ready: [],
    seeds,
    qualified: [],
    qualifyingLeft: qualifying.flat().length,
    tracksMotion: random.chance(0.6),
    random,
  }
  if (isRoundRobin) {
    const { addRound } = bracketBuilder('W', rounds, games)
    for (const [index, pairs] of circle([...entrants]).entries()) {
      const round = addRound(`Round ${index + 1}`, pairs.length, 1, null, 'roundRobin')
      for (const [position, game] of round.entries()) {
        const [red, blue] = pairs[position] ?? []
        const at = opensAt + index * 1500
        if (red && blue) {
          fill(contest, { game, corner: 0 }, red, at)
          fill(contest, { game, corner: 1 }, blue, at)
        }
      }
    }
  } else if (plan.hasQualifying) {
    for (const [index, { game, corner }] of seeds.entries()) {
      game.corners[corner].entrant =
        index < seedCount ? addPlaceholder(contest, index + 1) : addBye(contest)
    }
    for (const [index, entrant] of drawOrder(contest, padded).entries()) {
      const game = openings[Math.floor(index / 2)]
      const at = opensAt + Math.floor(index / 2) * openingInterval
      if (game) fill(contest, { game, corner: side(index) }, entrant, at)
    }
  } else {
    const field = [...entrants]
    for (const [index, seat] of seeds.entries()) {
      fill(contest, seat, field[index] ?? addBye(contest), opensAt)
    }
  }
  return contest
}

const addPlaceholder = (contest: Contest, seed: number): Entrant => {
  const placeholder: Entrant = {
    id: `seed-${seed}`,
    name: `Bracket Seed ${seed}`,
    bot: null,
    isBye: false,
    seed,
    isDisqualified: false,
    restedAt: 0,
  }
  contest.entrants.push(placeholder)
  return placeholder
}

const survivors = { knockout: true, redemption: true, bubble: true } as const

/** What may happen in a game besides a win. */
export const rulesOf = (game: Game): Rules => ({
  allowsDraw: game.purpose === 'grudge' || game.purpose === 'roundRobin',
  eliminates: game.purpose in survivors && game.loserTo === null,
  allowsDoubleForfeit: game.purpose === 'redemption' || game.purpose === 'bubble',
})
