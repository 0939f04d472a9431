import { asEntered } from '../../data/league/mistypedYears.ts'
import { isTable, standingsOf } from '../../data/league/stages.ts'
import type {
  Corner,
  Bracket as DomainBracket,
  Tournament as DomainTournament,
  Game,
  PlayerRecord,
  TournamentInfo,
} from '../../data/league/types.ts'
import {
  type Forecast as DomainForecast,
  standardErrorOf,
} from '../../derived/forecast/forecast.ts'
import type { NextGame as DomainNextGame, Prospect, Rounds } from '../../derived/live/rounds.ts'
import { toDateTime, toFlag, toProbability, toText, toTimestamp } from '../fields.ts'
import type {
  Bracket,
  BracketGame,
  Brackets,
  Forecast,
  Format,
  GameSlot,
  NextGame,
  Player,
  PlayerDetails,
  Tournament,
} from './schema.ts'

export const tournamentView = (info: TournamentInfo): Tournament => ({
  tournamentID: info.id,
  tournamentName: info.name,
  createTime: toDateTime(info.createUnix || null),
  scheduledStartTime: toDateTime((info.entered ?? info).scheduledStartUnix),
  startTime: toDateTime((info.entered ?? info).startUnix),
  endTime: toDateTime((info.entered ?? info).endUnix),
  updateTime: toDateTime(info.updateUnix || null),
  numPlayers: info.numPlayers,
  WeightClass: info.weightClassPounds,
  weightClassName: info.weightClassName,
  weightGrams: info.weightGrams,
  active: toFlag(info.active),
  isTest: toFlag(info.isTest),
  isFreestyle: toFlag(info.isFreestyle),
  privacy: info.privacy,
})

export const playerView = (record: PlayerRecord): Player => ({
  playerID: record.player.id,
  name: record.player.name,
  cleanName: record.player.cleanName,
  seed: record.player.seed ?? 0,
  wins: record.wins,
  losses: record.losses,
  isBye: toFlag(record.player.isBye),
  isDisqualified: toFlag(record.player.isDisqualified),
  lastPlayTime: toTimestamp(record.lastPlayUnix),
  mostRecentGameID: record.mostRecentGameID ?? '',
  placement: record.placement,
  team: record.player.team,
  driver: record.player.driver,
})

export const playerDetails = (record: PlayerRecord): PlayerDetails => ({
  ...playerView(record),
  gameIDs: [...record.gameIDs],
})

const comerNames = (comers: Prospect['comers'][0]): string[] =>
  (comers ?? []).map(({ name }) => name)

const gameSlot = (corner: Corner, slotIdx: 0 | 1, prospect?: Prospect): GameSlot => ({
  slotIdx,
  playerID: corner.player?.id ?? '',
  prevGameID: corner.prevGameID,
  score: toText(corner.score),
  isWinner: toFlag(corner.isWinner),
  slotState: corner.state,
  ...(prospect && !corner.player && { mayBe: comerNames(prospect.comers[slotIdx]) }),
})

/** `prospect` belongs to a game to come in a tournament under way. */
export const bracketGame = (game: Game, prospect?: Prospect): BracketGame => ({
  id: game.id,
  name: game.name,
  round: game.round,
  scoreToWin: game.scoreToWin,
  state: game.state,
  winAnnotation: game.winAnnotation ?? '',
  loserPlacement: game.loserPlacement,
  startTime: toTimestamp(asEntered(game).startUnix),
  stopTime: toTimestamp(asEntered(game).stopUnix),
  slots: [gameSlot(game.red, 0, prospect), gameSlot(game.blue, 1, prospect)],
  ...(prospect && { notBefore: toTimestamp(prospect.notBefore) }),
})

const results = { winner: 'win', loser: 'loss', either: '' } as const

export const nextGame = ({ game, after, opponents, notBefore }: DomainNextGame): NextGame => ({
  tournamentID: game.tournament.id,
  gameID: game.id,
  name: game.name,
  afterGameID: after?.source.id ?? '',
  result: results[after?.takes ?? 'either'],
  mayMeet: comerNames(opponents),
  notBefore: toTimestamp(notBefore),
})

const bracketView = (bracket: DomainBracket, rounds: Rounds | undefined): Bracket => ({
  bracketID: bracket.id,
  bracketName: bracket.name,
  games: bracket.games.map((game) => bracketGame(game, rounds?.prospects.get(game))),
  standings: isTable(bracket)
    ? standingsOf(bracket).map(({ player, ...record }) => ({ playerID: player.id, ...record }))
    : [],
})

const formatView = ({ format, brackets }: DomainTournament): Format => ({
  type: format.type,
  scoring: {
    type: format.scoringType,
    allowedWinAnnotations: [...format.allowedWinAnnotations],
  },
  brackets: brackets.map(({ id, name, formatType, rounds }) => ({
    id,
    name,
    type: formatType,
    rounds: [...rounds],
  })),
  scoreToWin: format.scoreToWin,
})

export const bracketsView = (tournament: DomainTournament, rounds?: Rounds): Brackets => ({
  brackets: tournament.brackets.map((bracket) => bracketView(bracket, rounds)),
  players: tournament.players.map(playerView),
  format: formatView(tournament),
})

export const forecastView = (info: TournamentInfo, forecast: DomainForecast): Forecast => {
  const { plan, runs, winning, reaching } = forecast
  const count = plan.bots.length
  const sums = winning.map((chance, bot) =>
    plan.rounds.reduce((sum, _, round) => sum + (reaching[round * count + bot] ?? 0), chance),
  )
  return {
    tournamentID: info.id,
    tournamentName: info.name,
    openFights: plan.games.length,
    runs,
    standardError: toProbability(standardErrorOf(forecast)),
    rounds: plan.rounds.map(({ bracketID, idx, name }) => ({ bracketID, round: idx, name })),
    bots: plan.bots
      .map((player, bot) => ({ player, bot, chance: winning[bot] ?? 0, sum: sums[bot] ?? 0 }))
      .sort((a, b) => b.chance - a.chance || b.sum - a.sum)
      .map(({ player, bot, chance }) => ({
        playerID: player.id,
        name: player.name,
        cleanName: player.cleanName,
        winProbability: toProbability(chance),
        roundProbabilities: plan.rounds.map((_, round) =>
          toProbability(reaching[round * count + bot] ?? 0),
        ),
      })),
  }
}
