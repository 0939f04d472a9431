import type { Cage, Cages, Dataset, Fight } from '../league/types.ts'
import {
  breakTurns,
  cageGaps,
  dayOf,
  gapsOf,
  mean,
  minSamples,
  nightSeconds,
  type Pace,
  quantile,
  type Span,
  withoutBreaks,
} from './pace.ts'

/** When a fight that waits is expected to begin, in Unix seconds. */
export interface Expected {
  /** Null where nothing can be said. */
  readonly at: {
    readonly start: number
    readonly from: number
    readonly to: number
    /** From the time of the forecast on. */
    readonly inSeconds: number
  } | null
  /** The cage where it will be, if known. */
  readonly cage: number | null
  /** Fights of that cage before it. */
  readonly ahead: number
  /** Its cage has a break. */
  readonly isPaused: boolean
}

export type Expectations = ReadonlyMap<Fight, Expected>

/** Of every fight that waits in an active tournament. */
export interface ExpectedStarts {
  readonly fights: Expectations
  /** Unix seconds from which on it is another one, without a change of the data. */
  readonly validUntil: number
}

export const nothingExpected: ExpectedStarts = {
  fights: new Map(),
  validUntil: Number.POSITIVE_INFINITY,
}

/** Forecasts are made for the end of each period, so that none is in the past while it is valid. */
const periodSeconds = 30
/** Fights of the league's pace that count as much as those of the event, and of the event's as those of a cage. */
const priorFights = 4
/**
 * Bounds of 80 % of starts, as shares of the time until then, with a margin in seconds: beyond the horizon a start
 * is hardly earlier, and often later, as a break may come.
 */
const range = { early: 0.25, late: 0.3, lateBeyond: 1.2, horizon: 1500, marginSeconds: 60 } as const

/** Ranges are wider by these factors: at most as the gaps of the event vary, and for a fight in no queue. */
const maxWidth = 3
const withoutQueue = 1.1
/** Share of the spread of a league's gaps that one event has, as its crews do not change. */
const spreadRatio = 1.3

const spread = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return quantile(sorted, 0.75) - quantile(sorted, 0.25)
}

/** The median of what is left of something that has lasted for some time. */
const remaining = (sorted: readonly number[], elapsed: number, scale = 1): number => {
  const longer = sorted.filter((value) => value * scale > elapsed)
  return longer.length < sorted.length / 50
    ? quantile(sorted, 0.5) * scale
    : quantile(longer, 0.5) * scale - elapsed
}

const unknown: Expected = { at: null, cage: null, ahead: 0, isPaused: false }

const botsOf = ({ red, blue }: Fight): readonly string[] => [
  red.player.cleanName,
  blue.player.cleanName,
]

const cageNumber = ({ cage }: Fight): number | null => {
  const [, digits] = /^Cage ([1-9]\d{0,3})$/.exec(cage ?? '') ?? []
  return digits === undefined ? null : Number(digits)
}

/** A cage and the fights placed in it so far. */
interface Lane {
  readonly number: number
  readonly waiting: readonly Fight[]
  /** Seconds from one start to the next. */
  readonly turn: number
  readonly isPaused: boolean
  /** No fight is under way in it. */
  readonly isFree: boolean
  /** When its next fight can begin. */
  freeAt: number
  ahead: number
}

/** The mean of the values and of as many others as {@link priorFights}. */
const shrunk = (values: readonly number[], prior: number): number =>
  (mean(values) * values.length + prior * priorFights) / (values.length + priorFights)

/** The cages in use, from what has begun on this day. */
const lanesOf = (
  cages: Cages,
  spans: readonly Span[],
  pace: Pace,
  now: number,
): readonly Lane[] => {
  const begun = Map.groupBy(spans, ({ fight }) => cageNumber(fight))
  const gapsIn = (own: readonly Span[] = []) => withoutBreaks(gapsOf(own))
  const leagueGap = mean(pace.gaps)
  const eventGap = shrunk(withoutBreaks(cageGaps(spans)), leagueGap)
  const length = mean(pace.durations)
  const pauseSeconds = breakTurns * (length + eventGap)
  /** When the event went on after its last break. */
  const resumedAt = spans.reduce(
    (last, { start }, index) =>
      start - (spans[index - 1]?.start ?? start) > pauseSeconds ? start : last,
    0,
  )
  return Object.values(cages).flatMap((cage: Cage): readonly Lane[] => {
    const own = begun.get(cage.number) ?? []
    const last = own.at(-1)
    const inside = cage.fight?.state === 'pending' ? [cage.fight] : []
    const waiting = [...inside, ...cage.queue]
    const gap = shrunk(gapsIn(own), eventGap)
    const since = Math.max(last?.stop ?? last?.start ?? 0, resumedAt)
    const elapsed = now - since
    const isUnderWay = last?.fight.state === 'active'
    const isPaused = elapsed > pauseSeconds
    if (isPaused && waiting.length === 0) return []
    const left = isUnderWay
      ? remaining(pace.durations, elapsed) + gap
      : remaining(pace.gaps, elapsed, gap / leagueGap)
    return [
      {
        number: cage.number,
        waiting,
        turn: length + gap,
        isPaused,
        isFree: !isUnderWay,
        freeAt: now + left,
        ahead: 0,
      },
    ]
  })
}

const within = (start: number, now: number, width: number): NonNullable<Expected['at']> => {
  const { early, late, lateBeyond, horizon, marginSeconds } = range
  const near = Math.min(start - now, horizon)
  const far = start - now - near
  return {
    inSeconds: Math.round(start - now),
    start: Math.round(start),
    from: Math.round(Math.max(now, start - width * (early * near + marginSeconds))),
    to: Math.round(start + width * (late * near + lateBeyond * far + marginSeconds)),
  }
}

/** Before the first fight of a day: the plan, with the delay that the league usually has. */
const planned = (fights: readonly Fight[], { delays }: Pace, now: number): Expectations => {
  const delay = (share: number): number => quantile(delays, share)
  return new Map(
    fights.map((fight): [Fight, Expected] => {
      const plan = fight.scheduledUnix
      const isKnown = plan !== null && plan + delay(0.9) > now && delays.length >= minSamples
      const at = isKnown
        ? {
            inSeconds: Math.max(0, plan + delay(0.5) - now),
            start: Math.max(now, plan + delay(0.5)),
            from: Math.max(now, plan + delay(0.1)),
            to: plan + delay(0.9),
          }
        : null
      return [fight, { at, cage: cageNumber(fight), ahead: 0, isPaused: false }]
    }),
  )
}

/**
 * When each fight that waits in an active tournament is expected to begin, at a time in Unix seconds. Depends
 * on its parameters alone; no time in it is before `now`.
 */
export const buildExpectations = (
  { tournaments }: Pick<Dataset, 'tournaments'>,
  cages: Cages,
  now: number,
): Expectations => {
  if (!tournaments.some(({ info }) => info.active)) return new Map()
  const { fights, pace, spans, repair } = dayOf(tournaments, now)
  const waiting = fights.filter(({ state }) => state === 'pending')
  if (waiting.length === 0) return new Map()
  const lastStart = spans.at(-1)?.start ?? 0
  if (now - lastStart > nightSeconds) return planned(waiting, pace, now)
  const timed = spans.filter(({ fight }) => fight.startUnix !== null)
  if (
    pace.gaps.length < minSamples ||
    pace.durations.length === 0 ||
    timed.length < spans.length / 2
  )
    return new Map(waiting.map((fight) => [fight, unknown]))

  const variety = spread(cageGaps(spans)) / (spread(pace.gaps) * spreadRatio || 1)
  const width = Math.min(maxWidth, Math.max(1, variety))
  const lanes = lanesOf(cages, spans, pace, now)
  const length = mean(pace.durations)
  const readyAt = new Map<string, number>()
  const usedBy = new Map<string, Set<number>>()
  for (const { fight, stop, start } of spans) {
    for (const bot of botsOf(fight)) readyAt.set(bot, (stop ?? start + length) + repair)
    const number = cageNumber(fight)
    const used = usedBy.get(fight.tournament.id) ?? new Set()
    if (number !== null) usedBy.set(fight.tournament.id, used.add(number))
  }
  const expected = new Map<Fight, Expected>()
  /** Who is called is ready. */
  const earliest = (fight: Fight): number =>
    fight.waitsAs === 'called'
      ? now
      : Math.max(now, ...botsOf(fight).map((bot) => readyAt.get(bot) ?? 0))
  const calledStart = ({ calledUnix }: Fight): number | undefined =>
    calledUnix === null ? undefined : now + remaining(pace.leads, now - calledUnix)
  const place = (fight: Fight, lane: Lane, from: number, width: number): void => {
    const called = lane.ahead === 0 && lane.isFree ? calledStart(fight) : undefined
    const start = Math.max(called === undefined ? lane.freeAt : (lane.freeAt + called) / 2, from)
    const at = lane.isPaused ? null : within(start, now, width)
    expected.set(fight, { at, cage: lane.number, ahead: lane.ahead, isPaused: lane.isPaused })
    lane.freeAt = start + lane.turn
    lane.ahead += 1
    for (const bot of botsOf(fight)) readyAt.set(bot, start + length + repair)
  }
  for (const lane of lanes) {
    for (const fight of lane.waiting) place(fight, lane, earliest(fight), width)
  }
  const known = (fight: Fight): number | null => fight.availableUnix ?? fight.scheduledUnix
  const others = waiting
    .filter((fight) => !expected.has(fight))
    .sort((a, b) => (known(a) ?? Infinity) - (known(b) ?? Infinity))
  const isPaused = lanes.every((lane) => lane.isPaused)
  for (const fight of others) {
    const from = Math.max(earliest(fight), fight.availableUnix ?? fight.scheduledUnix ?? 0)
    const used = usedBy.get(fight.tournament.id)
    const open = lanes.filter((lane) => !lane.isPaused && (!used || used.has(lane.number)))
    const [lane] = open.sort(
      (a, b) => Math.max(a.freeAt, from) - Math.max(b.freeAt, from) || a.freeAt - b.freeAt,
    )
    const isUnknown = known(fight) === null || fight.waitsAs === 'hold'
    if (lane && !isUnknown) place(fight, lane, from, width * withoutQueue)
    else expected.set(fight, { at: null, cage: null, ahead: 0, isPaused })
  }
  return expected
}

/** Until when what is said at a time is valid. */
export const periodEnd = (now: number): number =>
  (Math.floor(now / periodSeconds) + 1) * periodSeconds

/** By the cages of an archive, which no other one has. */
const known = new WeakMap<Cages, ExpectedStarts>()

/** The expected starts of an archive at a time; the last one is kept. */
export const expectedAt = (
  { dataset, cages }: { readonly dataset: Dataset; readonly cages: Cages },
  now: number,
): ExpectedStarts => {
  const validUntil = periodEnd(now)
  const last = known.get(cages)
  if (last && (last.validUntil === validUntil || last === nothingExpected)) return last
  const fights = buildExpectations(dataset, cages, validUntil)
  const expected = fights.size === 0 ? nothingExpected : { fights, validUntil }
  known.set(cages, expected)
  return expected
}
