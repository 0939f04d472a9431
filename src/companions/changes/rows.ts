import type { Clip } from '../../api/clips/schema.ts'
import { clipView } from '../../api/clips/view.ts'
import { toTimestamp } from '../../api/fields.ts'
import { recordingView } from '../../api/fights/recording.ts'
import type { Recording } from '../../api/fights/schema.ts'
import { fightPlayer, fightSummary } from '../../api/fights/view.ts'
import { cageState } from '../../api/live/view.ts'
import { fightStats } from '../../api/stats/view.ts'
import type { Still } from '../../api/stills/schema.ts'
import { stillView } from '../../api/stills/view.ts'
import type { Tournament as TournamentRow } from '../../api/tournaments/schema.ts'
import { bracketGame, tournamentView } from '../../api/tournaments/view.ts'
import type { Archive } from '../../data/archive/archive.ts'
import { asEntered } from '../../data/league/mistypedYears.ts'
import {
  recordingIDs,
  recordingsOf,
  sameRecordings,
  sameTable,
} from '../../data/league/recordings.ts'
import type {
  Cage,
  Cages,
  Clip as DomainClip,
  Still as DomainStill,
  Fight,
  Game,
  Player,
  Tournament,
} from '../../data/league/types.ts'
import { findBot } from '../../derived/careers/bots.ts'
import type { ChangedBot, ChangedCage, ChangedFight, ChangedGame } from './schema.ts'

/**
 * The rows of one tournament as changes spell them, by the key of each. Comparing two versions, rows that are equal in
 * both may be left out of both.
 */
export interface TournamentRows {
  readonly row: TournamentRow
  /** The tournament, with the parts that only a reload covers. */
  readonly tournament: Tournament
  /** Clean names of its bots. */
  readonly bots: () => string[]
  /** Clean names of the bots in a game. */
  readonly botsOf: (gameID: string) => string[]
  readonly games: Map<string, ChangedGame>
  readonly fights: Map<string, ChangedFight>
  readonly recordings: Map<string, Recording>
  readonly clips: Map<string, Clip>
  readonly stills: Map<number, Still>
}

export const fightRow = (tournament: Tournament, fight: Fight): ChangedFight => {
  const { timerDuration, countdown, pauses, players } = fightStats(fight)
  return {
    ...fightSummary(fight),
    state: fight.state,
    waitsAs: fight.waitsAs ?? '',
    bracketID: fight.bracketID,
    scheduledTime: toTimestamp(asEntered(fight).scheduledUnix),
    calledSince: toTimestamp(fight.calledUnix),
    availableSince: toTimestamp(fight.availableUnix),
    judgesString: fight.judgeLines.join('<br>'),
    notice: fight.notice,
    startMs: asEntered(fight).startMs,
    slots: bracketGame(fight).slots,
    corners: [
      fightPlayer(tournament, fight, fight.red, 0),
      fightPlayer(tournament, fight, fight.blue, 1),
    ],
    timerDuration,
    countdown,
    pauses,
    players,
  }
}

export const gameRow = (game: Game): ChangedGame => ({
  ...bracketGame(game),
  bracketID: game.bracketID,
})

/** A cage at a time in Unix seconds. */
export const cageRow = (cage: Cage, cages: Cages, now: number): ChangedCage => ({
  ...cageState({ ...cage, queue: [] }, cages, now),
  queue: cage.queue.map(({ tournament, id, name, red, blue }) => ({
    tournamentID: tournament.id,
    gameID: id,
    name,
    player1: red.player?.name ?? '',
    player1clean: red.player?.cleanName ?? '',
    player2: blue.player?.name ?? '',
    player2clean: blue.player?.cleanName ?? '',
  })),
})

/** Display name of a bot; undefined if it is unknown. */
export const botRow = ({ bots }: Archive, cleanName: string): ChangedBot | undefined => {
  const bot = findBot(bots, cleanName)
  const tournamentID = bot?.entries[0]?.tournament.info.id
  return bot && tournamentID !== undefined ? { cleanName, name: bot.name, tournamentID } : undefined
}

/** Clean names, each once; a name that cleans to nothing is no bot. */
export const distinctNames = (names: readonly (string | undefined)[]): string[] => [
  ...new Set(names.flatMap((name) => name || [])),
]

/** Clean names of the bots of a tournament. */
const botsOf = ({ players }: Tournament): string[] =>
  distinctNames(players.map(({ player }) => (player.isBot ? player.cleanName : undefined)))

const botsInGame = ({ red, blue }: Game): string[] =>
  distinctNames([red, blue].map(({ player }) => (player?.isBot ? player.cleanName : undefined)))

const sameList = <T>(
  a: readonly T[],
  b: readonly T[],
  isSame: (one: T, other: T) => boolean,
): boolean =>
  a.length === b.length &&
  a.every((one, index) => {
    const other = b[index]
    return other !== undefined && isSame(one, other)
  })

/** True if two versions of a tournament have the same players and the same place in time. */
export const sameEntrants = (a: Tournament, b: Tournament): boolean =>
  a.info.startUnix === b.info.startUnix &&
  a.info.scheduledStartUnix === b.info.scheduledStartUnix &&
  a.info.createUnix === b.info.createUnix &&
  sameList(a.players, b.players, (one, other) => samePlayer(one.player, other.player))

const samePlayer = (a: Player, b: Player): boolean =>
  a.id === b.id &&
  a.name === b.name &&
  a.seed === b.seed &&
  a.isBye === b.isBye &&
  a.isDisqualified === b.isDisqualified &&
  a.givenPlace === b.givenPlace &&
  a.team === b.team &&
  a.driver === b.driver

/**
 * True if two versions are equal in the parts that only a reload covers: format, brackets, rounds, players, list of
 * games.
 */
export const sameStructure = (a: Tournament, b: Tournament): boolean =>
  Bun.deepEquals(a.format, b.format) &&
  sameList(
    a.brackets,
    b.brackets,
    (one, other) =>
      one.id === other.id &&
      one.name === other.name &&
      one.isExhibition === other.isExhibition &&
      one.formatType === other.formatType &&
      Bun.deepEquals(one.rounds, other.rounds) &&
      sameList(one.games, other.games, (game, match) => game.id === match.id),
  ) &&
  sameList(a.players, b.players, (one, other) => samePlayer(one.player, other.player))

const emptyRows = (tournament: Tournament): TournamentRows => ({
  row: tournamentView(tournament.info),
  tournament,
  bots: () => botsOf(tournament),
  botsOf: (gameID) => {
    const game = tournament.games.get(gameID)
    return game ? botsInGame(game) : []
  },
  games: new Map(),
  fights: new Map(),
  recordings: new Map(),
  clips: new Map(),
  stills: new Map(),
})

const addGame = (rows: TournamentRows, tournament: Tournament, game: Game): void => {
  rows.games.set(game.id, gameRow(game))
  if (game.isFight) rows.fights.set(game.id, fightRow(tournament, game))
}

const addRecordings = (rows: TournamentRows, game: Game | undefined): void => {
  if (!game?.isFight) return
  for (const film of recordingsOf(game.recordings)) {
    const row = recordingView(game, film)
    rows.recordings.set(row.recordingID, row)
  }
}

/** Every row of a tournament. */
export const tournamentRows = (tournament: Tournament): TournamentRows => {
  const rows = emptyRows(tournament)
  for (const game of tournament.games.values()) {
    addGame(rows, tournament, game)
    addRecordings(rows, game)
  }
  for (const clip of tournament.clips) rows.clips.set(clip.token, clipView(clip))
  for (const still of tournament.stills) rows.stills.set(still.id, stillView(still))
  return rows
}

/** True if two versions of a row are equal in all but some columns. */
const sameBut =
  (covered: ReadonlySet<string>) =>
  (a: object, b: object): boolean =>
    Object.entries(a).every(([column, value]) => {
      const other: unknown = Reflect.get(b, column)
      if (covered.has(column) || value === other) return true
      return typeof value === 'object' && Bun.deepEquals(value, other)
    })

/** Ignores values that have their own rows, and the order of play, which no row shows. */
const sameGame = sameBut(
  new Set(['tournament', 'recordings', 'momentUnix', 'playIndex', 'finishUnix']),
)

const sameClipRow = sameBut(new Set(['fight', 'views', 'likes']))
const sameClip = (a: DomainClip, b: DomainClip): boolean =>
  sameClipRow(a, b) &&
  a.fight.id === b.fight.id &&
  a.fight.red.player?.name === b.fight.red.player?.name &&
  a.fight.blue.player?.name === b.fight.blue.player?.name

/** Calls back with both versions of each entry that differs in two lists. */
const eachDifference = <T, Key>(
  before: readonly T[],
  after: readonly T[],
  keyOf: (entry: T) => Key,
  isSame: (a: T, b: T) => boolean,
  found: (before: T | undefined, after: T | undefined) => void,
): void => {
  if (before === after) return
  const known = new Map(before.map((entry) => [keyOf(entry), entry]))
  for (const entry of after) {
    const key = keyOf(entry)
    const other = known.get(key)
    known.delete(key)
    if (!other || !isSame(other, entry)) found(other, entry)
  }
  for (const entry of known.values()) found(entry, undefined)
}

/**
 * The rows that can differ between two versions of a tournament. Values are compared before any row is made of them, so
 * the cost of one changed fight does not grow with the recordings.
 */
export const differingRows = (
  before: Tournament,
  after: Tournament,
): readonly [TournamentRows, TournamentRows] => {
  const [a, b] = [emptyRows(before), emptyRows(after)]
  const isSameTable = sameTable(before.recordings.table, after.recordings.table)
  /** Recordings of a game are compared only by their bounds if the tables are equal. */
  const isFilmedAlike = ({ recordings: one }: Game, { recordings: other }: Game): boolean =>
    isSameTable
      ? one.first === other.first && one.length === other.length
      : sameRecordings(one, other)
  for (const [id, game] of after.games) {
    const known = before.games.get(id)
    if (known !== game && !(known && sameGame(known, game))) {
      if (known) addGame(a, before, known)
      addGame(b, after, game)
    }
    if (known && known.isFight === game.isFight && isFilmedAlike(known, game)) continue
    addRecordings(a, known)
    addRecordings(b, game)
  }
  for (const [id, game] of before.games) {
    if (after.games.has(id)) continue
    addGame(a, before, game)
    addRecordings(a, game)
  }
  eachDifference(
    before.clips,
    after.clips,
    ({ token }) => token,
    sameClip,
    (old, now) => {
      if (old) a.clips.set(old.token, clipView(old))
      if (now) b.clips.set(now.token, clipView(now))
    },
  )
  const sameStill = (one: DomainStill, other: DomainStill): boolean => Bun.deepEquals(one, other)
  eachDifference(
    before.stills,
    after.stills,
    ({ id }) => id,
    sameStill,
    (old, now) => {
      if (old) a.stills.set(old.id, stillView(old))
      if (now) b.stills.set(now.id, stillView(now))
    },
  )
  return [a, b]
}

/** Adds the rows of entries that the other list lacks. */
const addUnshared = <T, Key, Row>(
  rows: Map<Key, Row>,
  entries: readonly T[],
  others: readonly T[],
  keyOf: (entry: T) => Key,
  rowOf: (entry: T) => Row,
): void => {
  if (entries === others) return
  const shared = new Set(others.map(keyOf))
  for (const entry of entries) {
    const key = keyOf(entry)
    if (!shared.has(key)) rows.set(key, rowOf(entry))
  }
}

/** Rows of one version that are published if readers must read the tournament again. */
const unsharedRows = (tournament: Tournament, other: Tournament): TournamentRows => {
  const rows = emptyRows(tournament)
  for (const [id, game] of tournament.games) {
    const match = other.games.get(id)
    const isUnshared = !match?.isFight || match.isCompleted !== game.isCompleted
    if (game.isFight && isUnshared) rows.fights.set(id, fightRow(tournament, game))
  }
  addUnshared(rows.clips, tournament.clips, other.clips, ({ token }) => token, clipView)
  addUnshared(rows.stills, tournament.stills, other.stills, ({ id }) => id, stillView)
  if (sameTable(tournament.recordings.table, other.recordings.table)) return rows
  const isShared = new Set(recordingIDs(other.recordings))
  if (recordingIDs(tournament.recordings).every((id) => isShared.has(id))) return rows
  for (const game of tournament.fights) {
    for (const film of recordingsOf(game.recordings)) {
      if (isShared.has(film.id)) continue
      const row = recordingView(game, film)
      rows.recordings.set(row.recordingID, row)
    }
  }
  return rows
}

/** {@link differingRows} of a reloaded tournament: removals, results and rows that may have moved. */
export const reloadedRows = (
  before: Tournament,
  after: Tournament,
): readonly [TournamentRows, TournamentRows] => [
  unsharedRows(before, after),
  unsharedRows(after, before),
]
