import { type Html, html, type Part } from './html.ts'

const markup = (id: string, title: Part, content: Part, attributes?: Html): Html => html`
<section id="${id}"${attributes} aria-labelledby="${id}-title">
  <h2 id="${id}-title">${title}</h2>${content}
</section>`

/** A section under its heading; undefined without content. */
export const section = (id: string, title: Part, content: Part): Html | undefined =>
  content === undefined ? undefined : markup(id, title, content)

/**
 * A section that `browser/site.ts` keeps current. It is on the page, hidden, without content too, as one that begins or
 * ends while somebody looks must have a place.
 */
export const liveSection = (id: string, title: Part, content: Html | undefined): Html =>
  markup(id, title, content, html` data-live${content ? undefined : html` hidden`}`)

/** Short lines in columns, one for each bot or event. */
export const nameList = (items: readonly Html[]): Html => html`
  <ul class="names">${items.map(
    (item) => html`
    <li>${item}</li>`,
  )}
  </ul>`

/** The picture of a bot in the first screen, which leads to its original. */
export const portrait = (url: string | undefined, alt: string): Html | undefined =>
  url === undefined
    ? undefined
    : html`
  <a class="portrait" href="${url}"><img src="${url}" alt="${alt}" fetchpriority="high" width="480" height="320"></a>`

/** A link among others, one of which leads to the page itself. */
export type Choice = readonly [address: string, text: Part, isCurrent: boolean]

/** Links between pages that differ in one thing. */
export const chips = (label: string, choices: readonly Choice[]): Html => html`
  <nav class="chips" aria-label="${label}">${choices.map(
    ([address, text, isCurrent]) =>
      html`<a href="${address}"${isCurrent ? html` aria-current="page"` : undefined}>${text}</a>`,
  )}</nav>`

/** Terms and what belongs to them, such as figures with their names. */
export const termList = (all: readonly (readonly [term: Part, value: Part])[]): Html => html`
<dl class="keys">${all.map(
  ([term, value]) => html`
  <div><dt>${term}</dt><dd>${value}</dd></div>`,
)}
</dl>`
