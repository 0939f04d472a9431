import { type Html, html } from './html.ts'
import type { Viewing } from './site.ts'

/** What a page says of itself to programs: previews of links in chats, feed readers. */
export interface Card {
  readonly title: string
  readonly description: string
  /** Path and query below the base path, without the choice about outcomes; that of an error is none. */
  readonly path: string | undefined
  /** Address of a picture of what the page is about. */
  readonly image?: string | undefined
  /** Paths of the feeds that belong to the page. */
  readonly feeds?: readonly Feed[] | undefined
}

interface Feed {
  readonly path: string
  readonly title: string
}

const types = [
  ['.atom', 'application/atom+xml'],
  ['.ics', 'text/calendar'],
] as const

const typeOf = (path: string): string | undefined =>
  types.find(([ending]) => path.endsWith(ending))?.[1]

/** The address that is the same for all who ask, if there is one. */
const addressTags = (viewing: Viewing, path: string | undefined): Html | undefined => {
  const address = path === undefined ? undefined : viewing.canonical(path)
  return address === undefined
    ? undefined
    : html`
  <link rel="canonical" href="${address}">
  <meta property="og:url" content="${address}">`
}

/** Open Graph tags, and links to feeds. */
export const cardTags = (
  viewing: Viewing,
  { title, description, path, image, feeds = [] }: Card,
): Html => html`${addressTags(viewing, path)}
  <meta property="og:site_name" content="Cageside">
  <meta property="og:type" content="website">
  <meta property="og:title" content="${title}">
  <meta property="og:description" content="${description}">
  <meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">${
    image === undefined
      ? undefined
      : html`
  <meta property="og:image" content="${image}">
  <meta property="og:image:alt" content="${title}">`
  }${feeds.map(
    (feed) => html`
  <link rel="alternate" type="${typeOf(feed.path)}" title="${feed.title}" href="${viewing.href(feed.path)}">`,
  )}`

/** The feeds of a page for people. */
export const feedLinks = (viewing: Viewing, { feeds = [] }: Card): Html | undefined =>
  feeds.length === 0
    ? undefined
    : html`
    <p>Subscribe: ${feeds.map(
      ({ path, title }, index) =>
        html`${index === 0 ? '' : ', '}<a href="${viewing.href(path)}">${title}</a>`,
    )}</p>`
