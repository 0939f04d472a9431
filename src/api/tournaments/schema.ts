import { type Static, Type } from '@sinclair/typebox'
import { closed, dateTime, flag, named, pounds, timestamp } from '../fields.ts'

export const Tournament = Type.Object(
  {
    tournamentID: Type.String({ description: 'tournament id' }),
    tournamentName: Type.String({ description: 'name of the tournament' }),
    createTime: dateTime('creation'),
    scheduledStartTime: dateTime('scheduled start'),
    startTime: dateTime('actual start'),
    endTime: dateTime('end'),
    updateTime: dateTime('last update'),
    numPlayers: Type.Integer({ minimum: 0, description: 'robots, without byes' }),
    WeightClass: pounds,
    active: flag('1 while the tournament is under way'),
    isTest: flag('always 0: test tournaments are not shown'),
    isFreestyle: flag('1 for a freestyle tournament'),
    privacy: Type.String({ description: 'always public' }),
  },
  named('Tournament'),
)
export type Tournament = Static<typeof Tournament>

const playerFields = {
  playerID: Type.String({ description: 'id within the tournament' }),
  name: Type.String({ description: 'display name' }),
  cleanName: Type.String({ description: 'name for URLs' }),
  seed: Type.Integer({ minimum: 0, description: '0 when unseeded' }),
  wins: Type.Integer({ minimum: 0, description: 'completed fights won, exhibitions included' }),
  losses: Type.Integer({ minimum: 0, description: 'completed fights lost, exhibitions included' }),
  isBye: flag('1 for a bye'),
  isDisqualified: flag('1 when disqualified'),
  lastPlayTime: timestamp('end of the last completed fight'),
  mostRecentGameID: Type.String({ description: 'last completed fight, empty when none' }),
  placement: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description: 'final place; null until it is decided and the tournament is over',
  }),
}

export const Player = Type.Object(playerFields, named('Player'))
export type Player = Static<typeof Player>

export const PlayerDetails = Type.Object(
  {
    ...playerFields,
    gameIDs: Type.Array(Type.String(), { description: 'games of the player' }),
  },
  named('PlayerDetails'),
)
export type PlayerDetails = Static<typeof PlayerDetails>

export const GameSlot = Type.Object(
  {
    slotIdx: Type.Integer({ minimum: 0, maximum: 1, description: '0 red, 1 blue' }),
    playerID: Type.String({ description: 'empty while the slot is undecided' }),
    prevGameID: Type.Union([Type.String(), Type.Null()], {
      description: 'the earlier game that feeds this slot',
    }),
    score: Type.String(),
    isWinner: flag('1 when this slot won'),
    slotState: Type.Union([
      Type.Literal('pending'),
      Type.Literal('winner'),
      Type.Literal('loser'),
      Type.Literal('winner_by_default'),
      Type.Literal('loser_by_default'),
      Type.Literal('tie'),
    ]),
  },
  named('GameSlot'),
)
export type GameSlot = Static<typeof GameSlot>

export const BracketGame = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'printed label' }),
    round: Type.Integer({ minimum: -1, description: '0-based; -1 for exhibition' }),
    scoreToWin: Type.Integer({ minimum: 0 }),
    state: Type.Union([Type.Literal('pending'), Type.Literal('active'), Type.Literal('done')]),
    winAnnotation: Type.String(),
    loserPlacement: Type.Union([Type.Integer(), Type.Null()], {
      description: 'final place of the loser; null if the loser continues',
    }),
    startTime: timestamp('start'),
    stopTime: timestamp('end of the fighting'),
    slots: Type.Array(GameSlot, { minItems: 2, maxItems: 2 }),
  },
  named('BracketGame'),
)
export type BracketGame = Static<typeof BracketGame>

export const Bracket = Type.Object(
  {
    bracketID: Type.String({ description: 'W, L, EX' }),
    bracketName: Type.String(),
    games: Type.Array(BracketGame, { description: 'by round, then position' }),
  },
  named('Bracket'),
)
export type Bracket = Static<typeof Bracket>

export const Format = Type.Object(
  {
    type: Type.Union([
      Type.Literal('single_elimination'),
      Type.Literal('double_elimination'),
      Type.Literal('round_robin'),
    ]),
    scoring: Type.Object(
      { type: Type.String(), allowedWinAnnotations: Type.Array(Type.String()) },
      closed,
    ),
    brackets: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          name: Type.String(),
          rounds: Type.Array(
            Type.Object(
              { idx: Type.Integer(), name: Type.String(), scoreToWin: Type.Integer() },
              closed,
            ),
          ),
        },
        closed,
      ),
    ),
    scoreToWin: Type.Integer({ minimum: 0 }),
  },
  named('Format'),
)
export type Format = Static<typeof Format>

export const Tournaments = Type.Object(
  { tournaments: Type.Array(Tournament) },
  named('Tournaments'),
)
export const TournamentBody = Type.Object({ tournament: Tournament }, named('TournamentBody'))
export const Brackets = Type.Object(
  { brackets: Type.Array(Bracket), players: Type.Array(Player), format: Format },
  named('Brackets'),
)
export type Brackets = Static<typeof Brackets>
export const Players = Type.Object({ players: Type.Array(Player) }, named('Players'))
export const PlayerBody = Type.Object({ player: PlayerDetails }, named('PlayerBody'))
