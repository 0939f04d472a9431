import { type Html, html } from './html.ts'

interface Options {
  /** Of the section; its heading has `ID-title`. */
  readonly id: string
  readonly title: string
  /** Undefined hides the section. */
  readonly content: Html | undefined
  /** True by default. */
  readonly isLive?: boolean
}

/**
 * A section that `browser/site.ts` keeps current. It is on the page without content too, as one that begins or ends
 * while somebody looks must have a place.
 */
export const liveSection = ({ id, title, content, isLive = true }: Options): Html => html`
<section id="${id}"${isLive ? html` data-live` : undefined} aria-labelledby="${id}-title"${content ? undefined : html` hidden`}>
  <h2 id="${id}-title">${title}</h2>${content}
</section>`
