import { type Static, Type } from '@sinclair/typebox'
import { closed, named } from '../fields.ts'

const count = Type.Integer({ minimum: 0 })

/** State of the service. */
export const Health = Type.Object(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')], {
      description: 'degraded while there are problems',
    }),
    problems: Type.Array(Type.String(), {
      description: 'current problems, one sentence each',
    }),
    source: Type.Union([
      Type.Literal('postgres'),
      Type.Literal('snapshot'),
      Type.Literal('replay'),
      Type.Literal('mirror'),
    ]),
    follows: Type.Union(
      [Type.Literal('notifications'), Type.Literal('timer'), Type.Literal('nothing')],
      {
        description:
          'how changes are noticed: at each commit, within REFRESH_MS (behind a pooler, on a standby, of a mirror, or while the connection is lost), or there are none',
      },
    ),
    version: Type.String({ description: 'the same as X-Data-Version' }),
    ageSeconds: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description:
        'seconds since the data was last known to be current; null before the first load',
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
        ms: Type.Union([Type.Number(), Type.Null()], { description: 'duration in milliseconds' }),
        changedRows: count,
        error: Type.Union([Type.String(), Type.Null()], {
          description: 'why it failed or is incomplete; null on success',
        }),
      },
      closed,
    ),
    heldBack: Type.Array(
      Type.Object({ tournamentID: Type.String(), fights: count, reason: Type.String() }, closed),
      {
        description:
          'up to 100 tournaments kept at their last good state, as `fights` of them would be lost without a deletion that explains it',
      },
    ),
    usageLog: Type.Object(
      {
        written: Type.Integer({ minimum: 0, description: 'events written since start' }),
        dropped: Type.Integer({
          minimum: 0,
          description: 'events lost because they could not be written',
        }),
        badLines: Type.Integer({ minimum: 0, description: 'invalid lines found at start' }),
        bytes: Type.Integer({ minimum: 0, description: 'total size of the logs' }),
        removedBytes: Type.Integer({
          minimum: 0,
          description: 'size of logs removed since start to stay within USAGE_LOG_BYTES',
        }),
      },
      closed,
    ),
  },
  named('Health'),
)
export type Health = Static<typeof Health>

export const Ready = Type.Object({ ready: Type.Literal(true) }, named('Ready'))
