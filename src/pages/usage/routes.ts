import type { UsageRequest } from '../../api/usage/routes.ts'
import { caching } from '../../http/caching.ts'
import type { HtmlPage } from '../../http/htmlPage.ts'
import { sendPage } from '../respond.ts'
import type { Viewings } from '../site.ts'
import { usagePage } from './page.ts'

/** The page beside the JSON at `/usage`. */
export const usageHtml =
  (viewings: Viewings): HtmlPage<UsageRequest> =>
  ({ usage, spoilers }, set) => {
    const viewing = viewings.of(spoilers)
    const page = usagePage(viewing, usage)
    return sendPage(set, viewing, { ...page, cacheControl: caching.negotiated })
  }
