/** Markup that is safe to send: made by {@link html} alone. */
export class Html {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

/** What may be put into markup; nothing is shown of what is undefined. */
export type Part = Html | string | number | undefined | readonly Part[]

const markupOf = (part: Part): string => {
  if (part instanceof Html) return part.toString()
  if (part === undefined) return ''
  if (typeof part === 'object') return part.map(markupOf).join('')
  return Bun.escapeHTML(part)
}

/**
 * Markup from a template in which every value is text: escaped for elements and for attributes in
 * double quotes, unless it is markup itself.
 */
export const html = (template: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(
    template
      .map((text, index) => (index === 0 ? text : markupOf(parts[index - 1]) + text))
      .join(''),
  )
