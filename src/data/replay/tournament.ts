import type { TournamentRow, TournamentRows } from '../source/rows.ts'
import { always, type GameTimes, never } from './gameTimes.ts'

type Times = ReadonlyMap<string, GameTimes>

const isKnown = Number.isFinite
const earliest = (times: readonly number[]): number => times.reduce((a, b) => Math.min(a, b), never)
const latest = (times: readonly number[]): number => times.reduce((a, b) => Math.max(a, b), always)

/** Times at which a tournament itself changes, in Unix seconds. */
export const tournamentTimes = (rows: TournamentRows, games: Times, capturedAt: number) => {
  const row = rows.tournament
  const clamp = (time: number): number => Math.min(time, capturedAt)
  const own = [...games.values()]
  const rowTimes = new Map(rows.games.map((game) => [game.id, game]))
  const firsts = [...games].flatMap(([id, { availableAt, calledAt, beginsAt, finishesAt }]) =>
    [availableAt, calledAt, beginsAt, finishesAt].filter(
      (time) => isKnown(time) && rowTimes.get(id)?.state !== 'unavailable',
    ),
  )
  const firstSeen = earliest([row.startTime ?? never, ...firsts])
  const hasPlayed = own.some(({ beginsAt }) => isKnown(beginsAt))
  const activated = Math.min(firstSeen, row.updateTime)
  const isOpened = row.active || hasPlayed
  /** Time from which it is active. */
  const opensAt = isOpened ? clamp(row.active ? activated : firstSeen) : never
  const lastFinish = latest(own.map((each) => each.finishesAt).filter(isKnown))
  /** Time from which it is over; Infinity if it is active in the snapshot. */
  const closesAt = row.active
    ? never
    : clamp(Math.max(isOpened ? opensAt : always, lastFinish, row.endTime ?? always))

  const exhibitions = new Set(rows.brackets.filter((b) => b.isExhibition).map(({ id }) => id))
  const byes = new Set(rows.players.filter(({ isBye }) => isBye).map(({ id }) => id))
  const gameIDs = new Set(rowTimes.keys())
  /** Times at which players come that are not there from the start: byes, with the corner that they fill. */
  const enteredAt = new Map<string, number>()
  /** Time at which each disqualified player is disqualified. */
  const disqualifiedAt = new Map<string, number>()
  const lastPlayed = new Map<string, number>()
  let seeded = never
  for (const { gameId, idx, playerId, prevGameId, state } of rows.slots) {
    const times = games.get(gameId)
    const game = rowTimes.get(gameId)
    if (!times || !game || playerId === null) continue
    const filledAt = times.filledAt[idx === 0 ? 0 : 1]
    const isFed = prevGameId !== null && gameIDs.has(prevGameId)
    if (!isFed && isKnown(filledAt) && !exhibitions.has(game.bracketId) && !byes.has(playerId)) {
      seeded = Math.min(seeded, filledAt)
    }
    if (byes.has(playerId)) {
      enteredAt.set(playerId, Math.min(filledAt, enteredAt.get(playerId) ?? never))
    }
    if (!isKnown(times.finishesAt)) continue
    lastPlayed.set(playerId, Math.max(times.finishesAt, lastPlayed.get(playerId) ?? always))
    if (game.winAnnotation !== 'DQ' || !state.startsWith('loser')) continue
    disqualifiedAt.set(playerId, Math.min(times.finishesAt, disqualifiedAt.get(playerId) ?? never))
  }
  /** Time at which seeds are known: seeds that follow from qualifying games come late. */
  const seededAt = isKnown(seeded) ? seeded : always
  for (const { id, isDisqualified } of rows.players) {
    if (isDisqualified && !disqualifiedAt.has(id)) {
      disqualifiedAt.set(id, lastPlayed.get(id) ?? always)
    }
  }
  const createdAt = clamp(Math.min(row.createTime, firstSeen))
  return { createdAt, opensAt, closesAt, seededAt, enteredAt, disqualifiedAt }
}
type TournamentTimes = Readonly<ReturnType<typeof tournamentTimes>>

/**
 * The tournament's own row at a moment; `changedAt` is the time of the last change of anything. Its end is unknown
 * until its last fight is over.
 */
export const tournamentAt = (
  row: TournamentRow,
  { opensAt, closesAt }: TournamentTimes,
  {
    unix,
    capturedAt,
    changedAt,
  }: { readonly unix: number; readonly capturedAt: number; readonly changedAt: number },
): TournamentRow => {
  const hasHappened = (time: number | null): boolean =>
    time !== null && Math.min(time, capturedAt) <= unix
  const isOver = row.active || unix >= closesAt
  return {
    ...row,
    startTime: hasHappened(row.startTime) ? row.startTime : null,
    endTime: isOver && hasHappened(row.endTime) ? row.endTime : null,
    updateTime: hasHappened(row.updateTime)
      ? row.updateTime
      : Math.floor(Math.max(0, Math.min(changedAt, row.updateTime))),
    active: unix >= opensAt && unix < closesAt,
  }
}

/** The players at a moment, without values that their coming fights decide. */
export const playersAt = (
  { players }: TournamentRows,
  { seededAt, enteredAt, disqualifiedAt, closesAt }: TournamentTimes,
  unix: number,
): TournamentRows['players'] =>
  players
    .filter(({ id }) => unix >= (enteredAt.get(id) ?? always))
    .map((row) => ({
      ...row,
      seed: unix >= seededAt ? row.seed : null,
      isDisqualified: row.isDisqualified && unix >= (disqualifiedAt.get(row.id) ?? always),
      placement: unix >= closesAt ? row.placement : null,
    }))

/** Every moment at which {@link tournamentAt} and {@link playersAt} change, in any order. */
export const tournamentInstants = (
  { startTime, endTime, updateTime }: TournamentRow,
  times: TournamentTimes,
): readonly number[] => [
  times.createdAt,
  times.opensAt,
  times.closesAt,
  times.seededAt,
  ...times.enteredAt.values(),
  ...times.disqualifiedAt.values(),
  updateTime,
  ...[startTime, endTime].flatMap((time) => time ?? []),
]
