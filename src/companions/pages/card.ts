import { type Html, html, joined, type Part } from './html.ts'
import type { Viewing } from './site.ts'

/** Metadata of a page for previews of links and feed readers. */
export interface Card {
  readonly title: string
  readonly description: string
  /** Path and query below the base path, without the choice about outcomes; undefined on an error page. */
  readonly path: string | undefined
  /** Picture of the page's subject; the site's if there is none. */
  readonly image?: Picture | undefined
  /** Address of a film in MP4, which plays in a preview. */
  readonly video?: string | undefined
  /** Paths of the feeds that belong to the page. */
  readonly feeds?: readonly { readonly path: string; readonly title: string }[] | undefined
}

export interface Picture {
  readonly url: string
  readonly width?: number | null
  readonly height?: number | null
  /** Description of the content. */
  readonly alt: string
}

const sitePictureFacts = { width: 1200, height: 630, alt: 'Cageside' } as const

/** Size of the film of a fight; nearly all have it. */
const videoProperties = [
  ['video:type', 'video/mp4'],
  ['video:width', 640],
  ['video:height', 360],
] as const

/** Open Graph tags, and links to feeds; `sitePicture` is the address of the picture of the site, if it has one. */
export const cardTags = (
  viewing: Viewing,
  { title, description, path, image, video, feeds = [] }: Card,
  sitePicture: string | undefined,
): Html => {
  const address = path === undefined ? undefined : viewing.canonical(viewing.chosen(path))
  const picture: Picture | undefined =
    image ?? (sitePicture === undefined ? undefined : { url: sitePicture, ...sitePictureFacts })
  const properties: readonly (readonly [string, string | number | null | undefined])[] = [
    ['url', address],
    ['site_name', 'Cageside'],
    ['type', video === undefined ? 'website' : 'video.other'],
    ['title', title],
    ['description', description],
    ['image', picture?.url],
    ['image:width', picture?.width],
    ['image:height', picture?.height],
    ['image:alt', picture?.alt],
    ['video', video],
    ...(video === undefined ? [] : videoProperties),
  ]
  return html`${
    address &&
    html`
  <link rel="canonical" href="${address}">`
  }${properties.map(
    ([property, content]) =>
      content != null &&
      html`
  <meta property="og:${property}" content="${content}">`,
  )}
  <meta name="twitter:card" content="${image === undefined ? 'summary' : 'summary_large_image'}">${feeds.map(
    (feed) => html`
  <link rel="alternate" type="${feed.path.includes('.ics') ? 'text/calendar' : 'application/atom+xml'}" title="${feed.title}" href="${viewing.href(feed.path)}">`,
  )}`
}

/** Links to the feeds of a page, for people. */
export const feedLinks = (viewing: Viewing, { feeds = [] }: Card): Part =>
  feeds.length > 0 &&
  html`
    <p>Subscribe: ${joined(
      feeds.map(({ path, title }) => {
        const address = viewing.href(path)
        const add =
          path.includes('.ics') && html` (<a data-webcal href="${address}">add to yours</a>)`
        return html`<a href="${address}">${title}</a>${add}`
      }),
    )}</p>`
