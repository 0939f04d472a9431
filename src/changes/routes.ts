import { Type } from '@sinclair/typebox'
import { Elysia, status } from 'elysia'
import { caching } from '../http/caching.ts'
import { ErrorBody, retryAfterSeconds } from '../http/errors.ts'
import { ungated } from '../http/gate.ts'
import { limitParameter } from '../http/paging.ts'
import { botParameter, idParameter, parameters } from '../http/parameters.ts'
import { ArchiveNotLoaded, contextOf, requestContext } from '../http/requestContext.ts'
import type { Changes } from './changes.ts'
import { cursorOf, type Filter, type Place } from './entry.ts'
import type { Page } from './history.ts'
import { ChangePage, ChangeStream, Gone, isChangeType } from './schema.ts'

const maxWaitSeconds = 25

const filters = {
  since: idParameter('cursor of the last change that is known; without it from now on'),
  type: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'types to send, separated by commas, such as fight.started,fight.ended',
    }),
  ),
  bot: botParameter('a bot by clean or display name; removals, which name no bot, come too'),
  tournament: idParameter('id of a tournament'),
}

const filterOf = ({
  type,
  bot,
  tournament,
}: {
  type?: string | undefined
  bot?: string | undefined
  tournament?: string | undefined
}): Filter => {
  const types = type?.split(',').filter(isChangeType) ?? []
  return { types: types.length > 0 ? new Set(types) : undefined, bot, tournament }
}

/** Settles at a change after a place, at a new epoch, after a time, or when the process ends. */
const untilPublished = (
  { feed, streams: { stopped } }: Changes,
  { seq }: Place,
  ms: number,
): Promise<void> =>
  new Promise((resolve) => {
    if (feed.end().seq > seq || stopped.aborted) return resolve()
    const finish = (): void => {
      clearTimeout(timer)
      unsubscribe()
      ignoreRestarts()
      stopped.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    const unsubscribe = feed.subscribe(finish)
    const ignoreRestarts = feed.onRestart(finish)
    stopped.addEventListener('abort', finish)
  })

export const changeRoutes = (changes: Changes, basePath: string) => {
  const { feed, streams } = changes
  const gone = (cursor: string): Gone => ({
    error: 'the cursor is unknown or too old',
    cursor,
    reload: ['/tournaments', '/fights', '/cages', '/schedule', '/clips', '/stills', '/bots'].map(
      (path) => basePath + path,
    ),
  })
  const busy = { error: 'too many streams at the moment' }

  /** The first page after a place that is not empty, or the last one within a time. */
  const pageAfter = async (
    from: Place,
    { filter, limit, waitMs }: { filter: Filter; limit: number; waitMs: number },
  ): Promise<Page | undefined> => {
    const until = performance.now() + waitMs
    let place = from
    for (;;) {
      const page = await feed.read(place, filter, limit)
      const left = until - performance.now()
      if (!page || page.entries.length > 0 || left <= 0 || streams.stopped.aborted) return page
      place = page.place
      await untilPublished(changes, place, left)
    }
  }

  return new Elysia({ prefix: '/changes', tags: ['changes'] })
    .use(requestContext)
    .get(
      '',
      async ({ query: { since, wait, limit, ...query }, request, set }) => {
        set.headers['cache-control'] = caching.none
        if (!feed.isReady()) throw new ArchiveNotLoaded()
        const from = since === undefined ? feed.end() : feed.find(since)
        if (!from) return status(410, gone(cursorOf(feed.end())))
        const leave = wait > 0 ? streams.enter(contextOf(request).sender) : () => undefined
        if (!leave) {
          set.headers['retry-after'] = String(retryAfterSeconds)
          return status(503, busy)
        }
        const started = performance.now()
        try {
          const page = await pageAfter(from, {
            filter: filterOf(query),
            limit,
            waitMs: wait * 1000,
          })
          if (!page) return status(410, gone(cursorOf(feed.end())))
          const { entries, place, more } = page
          return {
            changes: entries.map(({ text }) => JSON.parse(text)),
            cursor: cursorOf(place),
            more,
          }
        } finally {
          leave()
          if (wait > 0) contextOf(request).waitedMs = performance.now() - started
        }
      },
      {
        ...parameters({
          query: Type.Object({
            ...filters,
            limit: limitParameter(1000, 100),
            wait: Type.Integer({
              minimum: 0,
              maximum: maxWaitSeconds,
              default: 0,
              description: 'seconds to wait for the first change where there is none yet',
            }),
          }),
        }),
        response: { 200: ChangePage, 410: Gone, 503: ErrorBody },
        detail: {
          ...ungated,
          operationId: 'listChanges',
          summary: 'What changed since a cursor, oldest first',
          description:
            'Each change is sent once, with the whole row after it as other endpoints give it, so applying it twice does no harm. ' +
            'Begin without `since`, and send back `cursor` each time. 410: read everything again and go on from the cursor in it. ' +
            '`fight.ended` comes with the first outcome, `fight.corrected` with a later one; ' +
            '`tournament.added`, and `tournament.changed` with `reload`, mean: read the tournament again. ' +
            'Counters (`views`, `likes`), `updateTime` and `updatedTime` are not reported; `tournamentName`, `weightClass` and ' +
            '`event` follow the tournament, `cams` the recordings, and `fightStartOffset` the fight.',
        },
      },
    )
    .get(
      '/stream',
      ({ query: { since, ...query }, request, set }) => {
        const leave = streams.enter(contextOf(request).sender)
        if (!leave) {
          set.headers['retry-after'] = String(retryAfterSeconds)
          return status(503, busy)
        }
        set.headers['cache-control'] = 'no-store, no-transform'
        set.headers['content-type'] = 'text/event-stream'
        set.headers['x-accel-buffering'] = 'no'
        const from = request.headers.get('last-event-id') || since
        contextOf(request).stream = {
          open: (ended) =>
            streams.open({
              since: from,
              filter: filterOf(query),
              resetText: (cursor) => JSON.stringify(gone(cursor)),
              onEnd: (sentBytes) => {
                leave()
                ended(sentBytes)
              },
            }),
          leave,
        }
        return ''
      },
      {
        ...parameters({ query: Type.Object(filters) }),
        response: { 200: ChangeStream, 503: ErrorBody },
        detail: {
          ...ungated,
          operationId: 'streamChanges',
          summary: 'The same as they happen, as Server-Sent Events',
          description:
            'For `EventSource`: `Last-Event-ID` resumes after a lost connection, and so does `since`. An id alone comes every 15 seconds. ' +
            'An event named `reset` says what to read again where the cursor is unknown or too old. A reader that is too slow is cut.',
        },
      },
    )
}
