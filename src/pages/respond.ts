import { type TObject, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { caching } from '../http/caching.ts'
import { retryAfterSeconds } from '../http/errors.ts'
import type { HtmlPage, Refused, Settable, Spoilers } from '../http/htmlPage.ts'
import { parameters } from '../http/parameters.ts'
import { type Given, requestContext } from '../http/requestContext.ts'
import type { TrackedArchive } from '../http/trackedArchive.ts'
import { type Assets, inlineSources, loadAssets } from './assets.ts'
import { type Html, html } from './html.ts'
import { layout, type Page, stylesOf } from './layout.ts'
import type { Site, Viewing, Viewings } from './site.ts'

/** Query parameter of every page. */
export const spoilers = Type.Optional(Type.Union([Type.Literal('1'), Type.Literal('0')]))

/** Those of a page without others. */
export const plainQuery = Type.Object({ spoilers })

/** Allows the files of the site, those of them that are in the page, and pictures and videos of the hosts named. */
const contentSecurityPolicy = (page: Page, assets: Assets): string => {
  const { picture = [], media = [], connect = [], hasFrames = false, frames = [] } = page
  const list = (addresses: readonly string[]): string =>
    [...new Set(addresses.map((address) => URL.parse(address)?.origin ?? ''))]
      .map((origin) => origin && ` ${origin}`)
      .join('')
  const origins = list([picture, media].flat())
  return [
    "default-src 'none'",
    `script-src 'self' ${inlineSources(assets, ['early.js'])}`,
    `style-src ${inlineSources(assets, stylesOf(page))}`,
    `img-src 'self' data:${origins}`,
    `media-src 'self' blob:${origins}`,
    `connect-src 'self'${list(connect)}`,
    "form-action 'self'",
    "base-uri 'none'",
    ...(hasFrames || frames.length > 0
      ? [`frame-src${hasFrames ? " 'self'" : ''}${list(frames)}`]
      : []),
    ...(page.canBeFramed ? [] : ["frame-ancestors 'none'"]),
  ].join('; ')
}

/** A page as a response. */
export const sendPage = async (set: Settable, viewing: Viewing, page: Page): Promise<Response> => {
  set.headers['cache-control'] = page.cacheControl ?? caching.archive
  const assets = await loadAssets()
  const picture = page.picture && viewing.withMediaPaths(page.picture)
  set.headers['content-security-policy'] = contentSecurityPolicy(
    { ...page, picture, media: page.media?.map(viewing.withMediaPaths) },
    assets,
  )
  // 0.1 s before the parser comes to it, on a phone.
  if (picture) set.headers.link = `<${picture}>; rel=preload; as=image; fetchpriority=high`
  set.headers['content-type'] = 'text/html; charset=utf-8'
  const document = layout(viewing, assets, page).toString()
  return new Response(viewing.withMediaPaths(document), { status: page.status ?? 200 })
}

/** Element of the head by which a page asks again until the data is loaded. */
export const askAgain = html`
  <meta http-equiv="refresh" content="${retryAfterSeconds}">`

type OverlayParts = Pick<Page, 'body' | 'head' | 'isBare' | 'styles' | 'canBeFramed'>

/** Transparent, without header and footer, for stream software; asks again where it has no `content`. */
export const overlayParts = (content?: Html): OverlayParts => ({
  isBare: true,
  canBeFramed: true,
  styles: ['bracket.css', 'overlay.css'],
  head: content ? undefined : askAgain,
  body: html`
<main class="overlay">${content}</main>`,
})

/** A page with one message; `over` replaces parts of it. */
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
  return sendPage(set, viewing, messagePage('Not found', text, { status: 404 }))
}

/** 503 until the data is loaded; `over` replaces parts of the page. */
export const sendLoading = (
  set: Settable,
  viewing: Viewing,
  over: Partial<Page> = {},
): Promise<Response> => {
  set.headers['retry-after'] = String(retryAfterSeconds)
  const text = html`The data is being loaded. This page shows it in a few seconds.`
  return sendPage(
    set,
    viewing,
    messagePage('One moment', text, { status: 503, head: askAgain, ...over }),
  )
}

/** The routes of pages, for which `/openapi` has no place. */
export const pageRouter = ({ basePath }: Site) =>
  new Elysia({ prefix: basePath, tags: ['pages'] }).use(requestContext)

/** Options of the route of a page with these parameters, {@link spoilers} among them. */
export const pageOptions = <Query extends TObject>(query: Query, hasBotsInPath = false) => ({
  ...parameters({ query, hasBotsInPath }),
  detail: { hide: true },
})

export interface Asked extends Pick<Given, 'archive' | 'cached'> {
  readonly query: { readonly spoilers?: Spoilers }
  readonly set: Settable
}

/** A page, a redirect, or the name of what does not exist. */
type Made = Page | Response | string

/**
 * Answers with the page that `make` gives, cached; what does not exist, for which it gives its name, is a 404. `over` replaces
 * parts of the page that says that the data is being loaded.
 */
export const answer = async (
  viewings: Viewings,
  { archive, cached, query: { spoilers }, set }: Asked,
  make: (archive: TrackedArchive, viewing: Viewing, assets: Assets) => Made | Promise<Made>,
  over?: Partial<Page>,
): Promise<Response> => {
  const viewing = viewings.of(spoilers)
  const assets = await loadAssets()
  if (!archive) return sendLoading(set, viewing, over)
  const page = await make(archive, viewing, assets)
  if (page instanceof Response) return page
  if (typeof page === 'string') return sendNotFound(set, viewing, page)
  const response = await sendPage(set, viewing, page)
  return page.isCached === false ? response : cached(response)
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
  ({ status, template, spoilers }, set) => {
    const viewing = viewings.of(spoilers)
    const [title, text] = refusalTexts[status] ?? []
    if (title === undefined) return sendNotFound(set, viewing, 'page')
    const mayHelp = status === 429 || status === 503
    const page = messagePage(title, html`${text}`, {
      status,
      ...(mayHelp && { head: askAgain }),
      ...(template?.includes('/overlay/') && overlayParts()),
    })
    return sendPage(set, viewing, page)
  }
