import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { findCage } from '../../api/live/lookup.ts'
import { caching } from '../../http/caching.ts'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import { loadAssets } from '../assets.ts'
import { overlayParts, sendLoading, sendPage, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { findLive } from './lookup.ts'
import { overlayPage, overlaysPage, unknownOverlay } from './overlay.ts'
import { boardPage, livePage } from './page.ts'

const options = { ...parameters({ query: Type.Object({ spoilers }) }), detail: { hide: true } }
const live = { cacheControl: caching.live }

export const livePages = ({ basePath, streamBase }: Site, viewings: Viewings) =>
  new Elysia({ prefix: basePath, tags: ['pages'] })
    .use(requestContext)
    .get(
      '/live',
      async ({ archive, cached, query: { spoilers, origin }, set }) => {
        const viewing = viewings.of(spoilers)
        if (!archive) return sendLoading(set, viewing)
        const found = findLive(archive, viewing)
        const assets = await loadAssets()
        const page =
          origin === undefined
            ? livePage(viewing, found, { assets, streamBase })
            : boardPage(viewing, found, { assets, origin })
        return cached(await sendPage(set, viewing, page, live))
      },
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
    .get(
      '/overlay',
      async ({ archive, cached, query: { spoilers }, set }) => {
        const viewing = viewings.of(spoilers)
        if (!archive) return sendLoading(set, viewing)
        return cached(
          await sendPage(set, viewing, overlaysPage(viewing, findLive(archive, viewing)), live),
        )
      },
      options,
    )
    .get(
      '/overlay/cage/:cageNumber',
      async ({ archive, cached, params: { cageNumber }, query: { spoilers }, set }) => {
        const viewing = viewings.of(spoilers)
        const assets = await loadAssets()
        if (!archive) return sendLoading(set, viewing, overlayParts(viewing, assets))
        const found = findLive(archive, viewing)
        const cage = findCage(archive.cages, cageNumber)
        const now = found.cages.find((each) => each.cage.number === cage?.number)
        if (!now) return sendPage(set, viewing, unknownOverlay(viewing, assets), { status: 404 })
        const page = overlayPage(viewing, found, now, assets)
        return cached(await sendPage(set, viewing, page, live))
      },
      options,
    )
