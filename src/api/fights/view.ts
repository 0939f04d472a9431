import { asEntered } from '../../data/league/mistypedYears.ts'
import { recordingsOf } from '../../data/league/recordings.ts'
import type { Fight, FightCorner, Tournament } from '../../data/league/types.ts'
import type { Expected, ExpectedStarts } from '../../derived/live/expected.ts'
import { toFlag, toText, toTimestamp } from '../fields.ts'
import { fightStartOffset, previewUrl, recordingView } from './recording.ts'
import type {
  Expectation,
  FightDetails,
  FightPlayer,
  FightSummary,
  Last24hFight,
  RecentFight,
} from './schema.ts'

/** Seconds between start and stop, with pauses; 0 until both are known, and if a year is mistyped. */
export const matchLength = ({ startUnix, stopUnix }: Fight): number =>
  startUnix === null || stopUnix === null ? 0 : Math.max(0, stopUnix - startUnix)

export const fightNames = ({ id, tournament, red, blue }: Fight) => ({
  tournamentID: tournament.id,
  id,
  gameID: id,
  player1: red.player.name,
  player1clean: red.player.cleanName,
  player2: blue.player.name,
  player2clean: blue.player.cleanName,
})

/** The corner that won; a completed fight that neither won is a draw. */
const winner = ({ isCompleted, red, blue }: Fight): FightSummary['winner'] => {
  if (!isCompleted) return null
  return red.isWinner ? 'player1' : blue.isWinner ? 'player2' : 'draw'
}

const course = (fight: Fight) => ({
  name: fight.name,
  round: fight.round,
  cage: fight.cage ?? '',
  player1wins: toFlag(fight.red.isWinner),
  player2wins: toFlag(fight.blue.isWinner),
  winAnnotation: fight.winAnnotation ?? '',
  startTime: toTimestamp(asEntered(fight).startUnix),
  stopTime: toTimestamp(asEntered(fight).stopUnix),
  matchLength: matchLength(fight),
})

export const fightSummary = (fight: Fight): FightSummary => ({
  ...fightNames(fight),
  ...course(fight),
  cams: fight.recordings.length,
  endTime: toTimestamp(asEntered(fight).endUnix),
  weightClass: fight.tournament.weightClassPounds,
  weightClassName: fight.tournament.weightClassName,
  tournamentName: fight.tournament.name,
  winner: winner(fight),
})

/** Fields of a waiting fight, see {@link Expected}; empty for any other. */
export const expectation = ({ state }: Fight, expected: Expected | undefined): Expectation => {
  if (state !== 'pending') return {}
  return {
    expectedStart: toTimestamp(expected?.at?.start ?? null),
    expectedFrom: toTimestamp(expected?.at?.from ?? null),
    expectedTo: toTimestamp(expected?.at?.to ?? null),
    paused: toFlag(expected?.isPaused ?? false),
  }
}

export const recentFight = (fight: Fight): RecentFight => ({
  ...fightNames(fight),
  ...course(fight),
  tournamentName: fight.tournament.name,
  winner: winner(fight),
  WeightClass: fight.tournament.weightClassPounds,
  weightClassName: fight.tournament.weightClassName,
  proxy72: previewUrl(fight),
  fightStartOffset: fightStartOffset(fight),
})

export const last24hFight = (fight: Fight): Last24hFight => ({
  ...fightNames(fight),
  tournamentName: fight.tournament.name,
  winner: winner(fight),
  WeightClass: fight.tournament.weightClassPounds,
  weightClassName: fight.tournament.weightClassName,
  stopTime: toTimestamp(asEntered(fight).stopUnix),
  proxy72: previewUrl(fight),
})

export const fightPlayer = (
  tournament: Tournament,
  fight: Fight,
  corner: FightCorner,
  slotIdx: 0 | 1,
): FightPlayer => {
  const { player } = corner
  const record = tournament.playersByID.get(player.id)
  return {
    name: player.name,
    gameID: fight.id,
    tournamentID: fight.tournament.id,
    slotIdx: toText(slotIdx),
    playerID: player.id,
    prevGameID: corner.prevGameID ?? '',
    score: toText(corner.score),
    isWinner: toText(corner.isWinner),
    isReady: toText(corner.isReady),
    cleanName: player.cleanName,
    seed: toText(player.seed),
    wins: toText(record?.wins ?? null),
    losses: toText(record?.losses ?? null),
    isBye: toText(player.isBye),
    isDisqualified: toText(player.isDisqualified),
    team: toText(player.team),
    driver: toText(player.driver),
    round: toText(fight.round),
    scoreToWin: toText(fight.scoreToWin),
    state: fight.state,
    winAnnotation: fight.winAnnotation ?? '',
    loserPlacement: toText(fight.loserPlacement),
    startTime: toText(toTimestamp(asEntered(fight).startUnix)),
    stopTime: toText(toTimestamp(asEntered(fight).stopUnix)),
    duration: toText(matchLength(fight)),
    judgesString: fight.judgeLines.join('<br>'),
    roundName: fight.roundName,
  }
}

export const fightDetails = (
  tournament: Tournament,
  fight: Fight,
  starts: ExpectedStarts,
): FightDetails => ({
  tournamentID: fight.tournament.id,
  gameID: fight.id,
  player1: fightPlayer(tournament, fight, fight.red, 0),
  player2: fightPlayer(tournament, fight, fight.blue, 1),
  tournament: {
    name: fight.tournament.name,
    numPlayers: toText(fight.tournament.numPlayers),
    WeightClass: toText(fight.tournament.weightClassPounds),
    weightClassName: toText(fight.tournament.weightClassName),
    active: toText(fight.tournament.active),
    isTest: toText(fight.tournament.isTest),
    isFreestyle: toText(fight.tournament.isFreestyle),
    privacy: fight.tournament.privacy,
  },
  recordings: recordingsOf(fight.recordings).map((recording) => recordingView(fight, recording)),
  ...expectation(fight, starts.fights.get(fight)),
  notice: fight.notice,
  fightStartOffset: fightStartOffset(fight),
})
