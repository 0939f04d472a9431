import type { Game } from './brackets.ts'
import { buildContest, type Contest, rulesOf, settle } from './contest.ts'
import { fight, fullClock, type Outcome } from './fight.ts'
import type { EventPlan } from './plan.ts'
import { createRandom, type Random } from './random.ts'
import type { EventRoster } from './roster.ts'

/** Simulated state of an event. */
export interface EventResult {
  readonly event: EventPlan
  readonly contests: readonly Contest[]
  /** Last game in each cage, by number. */
  readonly lastGames: ReadonlyMap<number, { readonly contest: Contest; readonly game: Game }>
  /** When each fight began, in order. */
  readonly starts: readonly number[]
  readonly random: Random
}

/** Cages of a weight class; heavy ones need the bigger cages. */
export const cagesFor = { 30: [1, 2], 12: [1, 2, 4], 3: [2, 4, 5, 6] } as const satisfies Record<
  30 | 12 | 3,
  readonly number[]
>

/** Seconds of a day from the first call to the last start. */
const daySeconds = 13 * 3600

/** The time, moved to the next morning if it is too late. */
const withinHours = (time: number, eventStart: number): number => {
  const sinceStart = time - eventStart
  const isLate = sinceStart % 86_400 > daySeconds
  return isLate ? eventStart + (Math.floor(sinceStart / 86_400) + 1) * 86_400 : time
}

const notices = [
  'Rematch after technical problems.',
  'Restarted after a door sensor fault.',
  'Result confirmed after video review.',
] as const

const pausesOf = (start: number, clock: number, random: Random): Game['pauses'] => {
  if (clock < 10 || !random.chance(0.045)) return []
  const first = start + random.int(2, clock - 4)
  const firstStop = first + random.int(8, 60)
  if (!random.chance(0.2)) return [{ startTime: first, stopTime: firstStop }]
  const second = firstStop + 1
  return [
    { startTime: first, stopTime: firstStop },
    { startTime: second, stopTime: second + random.int(8, 50) },
  ]
}

const record = (contest: Contest, game: Game, outcome: Outcome, random: Random) => {
  const { winner, annotation, byDefault } = outcome
  game.state = 'done'
  game.winAnnotation = annotation
  game.judgeLines = outcome.judgeLines
  for (const [index, corner] of game.corners.entries()) {
    const hasWon = index === winner
    const plain = hasWon ? 'winner' : winner === null ? 'tie' : 'loser'
    corner.state = byDefault ? (hasWon ? 'winner_by_default' : 'loser_by_default') : plain
    corner.score = hasWon ? game.scoreToWin : byDefault ? 0 : random.int(0, game.scoreToWin - 1)
    corner.isReady = true
    corner.tapped = annotation === 'TO' && !hasWon
    if (contest.tracksMotion && !byDefault) {
      corner.unstickTime = random.chance(0.12) ? random.int(1, 20) : 0
      corner.showMotionTime = random.chance(0.15) ? random.int(1, 10) : 0
    }
    if (annotation === 'DQ' && !hasWon && corner.entrant) corner.entrant.isDisqualified = true
  }
}

/** Sets the times of a fight, or of a no-show; returns its end. */
const time = (game: Game, start: number, outcome: Outcome, random: Random): number => {
  game.calledSince = Math.max(game.availableSince ?? start, start - random.int(150, 480))
  game.countdown = fullClock
  game.timerDuration = outcome.clock
  game.pauses = pausesOf(start, outcome.clock, random)
  const paused = game.pauses.reduce(
    (sum, { startTime, stopTime }) => sum + (stopTime ?? 0) - startTime,
    0,
  )
  const stop = start + outcome.clock + paused
  const end = stop + random.int(4, 60)
  game.recordedAt = start
  // Some clocks are finer than a second.
  game.startTime =
    outcome.clock > 0 && random.chance(0.02) ? start + random.int(1, 999) / 1000 : start
  game.stopTime = stop
  game.endTime = end
  if (outcome.byDefault && random.chance(0.4)) {
    game.startTime = null
    game.recordedAt = null
    game.timerDuration = null
    if (random.chance(0.4)) {
      game.stopTime = null
      game.endTime = null
    }
  } else if (!outcome.byDefault && random.chance(0.003)) {
    game.stopTime = null
    game.endTime = null
  }
  if (random.chance(game.pauses.length > 0 ? 0.2 : 0.006)) game.notice = random.pick(notices)
  return end
}

/**
 * The next game to begin with its time and cage: the earliest possible, then the longest waiting.
 */
const nextGame = (
  contests: readonly Contest[],
  extraCages: readonly number[],
  freeAt: ReadonlyMap<number, number>,
) => {
  let best: { contest: Contest; game: Game; cage: number; start: number } | undefined
  for (const contest of contests) {
    const { weightClass } = contest.plan
    const cages = [...cagesFor[weightClass], ...(weightClass === 3 ? extraCages : [])]
    for (const game of contest.ready) {
      const [red, blue] = game.corners
      const waitingSince = game.availableSince ?? 0
      const ready = Math.max(
        waitingSince + 240,
        red.entrant?.restedAt ?? 0,
        blue.entrant?.restedAt ?? 0,
      )
      for (const cage of cages) {
        const start = Math.max(ready, freeAt.get(cage) ?? 0)
        if (
          !best ||
          start < best.start ||
          (start === best.start && waitingSince < (best.game.availableSince ?? 0))
        ) {
          best = { contest, game, cage, start }
        }
      }
    }
  }
  return best
}

/**
 * Simulates an event, one fight after the other in order of start, until all are decided or no
 * fight begins by `until`. The same seed gives the same event, shifted in time with
 * `event.startTime`.
 */
export const simulateEvent = (
  { event, entries }: EventRoster,
  seed: number,
  until = Number.POSITIVE_INFINITY,
): EventResult => {
  const random = createRandom(seed)
  const contests = event.tournaments.map((plan, index) =>
    buildContest(plan, entries[index] ?? [], event, random),
  )
  const freeAt = new Map<number, number>()
  const lastGames = new Map<number, { contest: Contest; game: Game }>()
  const starts: number[] = []
  while (event.phase !== 'upcoming') {
    const next = nextGame(contests, event.extraCages, freeAt)
    if (!next) break
    const { contest, game, cage } = next
    const start = withinHours(next.start, event.startTime)
    const [red, blue] = [game.corners[0].entrant, game.corners[1].entrant]
    if (start > until || !red?.bot || !blue?.bot) break
    contest.ready.splice(contest.ready.indexOf(game), 1)
    const outcome = fight(red.bot, blue.bot, rulesOf(game), random)
    const end = time(game, start, outcome, random)
    game.cage = cage
    record(contest, game, outcome, random)
    starts.push(start)
    lastGames.set(cage, { contest, game })
    // The floor is swept and the cameras of the next fight run for up to 105 seconds before it.
    freeAt.set(cage, end + 150 + random.int(0, 120))
    for (const player of [red, blue]) player.restedAt = end + 1200 + random.int(0, 300)
    settle(contest, game, outcome.winner, end)
  }
  return { event, contests, lastGames, starts, random }
}
