import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import { sendLoading, sendPage, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { findStats } from './lookup.ts'
import { statsPage } from './page.ts'

export const statsPages = ({ basePath }: Site, viewings: Viewings) =>
  new Elysia({ prefix: basePath, tags: ['pages'] }).use(requestContext).get(
    '/stats',
    async ({ archive, cached, query: { spoilers, weightClass }, set }) => {
      const viewing = viewings.of(spoilers)
      if (!archive) return sendLoading(set, viewing)
      const view = findStats(archive, weightClass)
      const sent = await sendPage(set, viewing, statsPage(viewing, view))
      // Not cached: the number of empty weight classes is large.
      return view.events.length === 0 ? sent : cached(sent)
    },
    {
      ...parameters({
        query: Type.Object({
          spoilers,
          weightClass: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
        }),
      }),
      detail: { hide: true },
    },
  )
