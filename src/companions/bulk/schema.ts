import { type Static, Type } from '@sinclair/typebox'
import { binary } from '../../api/binary.ts'
import { closed, closedList, named, orNull, total } from '../../api/fields.ts'
import { Recording } from '../../api/fights/schema.ts'
import { PlayerDetails, Tournament } from '../../api/tournaments/schema.ts'

const unsetDate = (what: string) => orNull(Type.String(), `${what}; RFC 3339 UTC, null when unset`)

/** A tournament in `tournaments.csv.gz`; `tournaments.ndjson.gz` also has its `format` and `brackets`. */
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
    rows: total('lines, without the line of column names'),
    bytes: total('size of the compressed file'),
    sha256: Type.String({ description: 'of the compressed file, in hex' }),
    version: Type.String({ description: 'version of the data without the cages' }),
    updated: total('Unix seconds at which this process first had these bytes'),
  }),
})
export type BulkIndex = Static<typeof BulkIndex>

/** A compressed file, in whole or in part. */
export const GzipFile = binary('application/gzip')

export const Dictionary = binary('text/markdown')
