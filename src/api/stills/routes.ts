import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { maxFoldedLength } from '../../data/league/foldText.ts'
import type { PictureSizes } from '../../derived/media/pictureSizes.ts'
import { filterStills, findStill } from '../../derived/media/stills.ts'
import { caching } from '../../http/caching.ts'
import { createListResponse } from '../../http/encodeList.ts'
import { ErrorBody, notFound } from '../../http/errors.ts'
import { limitParameter, pageLinks, pageParameter, paginate } from '../../http/paging.ts'
import { parameters, textParameter } from '../../http/parameters.ts'
import { archived } from '../../http/requestContext.ts'
import type { Data } from '../../http/trackedArchive.ts'
import { compiled } from '../../runtime/once.ts'
import { StillBody, StillPage, StillTag, StillTags } from './schema.ts'
import { sourceSize, stillView } from './view.ts'

const text = (description: string) => textParameter(description, { maxLength: maxFoldedLength })

const stillOf = ({ stills }: Data, idOrToken: string) => findStill(stills, idOrToken)

const tagCheck = compiled(StillTag)
const tagList = createListResponse(({ stills: { tagsByUse } }: Pick<Data, 'stills'>) => ({
  head: '{"tags":[',
  items: tagsByUse,
  view: ({ label, stills }) => ({ tag: label, count: stills.length }),
  check: tagCheck,
}))

/**
 * `basePath` is the mount path of the group, for links between pages. Lists contain only sizes from the source, not
 * the ones that `pictureSizes` reads: they must depend only on the data.
 */
export const stillRoutes = (basePath: string, pictureSizes: PictureSizes) =>
  new Elysia({ prefix: '/stills', tags: ['stills'] })
    .use(archived)
    .get(
      '',
      ({ archive, query, cached, set }) => {
        const { bot, tag, heroesOnly, event, source } = query
        const found = filterStills(archive.stills, { bot, tag, heroesOnly, event, source })
        const { entries, pagination } = paginate(found, query)
        const filter = { bot, tag, heroesOnly: heroesOnly ? '1' : undefined, event, source }
        set.headers.link = pageLinks(`${basePath}/stills`, pagination, filter)
        const body = { stills: entries.map((still) => stillView(still)), pagination }
        // Not cached: the number of pages past the end is unbounded, and they are cheap.
        return entries.length === 0 ? body : cached(body)
      },
      {
        ...parameters({
          bot: text('clean or display name of a bot'),
          tag: text('a tag, see /stills/tags; case and accents do not matter'),
          heroesOnly: Type.Boolean({ default: false, description: 'hero stills only' }),
          event: text('id of a tournament, or text in its name'),
          source: text('who took it; case does not matter'),
          page: pageParameter,
          limit: limitParameter(100, 20),
        }),
        response: { 200: StillPage },
        detail: {
          operationId: 'listStills',
          summary: 'Stills that match all filters, newest first',
          description:
            '`bot=…&tag=Hero-Bot&limit=1` is the newest hero still of a bot. Every `url` is a JPEG in full resolution.',
        },
      },
    )
    .get('/tags', async ({ archive: { stills }, cached }) => cached(await tagList({ stills })), {
      response: { 200: StillTags },
      detail: {
        operationId: 'listStillTags',
        summary: 'All tags with their numbers of stills, most used first',
        description: 'Values of the `tag` filter of `/stills`.',
      },
    })
    .get(
      '/:stillID',
      async ({ archive, cached, set, params: { stillID } }) => {
        const still = archive.lookup(stillOf, stillID)
        if (!still) return notFound('still')
        const size = sourceSize(still) ?? (await pictureSizes(still.url))
        if (size) return cached({ still: stillView(still, size) })
        // Not cached: the next request may find the size.
        set.headers['cache-control'] = caching.none
        return { still: stillView(still) }
      },
      {
        response: { 200: StillBody, 404: ErrorBody },
        detail: {
          operationId: 'getStill',
          summary: 'One still, by number or public token',
          description:
            'With `width` and `height` in pixels: if the league has none, they are read from the first 64 KiB of the picture. Null, and the response is not cached, if they cannot be read within 2 seconds.',
        },
      },
    )
