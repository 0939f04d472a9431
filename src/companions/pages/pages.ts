import { type TObject, type TProperties, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Companion, CompanionKind } from '../../api/companion.ts'
import type { HomeRequest } from '../../api/home/routes.ts'
import type { UsageRequest } from '../../api/usage/routes.ts'
import { caching } from '../../http/caching.ts'
import type { HtmlPage, Settable } from '../../http/htmlPage.ts'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import { assetRoutes } from './assets.ts'
import { botPage } from './bots/page.ts'
import { teamPage } from './bots/team.ts'
import { versusPage } from './bots/versus.ts'
import { embeddedBundles } from './bundle.ts'
import { embedPage } from './embed/page.ts'
import { eventList, eventListQuery } from './events/list.ts'
import { eventPage, eventTable } from './events/page.ts'
import { homePage } from './home/page.ts'
import { destinations, type Page } from './layout.ts'
import { livePage, liveQuery, liveReading } from './live/page.ts'
import { myPage, myQuery } from './my/page.ts'
import { overlaysPage } from './overlay/list.ts'
import * as overlays from './overlay/page.ts'
import { answering, errorHtml, overlayParts, sendPage, spoilers } from './respond.ts'
import { createViewings, type Site, type Viewing } from './site.ts'
import { statsPage, statsQuery } from './stats/page.ts'
import { usagePage } from './usage/page.ts'
import { watchPage } from './watch/page.ts'

const plain = Type.Object({ spoilers })
const detail = { hide: true }
/** Options of a route with these parameters. */
const of = <Fields extends TProperties>({ properties }: TObject<Fields>) => ({
  ...parameters(properties),
  detail,
})

/** The site: its routes, and the pages that replace JSON at addresses of the API. They are not in `/openapi`. */
export const createPages = (site: Site) => {
  const viewings = createViewings(site)
  const shows = answering(viewings)
  const over = overlayParts()
  /** A page in place of JSON, for requests that prefer HTML. */
  const beside = (set: Settable, viewing: Viewing, page: Page) =>
    sendPage(set, viewing, page, caching.negotiated)
  const home: HtmlPage<HomeRequest> = ({ archive, q, spoilers }, set) => {
    const viewing = viewings(spoilers, archive)
    return beside(set, viewing, homePage(viewing, archive, q))
  }
  const usage: HtmlPage<UsageRequest> = ({ usage, spoilers }, set) => {
    const viewing = viewings(spoilers)
    return beside(set, viewing, usagePage(viewing, usage))
  }
  const routes = new Elysia({ tags: ['pages'] })
    .use(requestContext)
    .get('/b/:bot', shows(botPage), of(plain))
    .get('/team/:team', shows(teamPage), of(plain))
    .get('/vs/:bot1/:bot2', shows(versusPage), of(plain))
    .get('/e', shows(eventList), of(eventListQuery))
    .get('/e/:tournamentID', shows(eventPage), of(plain))
    .get('/e/:tournamentID/fights.csv', shows(eventTable), of(plain))
    .get('/w/:tournamentID/:gameID', shows(watchPage), of(plain))
    .get('/stats', shows(statsPage), of(statsQuery))
    .get('/embed', shows(embedPage), of(plain))
    .get('/my', shows(myPage), of(myQuery))
    .get('/live', shows(livePage), { ...parameters(liveQuery.properties, liveReading), detail })
    .get('/overlay', shows(overlaysPage), of(overlays.overlayQuery))
    .get('/overlay/cage/:cageNumber', shows(overlays.ofCage, over), of(overlays.overlayQuery))
    .get('/overlay/next', shows(overlays.ofNext, over), of(overlays.nextQuery))
    .get(
      '/overlay/bracket/:tournamentID',
      shows(overlays.ofBracket, over),
      of(overlays.bracketQuery),
    )
    .get('/overlay/bot/:bot', shows(overlays.ofBot, over), of(overlays.overlayQuery))
  return {
    routes: new Elysia().use(assetRoutes(viewings(undefined))).use(routes),
    beside: { home, usage, destinations, error: errorHtml(viewings) },
  }
}

/** The site for people. */
export const pages: CompanionKind<{ readonly pages: boolean }> = {
  open: (settings) => {
    const mount: Companion['mount'] = ({ service, ...rest }) =>
      createPages({ ...rest, isFixed: service.status().follows === 'nothing' })
    return settings.pages ? [{ name: 'pages', mount }] : []
  },
  embedded: embeddedBundles,
}
