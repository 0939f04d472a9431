import { type Html, html } from './html.ts'

/** One bar of a chart over time. */
export interface Bar {
  readonly label: string
  readonly value: number
  /** The value as text. */
  readonly text: string
}

const rounded = (value: number): number => Math.round(value * 100) / 100

/**
 * Bars over time, in an SVG that stretches to any width; texts are HTML around it, so that they keep their
 * size. `unit` is what is counted.
 */
export const barChart = (title: string, unit: string, bars: readonly Bar[]): Html => {
  const max = Math.max(0, ...bars.map(({ value }) => value))
  const highest = bars.find(({ value }) => value === max)
  const step = 1000 / Math.max(1, bars.length)
  const gap = bars.length > 120 ? 0 : step * 0.2
  return html`
<figure class="chart">
  <figcaption>${title}<small>highest: ${max === 0 ? 'none' : `${highest?.text} ${unit}, ${highest?.label}`}</small></figcaption>
  <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="${title}: ${bars.length} values, at most ${highest?.text ?? 0} ${unit}">${bars.map(
    ({ label, value, text }, index) => {
      const height = max === 0 ? 0 : (value / max) * 100
      return html`<rect x="${rounded(index * step + gap / 2)}" y="${rounded(100 - height)}" width="${rounded(step - gap)}" height="${rounded(height)}"><title>${label}: ${text} ${unit}</title></rect>`
    },
  )}</svg>
  <p class="axis"><span>${bars[0]?.label}</span><span>${bars.at(-1)?.label}</span></p>
</figure>`
}

/** Parts of a whole as one bar, for a cell of a table; `max` is the longest one of the table. */
export const stackedBar = (
  parts: readonly { readonly kind: string; readonly value: number }[],
  max: number,
): Html => {
  let x = 0
  return html`<svg class="stack" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${parts.map(
    ({ kind, value }) => {
      const width = max === 0 ? 0 : (value / max) * 100
      const bar = html`<rect class="${kind}" x="${rounded(x)}" width="${rounded(width)}" height="10"/>`
      x += width
      return width > 0 ? bar : undefined
    },
  )}</svg>`
}
