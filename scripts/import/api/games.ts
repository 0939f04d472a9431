import { type GameRow, type SlotRow, slotStates } from '../../../src/data/source/rows.ts'
import type { ImportedTournament } from '../target/imported.ts'
import {
  count,
  flag,
  type Loose,
  oneOf,
  record,
  records,
  text,
  textOrNull,
  unixSeconds,
} from '../values.ts'
import { judgeLines, pauseRows, recordedTimes, recordingRows } from './recordings.ts'
import type { FightResponses, TournamentResponses } from './responses.ts'
import type { PlacedGame } from './rounds.ts'

type PartialGame = NonNullable<ImportedTournament['games']>[number]
type PartialSlot = NonNullable<ImportedTournament['slots']>[number]

/** Everything that the API has of one game. */
interface Sources extends FightResponses {
  readonly game: Loose
}

/** Player id of each corner by name, for games that no bracket lists. */
type PlayerIds = ReadonlyMap<string, string>

interface Corner {
  readonly playerId: string | null
  readonly prevGameId: string | null
  readonly score: number | null
  /** State of the corner; undefined if the server does not send it. */
  readonly state: SlotRow['state'] | undefined
  readonly wins: boolean
}

const cornerOf = (sources: Sources, idx: 0 | 1, playerIds: PlayerIds): Corner => {
  const { game, summary = game, details } = sources
  const slots = records(game.slots)
  const slot = slots.find(({ slotIdx }) => count(slotIdx) === idx)
  const number = idx + 1
  const detail = record(details?.[`player${number}`])
  const name = text(summary[`player${number}`])
  return {
    playerId: slot
      ? textOrNull(slot.playerID)
      : (textOrNull(detail.playerID) ?? playerIds.get(name) ?? null),
    prevGameId: textOrNull(slot ? slot.prevGameID : detail.prevGameID),
    score: count(slot ? slot.score : detail.score),
    state: oneOf(slot?.slotState, slotStates),
    wins: flag(slot ? slot.isWinner : summary[`player${number}wins`]),
  }
}

/** State of a pending game. It decides how the schedule shows the game. */
const waitingState = (
  { match, legacyRow }: Sources,
  corners: readonly Corner[],
): GameRow['state'] => {
  const isCalled = (unixSeconds(match?.calledSince ?? legacyRow?.calledSince) ?? 0) > 0
  switch (match?.status) {
    case 'Called':
      return 'called'
    case 'Delayed':
      // Fights on hold have no expected start; others are late.
      return (unixSeconds(match.expectedStart) ?? 0) > 0 ? 'available' : 'hold'
    case 'Load In':
      return isCalled ? 'called' : 'available'
    case undefined:
      if (isCalled) return 'called'
      return corners.every(({ playerId }) => playerId !== null) ? 'available' : 'unavailable'
    default:
      return 'available'
  }
}

const stateOf = (sources: Sources, corners: readonly Corner[]): GameRow['state'] => {
  const { game, summary } = sources
  switch (text(game.state)) {
    case 'done':
    case 'active':
      return game.state === 'done' ? 'done' : 'active'
    case 'unavailable':
    case 'available':
    case 'called':
    case 'hold':
    case 'pending':
      return waitingState(sources, corners)
  }
  // State on a server that sends none: derived from result and times.
  const isOver = corners.some(({ wins }) => wins) || text(summary?.winAnnotation) !== ''
  if (isOver || unixSeconds(summary?.stopTime) !== null) return 'done'
  return unixSeconds(summary?.startTime) === null ? waitingState(sources, corners) : 'active'
}

/** State of a slot if the server sends none. */
const derivedState = (
  own: Corner,
  other: Corner | undefined,
  isDone: boolean,
): SlotRow['state'] => {
  if (own.state) return own.state
  if (!isDone) return 'pending'
  if (own.wins) return 'winner'
  return other?.wins ? 'loser' : 'pending'
}

/** State of a corner in the cage, ready and tapped; known only for the game in the cage. */
const cageCorner = ({ cage }: Sources, idx: number): Loose | undefined => {
  const corner = cage?.[`player${idx + 1}`]
  return corner ? record(corner) : undefined
}

/** The rows of one game. */
export const gameRows = (
  responses: TournamentResponses,
  placed: PlacedGame,
  playerIds: PlayerIds,
) => {
  const tournamentId = text(responses.tournament.tournamentID)
  const sources = { game: placed.game, ...responses.fights.get(placed.id) }
  const { game, summary, legacyRow, match, details, stats } = sources
  const gameId = placed.id
  const corners = ([0, 1] as const).map((idx) => cornerOf(sources, idx, playerIds))
  const state = stateOf(sources, corners)
  const isDone = state === 'done'
  const times = recordedTimes(sources, unixSeconds(summary?.startTime ?? game.startTime))
  const waits = match ?? legacyRow
  const row: PartialGame = {
    id: gameId,
    bracketId: placed.bracketId,
    roundIdx: placed.roundIdx,
    position: placed.position,
    name: text(game.name ?? summary?.name),
    state,
    cage: summary && textOrNull(summary.cage),
    winAnnotation: textOrNull(game.winAnnotation) ?? textOrNull(summary?.winAnnotation),
    loserPlacement: count(game.loserPlacement ?? record(details?.player1).loserPlacement),
    countdown: stats && count(stats.countdown),
    timerDuration: stats && count(stats.timerDuration),
    scheduledTime: match && unixSeconds(match.scheduledTime),
    availableSince: waits && unixSeconds(waits.availableSince),
    calledSince: waits && unixSeconds(waits.calledSince),
    startTime: times.fightMs === null ? null : times.fightMs / 1000,
    stopTime: isDone ? unixSeconds(summary?.stopTime ?? game.stopTime) : null,
    endTime: summary && (isDone ? unixSeconds(summary.endTime) : null),
    notice: details && text(details.notice),
  }
  const slots = corners.map((corner, idx): PartialSlot => {
    const detail = details && record(details[`player${idx + 1}`])
    const figures = stats && (records(stats.players)[idx] ?? {})
    const inCage = cageCorner(sources, idx)
    const ready = detail?.isReady ?? inCage?.isReady
    return {
      gameId,
      idx,
      playerId: corner.playerId,
      prevGameId: corner.prevGameId,
      score: corner.score,
      state: derivedState(corner, corners[1 - idx], isDone),
      isReady: ready === undefined ? undefined : flag(ready),
      tapped: inCage && flag(inCage.tapped),
      unstickTime: figures && count(figures.unstickTime),
      showMotionTime: figures && count(figures.showMotionTime),
    }
  })
  return {
    row,
    slots,
    pauses: pauseRows(gameId, stats, state === 'active'),
    judgeLines: judgeLines(gameId, details),
    recordings: recordingRows({ tournamentId, gameId }, sources, times),
    isUnread: summary !== undefined && (!details || !stats),
  }
}
