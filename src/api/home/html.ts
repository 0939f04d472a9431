/** Safe markup, made by {@link html} only. */
export class Html {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

/** Values for a template; undefined renders as nothing. */
export type Part = Html | string | number | undefined | readonly Part[]

const markupOf = (part: Part): string => {
  if (part instanceof Html) return part.toString()
  if (part === undefined) return ''
  if (typeof part === 'object') return part.map(markupOf).join('')
  return Bun.escapeHTML(part)
}

/** Template tag: escapes every value for elements and quoted attributes, unless it is markup. */
export const html = (template: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(
    template
      .map((text, index) => (index === 0 ? text : markupOf(parts[index - 1]) + text))
      .join(''),
  )
