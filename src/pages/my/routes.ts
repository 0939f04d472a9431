import { Type } from '@sinclair/typebox'
import { botList, findBots, findUpcoming } from '../../api/bots/lookup.ts'
import { answer, pageOptions, pageRouter, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { dayResults, myPage } from './page.ts'

export const myPages = (site: Site, viewings: Viewings) =>
  pageRouter(site).get(
    '/my',
    (context) =>
      answer(viewings, context, (archive, viewing, assets) => {
        const entries = findBots(archive, context.query.bots).map((bot) => ({
          bot,
          upcoming: archive.timed((now) => findUpcoming(bot, archive, now)),
          results: archive.timed((now) => dayResults(bot, now)),
        }))
        return myPage(viewing, assets, entries)
      }),
    pageOptions(Type.Object({ spoilers, bots: botList })),
  )
