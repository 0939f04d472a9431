import type { CageQueueRow, CageRow, CageRows } from '../../src/data/source/rows.ts'
import type { Game } from './brackets.ts'
import { type Contest, floorTo5Minutes, openingInterval } from './contest.ts'
import { cagesFor, type EventResult, simulateEvent } from './event.ts'
import { fullClock } from './fight.ts'
import { capturedAt } from './plan.ts'
import type { EventRoster } from './roster.ts'

/** Fights that begin by this time are over at capture. */
const lastStart = capturedAt - 640

/**
 * Simulates the event under way, placed in time so that about half of its fights have begun at
 * capture and its freestyle tournament is about to open.
 */
export const simulateEventUnderWay = (
  roster: EventRoster,
  seed: number,
): { readonly result: EventResult; readonly cages: CageRows } => {
  const { starts } = simulateEvent(roster, seed)
  const middle = starts[Math.floor(starts.length * 0.42)] ?? roster.event.startTime
  const startTime = floorTo5Minutes(capturedAt - (middle - roster.event.startTime))
  const tournaments = roster.event.tournaments.map((plan) =>
    plan.isFreestyle ? { ...plan, opensAfter: capturedAt - startTime + 1200 } : plan,
  )
  const moved = { ...roster, event: { ...roster.event, startTime, tournaments } }
  const result = simulateEvent(moved, seed, lastStart)
  return { result, cages: freeze(result) }
}

interface Waiting {
  readonly contest: Contest
  readonly game: Game
}

const suits = ({ contest }: Waiting, cage: number): boolean =>
  cagesFor[contest.plan.weightClass].some((number) => number === cage)

const isRested = ({ game }: Waiting, at: number): boolean =>
  game.corners.every(({ entrant }) => (entrant?.restedAt ?? 0) <= at)

/** Removes and returns the first match of a list, else its first entry. */
const take = (waiting: Waiting[], cage: number): Waiting | undefined => {
  const fitting = waiting.findIndex(
    (candidate) => suits(candidate, cage) && isRested(candidate, capturedAt - 180),
  )
  const [taken] = waiting.splice(Math.max(0, fitting), 1)
  if (taken) taken.contest.ready.splice(taken.contest.ready.indexOf(taken.game), 1)
  return taken
}

/** Starts a fight and leaves it under way, with the clock running or stopped. */
const begin = ({ game }: Waiting, cage: number, start: number, pausedSince: number | null) => {
  game.state = 'active'
  game.cage = cage
  game.startTime = start
  game.recordedAt = null
  game.calledSince = Math.max(game.availableSince ?? start, start - 240)
  game.countdown = fullClock
  for (const corner of game.corners) {
    corner.isReady = true
    corner.score = 0
  }
  if (pausedSince !== null) game.pauses = [{ startTime: pausedSince, stopTime: null }]
}

const call = ({ game }: Waiting, cage: number, since: number) => {
  game.state = 'called'
  game.cage = cage
  game.calledSince = Math.max(game.availableSince ?? since, since)
  game.corners[0].isReady = true
}

/** Sets the cages and all unfinished games to their state at capture. */
const freeze = ({ contests, lastGames, random }: EventResult): CageRows => {
  const waiting: Waiting[] = contests
    .flatMap((contest) => contest.ready.map((game) => ({ contest, game })))
    .filter(({ game }) => (game.availableSince ?? 0) <= lastStart + 300)
    .sort((a, b) => (a.game.availableSince ?? 0) - (b.game.availableSince ?? 0))

  const numbers = [1, 2, 4, 5, 6, 7] as const
  // Cage 7 is a spare: no further calls.
  const statuses = [
    ...random.shuffle(['active', 'paused', 'assigned', 'completed', 'idle'] as const),
    'completed',
  ] as const
  const cages = numbers.map((number, index): CageRow => {
    const status = statuses[index] ?? 'idle'
    const last = lastGames.get(number)
    const row = (at: Waiting | undefined, pausedSince: number | null, updateTime: number) => ({
      number,
      status: at ? status : 'idle',
      tournamentId: at?.contest.plan.id ?? null,
      gameId: at?.game.id ?? null,
      pausedSince,
      updateTime,
    })
    if (status === 'completed') return row(last, null, last?.game.endTime ?? lastStart)
    if (status === 'idle') return row(undefined, null, (last?.game.endTime ?? lastStart) + 90)
    const taken = take(waiting, number)
    if (!taken) return row(undefined, null, lastStart)
    if (status === 'assigned') {
      const since = capturedAt - random.int(60, 200)
      call(taken, number, since)
      return row(taken, null, since)
    }
    const start = capturedAt - random.int(60, 165)
    const pausedSince = status === 'paused' ? capturedAt - random.int(10, 45) : null
    begin(taken, number, start, pausedSince)
    return row(taken, pausedSince, pausedSince ?? start)
  })

  // Cage 3 is not set up today.
  cages.splice(2, 0, {
    number: 3,
    status: 'idle',
    tournamentId: null,
    gameId: null,
    pausedSince: null,
    updateTime: lastStart - 86_400,
  })

  const cageQueue: CageQueueRow[] = []
  const queueLength = (cage: number) => cageQueue.filter((row) => row.cage === cage).length
  for (const [index, { contest, game }] of waiting.entries()) {
    game.state = index === 3 ? 'hold' : 'available'
    const [cage] = [...cagesFor[contest.plan.weightClass]].sort(
      (a, b) => queueLength(a) - queueLength(b),
    )
    if (index === 3 || cage === undefined || queueLength(cage) >= 4) continue
    if (index < 3) call({ contest, game }, cage, capturedAt - random.int(20, 150))
    cageQueue.push({
      cage,
      position: queueLength(cage),
      tournamentId: contest.plan.id,
      gameId: game.id,
    })
  }

  for (const contest of contests) schedule(contest)
  return {
    cages,
    cageQueue: cageQueue.sort((a, b) => a.cage - b.cage || a.position - b.position),
  }
}

/** Sets the states and times of games that have not been called. */
const schedule = (contest: Contest) => {
  const isLater = (game: Game) => (game.availableSince ?? 0) > capturedAt
  for (const game of contest.ready) {
    if (isLater(game)) {
      game.scheduledTime = floorTo5Minutes((game.availableSince ?? 0) + 299)
      game.availableSince = null
    } else if (game.state === 'unavailable') {
      game.state = 'available'
    }
  }
  const openings = contest.games.filter(({ purpose }) => purpose === 'opening').length
  const from = Math.max(capturedAt, contest.opensAt + openings * openingInterval) + 900
  const open = contest.games.filter(
    (game) => game.state === 'unavailable' && !contest.ready.includes(game),
  )
  for (const [index, game] of open.entries()) {
    if (index % 7 !== 6) game.scheduledTime = floorTo5Minutes(from + index * 130)
  }
}
