import { type GameRow, type SlotRow, slotStates } from '../source/rows.ts'
import type { Corner, Corners, FightCorner, Game, Player } from './types.ts'

const emptyCorner: Corner = {
  player: null,
  prevGameID: null,
  score: null,
  state: 'pending',
  isWinner: false,
  isReady: false,
  tapped: false,
  unstickSeconds: null,
  showMotionSeconds: null,
}

/** One string for each state: msgpackr makes a new string for every value. */
const cornerStates = new Map<string, SlotRow['state']>(slotStates.map((state) => [state, state]))

/** A corner as the state of its game allows, see {@link Game}; `games` has the games of the tournament by id. */
export const corner = (
  row: SlotRow | undefined,
  players: ReadonlyMap<string, Player>,
  games: ReadonlyMap<string, GameRow>,
  gameState: Game['state'],
): Corner => {
  if (!row) return emptyCorner
  const state = gameState === 'done' ? (cornerStates.get(row.state) ?? 'pending') : 'pending'
  const hasBegun = gameState !== 'pending'
  const source = row.prevGameId === null ? undefined : games.get(row.prevGameId)
  return {
    player: (row.playerId === null ? undefined : players.get(row.playerId)) ?? null,
    prevGameID: source?.id ?? row.prevGameId,
    score: hasBegun ? row.score : null,
    state,
    isWinner: state === 'winner' || state === 'winner_by_default',
    isReady: row.isReady,
    tapped: hasBegun && row.tapped,
    unstickSeconds: hasBegun ? row.unstickTime : null,
    showMotionSeconds: hasBegun ? row.showMotionTime : null,
  }
}

const holdsBot = (corner: Corner): corner is FightCorner => corner.player?.isBot === true

const tied = (corner: Corner): Corner => ({ ...corner, state: 'tie', isWinner: false })

/**
 * The corners of a game. If both corners won by the rows, the game is a tie: totals count at most one winner per fight.
 */
export const cornersOf = (red: Corner, blue: Corner): Corners => {
  if (red.isWinner && blue.isWinner) return cornersOf(tied(red), tied(blue))
  return holdsBot(red) && holdsBot(blue)
    ? { isFight: true, red, blue }
    : { isFight: false, red, blue }
}

/** Only a corner of a done game has a winner. */
export const hasResult = ({ isWinner, state }: Corner): boolean => isWinner || state === 'tie'
