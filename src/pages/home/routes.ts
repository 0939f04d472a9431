import type { HomeRequest } from '../../api/home/routes.ts'
import { caching } from '../../http/caching.ts'
import type { HtmlPage } from '../../http/htmlPage.ts'
import { sendPage } from '../respond.ts'
import type { Viewings } from '../site.ts'
import { findResults, findStart } from './lookup.ts'
import { homePage } from './page.ts'

/** The page beside the JSON index at `/`. */
export const homeHtml =
  (viewings: Viewings): HtmlPage<HomeRequest> =>
  ({ archive, q, spoilers }, set) => {
    const viewing = viewings.of(spoilers)
    const start = archive && findStart(archive, viewing)
    const found = archive && q !== undefined ? findResults(archive, q) : undefined
    const page = homePage(viewing, start, found)
    return sendPage(set, viewing, { ...page, cacheControl: caching.negotiated })
  }
