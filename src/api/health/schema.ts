import { type Static, Type } from '@sinclair/typebox'
import { closed, named } from '../fields.ts'

const count = Type.Integer({ minimum: 0 })

/** The state of the service itself. */
export const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
      description: 'degraded while there are problems',
    }),
    problems: Type.Array(Type.String(), {
      description: 'what is wrong at present, a sentence each; empty while all is well',
    }),
    source: Type.Union([Type.Literal('postgres'), Type.Literal('snapshot')]),
    follows: Type.Union(
      [Type.Literal('notifications'), Type.Literal('timer'), Type.Literal('nothing')],
      {
        description:
          'how changes are noticed: at each commit, within REFRESH_MS (behind a pooler, on a standby, or while the connection is lost), or there are none',
      },
    ),
    version: Type.String({ description: 'the same as X-Data-Version' }),
    ageSeconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: 'since the data was last known to be current; null while there is none',
    }),
    counts: Type.Object(
      {
        tournaments: count,
        fights: count,
        completedFights: count,
        players: count,
        recordings: count,
        clips: count,
        stills: count,
        badRows: Type.Integer({
          minimum: 0,
          description: 'rows left out because they break their schema',
        }),
      },
      closed,
    ),
    lastRefresh: Type.Object(
      {
        at: Type.Union([Type.Integer(), Type.Null()], { description: 'Unix seconds' }),
        ms: Type.Union([Type.Number(), Type.Null()], { description: 'how long it took' }),
        changedRows: count,
        error: Type.Union([Type.String(), Type.Null()], {
          description: 'why it failed, or why the data is not all of it; null when all is well',
        }),
      },
      closed,
    ),
    heldBack: Type.Array(
      Type.Object({ tournamentID: Type.String(), fights: count, reason: Type.String() }, closed),
      {
        description:
          'up to 100 tournaments that are served as they were: so many of their fights would be lost, without a deletion that explains it',
      },
    ),
    usageLog: Type.Object(
      {
        written: Type.Integer({ minimum: 0, description: 'events on the disk since the start' }),
        dropped: Type.Integer({ minimum: 0, description: 'events that the disk did not take' }),
        badLines: Type.Integer({ minimum: 0, description: 'illegible lines met at the start' }),
        bytes: Type.Integer({ minimum: 0, description: 'of lines that are kept' }),
        removedBytes: Type.Integer({
          minimum: 0,
          description: 'of lines removed since the start to keep within USAGE_LOG_BYTES',
        }),
      },
      closed,
    ),
  },
  named('Health'),
)
export type Health = Static<typeof Health>

export const Ready = Type.Object({ ready: Type.Literal(true) }, named('Ready'))
