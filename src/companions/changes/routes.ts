import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import { caching } from '../../http/caching.ts'
import { ArchiveNotLoaded, ErrorBody, retryAfterSeconds } from '../../http/errors.ts'
import { charged, ungated } from '../../http/gate.ts'
import { limitParameter } from '../../http/paging.ts'
import { idParameter, listParameter, parameters } from '../../http/parameters.ts'
import { type Late, requestContext } from '../../http/requestContext.ts'
import type { Changes } from './changes.ts'
import { everything, type Filter, namesText } from './entry.ts'
import type { ChangeFeed } from './feed.ts'
import { ChangePage, ChangeStream, ChangesError, changeTypes, isChangeType } from './schema.ts'

const maxWaitSeconds = 25

const filters = {
  since: idParameter(
    'cursor of the last change that is known; from now on without it, or with `now`',
  ),
  type: listParameter(
    'types to send, such as `fight.ended`, separated by commas or repeated; 400 lists all',
    changeTypes,
  ),
  bot: listParameter(
    'bots by clean or display name, separated by commas or repeated; removals, which name no bot, come too',
  ),
  tournament: idParameter('id of a tournament'),
}

interface FilterQuery {
  readonly type?: string | undefined
  readonly bot?: string | undefined
  readonly tournament?: string | undefined
}

const filterOf = ({ type = '', bot = '', tournament }: FilterQuery, feed: ChangeFeed): Filter => {
  const types = type.split(',').flatMap((each) => each.trim() || [])
  const isOfBots = /[^\s,]/.test(bot)
  if (types.length === 0 && !isOfBots && tournament === undefined) return everything
  return {
    types: types.length > 0 ? new Set(types) : undefined,
    bots: isOfBots ? namesText(feed.namesIn(bot)) : undefined,
    tournament,
  }
}

/** A cursor; undefined without one, and for `now`. */
const cursorOf = (text: string | undefined): string | undefined =>
  text === 'now' ? undefined : text

const unknownType = { error: `type must be among ${changeTypes.join(', ')}` }
const isKnown = ({ types }: Filter): boolean =>
  types === undefined || [...types].every(isChangeType)

const busy = { error: 'too many streams at the moment' }

export const changeRoutes = ({ feed, streams }: Pick<Changes, 'feed' | 'streams'>) => {
  return new Elysia({ prefix: '/changes', tags: ['changes'] })
    .use(requestContext)
    .get(
      '',
      ({ query: { since, wait, limit, ...query }, sender, set }) => {
        set.headers['cache-control'] = caching.none
        if (!feed.isReady()) throw new ArchiveNotLoaded()
        const filter = filterOf(query, feed)
        if (!isKnown(filter)) return status(400, unknownType)
        const client = wait > 0 ? streams.enter(sender) : undefined
        if (wait > 0 && client === undefined) {
          set.headers['retry-after'] = String(retryAfterSeconds)
          return status(503, busy)
        }
        return {
          isWait: wait > 0,
          begin: (waiter, signal) =>
            streams.poll({
              since: cursorOf(since),
              filter,
              limit,
              waitMs: wait * 1000,
              client,
              signal,
              waiter,
            }),
        }
      },
      {
        ...parameters({
          ...filters,
          limit: limitParameter(1000, 100),
          wait: Type.Integer({
            minimum: 0,
            maximum: maxWaitSeconds,
            default: 0,
            description: 'seconds to wait for the first change if there is none yet',
          }),
        }),
        response: {
          200: Type.Unsafe<Late>(ChangePage),
          400: ChangesError,
          410: ChangesError,
          503: ChangesError,
        },
        detail: {
          ...ungated,
          ...charged,
          operationId: 'listChanges',
          summary: 'What changed since a cursor, oldest first',
          description:
            'Each change is sent once, with the whole row after it as other endpoints give it, so applying it twice does no harm. ' +
            'Begin without `since`, and send back `cursor` each time. 410: read everything again and go on from the cursor in it. ' +
            'A removal cuts the history: who has not read all before it gets 410. ' +
            '`url` and `reload` end in `?v=VERSION`, so that no cache answers them from before; add `v` to other addresses that you read. ' +
            '`fight.ended` comes with the first outcome, `fight.corrected` with a later one; ' +
            '`tournament.added`, and `tournament.changed` with `reload`, mean: read the tournament again. ' +
            'Counters (`views`, `likes`), `updateTime` and `updatedTime` are not reported; `tournamentName`, `weightClass` and ' +
            '`event` follow the tournament, `cams` the recordings, and `fightStartOffset` the fight.',
        },
      },
    )
    .get(
      '/stream',
      ({ query: { since, lastEventId, ...query }, request, sender, set }) => {
        const filter = filterOf(query, feed)
        if (!isKnown(filter)) return status(400, unknownType)
        const client = streams.enter(sender)
        if (client === undefined) {
          set.headers['retry-after'] = String(retryAfterSeconds)
          return status(503, busy)
        }
        set.headers['cache-control'] = 'no-store, no-transform'
        set.headers['content-type'] = 'text/event-stream'
        set.headers['x-accel-buffering'] = 'no'
        const from = cursorOf(request.headers.get('last-event-id') || lastEventId || since)
        return {
          open: (connection) => streams.open({ since: from, filter, client, connection }),
          leave: () => streams.leave(client),
        }
      },
      {
        ...parameters({
          ...filters,
          lastEventId: idParameter(
            'the same as `Last-Event-ID`, as polyfills of `EventSource` send it',
          ),
        }),
        response: { 200: ChangeStream, 400: ErrorBody, 503: ErrorBody },
        detail: {
          ...ungated,
          ...charged,
          operationId: 'streamChanges',
          summary: 'The same as they happen, as Server-Sent Events',
          description:
            'For `EventSource`: `Last-Event-ID` resumes after a lost connection, and so do `lastEventId` and `since`. After 15 seconds without events an id is sent alone. ' +
            'An event named `reset` says what to read again if the cursor is unknown or too old, or if something was removed ' +
            'since. Under load the slowest readers are cut.',
        },
      },
    )
}
