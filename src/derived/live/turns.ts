import type { Fight, FightCorner } from '../../data/league/types.ts'
import {
  breakTurns,
  type Day,
  type Pace,
  remaining,
  repairOf,
  shrunk,
  withoutBreaks,
} from './pace.ts'

/** State of an event at a time. */
export interface EventState {
  readonly day: Day
  /** Waiting fights in their order, by number of their cage. */
  readonly queues: ReadonlyMap<number, readonly Fight[]>
  /** Fights in no queue. */
  readonly others: readonly Fight[]
  readonly isCalled: (fight: Fight) => boolean
}

/** The place of a fight in a cage. */
export interface Turn {
  /** Start in Unix seconds. */
  readonly start: number
  readonly cage: number
  /** Number of fights of that cage before it. */
  readonly ahead: number
  /** Seconds from one start in the cage to the next. */
  readonly seconds: number
  /** True if the cage has a break, so that the start is not known. */
  readonly isPaused: boolean
}

/** A cage and the fights placed in it so far. */
interface Lane {
  readonly number: number
  readonly name: string
  readonly seconds: number
  readonly isPaused: boolean
  /** True if no fight is under way in it. */
  readonly isFree: boolean
  /** Time at which its next fight can begin. */
  freeAt: number
  ahead: number
}

/** The cages in use. */
const lanesOf = (
  { day, queues, isCalled }: EventState,
  pace: Pace,
  now: number,
): readonly Lane[] => {
  const { spans, gaps, lastIn } = day
  const meanGap = (values: readonly number[], prior: number): number => {
    const sorted = withoutBreaks(values)
    const sum = sorted.reduce((total, value) => total + value, 0)
    return shrunk(sum, sorted.length, prior, pace.priorGaps)
  }
  const eventGap = meanGap([...gaps.values()].flat(), pace.gap)
  const pauseSeconds = breakTurns * (pace.length + eventGap)
  /** Time at which the event began, or went on after its last break. */
  let resumedAt = spans[0]?.start ?? 0
  let lastStart = resumedAt
  for (const { start } of spans) {
    if (start - lastStart > pauseSeconds) resumedAt = start
    lastStart = start
  }
  const lanes: Lane[] = []
  for (const [number, queue] of queues) {
    const name = `Cage ${number}`
    const last = lastIn.get(name)
    const gap = meanGap(gaps.get(name) ?? [], eventGap)
    // A call to the cage is a sign of life, even before its first fight of the day.
    const [next] = queue
    const calledAt = next && isCalled(next) ? (next.calledUnix ?? 0) : 0
    const elapsed = now - Math.max(last?.stop ?? last?.start ?? 0, resumedAt)
    const isPaused = now - calledAt > pauseSeconds && elapsed > pauseSeconds
    const isFree = last?.stop !== null
    const left = isFree
      ? remaining(pace.gaps, elapsed, gap / pace.gap)
      : remaining(pace.durations, elapsed) + gap
    const seconds = pace.length + gap
    lanes.push({ number, name, seconds, isPaused, isFree, freeAt: now + left, ahead: 0 })
  }
  return lanes
}

const knownSince = ({ availableUnix, scheduledUnix }: Fight): number =>
  availableUnix ?? scheduledUnix ?? Number.POSITIVE_INFINITY

/**
 * Place of each fight in a cage, as far as it can be said. Fights in no queue follow in order of availability, each in
 * the cage of its tournament that is free first.
 */
export const turnsOf = (state: EventState, pace: Pace, now: number) => {
  const { day, queues, isCalled } = state
  const repair = repairOf(pace, day.rests)
  const lanes = lanesOf(state, pace, now)
  /** Time at which waiting bots can fight again after it. */
  const readyAt = new Map<string, number>()
  const readyFor = ({ player: { cleanName } }: FightCorner): number => {
    const last = day.lastOf.get(cleanName)
    const since = last ? (last.stop ?? last.start + pace.length) + repair : 0
    return readyAt.get(cleanName) ?? since
  }
  /** Called bots count as ready. */
  const earliest = (fight: Fight): number =>
    isCalled(fight) ? now : Math.max(now, readyFor(fight.red), readyFor(fight.blue))
  const turns = new Map<Fight, Turn>()
  const place = (fight: Fight, lane: Lane, from: number): void => {
    if (fight.waitsAs === 'hold') return
    const { number: cage, seconds, ahead, isFree, isPaused, freeAt } = lane
    const { calledUnix } = fight
    // The start is half-way between the times of the cage and of the call.
    const isNext = ahead === 0 && isFree && calledUnix !== null && isCalled(fight)
    const free = isNext ? (freeAt + now + remaining(pace.leads, now - calledUnix)) / 2 : freeAt
    const start = Math.max(free, from)
    turns.set(fight, { start, cage, ahead, seconds, isPaused })
    lane.freeAt = start + seconds
    lane.ahead += 1
    const until = start + pace.length + repair
    readyAt.set(fight.red.player.cleanName, until)
    readyAt.set(fight.blue.player.cleanName, until)
  }
  for (const lane of lanes) {
    for (const fight of queues.get(lane.number) ?? []) place(fight, lane, earliest(fight))
  }
  for (const fight of state.others.toSorted((a, b) => knownSince(a) - knownSince(b))) {
    const since = knownSince(fight)
    if (since === Number.POSITIVE_INFINITY) continue
    const from = Math.max(earliest(fight), since)
    const used = day.usedBy.get(fight.tournament.id)
    let best: Lane | undefined
    for (const lane of lanes) {
      if (lane.isPaused || (used && !used.has(lane.name))) continue
      if (!best || lane.freeAt < best.freeAt) best = lane
    }
    if (best) place(fight, best, from)
  }
  return { turns, isPaused: lanes.every((lane) => lane.isPaused) }
}
