import { type Html, html, type Part } from './html.ts'

/** A heading, and what is below it: numbers stand on the right, a name is the heading of its row. */
type Column = readonly [head: Part, kind: 'name' | 'number' | 'text' | 'bar']

const classOf = (kind: Column[1] | undefined): Html | undefined =>
  kind === 'number' || kind === 'bar' ? html` class="${kind}"` : undefined

/** A table that scrolls on a narrow screen; undefined without rows. `id` is that of its heading. */
export const table = (
  columns: readonly Column[],
  rows: readonly (readonly Part[])[],
  id?: string,
): Html | undefined =>
  rows.length === 0
    ? undefined
    : html`
  <div class="scroll" tabindex="0">
    <table${id && html` aria-labelledby="${id}"`}>
      <thead><tr>${columns.map(([head, kind]) => html`<th scope="col"${classOf(kind)}>${head}</th>`)}</tr></thead>
      <tbody>${rows.map(
        (cells) => html`
        <tr>${cells.map((cell, index) => {
          const kind = columns[index]?.[1]
          return kind === 'name'
            ? html`<th scope="row">${cell}</th>`
            : html`<td${classOf(kind)}>${cell}</td>`
        })}</tr>`,
      )}
      </tbody>
    </table>
  </div>`

/** Terms of code with their meanings, under a heading. */
export const terms = (
  title: string,
  head: string,
  rows: readonly (readonly [term: string, meaning: string])[],
): Html => html`
  <h2>${title}</h2>${table(
    [
      [head, 'name'],
      ['Meaning', 'text'],
    ],
    rows.map(([term, meaning]) => [html`<code>${term}</code>`, meaning]),
  )}`
