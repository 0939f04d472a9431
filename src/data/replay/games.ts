import type { GameRow, PauseRow, SlotRow, TournamentRows } from '../source/rows.ts'
import { type GameTimes, progress } from './gameTimes.ts'

type Times = ReadonlyMap<string, GameTimes>

const reachedState = (times: GameTimes, unix: number): GameRow['state'] => {
  if (unix >= times.beginsAt) return 'active'
  if (unix >= times.calledAt) return 'called'
  return unix >= times.availableAt ? 'available' : 'unavailable'
}

/** The loser of a final that is repeated would have had the place of the second final's loser. */
const finalPlacements = ({ games, slots }: TournamentRows): ReadonlyMap<string, number> => {
  const feeders = new Map<string, string>()
  const placements = new Map<string, number>()
  const ownPlacements = new Map(games.map(({ id, loserPlacement }) => [id, loserPlacement]))
  for (const { gameId, prevGameId } of slots) {
    if (prevGameId === null) continue
    const placement = ownPlacements.get(gameId)
    if (feeders.get(gameId) === prevGameId && placement != null) {
      placements.set(prevGameId, placement)
    }
    feeders.set(gameId, prevGameId)
  }
  return placements
}

/** A game that has not reached the state of its row, without values of a later state. */
const gameBefore = (
  row: GameRow,
  times: GameTimes,
  unix: number,
  finalPlacement: number | undefined,
): GameRow => {
  const state = reachedState(times, unix)
  const rank = progress[state]
  const isCalled = unix >= times.calledAt || rank >= progress.active
  return {
    ...row,
    state,
    cage: isCalled ? row.cage : null,
    winAnnotation: null,
    loserPlacement: row.loserPlacement ?? finalPlacement ?? null,
    timerDuration: null,
    availableSince: unix >= times.availableAt ? row.availableSince : null,
    calledSince: unix >= times.calledAt ? row.calledSince : null,
    startTime: rank >= progress.active ? row.startTime : null,
    stopTime: null,
    endTime: null,
    notice: '',
  }
}

const slotBefore = (row: SlotRow, state: GameRow['state']): SlotRow => ({
  ...row,
  score: null,
  state: 'pending',
  isReady: row.isReady && progress[state] >= progress.active,
  tapped: false,
  unstickTime: null,
  showMotionTime: null,
})

/** The games of a tournament at a moment, with their corners, pauses and judges' lines. */
export const gamesAt = (
  rows: TournamentRows,
  times: Times,
  { unix, capturedAt }: { readonly unix: number; readonly capturedAt: number },
): Pick<TournamentRows, 'games' | 'slots' | 'pauses' | 'judgeLines' | 'rounds'> => {
  const finals = finalPlacements(rows)
  const hasHappened = (time: number): boolean => Math.min(time, capturedAt) <= unix
  const isListed = (id: string): boolean => unix >= (times.get(id)?.appearsAt ?? unix)
  const isSettled = (id: string): boolean => unix >= (times.get(id)?.settledAt ?? unix)
  const isFinished = (id: string): boolean => unix >= (times.get(id)?.finishesAt ?? unix)
  const games = rows.games.flatMap((row): readonly GameRow[] => {
    const own = times.get(row.id)
    if (!own || !isListed(row.id)) return own ? [] : [row]
    if (!isSettled(row.id)) return [gameBefore(row, own, unix, finals.get(row.id))]
    const isEnded = row.endTime === null || row.state !== 'done' || hasHappened(row.endTime)
    return [isEnded ? row : { ...row, endTime: null }]
  })
  const slots = rows.slots.flatMap((row): readonly SlotRow[] => {
    const own = times.get(row.gameId)
    if (!own || !isListed(row.gameId)) return own ? [] : [row]
    const settled = isSettled(row.gameId) ? row : slotBefore(row, reachedState(own, unix))
    const isFilled = unix >= own.filledAt[row.idx === 0 ? 0 : 1]
    return [isFilled ? settled : { ...settled, playerId: null }]
  })
  const pauses = rows.pauses.flatMap((row): readonly PauseRow[] => {
    if (isFinished(row.gameId)) return [row]
    const hasBegun = unix >= (times.get(row.gameId)?.beginsAt ?? unix)
    if (unix < capturedAt && (!hasBegun || !hasHappened(row.startTime))) return []
    const isOver = row.stopTime === null || hasHappened(row.stopTime)
    return [isOver ? row : { ...row, stopTime: null }]
  })
  const judgeLines = rows.judgeLines.filter(
    ({ gameId }): boolean => isFinished(gameId) || (isSettled(gameId) && hasHappened(capturedAt)),
  )
  return { games, slots, pauses, judgeLines, rounds: roundsOf(rows, isListed) }
}

/** The rounds with at least one listed game. */
const roundsOf = (
  { rounds, games }: TournamentRows,
  isListed: (gameID: string) => boolean,
): TournamentRows['rounds'] => {
  const key = (bracketId: string, idx: number): string => JSON.stringify([bracketId, idx])
  const all = new Set(games.map(({ bracketId, roundIdx }) => key(bracketId, roundIdx)))
  const listed = new Set(
    games.filter(({ id }) => isListed(id)).map((row) => key(row.bracketId, row.roundIdx)),
  )
  return rounds.filter(({ bracketId, idx }) => {
    const own = key(bracketId, idx)
    return listed.has(own) || !all.has(own)
  })
}

/** Every moment at which {@link gamesAt} changes, in any order. */
export const gameInstants = (
  rows: TournamentRows,
  times: Times,
  capturedAt: number,
): readonly number[] => [
  ...[...times.values()].flatMap((own) => [
    own.appearsAt,
    ...own.filledAt,
    own.availableAt,
    own.calledAt,
    own.beginsAt,
    own.finishesAt,
    own.settledAt,
  ]),
  ...rows.games.flatMap(({ endTime }) => endTime ?? []),
  ...rows.pauses.flatMap(({ startTime, stopTime }) => [startTime, stopTime ?? startTime]),
  // Rows of a game that is not over appear with the capture.
  ...[...rows.pauses, ...rows.judgeLines].flatMap(({ gameId }) =>
    times.get(gameId)?.finishesAt === Number.POSITIVE_INFINITY ? capturedAt : [],
  ),
]
