import type { BracketRow, RoundRow } from '../../src/data/source/rows.ts'
import {
  buildDoubleElimination,
  buildGame,
  buildQualifying,
  buildSingleElimination,
  circle,
  type Entrant,
  type Feed,
  type Game,
  powerOfTwo,
  qualifyingPurposes,
  roundAdder,
  seedOrder,
  side,
} from './brackets.ts'
import type { Rules } from './fight.ts'
import { rivals } from './names.ts'
import type { TournamentPlan } from './plan.ts'
import type { Random } from './random.ts'
import { type Bot, botNameAt } from './roster.ts'

/** Mutable state of a tournament. */
export interface Contest {
  readonly plan: TournamentPlan
  readonly opensAt: number
  /** Earliest start of the bracket. */
  readonly bracketsFrom: number
  readonly entrants: Entrant[]
  readonly brackets: readonly BracketRow[]
  readonly rounds: RoundRow[]
  readonly games: Game[]
  /** Games with both players, waiting for a cage. */
  readonly ready: Game[]
  /** Corners of the bracket by seed, best first. */
  readonly seeds: readonly Feed[]
  readonly qualified: { readonly entrant: Entrant; readonly losses: number }[]
  qualifyingLeft: number
  readonly tracksMotion: boolean
  readonly random: Random
}

const grudgeRound = { bracketId: 'EX', idx: 4, name: 'Grudge Match', scoreToWin: 1 } as const

/** Entrants in drawing order: at most one bye per group of four, rivals adjacent. */
const drawOrder = (contest: Contest, padded: number): readonly Entrant[] => {
  const line = contest.random.shuffle(contest.entrants.filter(({ bot }) => bot))
  const [first, second] = rivals.map((name) => line.find((entrant) => entrant.name === name))
  if (first && second && contest.random.chance(0.9)) {
    for (const rival of [first, second]) line.splice(line.indexOf(rival), 1)
    line.unshift(first, second)
  }
  for (let group = 1; line.length < padded; group++) line.splice(group * 4 - 1, 0, addBye(contest))
  return line
}

const entrantOf = (
  own: Pick<Entrant, 'id' | 'name' | 'seed'> & Partial<Pick<Entrant, 'bot' | 'isBye'>>,
): Entrant => ({ bot: null, isBye: false, isDisqualified: false, restedAt: 0, ...own })

const addBye = (contest: Contest): Entrant => {
  const number = contest.entrants.filter(({ isBye }) => isBye).length + 1
  const bye = entrantOf({ id: `bye-${number}`, name: '(Bye)', isBye: true, seed: null })
  contest.entrants.push(bye)
  return bye
}

const addPlaceholder = (contest: Contest, seed: number): Entrant => {
  const placeholder = entrantOf({ id: `seed-${seed}`, name: `Bracket Seed ${seed}`, seed })
  contest.entrants.push(placeholder)
  return placeholder
}

/** Seconds between two opening fights. */
export const openingInterval = 120

/** The start of the five minutes around `time`. */
export const floorTo5Minutes = (time: number): number => time - (time % 300)

/** Puts a player in a corner; a game with both corners filled waits for a cage. */
const fill = (contest: Contest, { game, corner }: Feed, entrant: Entrant, at: number) => {
  // A game with a known bye is already over.
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

/** Applies the result of a finished game: advances, drops and seeds players. */
export const settle = (contest: Contest, game: Game, winner: 0 | 1 | null, at: number): void => {
  const [red, blue] = game.corners
  const [won, lost] = winner === 1 ? [blue.entrant, red.entrant] : [red.entrant, blue.entrant]
  const next = winner === null ? null : won
  if (game.winnerTo) fill(contest, game.winnerTo, next ?? addBye(contest), at)
  if (game.loserTo && lost) fill(contest, game.loserTo, lost, at)
  if (game.purpose === 'final' && winner === 1 && red.entrant && blue.entrant) {
    addReset(contest, game, red.entrant, blue.entrant, at)
  }
  if (!qualifyingPurposes.some((purpose) => purpose === game.purpose)) return
  if (next && (game.purpose === 'cusp' || game.purpose === 'bubble')) {
    contest.qualified.push({ entrant: next, losses: game.purpose === 'cusp' ? 0 : 1 })
  }
  contest.qualifyingLeft--
  if (contest.qualifyingLeft === 0) seedBracket(contest, Math.max(at, contest.bracketsFrom))
}

/** The second grand final, which follows if the winners' finalist lost the first. */
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

/** Ends qualifying: assigns seeds to the qualified, and grudge matches to some of the others. */
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

const brackets: readonly BracketRow[] = [
  ['EX', 'Exhibition'] as const,
  ['W', 'Winners'] as const,
  ['L', 'Losers'] as const,
  ['T', 'Third Place'] as const,
].map(([id, name], position) => {
  return { id, position, name, isExhibition: id === 'EX', formatType: null }
})

/** Creates a tournament with its entrants and games, ready for the first fight. */
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
  const entrants = ranked.map(({ bot }, index) =>
    entrantOf({
      id: hasSerialIds ? `p${index + 1}` : random.hex(16),
      name: botNameAt(bot, event.index),
      bot,
      seed: isUnseeded ? null : index + 1,
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
    // The rounds of a round robin follow below.
    brackets: brackets.filter(
      ({ id }) => id === 'W' || rounds.some(({ bracketId }) => bracketId === id),
    ),
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
    const addRound = roundAdder('W', rounds, games)
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

const survivors = { knockout: true, redemption: true, bubble: true } as const

/** Outcomes of a game other than a win. */
export const rulesOf = (game: Game): Rules => ({
  allowsDraw: game.purpose === 'grudge' || game.purpose === 'roundRobin',
  eliminates: game.purpose in survivors && game.loserTo === null,
  allowsDoubleForfeit: game.purpose === 'redemption' || game.purpose === 'bubble',
})
