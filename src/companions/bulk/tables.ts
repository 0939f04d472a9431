import { BotSummary } from '../../api/bots/schema.ts'
import { botSummary } from '../../api/bots/view.ts'
import { Clip } from '../../api/clips/schema.ts'
import { clipView } from '../../api/clips/view.ts'
import { csvTable, type RowSchema } from '../../api/csv.ts'
import { recordingOffset, recordingView } from '../../api/fights/recording.ts'
import { FightRow, fightColumns, fightRows } from '../../api/fights/table.ts'
import { Still } from '../../api/stills/schema.ts'
import { stillView } from '../../api/stills/view.ts'
import { bracketsView, playerDetails, tournamentView } from '../../api/tournaments/view.ts'
import type { Archive } from '../../data/archive/archive.ts'
import { recordingsOf } from '../../data/league/recordings.ts'
import type { Recording as DomainRecording, Fight, Tournament } from '../../data/league/types.ts'
import { hasOpenFights } from '../../derived/ratings/chances.ts'
import { BulkPlayer, BulkRecording, BulkTournament } from './schema.ts'

type Data = Pick<Archive, 'dataset' | 'bots' | 'ratings'>

/** A stretch of a file that is compressed on its own. */
export interface Part {
  /** The rows are a function of this value. */
  readonly of: object
  readonly rows: () => Iterable<object>
}

export interface BulkTable {
  readonly row: RowSchema
  readonly parts: (data: Data) => readonly Part[]
  readonly format: (data: Data) => BulkFormat
}

export interface BulkFormat {
  /** Text before the first row. */
  readonly opening: string
  /** A row as text, with its line end. */
  readonly line: (row: object) => string
}

/** Keys of the parts with fights, by tournament and by the source of their chances. */
const fightParts = new WeakMap<object, WeakMap<object, object>>()

/** The same object while the fights of a tournament and their chances are the same. */
const fightPartOf = ({ ratings }: Data, tournament: Tournament): object => {
  // All ratings count only while a fight is undecided.
  const source = hasOpenFights(tournament) ? ratings : ratings?.odds.get(tournament.info.id)
  const known = fightParts.getOrInsertComputed(tournament, () => new WeakMap())
  return known.getOrInsertComputed(source ?? tournament, () => ({}))
}

/** One part per tournament: a change of a tournament compresses only its rows. */
const perTournament =
  (rows: (tournament: Tournament) => Iterable<object>): BulkTable['parts'] =>
  ({ dataset }) =>
    dataset.tournaments.map((tournament) => ({
      of: tournament,
      rows: () => rows(tournament),
    }))

const dateOrNull = (text: string): string | null => (text.startsWith('0000') ? null : text)

const bulkTournament = ({ info }: Tournament): BulkTournament => {
  const row = tournamentView(info)
  return {
    ...row,
    createTime: dateOrNull(row.createTime),
    scheduledStartTime: dateOrNull(row.scheduledStartTime),
    startTime: dateOrNull(row.startTime),
    endTime: dateOrNull(row.endTime),
    updateTime: dateOrNull(row.updateTime),
  }
}

const bulkRecording = (fight: Fight, recording: DomainRecording): BulkRecording => ({
  ...recordingView(fight, recording),
  recordingID: recording.id,
  s3http: recording.httpStatus,
  startTime: recording.startMs,
  fightStartOffset: recordingOffset(fight, recording),
})

const players = perTournament(({ info, players }) =>
  Iterator.from(players).map((player) => ({
    tournamentID: info.id,
    ...playerDetails(player),
  })),
)
const recordings = perTournament((tournament) =>
  Iterator.from(tournament.fights).flatMap((fight) =>
    recordingsOf(fight.recordings).map((recording) => bulkRecording(fight, recording)),
  ),
)

const fights: BulkTable['parts'] = (data) =>
  data.dataset.tournaments.map((tournament) => ({
    of: fightPartOf(data, tournament),
    rows: () => fightRows(data, tournament),
  }))
/**
 * One part for all bots, because a fight changes two of them; compressing all takes 10 ms, or 100 ms in a league of
 * 120,000 fights.
 */
const bots: BulkTable['parts'] = (data) => [
  { of: data.bots, rows: () => Iterator.from(data.bots).map(botSummary) },
]

const ndjson = (parts: BulkTable['parts'], row: RowSchema): BulkTable => ({
  row,
  parts,
  format: () => ({ opening: '', line: (row) => `${JSON.stringify(row)}\n` }),
})

const csv = (parts: BulkTable['parts'], row: RowSchema): BulkTable => ({
  row,
  parts,
  format: ({ ratings }) => csvTable(row, ratings !== undefined),
})

/** The files by name, in the order of the index. */
export const bulkTables = {
  'tournaments.ndjson.gz': ndjson(
    perTournament((tournament) => {
      const { brackets, format } = bracketsView(tournament)
      return [{ ...bulkTournament(tournament), format, brackets }]
    }),
    BulkTournament,
  ),
  'tournaments.csv.gz': csv(
    perTournament((tournament) => [bulkTournament(tournament)]),
    BulkTournament,
  ),
  'players.ndjson.gz': ndjson(players, BulkPlayer),
  'players.csv.gz': csv(players, BulkPlayer),
  'fights.ndjson.gz': ndjson(fights, FightRow),
  'fights.csv.gz': csv(fights, fightColumns),
  'recordings.ndjson.gz': ndjson(recordings, BulkRecording),
  'recordings.csv.gz': csv(recordings, BulkRecording),
  'bots.ndjson.gz': ndjson(bots, BotSummary),
  'bots.csv.gz': csv(bots, BotSummary),
  'clips.ndjson.gz': ndjson(
    perTournament(({ clips }) => Iterator.from(clips).map(clipView)),
    Clip,
  ),
  'stills.ndjson.gz': ndjson(
    perTournament(({ stills }) => Iterator.from(stills).map((still) => stillView(still))),
    Still,
  ),
} as const satisfies Record<string, BulkTable>

export type BulkName = keyof typeof bulkTables

export const isBulkName = (name: string): name is BulkName => Object.hasOwn(bulkTables, name)
export const bulkNames: readonly BulkName[] = Object.keys(bulkTables).filter(isBulkName)
