import { type Html, html, type Part } from './html.ts'

/**
 * A section under its heading; nothing without content. A live section, which `browser/site.ts` updates, is on the page
 * even without content, hidden, because a section that appears while somebody looks needs a place.
 */
export const section = (id: string, title: Part, content: Part, isLive = false): Part =>
  (isLive || content) &&
  html`
<section id="${id}"${isLive && html` data-live${!content && html` hidden`}`} aria-labelledby="${id}-title">
  <h2 id="${id}-title">${title}</h2>${content}
</section>`

/** Class of a list of items, see the style sheets. */
export const list = (kind: 'cards' | 'found' | 'names', items: readonly Part[]): Html => html`
  <ul class="${kind}">${items.map(
    (item) => html`
    <li${kind === 'cards' && html` class="card"`}>${item}</li>`,
  )}
  </ul>`

/** A remark in small letters. */
export const remark = (text: Part): Html => html`<p class="soft"><small>${text}</small></p>`

/** Picture of a bot in the first screen; it links to its original. */
export const portrait = (url: string | undefined, alt: string): Part =>
  url &&
  html`
  <a class="portrait" href="${url}"><img src="${url}" alt="${alt}" fetchpriority="high" width="480" height="320"></a>`

/** Links between pages that differ in one respect. */
export const chips = (
  label: string,
  choices: readonly (readonly [address: string, text: Part, isCurrent: boolean])[],
): Html => html`
  <nav class="chips" aria-label="${label}">${choices.map(
    ([address, text, isCurrent]) =>
      html`<a href="${address}"${isCurrent && html` aria-current="page"`}>${text}</a>`,
  )}</nav>`

/** Terms with their values, such as figures with their names. */
export const termList = (all: readonly (readonly [term: Part, value: Part])[]): Html => html`
<dl class="keys">${all.map(
  ([term, value]) => html`
  <div><dt>${term}</dt><dd>${value}</dd></div>`,
)}
</dl>`

/** A column with its heading: numbers are aligned right, a name is the heading of its row. */
export type Column = readonly [head: Part, kind: 'name' | 'number' | 'text']

interface TableOptions {
  /** Class in the style sheet. */
  readonly kind?: string
  readonly label?: string
  /** Id of its heading. */
  readonly labelledBy?: string
  readonly caption?: Html
}

/** A table that scrolls on a narrow screen; nothing without rows. */
export const table = (
  columns: readonly Column[],
  rows: readonly (readonly Part[])[],
  { kind, label, labelledBy, caption }: TableOptions = {},
): Part => {
  const classOf = (index: number): Part => columns[index]?.[1] === 'number' && html` class="number"`
  return (
    rows.length > 0 &&
    html`
  <div class="scroll" tabindex="0"${label && html` role="group" aria-label="${label}"`}>
    <table${kind && html` class="${kind}"`}${labelledBy && html` aria-labelledby="${labelledBy}"`}>${
      caption && html`<caption>${caption}</caption>`
    }
      <thead><tr>${columns.map(([head], index) =>
        head ? html`<th scope="col"${classOf(index)}>${head}</th>` : html`<td></td>`,
      )}</tr></thead>
      <tbody>${rows.map(
        (cells) => html`
        <tr>${cells.map((cell, index) =>
          columns[index]?.[1] === 'name'
            ? html`<th scope="row">${cell}</th>`
            : html`<td${classOf(index)}>${cell}</td>`,
        )}</tr>`,
      )}
      </tbody>
    </table>
  </div>`
  )
}

/** Terms of code with their meanings, under a heading. */
export const terms = (
  title: string,
  head: string,
  rows: readonly (readonly [term: string, meaning: string])[],
): Html => html`
<section>
  <h2>${title}</h2>${table(
    [
      [head, 'name'],
      ['Meaning', 'text'],
    ],
    rows.map(([term, meaning]) => [html`<code>${term}</code>`, meaning]),
  )}
</section>`
