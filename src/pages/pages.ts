import { Elysia } from 'elysia'
import { assetRoutes } from './assets.ts'
import { botPages } from './bots/routes.ts'
import { embedRoutes } from './embed/routes.ts'
import { eventPages } from './events/routes.ts'
import { homeHtml } from './home/routes.ts'
import { livePages } from './live/routes.ts'
import { myPages } from './my/routes.ts'
import { overlayRoutes } from './overlay/routes.ts'
import { errorHtml } from './respond.ts'
import { createViewings, type Site } from './site.ts'
import { statsPages } from './stats/routes.ts'
import { usageHtml } from './usage/routes.ts'
import { watchRoutes } from './watch/routes.ts'

/** The site: its routes, and the pages beside JSON at addresses of the API. */
export const createPages = (site: Site) => {
  const viewings = createViewings(site)
  return {
    routes: new Elysia()
      .use(assetRoutes(site, viewings.of(undefined)))
      .use(botPages(site, viewings))
      .use(eventPages(site, viewings))
      .use(statsPages(site, viewings))
      .use(embedRoutes(site, viewings))
      .use(livePages(site, viewings))
      .use(myPages(site, viewings))
      .use(overlayRoutes(site, viewings))
      .use(watchRoutes(site, viewings)),
    home: homeHtml(viewings),
    usage: usageHtml(viewings),
    error: errorHtml(viewings),
  }
}
