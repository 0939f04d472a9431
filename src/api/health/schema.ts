import { type Static, Type } from '@sinclair/typebox'
import { closed, count, listOf, literals, named, orNull, total } from '../fields.ts'

export const Health = named('Health', {
  status: literals(['ok', 'degraded'], {
    description: 'degraded while there are problems',
  }),
  problems: Type.Array(Type.String(), {
    description: 'current problems, one sentence each',
  }),
  doubts: Type.Array(Type.String(), {
    description:
      'up to 20 times of tournaments and fights that count as unset because their year is mistyped, one sentence each; they do not affect `status`',
  }),
  source: literals(['postgres', 'snapshot', 'replay', 'mirror']),
  follows: literals(['notifications', 'timer', 'nothing'], {
    description:
      'how changes are noticed: at each commit, within REFRESH_MS (behind a pooler, on a standby, of a mirror, or while the connection is lost), or there are none',
  }),
  version: Type.String({ description: 'the same as X-Data-Version' }),
  ageSeconds: orNull(
    count,
    'seconds since the data was last known to be current; null before the first load',
  ),
  counts: closed({
    tournaments: count,
    fights: count,
    completedFights: count,
    players: count,
    recordings: count,
    clips: count,
    stills: count,
    badRows: total('rows left out because they break their schema'),
  }),
  lastRefresh: closed({
    at: orNull(Type.Integer(), 'Unix seconds'),
    ms: orNull(Type.Number(), 'duration in milliseconds'),
    changedRows: count,
    error: orNull(Type.String(), 'why it failed or is incomplete; null on success'),
  }),
  heldBack: listOf(
    'up to 100 tournaments kept at their last good state, as `fights` of them would be lost without a deletion that explains it',
    { tournamentID: Type.String(), fights: count, reason: Type.String() },
  ),
  usageLog: closed({
    written: total('events written since start'),
    dropped: total('events lost because they could not be written'),
    badLines: total('invalid lines found at start'),
    bytes: total('total size of the logs'),
    removedBytes: total('size of logs removed since start to stay within USAGE_LOG_BYTES'),
  }),
})
export type Health = Static<typeof Health>

export const Ready = named('Ready', { ready: Type.Literal(true) })
