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

/** A chance, which is certain at 0 and 1 alone: `–` where there is none. */
export const chance = (probability: number): string => {
  if (probability === 0) return '–'
  if (probability < 0.005) return '< 1 %'
  return probability > 0.995 && probability < 1 ? '> 99 %' : percent(probability)
}
