import { nullsOf } from '../src/data/source/fields.ts'
import {
  type CageRow,
  type ClipRow,
  GameRow,
  PlayerRow,
  type RecordingRow,
  SlotRow,
  type StillRow,
  TournamentRow,
  type TournamentRows,
} from '../src/data/source/rows.ts'

/** Rows as a source delivers them, with defaults for values that a test does not care about. */

export const tournamentRow = (over: Partial<TournamentRow> = {}): TournamentRow => ({
  ...nullsOf(TournamentRow),
  id: 'spring_30lb',
  name: 'Spring 30lb',
  createTime: 1_770_000_000,
  updateTime: 1_770_000_000,
  weightClass: 30,
  active: false,
  isTest: false,
  isFreestyle: false,
  privacy: 'public',
  formatType: 'single_elimination',
  scoringType: 'points',
  allowedWinAnnotations: ['KO', 'JD'],
  scoreToWin: 1,
  ...over,
})

export const playerRow = (over: Partial<PlayerRow> & { id: string }): PlayerRow => ({
  ...nullsOf(PlayerRow),
  name: over.id,
  isBye: false,
  isDisqualified: false,
  ...over,
})

export const gameRow = (over: Partial<GameRow> = {}): GameRow => ({
  ...nullsOf(GameRow),
  id: 'W-0',
  bracketId: 'W',
  roundIdx: 0,
  position: 0,
  name: 'W:1-1',
  state: 'done',
  cage: 'Cage 2',
  winAnnotation: 'KO',
  countdown: 180,
  timerDuration: 90,
  startTime: 1_770_000_100,
  stopTime: 1_770_000_190,
  endTime: 1_770_000_200,
  notice: '',
  ...over,
})

export const slotRow = (over: Partial<SlotRow>): SlotRow => ({
  ...nullsOf(SlotRow),
  gameId: 'W-0',
  idx: 0,
  state: 'pending',
  isReady: false,
  tapped: false,
  ...over,
})

export const recordingRow = (over: Partial<RecordingRow> & { id: number }): RecordingRow => ({
  gameId: 'W-0',
  cage: 'Cage 2',
  camera: 'Cage-2-Overhead-High',
  videoUrl: `https://media.example/film-${over.id}.mp4`,
  httpStatus: 200,
  startMs: 1_770_000_040_250,
  proxy720Url: true,
  proxy360Url: true,
  proxy72Url: true,
  ...over,
})

export const clipRow = (over: Partial<ClipRow> & { token: string }): ClipRow => ({
  gameId: 'W-0',
  name: 'A big hit',
  state: 'completed',
  isPublic: true,
  isCurated: false,
  durationMs: 12_500,
  views: 30,
  likes: 4,
  createdTime: 1_770_000_900,
  video720Url: `https://media.example/${over.token}_720p.mp4`,
  video360Url: `https://media.example/${over.token}_360p.mp4`,
  video72Url: `https://media.example/${over.token}_72p.mp4`,
  ...over,
})

export const stillRow = (over: Partial<StillRow> & { id: number }): StillRow => ({
  token: `still-${over.id}`,
  playerId: null,
  url: `https://media.example/still-${over.id}.jpg`,
  width: 6000,
  height: 4000,
  source: 'media-team',
  isHero: false,
  isCurated: false,
  takenTime: 1_770_000_500,
  ...over,
})

export const cageRow = (over: Partial<CageRow> & { number: number }): CageRow => ({
  status: 'idle',
  tournamentId: null,
  gameId: null,
  pausedSince: null,
  updateTime: 1_770_000_000,
  ...over,
})

export const tournamentRows = (over: Partial<TournamentRows> = {}): TournamentRows => ({
  tournament: tournamentRow(),
  brackets: [{ id: 'W', position: 0, name: 'Winners', isExhibition: false, formatType: null }],
  rounds: [{ bracketId: 'W', idx: 0, name: 'Finals', scoreToWin: 1 }],
  players: [],
  games: [],
  slots: [],
  pauses: [],
  judgeLines: [],
  recordings: [],
  clips: [],
  stills: [],
  stillTags: [],
  ...over,
})

/** A game with its two corners; `winner` 0 is red, null is nobody. */
export const fightRows = (
  game: Partial<GameRow>,
  red: string | null,
  blue: string | null,
  winner: 0 | 1 | null = 0,
): { games: [GameRow]; slots: [SlotRow, SlotRow] } => {
  const row = gameRow(game)
  const corner = (idx: 0 | 1, playerId: string | null): SlotRow =>
    slotRow({
      gameId: row.id,
      idx,
      playerId,
      score: winner === null ? null : winner === idx ? 1 : 0,
      state: winner === null ? 'pending' : winner === idx ? 'winner' : 'loser',
    })
  return { games: [row], slots: [corner(0, red), corner(1, blue)] }
}

/** A fight without a result: available and without times unless the row says otherwise. */
export const openFight = (game: Partial<GameRow>, red: string | null, blue: string | null) =>
  fightRows(
    {
      state: 'available',
      winAnnotation: null,
      timerDuration: null,
      startTime: null,
      stopTime: null,
      endTime: null,
      ...game,
    },
    red,
    blue,
    null,
  )

/** Players with these names, and the ids `p0`, `p1` and so on. */
export const playersNamed = (...names: readonly string[]) =>
  names.map((name, index) => ({ id: `p${index}`, name }))

/** Players by id: `{ a: 'Axe' }`. */
export const playersAs = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([id, name]) => ({ id, name }))

/** One tournament with these players and fights. */
export const tournamentOf = (
  tournament: Partial<TournamentRow>,
  players: readonly (Partial<PlayerRow> & { id: string })[],
  fights: readonly ReturnType<typeof fightRows>[],
  over: Partial<TournamentRows> = {},
): TournamentRows =>
  tournamentRows({
    tournament: tournamentRow(tournament),
    players: players.map(playerRow),
    games: fights.flatMap(({ games }) => games),
    slots: fights.flatMap(({ slots }) => slots),
    ...over,
  })
