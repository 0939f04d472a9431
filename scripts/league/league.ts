import type { CageRows, TournamentRows } from '../../src/data/source/rows.ts'
import { simulateEventUnderWay } from './capture.ts'
import { type EventResult, simulateEvent } from './event.ts'
import { type Counters, eventMedia } from './media.ts'
import { capturedAt, planEvents, proportionsOf, type Scale } from './plan.ts'
import { createRandom } from './random.ts'
import { drawRosters, type EventRoster } from './roster.ts'
import { toRows } from './toRows.ts'

export { parseScale, type Scale, scaleNames } from './plan.ts'

/** A generated league: all events up to one under way. */
export interface League extends CageRows {
  /** Capture time in Unix seconds. */
  readonly capturedAt: number
  readonly tournamentCount: number
  /** Tournaments in order of events; simulated lazily, again by each iteration. */
  readonly tournaments: Iterable<TournamentRows>
}

/** Resets a tournament to before the draw: players registered, games empty. */
const clearDraw = (result: EventResult): EventResult => {
  for (const { plan, games } of result.contests) {
    for (const game of games) {
      game.availableSince = null
      game.scheduledTime = null
      if (plan.hasQualifying && game.purpose === 'opening') {
        for (const corner of game.corners) corner.entrant = null
      }
    }
  }
  return result
}

/** Generates a league. Equal options give equal rows. */
export const generateLeague = ({ seed, scale }: { seed: number; scale: Scale }): League => {
  const random = createRandom(seed)
  const events = planEvents(scale, random)
  const { bots, cameras } = proportionsOf(scale)
  const rosterSeed = random.seed()
  const eventSeeds = events.map(() => random.seed())
  const rosters = () => drawRosters(events, bots, rosterSeed)
  const seedOf = ({ event }: EventRoster) => eventSeeds[event.index] ?? 0

  const play = (roster: EventRoster): EventResult => {
    const { phase } = roster.event
    if (phase === 'underWay') return simulateEventUnderWay(roster, seedOf(roster)).result
    const result = simulateEvent(roster, seedOf(roster))
    return phase === 'upcoming' ? clearDraw(result) : result
  }

  function* tournaments(): Generator<TournamentRows> {
    const counters: Counters = { recordingId: 100_000, stillId: 1000 }
    for (const roster of rosters()) {
      const result = play(roster)
      const eventRandom = createRandom(seedOf(roster) ^ 0x5bd1e995)
      const media = eventMedia(result, cameras, counters, eventRandom.seed())
      for (const [index, contest] of result.contests.entries()) {
        const own = media[index]
        if (own) yield toRows(contest, result.event, own, eventRandom)
      }
    }
  }

  // The cages need the entrants of the event under way, but none of the earlier fights.
  let cages: CageRows = { cages: [], cageQueue: [] }
  for (const roster of rosters()) {
    if (roster.event.phase === 'underWay') {
      cages = simulateEventUnderWay(roster, seedOf(roster)).cages
      break
    }
  }
  return {
    capturedAt,
    ...cages,
    tournamentCount: events.reduce((sum, event) => sum + event.tournaments.length, 0),
    tournaments: { [Symbol.iterator]: tournaments },
  }
}
