import type { RecordingTable } from '../source/recordingTable.ts'
import type { gameProgress, SlotRow, TournamentRow, waitingStates } from '../source/rows.ts'

/**
 * The domain: public tournaments, joined and ordered, immutable. Times are Unix seconds unless the name ends in `Ms`;
 * null is unknown or not yet.
 */

/** The tournament's own values, shared by its fights. */
export interface TournamentInfo {
  readonly id: string
  readonly name: string
  readonly createUnix: number
  readonly scheduledStartUnix: number | null
  /** Start of the first fight if the source has none. */
  readonly startUnix: number | null
  /** End of the last fight if the source has none; null while the tournament is active. */
  readonly endUnix: number | null
  readonly updateUnix: number
  /** Times as entered if one of them is a mistyped year, which counts as unset; null otherwise. */
  readonly entered: Pick<TournamentInfo, 'startUnix' | 'scheduledStartUnix' | 'endUnix'> | null
  /** Number of players without byes and placeholders. */
  readonly numPlayers: number
  readonly weightClassPounds: number
  /** Weight class as the league writes it; null if the pounds say all. */
  readonly weightClassName: string | null
  readonly weightGrams: number | null
  readonly active: boolean
  readonly isTest: boolean
  readonly isFreestyle: boolean
  /** First round of each bracket whose bots qualified for it by results; the draw decided the other rounds. */
  readonly qualifiedFrom: ReadonlyMap<string, number>
  readonly privacy: string
}

export interface Round {
  readonly idx: number
  readonly name: string
  readonly scoreToWin: number
}

export interface Bracket {
  readonly id: string
  readonly name: string
  readonly isExhibition: boolean
  /** Format of this stage: its own, else the tournament's. */
  readonly formatType: Format['type'] | 'swiss'
  readonly rounds: readonly Round[]
  /** Games sorted by round, then position. */
  readonly games: readonly Game[]
}

export interface Format {
  readonly type: TournamentRow['formatType']
  readonly scoringType: string
  readonly allowedWinAnnotations: readonly string[]
  readonly scoreToWin: number
}

/** A bot's entry in one tournament, or a bye or placeholder (`isBot` false). */
export interface Player {
  readonly id: string
  readonly name: string
  readonly cleanName: string
  readonly seed: number | null
  readonly isBye: boolean
  readonly isDisqualified: boolean
  /** Final place that the league gives; null if places follow from the fights. */
  readonly givenPlace: number | null
  readonly team: string | null
  readonly driver: string | null
  readonly isBot: boolean
}

/**
 * A player's results in the tournament, over completed fights. A loss is a fight that the other corner
 * won; a draw and a double forfeit are neither.
 */
export interface PlayerRecord {
  readonly player: Player
  readonly wins: number
  readonly losses: number
  readonly draws: number
  /** `finishUnix` of the last completed fight. */
  readonly lastPlayUnix: number | null
  readonly mostRecentGameID: string | null
  /** The player's started and done fights in order of play; fights under way come last. */
  readonly gameIDs: readonly string[]
  /** Final place, 1 is the winner; null until the tournament is over or when there is none. */
  readonly placement: number | null
}

export interface Corner {
  readonly player: Player | null
  /** The game whose winner or loser comes to this corner. */
  readonly prevGameID: string | null
  readonly score: number | null
  readonly state: SlotRow['state']
  readonly isWinner: boolean
  readonly isReady: boolean
  readonly tapped: boolean
  readonly unstickSeconds: number | null
  readonly showMotionSeconds: number | null
}

/** A corner that holds a bot. */
export interface FightCorner extends Corner {
  readonly player: Player
}

export interface Pause {
  readonly startUnix: number
  /** End of the pause, not after the stop of the fight; null while the pause lasts. */
  readonly stopUnix: number | null
}

/** One camera's recording of one fight, with the smaller files that exist. */
export interface Recording {
  readonly id: number
  readonly cage: string
  readonly camera: string
  readonly videoUrl: string | null
  readonly httpStatus: number | null
  readonly startMs: number | null
  readonly proxy720Url: string | null
  readonly proxy360Url: string | null
  readonly proxy72Url: string | null
}

/** The rows of one game in a table. */
export interface Recordings {
  readonly table: RecordingTable
  readonly first: number
  readonly length: number
}

/** Times of a game as its source has them, limited by its state. */
export type EnteredTimes = Pick<
  BaseGame,
  'startMs' | 'startUnix' | 'stopUnix' | 'endUnix' | 'scheduledUnix'
>

/**
 * One place in a bracket, played or not. Its state limits its values: until it is done it has
 * no winner, annotation, judges' lines, timer, stop or end; until it has begun, no start, score or pauses.
 */
interface BaseGame {
  readonly tournament: TournamentInfo
  readonly id: string
  readonly bracketID: string
  /** The printed label, such as `W:4-1`. */
  readonly name: string
  /** Round from 0; -1 in an exhibition bracket. */
  readonly round: number
  readonly roundName: string
  readonly scoreToWin: number
  readonly state: (typeof gameProgress)[number]
  /** The stage of a pending game; null otherwise. */
  readonly waitsAs: (typeof waitingStates)[number] | null
  readonly cage: string | null
  readonly winAnnotation: string | null
  readonly loserPlacement: number | null
  readonly scheduledUnix: number | null
  /** Time at which both players were known and free. */
  readonly availableUnix: number | null
  /** Time at which the players were called to the cage. */
  readonly calledUnix: number | null
  /** Start in Unix milliseconds. */
  readonly startMs: number | null
  /** `startMs` in whole seconds. */
  readonly startUnix: number | null
  readonly stopUnix: number | null
  readonly endUnix: number | null
  /** Times as entered if one of them is a mistyped year, which counts as unset; null otherwise. */
  readonly entered: EnteredTimes | null
  /** Time at which a fight was over, began, or can begin at the earliest, see `orderOfPlay`. */
  readonly momentUnix: number
  /** Rank among the fights of its tournament in the order of play. */
  readonly playIndex: number
  /** Moment of a done game; null otherwise. */
  readonly finishUnix: number | null
  readonly notice: string
  readonly judgeLines: readonly string[]
  /** The fight clock as set, in seconds. */
  readonly countdownSeconds: number | null
  /** The fight clock at the end, without pauses. */
  readonly timerSeconds: number | null
  readonly pauses: readonly Pause[]
  readonly recordings: Recordings
  /**
   * A fight that is done and has an outcome: a winner, a tie, or an annotation such as a double forfeit.
   * The only kind that counts in a record, with or without times.
   */
  readonly isCompleted: boolean
}

/** A game whose two corners hold bots. */
export interface Fight extends BaseGame {
  readonly isFight: true
  readonly red: FightCorner
  readonly blue: FightCorner
}

/** A game with a bye, a placeholder or nobody in a corner. */
interface OpenGame extends BaseGame {
  readonly isFight: false
  readonly red: Corner
  readonly blue: Corner
}

export type Game = Fight | OpenGame
export type Corners =
  | Pick<Fight, 'isFight' | 'red' | 'blue'>
  | Pick<OpenGame, 'isFight' | 'red' | 'blue'>

/** Places of recordings in a table by id, and the fights of one tournament by place. */
export interface RecordingIndex {
  readonly table: RecordingTable
  readonly places: Uint32Array
  readonly fights: readonly Fight[]
}

/** A completed and public highlight of a fight. */
export interface Clip {
  readonly token: string
  readonly fight: Fight
  readonly name: string
  readonly isCurated: boolean
  readonly durationMs: number
  readonly views: number
  readonly likes: number
  readonly createdUnix: number
  readonly video720Url: string | null
  readonly video360Url: string | null
  readonly video72Url: string | null
}

/**
 * A still. It refers to no other value of its tournament, so that stills keep their identity while fights
 * change.
 */
export interface Still {
  readonly id: number
  readonly token: string
  readonly tournamentID: string
  readonly tournamentName: string
  /** The bot that it shows; null if it shows none, several, or one without a clean name. */
  readonly bot: { readonly name: string; readonly cleanName: string } | null
  /** The full-resolution JPEG. */
  readonly url: string
  /** Size in pixels. */
  readonly width: number | null
  readonly height: number | null
  /** Tags as written, sorted by code unit. */
  readonly tags: readonly string[]
  readonly source: string
  readonly isHero: boolean
  readonly isCurated: boolean
  readonly takenUnix: number
}

export interface Tournament {
  readonly info: TournamentInfo
  readonly format: Format
  readonly brackets: readonly Bracket[]
  /** Players sorted by seed (unseeded last), then name and id. */
  readonly players: readonly PlayerRecord[]
  readonly playersByID: ReadonlyMap<string, PlayerRecord>
  readonly games: ReadonlyMap<string, Game>
  /** One sentence for each time that counts as unset. */
  readonly doubts: readonly string[]
  /** Fights, newest first, see `newestFirst`. */
  readonly fights: readonly Fight[]
  readonly completedFights: number
  readonly recordings: RecordingIndex
  /** Clips, newest first, see `newestClipFirst`. */
  readonly clips: readonly Clip[]
  /** Stills, newest first, see `newestStillFirst`. */
  readonly stills: readonly Still[]
}

export interface Dataset {
  /** Tournaments, newest first, see `tournamentsNewestFirst`. */
  readonly tournaments: readonly Tournament[]
  readonly tournamentsByID: ReadonlyMap<string, Tournament>
  /** Every fight of the league, newest first. */
  readonly fights: readonly Fight[]
}

/** The state of one cage. */
export interface Cage {
  readonly number: number
  /** True if the league names the cage; others exist only in the API. */
  readonly isOwn: boolean
  /**
   * `assigned`: the robots of the fight are being loaded in; `active`, `paused`: in progress; `completed`: over,
   * and the cage not yet cleared; `idle`: empty.
   */
  readonly status: 'idle' | 'assigned' | 'active' | 'paused' | 'completed'
  /** The fight in the cage, or the last one there; null if there is none to show. */
  readonly fight: Fight | null
  /** Start of the current pause. */
  readonly pausedUnix: number | null
  /** Time of the last change; null if nothing is known of the cage. */
  readonly updateUnix: number | null
  /** Fights waiting for this cage, the next one first. */
  readonly queue: readonly Fight[]
  /** Number of fights in the queue. */
  readonly queued: ReadonlySet<Fight>
}

/** Cages 1, 2, 4, 5 and 6, and every other one that the league has, in ascending order. */
export interface Cages {
  readonly [name: `cage${number}`]: Cage
  readonly cage1: Cage
  readonly cage2: Cage
  readonly cage4: Cage
  readonly cage5: Cage
  readonly cage6: Cage
}
