import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { HomeRequest } from '../api/home/routes.ts'
import type { UsageRequest } from '../api/usage/routes.ts'
import { caching } from '../http/caching.ts'
import type { HtmlPage } from '../http/htmlPage.ts'
import { parameters } from '../http/parameters.ts'
import { requestContext } from '../http/requestContext.ts'
import { assetRoutes } from './assets.ts'
import { botPage } from './bots/page.ts'
import { teamPage } from './bots/team.ts'
import { versusPage } from './bots/versus.ts'
import { embedPage } from './embed/page.ts'
import { eventList, eventListQuery } from './events/list.ts'
import { eventPage } from './events/page.ts'
import { homePage } from './home/page.ts'
import { livePage, liveQuery } from './live/page.ts'
import { myPage, myQuery } from './my/page.ts'
import { overlaysPage } from './overlay/list.ts'
import {
  botOverlay,
  bracketOverlay,
  bracketQuery,
  cageOverlay,
  nextOverlay,
  nextQuery,
  overlay,
  overlayQuery,
} from './overlay/page.ts'
import { answering, errorHtml, overlayParts, sendPage, spoilers } from './respond.ts'
import { createViewings, type Site } from './site.ts'
import { statsPage, statsQuery } from './stats/page.ts'
import { usagePage } from './usage/page.ts'
import { watchPage } from './watch/page.ts'

/** The site: its routes, and the pages beside JSON at addresses of the API. `/openapi` has no place for them. */
export const createPages = (site: Site) => {
  const viewings = createViewings(site)
  const shows = answering(viewings)
  const shown = overlayParts()
  const detail = { hide: true }
  const query = Type.Object({ spoilers })
  const plain = { ...parameters({ query }), detail }
  const ofBots = { ...parameters({ query, hasBotsInPath: true }), detail }
  const home: HtmlPage<HomeRequest> = ({ archive, q, spoilers }, set) => {
    const viewing = viewings.of(spoilers)
    const page = homePage(viewing, archive, q)
    return sendPage(set, viewing, { ...page, cacheControl: caching.negotiated })
  }
  const usage: HtmlPage<UsageRequest> = ({ usage, spoilers }, set) => {
    const viewing = viewings.of(spoilers)
    const page = usagePage(viewing, usage)
    return sendPage(set, viewing, { ...page, cacheControl: caching.negotiated })
  }
  const routes = new Elysia({ prefix: site.basePath, tags: ['pages'] })
    .use(requestContext)
    .get('/b/:bot', shows(botPage), ofBots)
    .get('/team/:team', shows(teamPage), ofBots)
    .get('/vs/:bot1/:bot2', shows(versusPage), ofBots)
    .get('/e', shows(eventList), { ...parameters({ query: eventListQuery }), detail })
    .get('/e/:tournamentID', shows(eventPage), plain)
    .get('/w/:tournamentID/:gameID', shows(watchPage), plain)
    .get('/stats', shows(statsPage), { ...parameters({ query: statsQuery }), detail })
    .get('/embed', shows(embedPage), plain)
    .get('/my', shows(myPage), { ...parameters({ query: myQuery }), detail })
    .get('/live', shows(livePage), {
      ...parameters({
        query: liveQuery,
        // The code on the board has a whole address.
        varyOn: ['host', 'x-forwarded-proto'],
        normalize: ({ board }, { headers }) => ({
          origin: board
            ? `${headers.get('x-forwarded-proto') ?? 'http'}://${headers.get('host') ?? ''}`
            : undefined,
        }),
      }),
      detail,
    })
    .get('/overlay', shows(overlaysPage), { ...parameters({ query: overlayQuery }), detail })
    .get('/overlay/cage/:cageNumber', shows(overlay(cageOverlay), shown), {
      ...parameters({ query: overlayQuery }),
      detail,
    })
    .get('/overlay/next', shows(overlay(nextOverlay), shown), {
      ...parameters({ query: nextQuery }),
      detail,
    })
    .get('/overlay/bracket/:tournamentID', shows(overlay(bracketOverlay), shown), {
      ...parameters({ query: bracketQuery }),
      detail,
    })
    .get('/overlay/bot/:bot', shows(overlay(botOverlay), shown), {
      ...parameters({ query: overlayQuery, hasBotsInPath: true }),
      detail,
    })
  return {
    routes: new Elysia().use(assetRoutes(site, viewings.of(undefined))).use(routes),
    home,
    usage,
    error: errorHtml(viewings),
  }
}
