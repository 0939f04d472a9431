import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox'
import { chanceFields, closed, closedList, named, orNull, total } from '../../api/fields.ts'
import { FightPlayer, FightSummary, offsetDescription, Recording } from '../../api/fights/schema.ts'
import { PlayerDetails, Tournament } from '../../api/tournaments/schema.ts'
import { isOfRatings } from '../../http/openapi/ofRatings.ts'
import type { BodyStream } from '../../http/requestContext.ts'

/** Of the rows of a file. Not the schema itself, which would be too deep for the compiler. */
export interface RowSchema {
  readonly properties: Readonly<Record<string, TSchema>>
}

export const columnsOf = ({ properties }: RowSchema, hasRatings: boolean): [string, TSchema][] =>
  Object.entries(properties).filter(([, schema]) => hasRatings || !isOfRatings(schema))

const placement = (corner: string) =>
  orNull(
    Type.Integer({ minimum: 1 }),
    `final place of the ${corner} corner; null until the tournament is over`,
  )

/** A fight in `fights.ndjson.gz`; the same without `corners` in `fights.csv.gz`. */
export const BulkFight = closed({
  ...FightSummary.properties,
  state: Type.String({ description: 'pending, active or done' }),
  ...chanceFields,
  bracketID: Type.String({ description: 'W, L, EX' }),
  roundName: Type.String({ description: 'name of the round' }),
  loserPlacement: orNull(Type.Integer(), 'final place of the loser; null if the loser continues'),
  fightStartOffset: orNull(Type.Number(), offsetDescription),
  judgesString: Type.String({ description: 'lines of the judges, joined by <br>' }),
  notice: Type.String({ description: 'remark on the fight; usually empty' }),
  player1ID: Type.String({ description: 'player id of the red corner' }),
  player1placement: placement('red'),
  player2ID: Type.String({ description: 'player id of the blue corner' }),
  player2placement: placement('blue'),
  corners: Type.Tuple([FightPlayer, FightPlayer], { description: 'red, blue' }),
})
export type BulkFight = Static<typeof BulkFight>

const unsetDate = (what: string) => orNull(Type.String(), `${what}; RFC 3339 UTC, null when unset`)

/** A tournament in `tournaments.csv.gz`; in `tournaments.ndjson.gz` with its `format` and `brackets`. */
export const BulkTournament = closed({
  ...Tournament.properties,
  createTime: unsetDate('creation'),
  scheduledStartTime: unsetDate('scheduled start'),
  startTime: unsetDate('actual start'),
  endTime: unsetDate('end'),
  updateTime: unsetDate('last update'),
})
export type BulkTournament = Static<typeof BulkTournament>

export const BulkPlayer = closed({
  tournamentID: Type.String({ description: 'tournament id' }),
  ...PlayerDetails.properties,
})

export const BulkRecording = closed({
  ...Recording.properties,
  recordingID: Type.Integer({
    description: 'recording id, a number as in /video-feeds; decimal text in fights and /changes',
  }),
  s3http: orNull(Type.Integer(), 'HTTP status of the full-quality video, null when unknown'),
  startTime: orNull(
    Type.Integer(),
    'start of the recording, milliseconds since the epoch, null when unknown',
  ),
  fightStartOffset: orNull(
    Type.Number(),
    'offset of the start of the fight in seconds; negative if this recording starts later, null when unknown',
  ),
})
export type BulkRecording = Static<typeof BulkRecording>

export const BulkIndex = named('BulkIndex', {
  files: closedList({
    name: Type.String(),
    url: Type.String({ description: 'path on this server' }),
    rows: total('lines, without that of column names'),
    bytes: total('size of the compressed file'),
    sha256: Type.String({ description: 'of the compressed file, in hex' }),
    version: Type.String({ description: 'version of the data without the cages' }),
    updated: total('Unix seconds at which this process first had these bytes'),
  }),
})
export type BulkIndex = Static<typeof BulkIndex>

// Any string: the format is for the description alone.
FormatRegistry.Set('binary', () => true)

/** A compressed file, in whole or in part. */
export const GzipFile = Type.Unsafe<BodyStream>(
  Type.String({ format: 'binary', 'x-content-type': 'application/gzip' }),
)

export const Dictionary = Type.Unsafe<BodyStream>(
  Type.String({ format: 'binary', 'x-content-type': 'text/markdown' }),
)

/** A snapshot, in whole or in part. */
export const SnapshotFile = Type.Unsafe<BodyStream>(
  Type.String({ format: 'binary', 'x-content-type': 'application/vnd.cageside.snapshot' }),
)
