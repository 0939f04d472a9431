import { generateLeague } from '../../scripts/league/league.ts'
import { buildTournament } from '../../src/data/league/build.ts'
import { buildCages } from '../../src/data/league/cages.ts'
import type { Cages, Dataset, Fight, Tournament } from '../../src/data/league/types.ts'
import { cageHistory, visitsOf } from '../../src/data/replay/cages.ts'
import { eventsOf, type LeagueEvent } from '../../src/data/replay/events.ts'
import { type History, historyOf } from '../../src/data/replay/history.ts'
import type { TournamentRows } from '../../src/data/source/rows.ts'
import { isPublic } from '../../src/data/source/visibility.ts'
import {
  buildExpectations,
  type Expectations,
  type Expected,
  measureLeague,
} from '../../src/derived/live/expected.ts'
import { atOnce } from '../../src/runtime/timeSlice.ts'
import { cpuMs, type Extent, percentage, type Row, rounded, rowsOf, summary } from './stats.ts'

interface Loaded {
  readonly rows: TournamentRows
  readonly history: History
}

const distances = [1, 3, 10] as const
type Distance = (typeof distances)[number]

/** Seconds by which one guess was off, at one moment. */
interface Sample {
  readonly distance: Distance
  readonly model: number
  readonly plan: number
  readonly turns: number
  readonly isInRange: boolean
  readonly isBelow: boolean
}

/** Starts of one cage in order. */
interface Start {
  readonly key: string
  readonly cage: number
  readonly at: number
}

const keyOf = (tournamentID: string, gameID: string): string => `${tournamentID} ${gameID}`

/** The mean time from start to start in a cage, breaks included. */
const meanTurn = (fights: readonly Fight[]): number => {
  const lines = Map.groupBy(
    fights.filter(({ startUnix, cage }) => startUnix !== null && cage !== null),
    ({ cage }) => cage,
  )
  const turns = [...lines.values()].flatMap((line) => {
    const starts = line.map(({ startUnix }) => startUnix ?? 0).sort((a, b) => a - b)
    return starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
  })
  const today = turns.filter((turn) => turn < 4 * 3600)
  return today.length < 3 ? 360 : today.reduce((sum, turn) => sum + turn, 0) / today.length
}

/**
 * Position of a fight in its cage, 1 for the next one; for a cage without a queue it follows from all waiting fights.
 */
const placeOf = (fight: Fight, cages: Cages, waiting: readonly Fight[]): number => {
  const busy = Object.values(cages).filter(({ status }) => status !== 'idle').length
  for (const cage of Object.values(cages)) {
    const index = cage.queue.indexOf(fight)
    if (cage.fight === fight) return 0.5
    if (index >= 0) return index + 1
  }
  const line = waiting.toSorted((a, b) => (a.availableUnix ?? 0) - (b.availableUnix ?? 0))
  return (line.indexOf(fight) + 1) / Math.max(1, busy)
}

/** One event of a league, replayed change by change; `before` are the finished tournaments. */
const replayEvent = (
  event: LeagueEvent,
  loaded: readonly Loaded[],
  before: readonly Tournament[],
  last: ReturnType<typeof generateLeague>,
): { readonly samples: readonly Sample[]; readonly milliseconds: readonly number[] } => {
  const { capturedAt } = last
  const own = loaded.filter(({ history }) =>
    [...history.times.values()].some(
      ({ beginsAt }) => beginsAt >= event.from && beginsAt <= event.to,
    ),
  )
  const visits = own.flatMap(({ rows, history }) => visitsOf(rows, history.times, capturedAt))
  const isLast = event.to > capturedAt - 86_400
  const history = cageHistory(isLast ? last : { cages: [], cageQueue: [] }, visits, {
    waitsSince: () => undefined,
    capturedAt: isLast ? capturedAt : Number.POSITIVE_INFINITY,
  })
  const starts: readonly Start[] = visits
    .filter(({ beginsAt, finishesAt }) => Number.isFinite(beginsAt) && beginsAt <= finishesAt)
    .map(({ cage, tournamentId, gameId, beginsAt }) => ({
      key: keyOf(tournamentId, gameId),
      cage,
      at: beginsAt,
    }))
    .sort((a, b) => a.at - b.at)
  const byCage = Map.groupBy(starts, ({ cage }) => cage)
  const instants = [...new Set(visits.flatMap((v) => [v.calledAt, v.beginsAt, v.finishesAt]))]
    .filter((at) => at > event.from - 3600 && at < event.to)
    .sort((a, b) => a - b)
  const samples: Sample[] = []
  const milliseconds: number[] = []
  const current = new Map<Loaded, Tournament>()
  let previous = Number.NEGATIVE_INFINITY
  for (const now of instants) {
    for (const each of own) {
      const isChanged = each.history.instants.some((at) => at > previous && at <= now)
      const rows = isChanged || !current.has(each) ? each.history.rowsAt(now) : undefined
      if (rows) current.set(each, buildTournament(rows))
    }
    previous = now
    const tournaments = [...current.values(), ...before]
    const dataset: Dataset = {
      tournaments,
      tournamentsByID: new Map(tournaments.map((each) => [each.info.id, each])),
      fights: [],
    }
    const cages = buildCages(dataset, history.cagesAt(now))
    // A service measures in slices; see the row for that.
    atOnce(measureLeague(dataset))
    let forecast: Expectations = new Map()
    milliseconds.push(
      cpuMs(() => {
        forecast = buildExpectations(dataset, cages, now)
      }),
    )
    const byKey = new Map(
      [...forecast].map(([fight, expected]): [string, [Fight, Expected]] => [
        keyOf(fight.tournament.id, fight.id),
        [fight, expected],
      ]),
    )
    const fights = [...current.values()].flatMap((each) => each.fights)
    const waiting = fights.filter(
      ({ state, availableUnix }) => state === 'pending' && availableUnix !== null,
    )
    const turn = meanTurn(fights)
    for (const line of byCage.values()) {
      const next = line.findIndex(({ at }) => at > now)
      if (next < 0) continue
      for (const distance of distances) {
        const start = line[next + distance - 1]
        const [fight, expected] = (start && byKey.get(start.key)) ?? []
        if (!start || !fight || !expected?.at) continue
        const plan = fight.scheduledUnix
        samples.push({
          distance,
          model: Math.abs(expected.at.start - start.at),
          plan: plan === null ? Number.NaN : Math.abs(Math.max(now, plan) - start.at),
          turns: Math.abs(now + placeOf(fight, cages, waiting) * turn - start.at),
          isInRange: expected.at.from <= start.at && start.at <= expected.at.to,
          isBelow: start.at < expected.at.from,
        })
      }
    }
  }
  return { samples, milliseconds }
}

/** Errors of expected starts over every event of a league. */
export const benchWhen = async ({ scale }: Extent): Promise<Row[]> => {
  const league = generateLeague({ seed: 1, scale })
  const loaded = [...league.tournaments]
    .filter(({ tournament }) => isPublic(tournament))
    .map((rows): Loaded => ({ rows, history: historyOf(rows, league.capturedAt) }))
  const whole = loaded.map(({ rows }) => buildTournament(rows))
  const events = eventsOf(loaded.flatMap(({ history }) => [...history.times.values()]))
  const samples: Sample[] = []
  const milliseconds: number[] = []
  for (const event of events.slice(1)) {
    const before = whole
      .filter(
        ({ info, completedFights }) =>
          !info.active && completedFights > 0 && (info.startUnix ?? 0) < event.from - 86_400,
      )
      .sort((a, b) => (b.info.startUnix ?? 0) - (a.info.startUnix ?? 0))
    const found = replayEvent(event, loaded, before, league)
    samples.push(...found.samples)
    milliseconds.push(...found.milliseconds)
  }
  const row = rowsOf(scale)
  const at = (values: readonly number[], share: number): number => {
    const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
    return rounded((sorted[Math.floor(sorted.length * share)] ?? 0) / 60)
  }
  const rows = distances.flatMap((distance): Row[] => {
    const own = samples.filter((each) => each.distance === distance)
    const figures = Object.entries({ median: 0.5, '90 %': 0.9 }).map(([name, share]): Row => {
      const [model = 0, plan = 0, turns = 0] = (['model', 'plan', 'turns'] as const).map((of) =>
        at(
          own.map((each) => each[of]),
          share,
        ),
      )
      return row(`next ${distance} of a cage, off by (${name})`, 'min', model, {
        beside: { 'planned time': plan, 'mean turn × place': turns },
        judged: model / Math.min(plan, turns),
        atMost: 1,
      })
    })
    const held = percentage(own.filter(({ isInRange }) => isInRange).length, own.length)
    const below = percentage(own.filter(({ isBelow }) => isBelow).length, own.length)
    return [
      ...figures,
      row(`next ${distance} of a cage, starts within the range of 80 %`, '%', held, {
        atLeast: 75,
        beside: { 'before it': below, samples: own.length },
      }),
      row(`next ${distance} of a cage, starts beyond the range`, '%', 100 - held, { atLeast: 15 }),
    ]
  })
  return [
    ...rows,
    row('forecast of an event, CPU', 'ms', milliseconds, {
      atMost: 2,
      beside: { p99: summary(milliseconds).p99 },
    }),
  ]
}
