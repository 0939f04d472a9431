import type { CageQueueRow, CageRow, CageRows, TournamentRows } from '../source/rows.ts'
import type { GameTimes } from './gameTimes.ts'

/** A fight's stay in a cage and in its queue; times as in {@link GameTimes}. */
export interface Visit
  extends Pick<GameTimes, 'availableAt' | 'calledAt' | 'beginsAt' | 'finishesAt'> {
  readonly cage: number
  readonly tournamentId: string
  readonly gameId: string
  /** Time at which its result is final; the finish if the rows do not say. */
  readonly endsAt: number
  readonly pauses: readonly { readonly startTime: number; readonly stopTime: number | null }[]
}

/** Time for which a finished fight stays in its cage, unless the next robots are loaded in before. */
const loadInAfter = 60
const sweptAfter = 90
/** Number of fights that wait for one cage: as many as a screen has room for, unless the snapshot has more. */
const usualQueue = 4

const numberOf = (cage: string | null): number => {
  const [, digits] = /^Cage ([1-9]\d{0,3})$/.exec(cage ?? '') ?? []
  return digits === undefined ? Number.NaN : Number(digits)
}

/** The visits of a tournament's games to cages that have a number. */
export const visitsOf = (
  { tournament, games, pauses }: TournamentRows,
  times: ReadonlyMap<string, GameTimes>,
  capturedAt: number,
): readonly Visit[] => {
  const pausesByGame = Map.groupBy(pauses, ({ gameId }) => gameId)
  return games.flatMap((game): readonly Visit[] => {
    const cage = numberOf(game.cage)
    const own = times.get(game.id)
    if (!own || Number.isNaN(cage) || own.beginsAt === Number.NEGATIVE_INFINITY) return []
    const { availableAt, calledAt, beginsAt, finishesAt } = own
    return [
      {
        cage,
        tournamentId: tournament.id,
        gameId: game.id,
        availableAt,
        calledAt,
        beginsAt,
        finishesAt,
        endsAt: Math.max(finishesAt, Math.min(game.endTime ?? finishesAt, capturedAt)),
        pauses: pausesByGame.get(game.id) ?? [],
      },
    ]
  })
}

export const queueKey = ({
  tournamentId,
  gameId,
}: Pick<CageQueueRow, 'tournamentId' | 'gameId'>): string => JSON.stringify([tournamentId, gameId])

/**
 * The cages over time. `waitsSince` gives the time since which a game of the snapshot's queue is available; undefined
 * for an unknown game.
 */
export const cageHistory = (
  snapshot: CageRows,
  visits: readonly Visit[],
  {
    waitsSince,
    capturedAt,
  }: {
    readonly waitsSince: (row: CageQueueRow) => number | undefined
    readonly capturedAt: number
  },
) => {
  const byCage = Map.groupBy(
    visits.toSorted((a, b) => a.beginsAt - b.beginsAt),
    ({ cage }) => cage,
  )
  const lastRows = new Map(snapshot.cages.map((row) => [row.number, row]))
  const lastQueues = Map.groupBy(snapshot.cageQueue, ({ cage }) => cage)
  const numbers = [...new Set([...lastRows.keys(), ...byCage.keys(), ...lastQueues.keys()])].sort(
    (a, b) => a - b,
  )
  const longest = Math.max(usualQueue, ...[...lastQueues.values()].map(({ length }) => length))

  /** Time since which the snapshot's row of a cage is true: its update, or a later change of a fight there. */
  const lastRowFrom = new Map(
    snapshot.cages.map((row): [number, number] => {
      const isIts = ({ tournamentId, gameId }: Visit): boolean =>
        tournamentId === row.tournamentId && gameId === row.gameId
      const known = byCage
        .get(row.number)
        ?.flatMap((visit) => [
          isIts(visit) ? visit.calledAt : visit.beginsAt,
          visit.beginsAt,
          visit.finishesAt,
        ])
        .filter(Number.isFinite)
      return [row.number, Math.min(capturedAt, Math.max(row.updateTime, ...(known ?? [])))]
    }),
  )

  const inCage = (own: readonly Visit[], unix: number) => {
    const current = own.findLast(({ beginsAt }) => beginsAt <= unix)
    if (current && unix < current.finishesAt) {
      const pause = current.pauses.findLast(
        ({ startTime, stopTime }) => startTime <= unix && (stopTime ?? Infinity) > unix,
      )
      if (pause) return { status: 'paused' as const, visit: current, pausedSince: pause.startTime }
      const ends = current.pauses.map(({ stopTime }) => stopTime ?? Infinity)
      const since = Math.max(current.beginsAt, ...ends.filter((end) => end <= unix))
      return { status: 'active' as const, visit: current, since }
    }
    const next = own.find(({ calledAt, beginsAt }) => calledAt <= unix && beginsAt > unix)
    const freeFrom = current ? current.endsAt + loadInAfter : Number.NEGATIVE_INFINITY
    if (next && unix >= freeFrom) {
      return { status: 'assigned' as const, visit: next, since: Math.max(next.calledAt, freeFrom) }
    }
    if (!current) return undefined
    return unix < current.endsAt + sweptAfter
      ? { status: 'completed' as const, visit: current, since: current.finishesAt }
      : { status: 'idle' as const, visit: undefined, since: current.endsAt + sweptAfter }
  }

  const cageAt = (number: number, unix: number): CageRow => {
    const last = lastRows.get(number)
    if (last && unix >= (lastRowFrom.get(number) ?? capturedAt)) return last
    const found = inCage(byCage.get(number) ?? [], unix)
    return {
      number,
      status: found?.status ?? 'idle',
      tournamentId: found?.visit?.tournamentId ?? null,
      gameId: found?.visit?.gameId ?? null,
      pausedSince: found?.pausedSince ?? null,
      updateTime: found?.pausedSince ?? found?.since ?? 0,
    }
  }

  const queueAt = (number: number, inside: string | null, unix: number): CageQueueRow[] => {
    const positions = new Map(lastQueues.get(number)?.map((row) => [queueKey(row), row.position]))
    const own = byCage.get(number) ?? []
    const waiting = [
      ...own.filter(({ availableAt, beginsAt }) => availableAt <= unix && unix < beginsAt),
      ...(lastQueues.get(number) ?? [])
        .filter((row) => (waitsSince(row) ?? Infinity) <= unix)
        .map((row) => ({ ...row, beginsAt: Number.POSITIVE_INFINITY })),
    ].map((each) => ({ ...each, own: queueKey(each) }))
    const byTurn = new Map(
      waiting
        .toSorted(
          (a, b) =>
            (a.beginsAt === b.beginsAt ? 0 : a.beginsAt - b.beginsAt) ||
            (positions.get(a.own) ?? 0) - (positions.get(b.own) ?? 0),
        )
        .filter((each) => each.own !== inside)
        .map((each) => [each.own, each]),
    )
    return [...byTurn.values()].slice(0, longest).map(({ tournamentId, gameId }, position) => ({
      cage: number,
      position,
      tournamentId,
      gameId,
    }))
  }

  /** The cages at a moment; from the capture on, the cages of the snapshot. */
  const cagesAt = (unix: number): CageRows => {
    if (unix >= capturedAt) return snapshot
    const cages = numbers.map((number) => cageAt(number, unix))
    const cageQueue = cages.flatMap(({ number, tournamentId, gameId }) =>
      queueAt(
        number,
        tournamentId === null || gameId === null ? null : queueKey({ tournamentId, gameId }),
        unix,
      ),
    )
    return { cages, cageQueue }
  }

  /** Every moment at which the cages change besides the moments of the games, in any order. */
  const instants: readonly number[] = [
    ...lastRowFrom.values(),
    ...visits.flatMap(({ availableAt, calledAt, beginsAt, finishesAt, endsAt, pauses }) => [
      availableAt,
      calledAt,
      beginsAt,
      finishesAt,
      endsAt + loadInAfter,
      endsAt + sweptAfter,
      ...pauses.flatMap(({ startTime, stopTime }) => [startTime, stopTime ?? startTime]),
    ]),
    ...snapshot.cageQueue.flatMap((row) => waitsSince(row) ?? []),
  ].filter((time) => Number.isFinite(time) && time <= capturedAt)
  return { instants, cagesAt }
}
