import { Type } from '@sinclair/typebox'
import { parameters } from '../../http/parameters.ts'
import { answer, pageRouter, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { findOwnCages } from './lookup.ts'
import { boardPage, livePage } from './page.ts'

export const livePages = (site: Site, viewings: Viewings) =>
  pageRouter(site).get(
    '/live',
    (context) =>
      answer(viewings, context, (archive, viewing, assets) => {
        const { origin } = context.query
        const found = findOwnCages(archive, viewing)
        return origin === undefined
          ? livePage(viewing, found, assets)
          : boardPage(viewing, found, { assets, origin })
      }),
    {
      ...parameters({
        query: Type.Object({ spoilers, board: Type.Boolean({ default: false }) }),
        // The code on the board has a whole address.
        varyOn: ['host', 'x-forwarded-proto'],
        normalize: ({ board }, { headers }) => ({
          origin: board
            ? `${headers.get('x-forwarded-proto') ?? 'http'}://${headers.get('host') ?? ''}`
            : undefined,
        }),
      }),
      detail: { hide: true },
    },
  )
