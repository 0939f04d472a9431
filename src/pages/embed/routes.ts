import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import { sendPage, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { embedPage } from './page.ts'

export const embedRoutes = ({ basePath }: Site, viewings: Viewings) =>
  new Elysia({ prefix: basePath, tags: ['pages'] }).use(requestContext).get(
    '/embed',
    async ({ cached, set, query: { spoilers } }) => {
      const viewing = viewings.of(spoilers)
      return cached(await sendPage(set, viewing, embedPage(viewing)))
    },
    { ...parameters({ query: Type.Object({ spoilers }) }), detail: { hide: true } },
  )
