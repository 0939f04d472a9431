import type { Game } from './brackets.ts'
import { buildContest, type Contest, rulesOf, settle } from './contest.ts'
import { fight, fullClock, type Outcome } from './fight.ts'
import { createRandom, type Random } from './random.ts'
import type { EventRoster } from './roster.ts'

/** Cages of a weight class; heavy ones need the bigger cages. */
export const cagesFor = { 30: [1, 2], 12: [1, 2, 4], 3: [2, 4, 5, 6] } as const satisfies Record<
  30 | 12 | 3,
  readonly number[]
>

/** Seconds of a day from the first call to the last start. */
const daySeconds = 13 * 3600

/**
 * Delays of an event: safety checks and a drivers' meeting before the first fight, a break for lunch on
 * most days, slow and fast crews, robots that are not ready, cages under repair.
 */
const createPace = (eventStart: number, random: Random) => {
  const days: {
    readonly opensAt: number
    readonly breakAt: number
    readonly breakSeconds: number
  }[] = []
  const crews = new Map<number, number>()
  const dayAt = (index: number) => {
    while (days.length <= index) {
      const start = eventStart + days.length * 86_400
      days.push({
        opensAt: start + random.int(5, 40) * 60,
        breakAt: start + random.int(200, 290) * 60,
        breakSeconds: random.chance(0.75) ? random.int(30, 60) * 60 : 0,
      })
    }
    return days[index] ?? { opensAt: 0, breakAt: 0, breakSeconds: 0 }
  }
  const crewOf = (cage: number): number =>
    crews.getOrInsertComputed(cage, () => Math.exp(0.2 * random.bell()))
  return {
    /** The first time from `time` on at which a cage can begin a fight. */
    opensAt: (cage: number, time: number): number => {
      const sinceStart = Math.max(0, time - eventStart)
      const isOver = sinceStart % 86_400 > daySeconds
      const day = Math.floor(sinceStart / 86_400) + (isOver ? 1 : 0)
      const { opensAt, breakAt, breakSeconds } = dayAt(day)
      const restart = cage * 45
      const from = Math.max(time, opensAt + restart)
      return from >= breakAt && from < breakAt + breakSeconds + restart
        ? breakAt + breakSeconds + restart
        : from
    },
    /** Seconds from the end of a fight until its cage is free: the floor is swept and cameras are restarted. */
    gapAfter: (cage: number, byDefault: boolean): number => {
      if (byDefault) return random.int(60, 150)
      const gap = Math.round((150 + random.int(0, 120)) * crewOf(cage))
      return random.chance(0.014) ? gap + random.int(12, 45) * 60 : gap
    },
    /** Seconds by which a fight begins after its cage is free, as a robot is late. */
    lateness: (): number => (random.chance(0.08) ? random.int(120, 600) : 0),
    /** Seconds by which a fight is moved back; usually 0. */
    postponement: (): number => (random.chance(0.025) ? random.int(15, 40) * 60 : 0),
  }
}

type Pace = ReturnType<typeof createPace>

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
const time = (
  game: Game,
  start: number,
  lateness: number,
  outcome: Outcome,
  random: Random,
): number => {
  game.calledSince = Math.max(game.availableSince ?? start, start - lateness - random.int(150, 480))
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
  pace: Pace,
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
        const start = pace.opensAt(cage, Math.max(ready, freeAt.get(cage) ?? 0))
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
) => {
  const random = createRandom(seed)
  const contests = event.tournaments.map((plan, index) =>
    buildContest(plan, entries[index] ?? [], event, random),
  )
  const freeAt = new Map<number, number>()
  /** Last game in each cage, by number. */
  const lastGames = new Map<number, { contest: Contest; game: Game }>()
  /** Starts of the fights, in order. */
  const starts: number[] = []
  const pace = createPace(event.startTime, createRandom(seed ^ 0x14))
  const postponed = new Set<Game>()
  while (event.phase !== 'upcoming') {
    const next = nextGame(contests, event.extraCages, freeAt, pace)
    if (!next) break
    const { contest, game, cage } = next
    const [red, blue] = [game.corners[0].entrant, game.corners[1].entrant]
    const lateness = pace.lateness()
    if (next.start + lateness > until || !red?.bot || !blue?.bot) break
    const wait = postponed.has(game) ? 0 : pace.postponement()
    postponed.add(game)
    if (wait > 0) {
      red.restedAt = next.start + wait
      continue
    }
    contest.ready.splice(contest.ready.indexOf(game), 1)
    const outcome = fight(red.bot, blue.bot, rulesOf(game), random)
    const start = next.start + lateness
    const end = time(game, start, lateness, outcome, random)
    game.cage = cage
    record(contest, game, outcome, random)
    starts.push(start)
    lastGames.set(cage, { contest, game })
    freeAt.set(cage, end + pace.gapAfter(cage, outcome.byDefault))
    for (const player of [red, blue]) player.restedAt = end + 1200 + random.int(0, 300)
    settle(contest, game, outcome.winner, end)
  }
  return { event, contests, lastGames, starts, random }
}
/** Simulated state of an event. */
export type EventResult = ReturnType<typeof simulateEvent>
