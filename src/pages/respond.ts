import { Type } from '@sinclair/typebox'
import { caching } from '../http/caching.ts'
import { retryAfterSeconds } from '../http/errors.ts'
import type { HtmlPage, Settable, Spoilers } from '../http/htmlPage.ts'
import { loadAssets } from './assets.ts'
import { html } from './html.ts'
import { layout, type Page } from './layout.ts'
import { originsOf } from './media.ts'
import type { Viewing, Viewings } from './site.ts'

/** Query parameter of every page. */
export const spoilers = Type.Union([Type.Literal('1'), Type.Literal('0')], { default: '1' })

/** Allows the files of the site, and pictures and videos of the hosts named. */
const contentSecurityPolicy = ({ media = [], connect = [] }: Page): string => {
  const list = (addresses: readonly string[]): string =>
    originsOf(addresses)
      .map((origin) => ` ${origin}`)
      .join('')
  const origins = list(media)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${origins}`,
    `media-src 'self' blob:${origins}`,
    `connect-src 'self'${list(connect)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

interface Options {
  readonly status?: number
  readonly cacheControl?: string
}

/** A page as a response. */
export const sendPage = async (
  set: Settable,
  viewing: Viewing,
  page: Page,
  { status = 200, cacheControl = caching.archive }: Options = {},
): Promise<Response> => {
  set.headers['cache-control'] = cacheControl
  set.headers['content-security-policy'] = contentSecurityPolicy(page)
  set.headers['content-type'] = 'text/html; charset=utf-8'
  return new Response(layout(viewing, await loadAssets(), page).toString(), { status })
}

/** 404 as a page; `thing` is what was looked for, such as a bot. */
export const sendNotFound = (set: Settable, viewing: Viewing, thing: string): Promise<Response> =>
  sendPage(
    set,
    viewing,
    {
      title: 'Not found',
      description: `There is no such ${thing}.`,
      path: undefined,
      body: html`
<section class="lead">
  <h1>Not found</h1>
  <p>There is no such ${thing} here. Names change: try the search box, or go to
    <a href="${viewing.href('/')}">the start page</a>.</p>
</section>`,
    },
    { status: 404 },
  )

/** The page for addresses without a route. */
export const notFoundHtml =
  (viewings: Viewings): HtmlPage<{ readonly spoilers: Spoilers }> =>
  ({ spoilers }, set) =>
    sendNotFound(set, viewings.of(spoilers), 'page')

/** Element of the head by which a page asks again until the data is loaded. */
export const askAgain = html`
  <meta http-equiv="refresh" content="${retryAfterSeconds}">`

/** 503 until the data is loaded; `over` replaces parts of the page. */
export const sendLoading = (
  set: Settable,
  viewing: Viewing,
  over: Partial<Page> = {},
): Promise<Response> => {
  set.headers['retry-after'] = String(retryAfterSeconds)
  return sendPage(
    set,
    viewing,
    {
      title: 'Loading',
      description: 'The data is being loaded.',
      path: undefined,
      head: askAgain,
      body: html`
<section class="lead">
  <h1>One moment</h1>
  <p>The data is being loaded. This page shows it in a few seconds.</p>
</section>`,
      ...over,
    },
    { status: 503 },
  )
}
