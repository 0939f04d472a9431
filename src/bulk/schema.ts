import { FormatRegistry, type Static, Type } from '@sinclair/typebox'
import { closed, named } from '../api/fields.ts'
import { FightPlayer, FightSummary, offsetDescription } from '../api/fights/schema.ts'

const placement = (corner: string) =>
  Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
    description: `final place of the ${corner} corner; null until the tournament is over`,
  })

/** A fight in `fights.ndjson.gz`; the same without `corners` in `fights.csv.gz`. */
export const BulkFight = Type.Object(
  {
    ...FightSummary.properties,
    state: Type.String({ description: 'pending, active or done' }),
    bracketID: Type.String({ description: 'W, L, EX' }),
    roundName: Type.String(),
    loserPlacement: Type.Union([Type.Integer(), Type.Null()], {
      description: 'final place of the loser; null if the loser continues',
    }),
    fightStartOffset: Type.Union([Type.Number(), Type.Null()], { description: offsetDescription }),
    judgesString: Type.String({ description: 'lines of the judges, joined by <br>' }),
    notice: Type.String(),
    player1ID: Type.String(),
    player1placement: placement('red'),
    player2ID: Type.String(),
    player2placement: placement('blue'),
    corners: Type.Tuple([FightPlayer, FightPlayer], { description: 'red, blue' }),
  },
  closed,
)
export type BulkFight = Static<typeof BulkFight>

export const BulkIndex = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          url: Type.String({ description: 'path on this server' }),
          rows: Type.Integer({ minimum: 0, description: 'lines, without that of column names' }),
          bytes: Type.Integer({ minimum: 0, description: 'size of the compressed file' }),
          sha256: Type.String({ description: 'of the compressed file, in hex' }),
          version: Type.String({ description: 'version of the data without the cages' }),
          updated: Type.Integer({
            minimum: 0,
            description: 'Unix seconds at which this process first had these bytes',
          }),
        },
        closed,
      ),
    ),
  },
  named('BulkIndex'),
)
export type BulkIndex = Static<typeof BulkIndex>

// Any string: the format is for the description alone.
FormatRegistry.Set('binary', () => true)

/** A compressed file, in whole or in part. */
export const GzipFile = Type.String({ format: 'binary', 'x-content-type': 'application/gzip' })

/** A snapshot, in whole or in part. */
export const SnapshotFile = Type.String({
  format: 'binary',
  'x-content-type': 'application/vnd.cageside.snapshot',
})
