import { Type } from '@sinclair/typebox'
import { caching } from '../../http/caching.ts'
import { retryAfterSeconds } from '../../http/errors.ts'
import type { HtmlPage, Refused, Settable, Spoilers } from '../../http/htmlPage.ts'
import type { Given } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import { type Assets, inlineSources, loadAssets, searchStyleSource } from './assets.ts'
import { type Html, html, type Part } from './html.ts'
import { layout, type Page, stylesOf } from './layout.ts'
import type { Viewing, Viewings } from './site.ts'

/** Query parameter of every page. */
export const spoilers = Type.Optional(Type.Union([Type.Literal('1'), Type.Literal('0')]))

/** Allows the files of the site, inlined ones included, and pictures and videos of the named hosts. */
const contentSecurityPolicy = (page: Page, assets: Assets): string => {
  const { picture = [], media = [], connect = [], frames = [] } = page
  const list = (addresses: readonly string[]): string =>
    [...new Set(addresses.map((address) => URL.parse(address)?.origin ?? ''))]
      .map((origin) => origin && ` ${origin}`)
      .join('')
  const origins = list([picture, media].flat())
  return [
    "default-src 'none'",
    `script-src 'self' ${inlineSources(assets, page.retries ? ['early.js', 'retry.js'] : ['early.js'])}`,
    `style-src ${inlineSources(assets, stylesOf(page))} ${searchStyleSource}`,
    `img-src 'self' data:${origins}`,
    `media-src 'self' blob:${origins}`,
    `connect-src 'self'${list(connect)}`,
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    ...(frames.length > 0
      ? [`frame-src${frames.includes('') ? " 'self'" : ''}${list(frames)}`]
      : []),
    ...(page.canBeFramed ? [] : ["frame-ancestors 'none'"]),
  ].join('; ')
}

/** A page as a response. */
export const sendPage = async (
  set: Settable,
  viewing: Viewing,
  page: Page,
  cacheControl: string = page.isLive ? caching.live : caching.archive,
): Promise<Response> => {
  set.headers['cache-control'] = cacheControl
  const assets = await loadAssets()
  const picture = page.picture && viewing.withMediaPaths(page.picture)
  set.headers['content-security-policy'] = contentSecurityPolicy(
    { ...page, picture, media: page.media?.map(viewing.withMediaPaths) },
    assets,
  )
  // A phone requests the picture 0.1 s earlier by this header than by the parser.
  if (picture) set.headers.link = `<${picture}>; rel=preload; as=image; fetchpriority=high`
  set.headers['content-type'] = 'text/html; charset=utf-8'
  const document = layout(viewing, assets, page).toString()
  return new Response(viewing.withMediaPaths(document), { status: page.status ?? 200 })
}

/** Transparent, without header and footer, for stream software; reloads while it has no `content`. */
export const overlayParts = (content?: Html) => ({
  isBare: true,
  canBeFramed: true,
  styles: ['bracket.css', 'overlay.css'] as const,
  retries: !content,
  body: html`
<main class="overlay">${content}</main>`,
})

/** A page with one message; it reloads by itself if that can help. */
const message = (status: number, title: string, text: Part): Page => ({
  title,
  description: title,
  path: undefined,
  status,
  retries: status === 429 || status === 503,
  body: html`
<section class="lead">
  <h1>${title}</h1>
  <p>${text}</p>
</section>`,
})

/** Page for a missing thing; `thing` names it, such as a bot. */
const notFound = ({ href }: Viewing, thing: string): Page =>
  message(
    404,
    'Not found',
    html`There is no such ${thing} here. Names change: try the search box, or go to
    <a href="${href('/')}">the start page</a>.`,
  )

/** Pages for missing resources, each rendered once: crawlers request thousands of them. */
const createNotFoundPages = (viewings: Viewings) => {
  const prepare = async (thing: string, spoilers: Spoilers) => {
    const set: Settable = { headers: {} }
    const viewing = viewings(spoilers)
    const page = await sendPage(set, viewing, notFound(viewing, thing))
    return { headers: set.headers, body: await page.bytes() }
  }
  const prepared = new Map<string, ReturnType<typeof prepare>>()
  return async (set: Settable, thing: string, spoilers: Spoilers): Promise<Response> => {
    const key = `${thing} ${spoilers}`
    const making = prepared.getOrInsertComputed(key, () => prepare(thing, spoilers))
    // A failure is tried again.
    making.catch(() => prepared.delete(key))
    const { headers, body } = await making
    Object.assign(set.headers, headers)
    return new Response(body, { status: 404 })
  }
}

export const loadingText = 'The data is being loaded. This page shows it in a few seconds.'

const refusals: Readonly<Record<number, readonly [title: string, text: string]>> = {
  405: ['Not possible here', 'Pages can be read, not changed.'],
  429: ['Too many requests', 'Too many came from your address. This page tries again by itself.'],
  500: ['Something went wrong', 'The error has been logged. Please try again later.'],
  503: [
    'One moment',
    'There are too many requests at the moment. This page tries again by itself.',
  ],
}

/** Page for a refused URL outside the API; an overlay shows nothing over the film. */
export const errorHtml =
  (viewings: Viewings): HtmlPage<Refused> =>
  ({ status, template, spoilers }, set) => {
    const viewing = viewings(spoilers)
    const refusal = refusals[status]
    if (!refusal) return sendPage(set, viewing, notFound(viewing, 'page'))
    const over = template?.includes('/overlay/') && overlayParts()
    return sendPage(set, viewing, { ...message(status, ...refusal), ...over })
  }

/** Input of a page: the league at a moment, the choices of the viewer, and the parameters of its address. */
export interface Asked<Params = unknown, Query = unknown> {
  readonly archive: TrackedArchive
  readonly viewing: Viewing
  readonly assets: Assets
  readonly params: Params
  readonly query: Query
}

/** Input of a page without the request. */
export type Shown = Pick<Asked, 'archive' | 'viewing'>

/** Input of a page as the router gives it. */
interface Context<Params, Query> extends Pick<Given, 'archive' | 'cached'> {
  readonly params: Params
  readonly query: Query & { readonly spoilers?: Spoilers }
  readonly set: Settable
}

/**
 * A handler that answers with the page or other response that `make` gives, cached. If `make` gives a name, no such
 * thing exists: a 404. `over` replaces parts of the page that says that the data is being loaded.
 */
export const answering =
  (viewings: Viewings, notFoundPages = createNotFoundPages(viewings)) =>
  <Params, Query>(
    make: (asked: Asked<Params, Query>) => Page | Response | string | Promise<Page | string>,
    over?: Partial<Page>,
  ) =>
  async ({ archive, cached, params, query, set }: Context<Params, Query>): Promise<Response> => {
    const viewing = viewings(query.spoilers, archive)
    const assets = await loadAssets()
    if (!archive) {
      set.headers['retry-after'] = String(retryAfterSeconds)
      return sendPage(set, viewing, { ...message(503, 'One moment', loadingText), ...over })
    }
    const page = await make({ archive, viewing, assets, params, query })
    if (page instanceof Response) return page.ok ? cached(page) : page
    if (typeof page === 'string') return notFoundPages(set, page, query.spoilers)
    const response = await sendPage(set, viewing, page)
    return page.isCached === false ? response : cached(response)
  }
