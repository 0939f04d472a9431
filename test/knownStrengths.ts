import { createRandom } from '../scripts/league/random.ts'
import type { Bout } from '../src/derived/ratings/bouts.ts'
import { calibrationOf } from '../src/derived/ratings/calibration.ts'
import { createFilter } from '../src/derived/ratings/filter.ts'
import { bandDeviations } from '../src/derived/ratings/points.ts'
import { driftVariance, emptyState } from '../src/derived/ratings/state.ts'

/** A league whose strengths are known. Strengths are logarithms of odds; drift is per year. */
interface KnownLeague {
  readonly seed: number
  readonly width: number
  readonly drift: number
  readonly form: number
  /** Gain of a bot over its first fights. */
  readonly growth: number
  /** Bots with equal numbers of wins at an event meet if true, else anybody. */
  readonly meetsEquals: boolean
  /** Standard deviation of the strength that the bots of a team share; 0 by default. */
  readonly team?: number
  /** Multiple of years, events and bots; 1 by default. */
  readonly length?: number
}

interface KnownBot {
  readonly team: number
  strength: number
  fights: number
}

const ratingClass = 3
const botsPerTeam = 5
const perEvent = 64
const yearSeconds = 365.25 * 86_400

/** Eight years of a league that a new bot joins every five days; bots are named by number. */
const fightKnownLeague = ({ seed, team = 0, length = 1, ...league }: KnownLeague) => {
  const [years, events, bots] = [8 * length, 60 * length, 600 * length]
  const random = createRandom(seed)
  const ofTeams = createRandom(seed + 1000)
  const teams = Array.from({ length: bots / botsPerTeam }, () => team * ofTeams.bell() * Math.SQRT2)
  const known: KnownBot[] = []
  const bouts: Bout[] = []
  const grown = (fights: number): number => league.growth * (1 - Math.exp(-fights / 2))
  for (let event = 0; event < events; event += 1) {
    for (const bot of known) {
      bot.strength += league.drift * Math.sqrt(years / events) * random.bell() * Math.SQRT2
    }
    while (known.length < (bots * (event + 3)) / (events + 2)) {
      const own = league.width * random.bell() * Math.SQRT2
      const team = 1 + (known.length % (bots / botsPerTeam))
      known.push({ team, strength: own + (teams[team - 1] ?? 0), fights: 0 })
    }
    const entrants = random
      .shuffle(known.map((bot, number) => ({ bot, number })))
      .slice(0, perEvent)
      .map((entrant) => ({
        ...entrant,
        form: league.form * random.bell() * Math.SQRT2,
        wins: 0,
      }))
    for (let round = 0; round < 4; round += 1) {
      const order = random.shuffle(entrants)
      if (league.meetsEquals) order.sort((a, b) => b.wins - a.wins)
      for (let pair = 0; pair + 1 < order.length; pair += 2) {
        const [red, blue] = order.slice(pair, pair + 2)
        if (!red || !blue) continue
        const strengthOf = ({ bot, form }: typeof red) => bot.strength + form + grown(bot.fights)
        const redWins = random.chance(1 / (1 + Math.exp(strengthOf(blue) - strengthOf(red))))
        const finishUnix =
          1_400_000_000 + Math.round((event * years * yearSeconds) / events) + round * 3600 + pair
        bouts.push({
          ratingClass,
          red: { cleanName: `${red.number}`, team: `${red.bot.team}` },
          blue: { cleanName: `${blue.number}`, team: `${blue.bot.team}` },
          score: redWins ? 1 : 0,
          startUnix: null,
          endUnix: finishUnix,
        })
        for (const { bot } of [red, blue]) bot.fights += 1
        ;(redWins ? red : blue).wins += 1
      }
    }
  }
  return {
    bouts,
    /** Strengths of the bots that have fought, by name, at the end. */
    strengths: new Map(
      known.flatMap(({ strength, fights }, number) =>
        fights === 0 ? [] : [[`${number}`, strength + grown(fights)] as const],
      ),
    ),
  }
}

/** Share of bots whose 95 % band holds their known strength, all bands shifted by the mean difference. */
const bandCoverage = (league: KnownLeague): number => {
  const { bouts, strengths } = fightKnownLeague(league)
  const filter = createFilter(emptyState, [])
  for (const bout of bouts) filter.take(bout)
  const state = filter.state()
  const bots = state.classes.get(ratingClass)?.bots
  const bands = [...strengths].map(([name, truth]) => {
    const bot = bots?.get(name)
    const { mean, variance } = bot?.strength ?? { mean: 0, variance: 0 }
    const elapsed = state.presentUnix - (bot?.lastUnix ?? 0)
    return {
      difference: mean - truth,
      deviation: Math.sqrt(variance + driftVariance(state, elapsed)),
    }
  })
  const shift = bands.reduce((sum, { difference }) => sum + difference, 0) / bands.length
  const held = bands.filter(
    ({ difference, deviation }) => Math.abs(difference - shift) <= bandDeviations * deviation,
  )
  return held.length / bands.length
}

/**
 * Mean share over leagues of each kind: a single one is off by 2 points by chance, like its estimates of drift and
 * form.
 */
export const bandCoverages = (
  changes: Partial<KnownLeague> = {},
  leaguesOfKind = 8,
): readonly number[] =>
  knownLeagues.map((league) => {
    const own = Array.from({ length: leaguesOfKind }, (_, index) =>
      bandCoverage({ ...league, seed: league.seed + 100 * index, ...changes }),
    )
    return own.reduce((sum, share) => sum + share, 0) / own.length
  })

/** Mean log loss of all fights. */
const logLossOf = (bouts: readonly Bout[]): number => {
  const filter = createFilter(emptyState, [])
  const foretold = bouts.map((bout) => ({
    chances: [filter.take(bout).chance],
    redWon: bout.score === 1,
  }))
  return calibrationOf(foretold).scores[0]?.logLoss ?? 0
}

/** Gain in log loss from the teams of the bots, which share a strength. */
export const gainByTeams = (league: KnownLeague): number => {
  const { bouts } = fightKnownLeague(league)
  const without = bouts.map((bout) => ({
    ...bout,
    red: { ...bout.red, team: null },
    blue: { ...bout.blue, team: null },
  }))
  return logLossOf(without) - logLossOf(bouts)
}

export const knownLeagues = [
  { seed: 1, width: 1, drift: 0.3, form: 0, growth: 0.4, meetsEquals: true },
  { seed: 2, width: 0.5, drift: 0.2, form: 0.3, growth: 0.2, meetsEquals: true },
  { seed: 3, width: 1, drift: 0.3, form: 0.7, growth: 0.6, meetsEquals: false },
  { seed: 4, width: 1.5, drift: 0.4, form: 0.5, growth: 0.3, meetsEquals: true },
  { seed: 5, width: 0.8, drift: 0.15, form: 0.5, growth: 0.5, meetsEquals: false },
] as const
