import { Type } from '@sinclair/typebox'
import { caching } from '../http/caching.ts'
import { retryAfterSeconds } from '../http/errors.ts'
import type { HtmlPage, Refused, Settable } from '../http/htmlPage.ts'
import { type Assets, assetPath, loadAssets } from './assets.ts'
import { type Html, html } from './html.ts'
import { layout, type Page } from './layout.ts'
import { originsOf } from './media.ts'
import type { Viewing, Viewings } from './site.ts'

/** Query parameter of every page. */
export const spoilers = Type.Optional(Type.Union([Type.Literal('1'), Type.Literal('0')]))

/** Allows the files of the site, and pictures and videos of the hosts named. */
const contentSecurityPolicy = ({
  media = [],
  connect = [],
  hasFrames = false,
  canBeFramed = false,
}: Page): string => {
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
    ...(hasFrames ? ["frame-src 'self'"] : []),
    ...(canBeFramed ? [] : ["frame-ancestors 'none'"]),
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
  set.headers['content-security-policy'] = contentSecurityPolicy({
    ...page,
    media: page.media?.map(viewing.withMediaPaths),
  })
  set.headers['content-type'] = 'text/html; charset=utf-8'
  const document = layout(viewing, await loadAssets(), page).toString()
  return new Response(viewing.withMediaPaths(document), { status })
}

/** Element of the head by which a page asks again until the data is loaded. */
export const askAgain = html`
  <meta http-equiv="refresh" content="${retryAfterSeconds}">`

type OverlayParts = Pick<Page, 'body' | 'head' | 'isBare' | 'canBeFramed'>

/** Transparent, without header and footer, for stream software; asks again where it has no `content`. */
export const overlayParts = (viewing: Viewing, assets: Assets, content?: Html): OverlayParts => ({
  isBare: true,
  canBeFramed: true,
  head: html`
  <link rel="stylesheet" href="${viewing.address(assetPath(assets, 'overlay.css'))}">${content ? undefined : askAgain}`,
  body: html`
<main class="overlay">${content}</main>`,
})

/** A page that says one thing; `over` replaces parts of it. */
const messagePage = (title: string, text: Html, over: Partial<Page> = {}): Page => ({
  title,
  description: title,
  path: undefined,
  body: html`
<section class="lead">
  <h1>${title}</h1>
  <p>${text}</p>
</section>`,
  ...over,
})

/** 404 as a page; `thing` is what was looked for, such as a bot. */
export const sendNotFound = (set: Settable, viewing: Viewing, thing: string): Promise<Response> => {
  const text = html`There is no such ${thing} here. Names change: try the search box, or go to
    <a href="${viewing.href('/')}">the start page</a>.`
  return sendPage(set, viewing, messagePage('Not found', text), { status: 404 })
}

/** 503 until the data is loaded; `over` replaces parts of the page. */
export const sendLoading = (
  set: Settable,
  viewing: Viewing,
  over: Partial<Page> = {},
): Promise<Response> => {
  set.headers['retry-after'] = String(retryAfterSeconds)
  const text = html`The data is being loaded. This page shows it in a few seconds.`
  const page = messagePage('One moment', text, { head: askAgain, ...over })
  return sendPage(set, viewing, page, { status: 503 })
}

/** Title and text for each refusal; the page asks again by itself where that can help. */
const refusalTexts: Readonly<Record<number, readonly [title: string, text: string]>> = {
  405: ['Not possible here', 'Pages can be read, not changed.'],
  429: ['Too many requests', 'Too many came from your address. This page tries again by itself.'],
  500: ['Something went wrong', 'The error has been logged. Please try again later.'],
  503: [
    'One moment',
    'There are too many requests at the moment. This page tries again by itself.',
  ],
}

/** The page for a refusal of an address that is no route of the API; an overlay shows nothing over the film. */
export const errorHtml =
  (viewings: Viewings): HtmlPage<Refused> =>
  async ({ status, template, spoilers }, set) => {
    const viewing = viewings.of(spoilers)
    const [title, text] = refusalTexts[status] ?? []
    if (title === undefined) return sendNotFound(set, viewing, 'page')
    const mayHelp = status === 429 || status === 503
    const page = messagePage(title, html`${text}`, {
      ...(mayHelp && { head: askAgain }),
      ...(template?.includes('/overlay/') && overlayParts(viewing, await loadAssets())),
    })
    return sendPage(set, viewing, page, { status })
  }
