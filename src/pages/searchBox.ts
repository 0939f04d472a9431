import { type Html, html } from './html.ts'
import type { Viewing } from './site.ts'

interface Options {
  /** Of the input; unique on the page. */
  readonly id: string
  readonly label: string
  readonly value?: string | undefined
  readonly isLarge?: boolean
}

/** The search box: a form that works by itself, taken over by the component in `browser/search.ts`. */
export const searchBox = (
  { address, showsOutcomes }: Viewing,
  { id, label, value, isLarge = false }: Options,
): Html => {
  const placeholder = !isLarge && html` placeholder="${label}"`
  return html`
    <cageside-search class="${isLarge ? 'search large' : 'search'}"${!showsOutcomes && html` spoilers="0"`} label="${label}"${placeholder}>
      <search>
        <form action="${address('/')}">
          <label for="${id}">${label}</label>
          <input id="${id}" name="q" type="search" maxlength="64" autocomplete="off" spellcheck="false"
            autocapitalize="off"${placeholder} value="${value}">${!showsOutcomes && html`<input type="hidden" name="spoilers" value="0">`}
          <button type="submit">Search</button>
        </form>
      </search>
    </cageside-search>`
}
