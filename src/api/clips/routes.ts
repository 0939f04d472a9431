import { Elysia } from 'elysia'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { parameters } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { fightFilters, isFiltered, passes } from '../fights/filter.ts'
import { ClipBody, ClipPage } from './schema.ts'
import { clipView } from './view.ts'

const clipWithToken = ({ clips }: Data, token: string) => clips.byToken.get(token)

/** `basePath` is the mount path of the group, for links between pages. */
export const clipRoutes = (basePath: string) =>
  new Elysia({ prefix: '/clips', tags: ['clips'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, cached, set }) => {
        const { bot, tournament } = query
        const { newestFirst } = archive.clips
        const isWanted = passes(query)
        const found = isFiltered(query)
          ? newestFirst.filter(({ fight }) => isWanted(fight))
          : newestFirst
        const { entries, pagination } = paginate(found, query)
        set.headers.link = pageLinks(`${basePath}/clips`, pagination, { bot, tournament })
        const body = { clips: entries.map(clipView), pagination }
        // Not cached: the number of pages past the end is unbounded, and they are cheap.
        return entries.length === 0 ? body : cached(body)
      },
      {
        ...parameters({
          page: pageParameter,
          limit: limitParameter(100, 20),
          ...fightFilters,
        }),
        response: { 200: ClipPage },
        detail: {
          operationId: 'listClips',
          summary: 'All completed public clips, newest first',
          description: 'Completed clips of public tournaments, in three sizes.',
        },
      },
    )
    .get(
      '/:token',
      ({ archive, cached, params: { token } }) => {
        const clip = archive.lookup(clipWithToken, token)
        return clip ? cached({ clip: clipView(clip) }) : notFound('clip')
      },
      {
        response: { 200: ClipBody, 404: ErrorBody },
        detail: {
          operationId: 'getClip',
          summary: 'One clip',
          description: 'A clip by its public share token.',
        },
      },
    )
