import { type Html, html } from './html.ts'

/** Figures with their names. */
export const facts = (
  all: readonly (readonly [term: string, value: Html | string | number])[],
): Html => html`
<dl class="keys">${all.map(
  ([term, value]) => html`
  <div><dt>${term}</dt><dd>${value}</dd></div>`,
)}
</dl>`

/** A share from 0 to 1, such as `62 %`. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`
