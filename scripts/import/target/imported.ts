import type {
  ClipRow,
  GameRow,
  PlayerRow,
  RecordingRow,
  SlotRow,
  StillRow,
  TournamentRow,
  TournamentRows,
  TournamentTable,
} from '../../../src/source/rows.ts'

/**
 * A row as far as a source determines it. A property that is undefined keeps its present value, or has its
 * default in a new row.
 */
export type PartialRow<Row, Key extends keyof Row> = Pick<Row, Key> & {
  readonly [Property in keyof Row]?: Row[Property] | undefined
}

interface PartialTables {
  readonly players: PartialRow<PlayerRow, 'id'>
  readonly games: PartialRow<GameRow, 'id' | 'bracketId' | 'roundIdx' | 'position'>
  readonly slots: PartialRow<SlotRow, 'gameId' | 'idx'>
  readonly recordings: PartialRow<RecordingRow, 'id' | 'gameId'>
  readonly clips: PartialRow<ClipRow, 'token' | 'gameId'>
  readonly stills: PartialRow<StillRow, 'id' | 'token'>
}

/** A tournament as one source knows it. Tables that are undefined keep their present rows. */
export type ImportedTournament = {
  readonly tournament: PartialRow<TournamentRow, 'id'>
  /** Games whose recordings, pauses and judges' lines could not be read; their present ones are kept. */
  readonly unreadGames?: ReadonlySet<string>
} & {
  readonly [Table in TournamentTable]?:
    | readonly (Table extends keyof PartialTables
        ? PartialTables[Table]
        : TournamentRows[Table][number])[]
    | undefined
}

/** Values of a new row where the source has none. */
export const tournamentDefaults = {
  name: '',
  createTime: 0,
  scheduledStartTime: null,
  startTime: null,
  endTime: null,
  updateTime: 0,
  weightClass: 0,
  active: false,
  isTest: false,
  isFreestyle: false,
  privacy: 'public',
  formatType: 'double_elimination',
  scoringType: '',
  allowedWinAnnotations: [],
  scoreToWin: 1,
  source: null,
} as const satisfies Partial<TournamentRow>

export const slotDefaults = {
  playerId: null,
  prevGameId: null,
  score: null,
  state: 'pending',
  isReady: false,
  tapped: false,
  unstickTime: null,
  showMotionTime: null,
} as const satisfies Omit<SlotRow, 'gameId' | 'idx'>

export const rowDefaults: { readonly [Table in TournamentTable]: object } = {
  brackets: {},
  rounds: {},
  players: { name: '', seed: null, isBye: false, isDisqualified: false },
  games: {
    name: '',
    state: 'unavailable',
    cage: null,
    winAnnotation: null,
    loserPlacement: null,
    countdown: null,
    timerDuration: null,
    scheduledTime: null,
    availableSince: null,
    calledSince: null,
    startTime: null,
    stopTime: null,
    endTime: null,
    notice: '',
  },
  slots: slotDefaults,
  pauses: {},
  judgeLines: {},
  recordings: {
    cage: '',
    camera: '',
    videoUrl: null,
    httpStatus: null,
    startMs: null,
    proxy720Url: null,
    proxy360Url: null,
    proxy72Url: null,
  },
  clips: {
    name: '',
    state: 'completed',
    isPublic: true,
    isCurated: false,
    durationMs: 0,
    views: 0,
    likes: 0,
    createdTime: 0,
    video720Url: null,
    video360Url: null,
    video72Url: null,
  },
  stills: {
    playerId: null,
    width: null,
    height: null,
    source: '',
    isHero: false,
    isCurated: false,
    takenTime: 0,
  },
  stillTags: {},
}
