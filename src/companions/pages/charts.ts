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
 * Bars over time, in an SVG that stretches to any width; texts are HTML around it, so that they keep their size. `unit`
 * is the counted thing.
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

/** A value over time, and the band that it lies in. */
export interface BandPoint {
  readonly unix: number
  readonly value: number
  readonly low: number
  readonly high: number
  readonly label: string
}

/**
 * A line over time in its band, in an SVG that stretches to any width. `middle` is a value to compare with. A single
 * point is drawn from edge to edge.
 */
export const bandChart = (
  points: readonly BandPoint[],
  { label, middle }: { readonly label: string; readonly middle: number },
): Html => {
  const [from, to] = [points[0]?.unix ?? 0, points.at(-1)?.unix ?? 0]
  const least = Math.min(middle, ...points.map(({ low }) => low))
  const most = Math.max(middle, ...points.map(({ high }) => high))
  const y = (value: number): number => rounded(100 - ((value - least) / (most - least || 1)) * 100)
  const placed = points.map((point) => ({
    ...point,
    x: from === to ? 0 : rounded(((point.unix - from) / (to - from)) * 1000),
  }))
  const [only] = placed
  const drawn = only && from === to ? [only, { ...only, x: 1000 }] : placed
  const line = (value: (point: BandPoint) => number, all: typeof drawn): string =>
    all.map((point) => `${point.x},${y(value(point))}`).join(' ')
  const band = `${line(({ high }) => high, drawn)} ${line(({ low }) => low, drawn.toReversed())}`
  return html`
  <svg class="band" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="${label}"><polygon points="${band}"/><path class="middle" d="M0 ${y(middle)}H1000"/><polyline points="${line(({ value }) => value, drawn)}"/>${placed.map(
    ({ x, value, label }) =>
      html`<path class="dot" d="M${x} ${y(value)}h0"><title>${label}</title></path>`,
  )}</svg>`
}
