import { nullsOf } from '../../src/data/source/fields.ts'
import {
  type GameRow,
  type JudgeLineRow,
  type PauseRow,
  PlayerRow,
  type SlotRow,
  TournamentRow,
  type TournamentRows,
} from '../../src/data/source/rows.ts'
import { byID } from '../../src/data/source/snapshot.ts'
import { compareTexts } from '../../src/runtime/compareTexts.ts'
import type { Game } from './brackets.ts'
import type { Contest } from './contest.ts'
import type { Media } from './media.ts'
import { capturedAt, type EventPlan } from './plan.ts'
import type { Random } from './random.ts'
import { wordsOf } from './words.ts'

const people = wordsOf('people')

/** Columns that the generator leaves empty. */
const unknown = { tournament: nullsOf(TournamentRow), player: nullsOf(PlayerRow) }

const gameRow = (game: Game): GameRow => {
  const {
    purpose,
    scoreToWin,
    corners,
    winnerTo,
    loserTo,
    recordedAt,
    judgeLines,
    pauses,
    ...row
  } = game
  return { ...row, cage: game.cage === null ? null : `Cage ${game.cage}` }
}

const weightClasses = {
  30: { weightClassName: 'Featherweight', weightGrams: 13_608 },
  12: { weightClassName: 'Hobbyweight', weightGrams: 5443 },
  3: { weightClassName: 'Beetleweight', weightGrams: 1361 },
} as const

/** The same person for all bots of a team. */
const driverOf = (team: string): string =>
  people[Number(Bun.hash.xxHash64(team) % BigInt(people.length))] ?? ''

const tournamentRow = (contest: Contest, event: EventPlan, random: Random): TournamentRow => {
  const { plan, games, opensAt } = contest
  const starts = games.flatMap(({ startTime }) => startTime ?? [])
  const ends = games.flatMap(({ endTime }) => endTime ?? [])
  const lastEnd = ends.reduce((last, end) => Math.max(last, end), 0)
  const isOver = games.every(({ state }) => state === 'done')
  const hasStart = random.chance(0.85)
  const hasEnd = random.chance(hasStart ? 0.95 : 0.3)
  const createTime = event.startTime - random.int(30 * 86_400, 60 * 86_400)
  const updated =
    event.phase === 'underWay' && !isOver
      ? capturedAt - random.int(5, 60)
      : lastEnd + random.int(30, 5000)
  return {
    ...unknown.tournament,
    id: plan.id,
    name: plan.name,
    createTime,
    scheduledStartTime: random.chance(0.95) || event.phase === 'upcoming' ? opensAt : null,
    startTime: hasStart && starts.length > 0 ? Math.floor(Math.min(...starts)) : null,
    endTime: hasEnd && isOver ? lastEnd : null,
    updateTime: event.phase === 'upcoming' ? capturedAt - 86_400 : Math.min(capturedAt, updated),
    weightClass: plan.weightClass,
    active: event.phase === 'underWay' && !isOver,
    isTest: plan.isTest,
    isFreestyle: plan.isFreestyle,
    privacy: plan.privacy,
    formatType: plan.formatType,
    scoringType: plan.finalScoreToWin > 1 ? 'best_of' : 'single_fight',
    allowedWinAnnotations: ['KO', 'TKO', 'TO', 'JD', 'FF', 'DQ', 'TIE'],
    scoreToWin: 1,
    ...weightClasses[plan.weightClass],
  }
}

/** Converts a tournament to its rows, each table sorted by its key. */
export const toRows = (
  contest: Contest,
  event: EventPlan,
  media: Media,
  random: Random,
): TournamentRows => {
  const games = contest.games.toSorted(byID)
  return {
    tournament: tournamentRow(contest, event, random),
    brackets: contest.brackets.toSorted(byID),
    rounds: contest.rounds.toSorted(
      (a, b) => compareTexts(a.bracketId, b.bracketId) || a.idx - b.idx,
    ),
    players: contest.entrants
      .map(
        ({ id, name, bot, seed, isBye, isDisqualified }): PlayerRow => ({
          ...unknown.player,
          id,
          name,
          seed,
          isBye,
          isDisqualified,
          team: bot?.team ?? null,
          driver: bot ? driverOf(bot.team) : null,
        }),
      )
      .toSorted(byID),
    games: games.map(gameRow),
    slots: games.flatMap(({ id, corners }) =>
      corners.map(
        ({ entrant, ...corner }, idx): SlotRow => ({
          ...corner,
          gameId: id,
          idx,
          playerId: entrant?.id ?? null,
        }),
      ),
    ),
    pauses: games.flatMap(({ id, pauses }) =>
      pauses.map((pause, idx): PauseRow => ({ gameId: id, idx, ...pause })),
    ),
    judgeLines: games.flatMap(({ id, judgeLines }) =>
      judgeLines.map((line, idx): JudgeLineRow => ({ gameId: id, idx, line })),
    ),
    ...media,
  }
}
