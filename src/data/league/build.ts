import { compareNaturally, compareTexts } from '../../runtime/compareTexts.ts'
import type { PackedRows } from '../source/recordingTable.ts'
import type { GameRow, PlayerRow, SlotRow, TournamentRows } from '../source/rows.ts'
import { cleanName, isPlaceholderName } from './cleanName.ts'
import {
  type Contest,
  doubtsOf,
  ownFinish,
  ownMoment,
  pauseOf,
  playedTimes,
  timesOf,
  withoutMistyped,
  withoutMistypedPauses,
} from './contests.ts'
import { corner, cornersOf, hasResult } from './corners.ts'
import { intern } from './intern.ts'
import { buildClips, buildStills } from './media.ts'
import { findMistypedYears } from './mistypedYears.ts'
import { newestFirst, tournamentStart, tournamentsNewestFirst } from './order.ts'
import { orderOfPlay } from './orderOfPlay.ts'
import { buildPlacements } from './placements.ts'
import { findIndexed, indexRecordings, recordingsByGame } from './recordings.ts'
import { isTable, qualifiedRounds } from './stages.ts'
import type {
  Bracket,
  Dataset,
  Fight,
  Game,
  Player,
  PlayerRecord,
  Recording,
  Recordings,
  Tournament,
  TournamentInfo,
} from './types.ts'

const player = (row: PlayerRow): Player => ({
  id: row.id,
  name: intern(row.name),
  cleanName: intern(cleanName(row.name)),
  seed: row.seed,
  isBye: row.isBye,
  isDisqualified: row.isDisqualified,
  givenPlace: row.placement,
  team: row.team ? intern(row.team) : null,
  driver: row.driver ? intern(row.driver) : null,
  isBot: !row.isBye && !isPlaceholderName(row.name),
})

/** Final places by player id: the league's own if it gives any, else the places that follow from the fights. */
const placesOf = (
  { tournament: { active }, players }: Pick<TournamentRows, 'tournament' | 'players'>,
  brackets: readonly Bracket[],
): ReadonlyMap<string, number> => {
  const given = players.flatMap(({ id, placement }) =>
    placement ? [[id, placement] as const] : [],
  )
  return given.length > 0 && !active ? new Map(given) : buildPlacements(active, brackets)
}

const playerRecords = (
  players: Iterable<Player>,
  games: readonly Game[],
  placements: ReadonlyMap<string, number>,
): PlayerRecord[] => {
  const gamesByPlayer = new Map<Player, Game[]>()
  for (const game of games)
    for (const player of new Set([game.red.player, game.blue.player]))
      if (player) gamesByPlayer.getOrInsertComputed(player, () => []).push(game)
  return [...players].map((player) => {
    const own = gamesByPlayer.get(player) ?? []
    let [wins, losses, draws] = [0, 0, 0]
    const played = own
      .filter((game) => game.isFight)
      .filter(({ state }) => state !== 'pending')
      .sort((a, b) => newestFirst(b, a))
    const latest = played.findLast(({ isCompleted }) => isCompleted)
    for (const game of own) {
      if (!game.isFight || !game.isCompleted) continue
      const { red, blue } = game
      // A player can be in both corners.
      const [isRed, isBlue] = [red.player?.id === player.id, blue.player?.id === player.id]
      if ((isRed && red.isWinner) || (isBlue && blue.isWinner)) wins += 1
      if ((isRed && blue.isWinner) || (isBlue && red.isWinner)) losses += 1
      if (!red.isWinner && !blue.isWinner) draws += 1
    }
    return {
      player,
      wins,
      losses,
      draws,
      lastPlayUnix: latest?.finishUnix ?? null,
      mostRecentGameID: latest?.id ?? null,
      gameIDs: played.map(({ id }) => id),
      placement: placements.get(player.id) ?? null,
    }
  })
}

const bySeed = (a: PlayerRecord, b: PlayerRecord): number =>
  (a.player.seed ?? Number.MAX_SAFE_INTEGER) - (b.player.seed ?? Number.MAX_SAFE_INTEGER) ||
  compareTexts(a.player.name, b.player.name) ||
  compareTexts(a.player.id, b.player.id)

/** The previous value if it equals the new one, so that versions share it. */
const shared = <T>(known: T | undefined, value: T): T =>
  known !== undefined && Bun.deepEquals(known, value) ? known : value

/** {@link shared} for recordings, whose tables are compared by identity. */
const sharedRecordings = (known: Recordings | undefined, value: Recordings): Recordings =>
  known?.table === value.table && known.first === value.first && known.length === value.length
    ? known
    : value

/**
 * Builds one tournament from its rows. A reference to a missing player or round counts as null; a row of a missing
 * game and a game of a missing bracket are left out. Postgres allows neither.
 */
export const buildTournament = (rows: TournamentRows | PackedRows): Tournament =>
  rebuildTournament(rows, undefined)

/**
 * {@link buildTournament}, sharing equal values with the previous version: otherwise a change of all tournaments would
 * take the memory of two leagues.
 */
export const rebuildTournament = (
  rows: TournamentRows | PackedRows,
  before: Tournament | undefined,
): Tournament => {
  const row = rows.tournament
  const players = new Map(
    rows.players.map((each) => [
      each.id,
      shared(before?.playersByID.get(each.id)?.player, player(each)),
    ]),
  )
  const reds = new Map<string, SlotRow>()
  const blues = new Map<string, SlotRow>()
  for (const slot of rows.slots) (slot.idx === 0 ? reds : blues).set(slot.gameId, slot)
  const rowsByID = new Map(rows.games.map((each) => [each.id, each]))
  const exhibitions = new Set(rows.brackets.filter((b) => b.isExhibition).map(({ id }) => id))
  const contest = (row: GameRow): Contest => {
    const state = row.state === 'active' || row.state === 'done' ? row.state : 'pending'
    const known = before?.games.get(row.id)
    const red = corner(reds.get(row.id), players, rowsByID, state)
    const blue = corner(blues.get(row.id), players, rowsByID, state)
    return {
      row,
      state,
      corners: cornersOf(shared(known?.red, red), shared(known?.blue, blue)),
      startTime: state === 'pending' ? null : row.startTime,
      stopUnix: state === 'done' ? row.stopTime : null,
      endUnix: state === 'done' ? row.endTime : null,
      scheduledUnix: row.scheduledTime,
      entered: null,
    }
  }
  const entered = rows.games.map(contest)
  const isMistyped = findMistypedYears(
    row,
    entered.filter(({ corners }) => corners.isFight).map(ownFinish),
  )
  const contests = entered.map((each) => withoutMistyped(each, isMistyped))
  const unlessMistyped = (unix: number | null): number | null => (isMistyped(unix) ? null : unix)
  const counted = {
    active: row.active,
    startTime: unlessMistyped(row.startTime),
    scheduledStartTime: unlessMistyped(row.scheduledStartTime),
    endTime: unlessMistyped(row.endTime),
  }
  const played = playedTimes(counted, contests)
  const doubts = doubtsOf(rows, contests, isMistyped)

  const info: TournamentInfo = {
    id: row.id,
    name: row.name,
    createUnix: row.createTime,
    scheduledStartUnix: counted.scheduledStartTime,
    ...played,
    entered:
      doubts.length === 0
        ? null
        : {
            startUnix: row.startTime ?? played.startUnix,
            scheduledStartUnix: row.scheduledStartTime,
            endUnix: row.active ? null : (row.endTime ?? played.endUnix),
          },
    updateUnix: row.updateTime,
    numPlayers: players.values().reduce((sum, { isBot }) => sum + (isBot ? 1 : 0), 0),
    weightClassPounds: row.weightClass,
    weightClassName: row.weightClassName || null,
    weightGrams: row.weightGrams,
    active: row.active,
    isTest: row.isTest,
    isFreestyle: row.isFreestyle,
    qualifiedFrom: qualifiedRounds(rows),
    privacy: row.privacy,
  }

  const order = orderOfPlay(
    contests.map((each) => ({
      id: each.row.id,
      isFight: each.corners.isFight,
      bracketID: each.row.bracketId,
      round: each.row.roundIdx,
      position: each.row.position,
      moment: ownMoment(each),
      corners: [each.corners.red, each.corners.blue].map(({ player, prevGameID }) => ({
        playerID: player?.id ?? null,
        prevGameID,
      })),
    })),
    rows.brackets.map(({ id, position, isExhibition, formatType }) => ({
      id,
      position,
      isExhibition,
      isTable: isTable({ formatType: formatType ?? row.formatType }),
    })),
    tournamentStart(info),
  )

  const { table, byGame: recordings } = recordingsByGame(rows.recordings)
  const unfilmed: Recordings = { table, first: 0, length: 0 }
  const pauses = Map.groupBy(withoutMistypedPauses(rows.pauses, isMistyped), ({ gameId }) => gameId)
  const judgeLines = Map.groupBy(rows.judgeLines, ({ gameId }) => gameId)
  const roundsByBracket = Map.groupBy(rows.rounds, ({ bracketId }) => bracketId)
  const none: readonly never[] = []

  const game = (
    contest: Contest,
    bracketID: string,
    rounds: ReadonlyMap<number, Bracket['rounds'][number]>,
  ): Game => {
    const { row: game, state, corners } = contest
    const { isFight, red, blue } = corners
    const round = rounds.get(game.roundIdx)
    const known = before?.games.get(game.id)
    const isDone = state === 'done'
    const winAnnotation = isDone ? game.winAnnotation : null
    const { momentUnix, playIndex } = order.get(game.id) ?? {
      momentUnix: ownMoment(contest) ?? tournamentStart(info),
      playIndex: 0,
    }
    const isCompleted = isFight && (hasResult(red) || hasResult(blue) || !!winAnnotation)
    return {
      tournament: info,
      id: known?.id ?? game.id,
      bracketID,
      name: intern(game.name),
      round: exhibitions.has(game.bracketId) ? -1 : game.roundIdx,
      roundName: round?.name ?? '',
      scoreToWin: round?.scoreToWin ?? row.scoreToWin,
      state,
      waitsAs: game.state === 'active' || game.state === 'done' ? null : game.state,
      cage: game.cage === null ? null : intern(game.cage),
      winAnnotation: winAnnotation === null ? null : intern(winAnnotation),
      loserPlacement: game.loserPlacement,
      availableUnix: game.availableSince,
      calledUnix: game.calledSince,
      ...timesOf(contest),
      entered: contest.entered && timesOf(contest.entered),
      momentUnix,
      playIndex,
      finishUnix: isDone ? momentUnix : null,
      notice: game.notice,
      judgeLines: shared(
        known?.judgeLines,
        (isDone ? judgeLines.get(game.id)?.map(({ line }) => line) : undefined) ?? none,
      ),
      countdownSeconds: game.countdown,
      timerSeconds: isDone ? game.timerDuration : null,
      pauses: shared(
        known?.pauses,
        (state === 'pending' ? undefined : pauses.get(game.id))?.map((pause) =>
          pauseOf(pause, contest),
        ) ?? none,
      ),
      recordings: sharedRecordings(known?.recordings, recordings.get(game.id) ?? unfilmed),
      isCompleted,
      ...corners,
    }
  }

  const contestsByBracket = Map.groupBy(
    contests.toSorted(
      ({ row: a }, { row: b }) =>
        a.roundIdx - b.roundIdx || a.position - b.position || compareNaturally(a.id, b.id),
    ),
    ({ row }) => row.bracketId,
  )
  const brackets: Bracket[] = rows.brackets
    .toSorted((a, b) => a.position - b.position || compareTexts(a.id, b.id))
    .map(({ id: own, name, isExhibition, formatType }) => {
      const id = intern(own)
      const rounds = (roundsByBracket.get(id) ?? []).map(({ idx, name, scoreToWin }) => ({
        idx,
        name: intern(name),
        scoreToWin,
      }))
      const roundsByIndex = new Map(rounds.map((round) => [round.idx, round]))
      return {
        id,
        name,
        isExhibition,
        formatType: formatType ?? row.formatType,
        rounds,
        games: (contestsByBracket.get(id) ?? []).map((each) => game(each, id, roundsByIndex)),
      }
    })
  const games = brackets.flatMap(({ games }) => games)
  const gamesByID = new Map(games.map((game) => [game.id, game]))
  const fights = games.filter((game) => game.isFight)
  const records = playerRecords(players.values(), games, placesOf(rows, brackets))
    .map((record) => shared(before?.playersByID.get(record.player.id), record))
    .sort(bySeed)
  return {
    info,
    format: {
      type: row.formatType,
      scoringType: row.scoringType,
      allowedWinAnnotations: row.allowedWinAnnotations,
      scoreToWin: row.scoreToWin,
    },
    brackets,
    players: records,
    playersByID: new Map(records.map((record) => [record.player.id, record])),
    games: gamesByID,
    doubts,
    fights: fights.toSorted(newestFirst),
    completedFights: fights.filter(({ isCompleted }) => isCompleted).length,
    recordings: indexRecordings(table, fights),
    clips: buildClips(rows.clips, gamesByID),
    stills: buildStills(rows.stills, rows.stillTags, info, players),
  }
}

/** Builds the dataset from tournaments in any order. */
export const buildDataset = (tournaments: readonly Tournament[]): Dataset => ({
  tournaments: tournaments.toSorted(tournamentsNewestFirst),
  tournamentsByID: new Map(tournaments.map((tournament) => [tournament.info.id, tournament])),
  fights: tournaments.flatMap(({ fights }) => fights).sort(newestFirst),
})

/**
 * The recording with this id and its fight. A binary search in each tournament, so that a refresh does not
 * update an index over all recordings.
 */
export const findRecording = (
  dataset: Dataset,
  id: number,
): { fight: Fight; recording: Recording } | undefined => {
  for (const { recordings } of dataset.tournaments) {
    const found = findIndexed(recordings, id)
    if (found) return found
  }
  return undefined
}
