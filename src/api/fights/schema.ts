import { type Static, Type } from '@sinclair/typebox'
import { filmKinds } from '../../data/league/films.ts'
import { Pagination } from '../../http/paging.ts'
import {
  chanceFields,
  closed,
  count,
  flag,
  literals,
  named,
  orNull,
  pounds,
  textual,
  timestamp,
  total,
  weightClassName,
} from '../fields.ts'

/** Fields of a fight in every list. */
const fightRow = {
  tournamentID: Type.String({ description: 'tournament id' }),
  id: textual('game id', 'W-12'),
  gameID: textual('the same as id', 'W-12'),
  player1: textual('red corner', 'Mr. Smash-It!'),
  player1clean: textual('red corner, clean name', 'mrsmashit'),
  player2: Type.String({ description: 'blue corner' }),
  player2clean: Type.String({ description: 'blue corner, clean name' }),
  tournamentName: Type.String({ description: 'name of the tournament' }),
  winner: Type.Union(
    [Type.Literal('player1'), Type.Literal('player2'), Type.Literal('draw'), Type.Null()],
    {
      description:
        'player1 is red, player2 blue, draw a result without a winner; null until decided',
    },
  ),
}

const fightFields = {
  ...fightRow,
  name: textual('printed label', 'W:4-1'),
  round: Type.Integer({ minimum: -1, description: '0-based; -1 for exhibition' }),
  cage: textual('cage, empty when none is assigned', 'Cage 2'),
  player1wins: flag('1 when the red corner won'),
  player2wins: flag('1 when the blue corner won'),
  winAnnotation: textual('win type, such as KO, JD, TKO; empty until decided', 'KO'),
  startTime: timestamp('start of the fight'),
  stopTime: timestamp('end of the fighting'),
  matchLength: Type.Integer({ description: 'stopTime minus startTime in seconds, 0 until then' }),
}

export const offsetDescription =
  'offset of the start of the fight, in seconds, within the available recording that started ' +
  'first; null when unknown. Each recording has its own'

/** Expected start of a waiting fight; missing in any other fight. */
export const expectationFields = {
  expectedStart: Type.Optional(
    timestamp('when a waiting fight is expected to begin; 0 if unknown'),
  ),
  expectedFrom: Type.Optional(timestamp('start of a range that holds about 80 % of such starts')),
  expectedTo: Type.Optional(timestamp('end of that range')),
  paused: Type.Optional(
    flag(
      '1 while no start is expected because its cage (or, without a cage, all cages) has a break: no fight began or ended for three usual turns',
    ),
  ),
}
const Expectation = Type.Object(expectationFields)
export type Expectation = Static<typeof Expectation>

export const FightSummary = named('FightSummary', {
  ...fightFields,
  cams: total('number of recordings'),
  endTime: timestamp('when the fight was closed'),
  weightClass: pounds,
  weightClassName,
})
export type FightSummary = Static<typeof FightSummary>

const TournamentFight = named('TournamentFight', {
  ...FightSummary.properties,
  ...expectationFields,
})

/** One completed fight, with fields for a preview. */
export const RecentFight = named('RecentFight', {
  ...fightFields,
  WeightClass: pounds,
  weightClassName,
  proxy72: orNull(Type.String(), '72p preview'),
  fightStartOffset: orNull(Type.Number(), offsetDescription),
})
export type RecentFight = Static<typeof RecentFight>

/** One fight that ended within the last 24 hours. */
export const Last24hFight = named('Last24hFight', {
  ...fightRow,
  WeightClass: pounds,
  weightClassName,
  stopTime: timestamp('end of the fighting'),
  proxy72: orNull(Type.String(), '72p preview'),
})
export type Last24hFight = Static<typeof Last24hFight>

/** One corner of a fight; every value is text. */
export const FightPlayer = named('FightPlayer', {
  name: textual('display name'),
  gameID: textual('game id'),
  tournamentID: textual('tournament id'),
  slotIdx: textual('0 red, 1 blue'),
  playerID: textual('player id'),
  prevGameID: textual('the game that feeds this corner'),
  score: textual('score'),
  isWinner: textual('0 or 1'),
  isReady: textual('0 or 1'),
  cleanName: textual('clean name'),
  seed: textual('seed'),
  wins: textual('fights won in the tournament'),
  losses: textual('fights lost in the tournament'),
  isBye: textual('0 or 1'),
  isDisqualified: textual('0 or 1'),
  team: textual('who built the robot'),
  driver: textual('who drives it'),
  round: textual('0-based; -1 for exhibition'),
  scoreToWin: textual('score that wins'),
  state: textual('pending, active or done'),
  winAnnotation: textual('win type'),
  loserPlacement: textual('final place of the loser'),
  startTime: textual('Unix seconds'),
  stopTime: textual('Unix seconds'),
  duration: textual('stopTime minus startTime in seconds'),
  judgesString: textual('lines of the judges, joined by <br>'),
  roundName: textual('name of the round'),
})
export type FightPlayer = Static<typeof FightPlayer>

/** One recording of a fight; every value is text. */
export const Recording = named('Recording', {
  recordingID: textual('recording id'),
  gameID: textual('game id'),
  tournamentID: textual('tournament id'),
  cage: textual('cage', 'Cage 2'),
  camera: textual('camera angle', 'Cage-2-Overhead-High'),
  kind: literals(filmKinds, {
    description: 'file, or the provider on whose page the film is: such a film has no files',
  }),
  page: textual('page of the film at its provider; empty for a file'),
  s3path: textual('full-quality video; empty without a file'),
  s3http: textual('HTTP status of the full-quality video', '200'),
  proxy720: textual('720p video'),
  proxy360: textual('360p video'),
  proxy72: textual('72p video'),
  startTime: textual('start of the recording, milliseconds since the epoch'),
  fightStartOffset: textual(
    'offset of the start of the fight in seconds; negative if this recording starts later',
  ),
})
export type Recording = Static<typeof Recording>

export const FightDetails = named('FightDetails', {
  tournamentID: Type.String(),
  gameID: Type.String(),
  player1: FightPlayer,
  player2: FightPlayer,
  tournament: closed({
    name: textual('display name'),
    numPlayers: textual('number of robots'),
    WeightClass: textual('pounds'),
    weightClassName: textual('weight class as the league writes it'),
    active: textual('0 or 1'),
    isTest: textual('0 or 1'),
    isFreestyle: textual('0 or 1'),
    privacy: textual('public'),
  }),
  recordings: Type.Array(Recording),
  ...expectationFields,
  notice: Type.String({ description: 'remark on the fight; usually empty' }),
  fightStartOffset: orNull(Type.Number(), offsetDescription),
  ...chanceFields,
})
export type FightDetails = Static<typeof FightDetails>

export const FightList = named('FightList', { fights: Type.Array(TournamentFight) })
export const FightPage = named('FightPage', {
  fights: Type.Array(FightSummary),
  pagination: Pagination,
})
export const RecentFights = named('RecentFights', { fights: Type.Array(RecentFight) })
export const Last24h = named('Last24h', {
  fights: Type.Array(Last24hFight),
  count,
})
export type Last24h = Static<typeof Last24h>
export const FightBody = named('FightBody', { fight: FightDetails })
