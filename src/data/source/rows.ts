import { type Static, type TObject, Type } from '@sinclair/typebox'
import {
  bigId,
  count,
  id,
  literals,
  orNull,
  table,
  text,
  unixInstant,
  unixSeconds,
  webAddress,
} from './fields.ts'

/** Newest version of the database schema: the number of the last file in `schema`. */
export const schemaVersion = 7

/**
 * Rows as both sources deliver them: one schema per table of the database, in camelCase, without the
 * tournament's id in a {@link TournamentRows}. Times are Unix seconds (UTC)
 * unless the name ends in `Ms`; `null` is unknown or not yet. Every array is sorted by the row's key
 * (texts by code unit), so equal data is equal rows.
 */

/** Only tournaments with `public` are served. */
export const privacies = ['public', 'unlisted', 'private'] as const
export const formatTypes = ['single_elimination', 'double_elimination', 'round_robin'] as const
export const stageFormats = [...formatTypes, 'swiss'] as const

/** Key: `id`. */
export const TournamentRow = table(
  { key: ['id'] },
  {
    id,
    name: text,
    createTime: unixSeconds,
    scheduledStartTime: orNull(unixSeconds),
    startTime: orNull(unixSeconds),
    endTime: orNull(unixSeconds),
    updateTime: unixSeconds,
    /** Pounds. */
    weightClass: count,
    active: Type.Boolean(),
    isTest: Type.Boolean(),
    isFreestyle: Type.Boolean(),
    privacy: literals(privacies),
    formatType: literals(formatTypes),
    scoringType: text,
    allowedWinAnnotations: Type.Array(text),
    scoreToWin: count,
    /** Name of the file import that wrote it; null for other rows. No payload shows it. */
    source: orNull(text, { since: 6 }),
    /** Weight class as the league writes it; null if the pounds say all. */
    weightClassName: orNull(text, { since: 7 }),
    /** Upper limit of the class. */
    weightGrams: orNull(count, { since: 7 }),
  },
)
export type TournamentRow = Static<typeof TournamentRow>

/** Key: `id` (`W`, `L`, `EX`). Fights of an exhibition bracket have round -1. */
export const BracketRow = table(
  { key: ['id'] },
  {
    id,
    position: count,
    name: text,
    isExhibition: Type.Boolean(),
    /** Format of this stage; null if it is the tournament's. */
    formatType: orNull(literals(stageFormats), { since: 7 }),
  },
)
export type BracketRow = Static<typeof BracketRow>

/** Key: `bracketId`, `idx`. */
export const RoundRow = table(
  { key: ['bracketId', 'idx'] },
  {
    bracketId: id,
    idx: count,
    name: text,
    scoreToWin: count,
  },
)
export type RoundRow = Static<typeof RoundRow>

/** Key: `id`. Byes and placeholders are players too. */
export const PlayerRow = table(
  { key: ['id'] },
  {
    id,
    name: text,
    seed: orNull(count),
    isBye: Type.Boolean(),
    isDisqualified: Type.Boolean(),
    /** Final place that the league gives; it wins over the places that follow from the fights. */
    placement: orNull(count, { since: 6 }),
    team: orNull(text, { since: 7 }),
    driver: orNull(text, { since: 7 }),
  },
)
export type PlayerRow = Static<typeof PlayerRow>

/** States of a game that has not begun. */
export const waitingStates = ['unavailable', 'available', 'called', 'hold'] as const
export const gameStates = [...waitingStates, 'active', 'done'] as const
/** States of a game with one state for all waiting ones. */
export const gameProgress = ['pending', 'active', 'done'] as const

/** Key: `id`. Its round is (`bracketId`, `roundIdx`); `position` orders the games of a round. */
export const GameRow = table(
  { key: ['id'] },
  {
    id,
    bracketId: id,
    roundIdx: count,
    position: count,
    /** The printed label, such as `W:4-1` or `Q1-02`. */
    name: text,
    state: literals(gameStates),
    cage: orNull(text),
    winAnnotation: orNull(text),
    /** Final place of the loser. */
    loserPlacement: orNull(count),
    /** The fight clock, as set, in seconds. */
    countdown: orNull(count),
    /** Seconds on the fight clock at the end, pauses left out. */
    timerDuration: orNull(count),
    scheduledTime: orNull(unixSeconds),
    availableSince: orNull(unixSeconds),
    calledSince: orNull(unixSeconds),
    /** Start to the millisecond, because recordings are cut by it. */
    startTime: orNull(unixInstant),
    stopTime: orNull(unixSeconds),
    endTime: orNull(unixSeconds),
    notice: text,
  },
)
export type GameRow = Static<typeof GameRow>

export const slotStates = [
  'pending',
  'winner',
  'loser',
  'winner_by_default',
  'loser_by_default',
  'tie',
] as const

/** Key: `gameId`, `idx` (0 red, 1 blue). Every game has both. */
export const SlotRow = table(
  { key: ['gameId', 'idx'] },
  {
    gameId: id,
    idx: Type.Integer({ minimum: 0, maximum: 1 }),
    /** Player in the corner; null until it is decided. */
    playerId: orNull(id),
    /** The game that feeds this slot. */
    prevGameId: orNull(id),
    score: orNull(count),
    state: literals(slotStates),
    isReady: Type.Boolean(),
    tapped: Type.Boolean(),
    /** Seconds used of the unstick allowance. */
    unstickTime: orNull(count),
    /** Seconds spent under a show-motion count. */
    showMotionTime: orNull(count),
  },
)
export type SlotRow = Static<typeof SlotRow>

/** Key: `gameId`, `idx`. `stopTime` is null while the pause lasts. */
export const PauseRow = table(
  { key: ['gameId', 'idx'] },
  {
    gameId: id,
    idx: count,
    startTime: unixSeconds,
    stopTime: orNull(unixSeconds),
  },
)
export type PauseRow = Static<typeof PauseRow>

/** Key: `gameId`, `idx`. One judge's line: `<judge>: <category> <red>-<blue>[, …]`. */
export const JudgeLineRow = table(
  { key: ['gameId', 'idx'] },
  { gameId: id, idx: count, line: text },
)
export type JudgeLineRow = Static<typeof JudgeLineRow>

/** Address of a smaller version; `true` is the standard address, see {@link ProxyAddress}. */
const proxy = Type.Union([Type.Literal(true), webAddress, Type.Null()])

/** Key: `id`, unique in the whole league. */
export const RecordingRow = table(
  { key: ['id'] },
  {
    id: bigId,
    gameId: id,
    cage: text,
    camera: text,
    videoUrl: orNull(webAddress),
    /** Status of the last HEAD request to `videoUrl`. */
    httpStatus: orNull(Type.Integer({ minimum: 100, maximum: 599 })),
    startMs: orNull(Type.Integer({ minimum: 0, maximum: 253_402_300_799_999 }), {
      kind: 'milliseconds',
      name: 'start_time',
    }),
    proxy720Url: proxy,
    proxy360Url: proxy,
    proxy72Url: proxy,
  },
)
export type RecordingRow = Static<typeof RecordingRow>

/** Key: `token`, unique in the whole league. A clip is shown if it is completed and public. */
export const ClipRow = table(
  { key: ['token'] },
  {
    token: id,
    gameId: id,
    name: text,
    state: literals(['processing', 'completed', 'failed']),
    isPublic: Type.Boolean(),
    isCurated: Type.Boolean(),
    durationMs: count,
    views: count,
    likes: count,
    createdTime: unixSeconds,
    video720Url: orNull(webAddress),
    video360Url: orNull(webAddress),
    video72Url: orNull(webAddress),
  },
)
export type ClipRow = Static<typeof ClipRow>

/** Key: `id`; both `id` and `token` are unique in the whole league. */
export const StillRow = table(
  { key: ['id'] },
  {
    id: bigId,
    token: id,
    /** Player that the still shows; null if it shows no single bot. */
    playerId: orNull(id),
    url: webAddress,
    /** Size in pixels. */
    width: orNull(count),
    height: orNull(count),
    source: text,
    isHero: Type.Boolean(),
    isCurated: Type.Boolean(),
    takenTime: unixSeconds,
  },
)
export type StillRow = Static<typeof StillRow>

/** Key: `stillId`, `tag`. */
export const StillTagRow = table({ key: ['stillId', 'tag'] }, { stillId: bigId, tag: text })
export type StillTagRow = Static<typeof StillTagRow>

export const cageStatuses = ['idle', 'assigned', 'active', 'paused', 'completed'] as const

/** Key: `number`. The game is in the cage, or was the last one there. */
export const CageRow = table(
  { key: ['number'] },
  {
    number: Type.Integer({ minimum: 1, maximum: 9999 }),
    status: literals(cageStatuses),
    tournamentId: orNull(id),
    gameId: orNull(id),
    pausedSince: orNull(unixSeconds),
    updateTime: unixSeconds,
  },
)
export type CageRow = Static<typeof CageRow>

/** State of a cage whose game is hidden: idle, without the time of its changes. */
export const hiddenCage = {
  status: 'idle',
  tournamentId: null,
  gameId: null,
  pausedSince: null,
  updateTime: 0,
} as const satisfies Partial<CageRow>

/** Key: `cage`, `position`. Games waiting for a cage, the next one first. */
export const CageQueueRow = table(
  { key: ['cage', 'position'] },
  {
    cage: CageRow.properties.number,
    position: count,
    tournamentId: id,
    gameId: id,
  },
)
export type CageQueueRow = Static<typeof CageQueueRow>

/** Tables below a tournament, parents before children. */
export const tournamentTables = {
  brackets: BracketRow,
  rounds: RoundRow,
  players: PlayerRow,
  games: GameRow,
  slots: SlotRow,
  pauses: PauseRow,
  judgeLines: JudgeLineRow,
  recordings: RecordingRow,
  clips: ClipRow,
  stills: StillRow,
  stillTags: StillTagRow,
} as const satisfies Record<string, TObject>
export type TournamentTable = keyof typeof tournamentTables

/** One tournament with all rows below it: the unit of loading and of change. */
export type TournamentRows = { readonly tournament: TournamentRow } & {
  readonly [Table in TournamentTable]: readonly Static<(typeof tournamentTables)[Table]>[]
}

/** State of the cages, which belongs to no tournament. */
export interface CageRows {
  readonly cages: readonly CageRow[]
  readonly cageQueue: readonly CageQueueRow[]
}
