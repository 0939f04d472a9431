import {
  type ClipRow,
  compareTexts,
  type GameRow,
  isShownClip,
  type PlayerRow,
  type SlotRow,
  type StillRow,
  type StillTagRow,
  type TournamentRow,
  type TournamentRows,
} from '../source/rows.ts'
import { cleanName, isPlaceholderName } from './cleanName.ts'
import { intern } from './intern.ts'
import { newestClipFirst, newestFirst, newestStillFirst, tournamentsNewestFirst } from './order.ts'
import { buildPlacements } from './placements.ts'
import { findIndexed, indexRecordings, packRecordings } from './recordings.ts'
import type {
  Bracket,
  Clip,
  Corner,
  Dataset,
  Game,
  Player,
  PlayerRecord,
  Recording,
  Recordings,
  Still,
  Tournament,
  TournamentInfo,
} from './types.ts'

const player = (row: PlayerRow): Player => ({
  id: row.id,
  name: row.name,
  cleanName: cleanName(row.name),
  seed: row.seed,
  isBye: row.isBye,
  isDisqualified: row.isDisqualified,
  isBot: !row.isBye && !isPlaceholderName(row.name),
})

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

const corner = (row: SlotRow | undefined, players: ReadonlyMap<string, Player>): Corner =>
  row
    ? {
        player: (row.playerId === null ? undefined : players.get(row.playerId)) ?? null,
        prevGameID: row.prevGameId,
        score: row.score,
        state: row.state,
        isWinner: row.state === 'winner' || row.state === 'winner_by_default',
        isReady: row.isReady,
        tapped: row.tapped,
        unstickSeconds: row.unstickTime,
        showMotionSeconds: row.showMotionTime,
      }
    : emptyCorner

/** Start and end of a tournament as its fights show them, where its own row does not say. */
const playedTimes = (
  row: TournamentRow,
  games: readonly GameRow[],
): { startUnix: number | null; endUnix: number | null } => {
  let start: number | null = null
  let end: number | null = null
  for (const { startTime, stopTime } of games) {
    if (startTime !== null && (start === null || startTime < start)) start = startTime
    if (stopTime !== null && (end === null || stopTime > end)) end = stopTime
  }
  return { startUnix: row.startTime ?? start, endUnix: row.endTime ?? (row.active ? null : end) }
}

/** The clips that may be shown, newest first. */
const buildClips = (rows: readonly ClipRow[], games: ReadonlyMap<string, Game>): Clip[] =>
  rows
    .flatMap((row): Clip[] => {
      const fight = games.get(row.gameId)
      if (!fight?.isFight || !isShownClip(row)) return []
      return [
        {
          token: row.token,
          fight,
          name: row.name,
          isCurated: row.isCurated,
          durationMs: row.durationMs,
          views: row.views,
          likes: row.likes,
          createdUnix: row.createdTime,
          video720Url: row.video720Url,
          video360Url: row.video360Url,
          video72Url: row.video72Url,
        },
      ]
    })
    .sort(newestClipFirst)

/** The stills with their tags, newest first. */
const buildStills = (
  rows: readonly StillRow[],
  tagRows: readonly StillTagRow[],
  tournament: TournamentInfo,
  players: ReadonlyMap<string, Player>,
): Still[] => {
  const tags = Map.groupBy(tagRows, ({ stillId }) => stillId)
  const bots = new Map<string, Still['bot']>()
  for (const { id, name, cleanName, isBot } of players.values()) {
    // A name that cleans to nothing is no bot.
    if (isBot && cleanName !== '') bots.set(id, { name, cleanName })
  }
  const none: readonly never[] = []
  return rows
    .map((row) => ({
      id: row.id,
      token: row.token,
      tournamentID: tournament.id,
      tournamentName: tournament.name,
      bot: (row.playerId === null ? undefined : bots.get(row.playerId)) ?? null,
      url: row.url,
      width: row.width,
      height: row.height,
      tags: tags.get(row.id)?.map(({ tag }) => intern(tag)) ?? none,
      source: intern(row.source),
      isHero: row.isHero,
      isCurated: row.isCurated,
      takenUnix: row.takenTime,
    }))
    .sort(newestStillFirst)
}

const playerRecords = (
  players: Iterable<Player>,
  games: readonly Game[],
  placements: ReadonlyMap<string, number>,
): PlayerRecord[] => {
  const played = new Map<string, Game[]>()
  const note = (id: string, game: Game): void => {
    const list = played.get(id)
    if (list) list.push(game)
    else played.set(id, [game])
  }
  for (const game of games) {
    const [red, blue] = [game.red.player?.id, game.blue.player?.id]
    if (red !== undefined) note(red, game)
    if (blue !== undefined && blue !== red) note(blue, game)
  }
  return [...players].map((player) => {
    const own = played.get(player.id) ?? []
    let [wins, losses] = [0, 0]
    let latest: Game | undefined
    for (const game of own) {
      if (!game.isCompleted) continue
      const { red, blue } = game
      // Of a fight against itself the player is both sides.
      const [isRed, isBlue] = [red.player?.id === player.id, blue.player?.id === player.id]
      if ((isRed && red.isWinner) || (isBlue && blue.isWinner)) wins += 1
      if ((isRed && blue.isWinner) || (isBlue && red.isWinner)) losses += 1
      if (!latest || newestFirst(game, latest) < 0) latest = game
    }
    return {
      player,
      wins,
      losses,
      lastPlayUnix: latest?.stopUnix ?? null,
      mostRecentGameID: latest?.id ?? null,
      gameIDs: own.map(({ id }) => id),
      placement: placements.get(player.id) ?? null,
    }
  })
}

const bySeed = (a: PlayerRecord, b: PlayerRecord): number =>
  (a.player.seed ?? Number.MAX_SAFE_INTEGER) - (b.player.seed ?? Number.MAX_SAFE_INTEGER) ||
  compareTexts(a.player.name, b.player.name) ||
  compareTexts(a.player.id, b.player.id)

/**
 * One tournament from its rows. What a row names and the rows do not hold (a player, a round, a
 * bracket) is unknown, as if the row had not named it; a row of a game that is not there is dropped.
 */
export const buildTournament = (rows: TournamentRows): Tournament => {
  const row = rows.tournament
  const players = new Map(rows.players.map((each) => [each.id, player(each)]))
  const info: TournamentInfo = {
    id: row.id,
    name: row.name,
    createUnix: row.createTime,
    scheduledStartUnix: row.scheduledStartTime,
    ...playedTimes(row, rows.games),
    updateUnix: row.updateTime,
    numPlayers: players.values().reduce((sum, { isBot }) => sum + (isBot ? 1 : 0), 0),
    weightClassPounds: row.weightClass,
    active: row.active,
    isTest: row.isTest,
    isFreestyle: row.isFreestyle,
    privacy: row.privacy,
  }

  const reds = new Map<string, SlotRow>()
  const blues = new Map<string, SlotRow>()
  for (const slot of rows.slots) (slot.idx === 0 ? reds : blues).set(slot.gameId, slot)
  const { table, byGame: recordings } = packRecordings(rows.recordings)
  const unfilmed: Recordings = { table, first: 0, length: 0 }
  const pauses = Map.groupBy(rows.pauses, ({ gameId }) => gameId)
  const judgeLines = Map.groupBy(rows.judgeLines, ({ gameId }) => gameId)
  const roundsByBracket = Map.groupBy(rows.rounds, ({ bracketId }) => bracketId)
  const exhibitions = new Set(rows.brackets.filter((b) => b.isExhibition).map(({ id }) => id))
  const none: readonly never[] = []

  const game = (game: GameRow): Game => {
    const { state } = game
    const round = roundsByBracket.get(game.bracketId)?.find(({ idx }) => idx === game.roundIdx)
    const red = corner(reds.get(game.id), players)
    const blue = corner(blues.get(game.id), players)
    const isFight = red.player?.isBot === true && blue.player?.isBot === true
    return {
      tournament: info,
      id: game.id,
      bracketID: intern(game.bracketId),
      name: game.name,
      round: exhibitions.has(game.bracketId) ? -1 : game.roundIdx,
      roundName: round?.name ?? '',
      scoreToWin: round?.scoreToWin ?? row.scoreToWin,
      state: state === 'active' || state === 'done' ? state : 'pending',
      waitsAs: state === 'active' || state === 'done' ? null : state,
      cage: game.cage === null ? null : intern(game.cage),
      winAnnotation: game.winAnnotation === null ? null : intern(game.winAnnotation),
      loserPlacement: game.loserPlacement,
      scheduledUnix: game.scheduledTime,
      availableUnix: game.availableSince,
      calledUnix: game.calledSince,
      startUnix: game.startTime,
      stopUnix: game.stopTime,
      endUnix: game.endTime,
      notice: game.notice,
      red,
      blue,
      judgeLines: judgeLines.get(game.id)?.map(({ line }) => line) ?? none,
      countdownSeconds: game.countdown,
      timerSeconds: game.timerDuration,
      pauses:
        pauses.get(game.id)?.map(({ startTime, stopTime }) => ({
          startUnix: startTime,
          stopUnix: stopTime,
        })) ?? none,
      recordings: recordings.get(game.id) ?? unfilmed,
      isFight,
      isCompleted: isFight && state === 'done' && game.stopTime !== null,
    }
  }

  const gameRows = Map.groupBy(
    rows.games.toSorted(
      (a, b) => a.roundIdx - b.roundIdx || a.position - b.position || compareTexts(a.id, b.id),
    ),
    ({ bracketId }) => bracketId,
  )
  const brackets: Bracket[] = rows.brackets
    .toSorted((a, b) => a.position - b.position || compareTexts(a.id, b.id))
    .map(({ id, name, isExhibition }) => ({
      id,
      name,
      isExhibition,
      rounds: (roundsByBracket.get(id) ?? []).map(({ idx, name, scoreToWin }) => ({
        idx,
        name,
        scoreToWin,
      })),
      games: (gameRows.get(id) ?? []).map(game),
    }))
  const games = brackets.flatMap(({ games }) => games)
  const gamesByID = new Map(games.map((game) => [game.id, game]))
  const fights = games.filter(({ isFight }) => isFight)
  const records = playerRecords(
    players.values(),
    games,
    buildPlacements(row.formatType, row.active, brackets),
  ).sort(bySeed)
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
    fights: fights.toSorted(newestFirst),
    recordings: indexRecordings(table, fights),
    clips: buildClips(rows.clips, gamesByID),
    stills: buildStills(rows.stills, rows.stillTags, info, players),
  }
}

/** The league from its tournaments, in any order. */
export const buildDataset = (tournaments: readonly Tournament[]): Dataset => ({
  tournaments: tournaments.toSorted(tournamentsNewestFirst),
  tournamentsByID: new Map(tournaments.map((tournament) => [tournament.info.id, tournament])),
  fights: tournaments.flatMap(({ fights }) => fights).sort(newestFirst),
})

/**
 * The recording with this id and its fight. Asks each tournament in turn whether the id is within
 * its own, so that no index over all recordings has to follow a refresh.
 */
export const findRecording = (
  dataset: Dataset,
  id: number,
): { game: Game; recording: Recording } | undefined => {
  for (const { recordings } of dataset.tournaments) {
    const found = findIndexed(recordings, id)
    if (found) return found
  }
  return undefined
}
