import { type Static, Type } from '@sinclair/typebox'
import { formatTypes, gameProgress, slotStates, stageFormats } from '../../data/source/rows.ts'
import {
  closed,
  closedList,
  count,
  dateTime,
  driver,
  flag,
  listOf,
  literals,
  named,
  orNull,
  pounds,
  share,
  team,
  textual,
  timestamp,
  total,
  weightClassName,
} from '../fields.ts'

export const Tournament = named('Tournament', {
  tournamentID: Type.String({ description: 'tournament id' }),
  tournamentName: Type.String({ description: 'name of the tournament' }),
  createTime: dateTime('creation'),
  scheduledStartTime: dateTime('scheduled start'),
  startTime: dateTime('actual start'),
  endTime: dateTime('end'),
  updateTime: dateTime('last update'),
  numPlayers: total('robots, without byes'),
  WeightClass: pounds,
  weightClassName,
  weightGrams: orNull(count, 'limit of the weight class in grams'),
  active: flag('1 while the tournament is under way'),
  isTest: flag('always 0: test tournaments are not shown'),
  isFreestyle: flag('1 for a freestyle tournament'),
  privacy: Type.String({ description: 'always public' }),
})
export type Tournament = Static<typeof Tournament>

const playerFields = {
  playerID: Type.String({ description: 'id within the tournament' }),
  name: Type.String({ description: 'display name' }),
  cleanName: Type.String({ description: 'name for URLs' }),
  seed: total('0 when unseeded'),
  wins: total('completed fights won, exhibitions included'),
  losses: total('completed fights lost, exhibitions included'),
  isBye: flag('1 for a bye'),
  isDisqualified: flag('1 when disqualified'),
  lastPlayTime: timestamp('end of the last completed fight'),
  mostRecentGameID: Type.String({ description: 'last completed fight, empty when none' }),
  placement: orNull(
    Type.Integer({ minimum: 1 }),
    'final place; null until it is decided and the tournament is over',
  ),
  team,
  driver,
}

export const Player = named('Player', playerFields)
export type Player = Static<typeof Player>

export const PlayerDetails = named('PlayerDetails', {
  ...playerFields,
  gameIDs: Type.Array(Type.String(), { description: 'fights of the player in order of play' }),
})
export type PlayerDetails = Static<typeof PlayerDetails>

/** Bots that may come to a corner. */
const comers = (description: string) =>
  Type.Array(Type.String(), {
    maxItems: 8,
    description: `${description}, by display name; empty if nobody, not known or more than 8`,
    example: ['Norma L. Kurv', 'Vite Ramen'],
  })

const notBefore = timestamp(
  'earliest start to expect: `expectedFrom`, or a short fight and repairs after the fights that lead to it; 0 if unknown',
)

export const GameSlot = named('GameSlot', {
  slotIdx: Type.Integer({ minimum: 0, maximum: 1, description: '0 red, 1 blue' }),
  playerID: Type.String({ description: 'empty while the slot is undecided' }),
  prevGameID: orNull(Type.String(), 'the earlier game that feeds this slot'),
  score: Type.String(),
  isWinner: flag('1 when this slot won'),
  slotState: literals(slotStates),
  mayBe: Type.Optional(comers('of a slot that is open: who may still come to it')),
})
export type GameSlot = Static<typeof GameSlot>

export const BracketGame = named('BracketGame', {
  id: Type.String(),
  name: Type.String({ description: 'printed label' }),
  round: Type.Integer({ minimum: -1, description: '0-based; -1 for exhibition' }),
  scoreToWin: count,
  state: literals(gameProgress),
  winAnnotation: Type.String(),
  loserPlacement: orNull(Type.Integer(), 'final place of the loser; null if the loser continues'),
  startTime: timestamp('start'),
  stopTime: timestamp('end of the fighting'),
  slots: Type.Array(GameSlot, { minItems: 2, maxItems: 2 }),
  notBefore: Type.Optional(notBefore),
})
export type BracketGame = Static<typeof BracketGame>

export const NextGame = named('NextGame', {
  tournamentID: Type.String(),
  gameID: Type.String(),
  name: Type.String({ description: 'printed label' }),
  afterGameID: textual('the game of the bot before it; empty if the bot waits in this one', 'W-3'),
  result: literals(['win', 'loss', ''], {
    description: 'outcome of that game for the bot; empty if the bot waits in this one',
  }),
  mayMeet: comers('who may be in the other corner'),
  notBefore,
})
export type NextGame = Static<typeof NextGame>

export const Bracket = named('Bracket', {
  bracketID: Type.String({ description: 'W, L, EX' }),
  bracketName: Type.String(),
  games: Type.Array(BracketGame, { description: 'by round, then position' }),
  standings: listOf('the table of a round robin or Swiss stage; empty for an elimination', {
    rank: Type.Integer({ minimum: 1, description: 'equal records share a rank' }),
    playerID: Type.String(),
    wins: count,
    losses: count,
    draws: count,
  }),
})
export type Bracket = Static<typeof Bracket>

export const Format = named('Format', {
  type: literals(formatTypes),
  scoring: closed({ type: Type.String(), allowedWinAnnotations: Type.Array(Type.String()) }),
  brackets: closedList({
    id: Type.String(),
    name: Type.String(),
    type: literals(stageFormats, { description: 'format of this stage' }),
    rounds: closedList({ idx: Type.Integer(), name: Type.String(), scoreToWin: Type.Integer() }),
  }),
  scoreToWin: count,
})
export type Format = Static<typeof Format>

export const Tournaments = named('Tournaments', { tournaments: Type.Array(Tournament) })
export const TournamentBody = named('TournamentBody', { tournament: Tournament })
export const Brackets = named('Brackets', {
  brackets: Type.Array(Bracket),
  players: Type.Array(Player),
  format: Format,
})
export type Brackets = Static<typeof Brackets>
export const Players = named('Players', { players: Type.Array(Player) })
export const PlayerBody = named('PlayerBody', { player: PlayerDetails })

export const Forecast = named('Forecast', {
  tournamentID: Type.String(),
  tournamentName: Type.String(),
  openFights: total('fights of the bracket that are not decided'),
  runs: total('simulated runs; 0 if the chances are calculated'),
  standardError: Type.Number({
    minimum: 0,
    description: 'standard error of the least certain chance; 0 if they are calculated',
  }),
  rounds: listOf('rounds of the bracket; none in a round robin', {
    bracketID: Type.String({ description: 'W, L' }),
    round: total('0-based'),
    name: Type.String(),
  }),
  bots: listOf('the likeliest winner first', {
    playerID: Type.String({ description: 'id within the tournament' }),
    name: Type.String({ description: 'display name' }),
    cleanName: Type.String({ description: 'name for URLs' }),
    winProbability: share('chance to win the tournament'),
    roundProbabilities: Type.Array(share('chance to be in the round'), {
      description: 'chance to reach each of `rounds`, in their order',
    }),
  }),
})
export type Forecast = Static<typeof Forecast>
export const ForecastBody = named('ForecastBody', { forecast: Forecast })
