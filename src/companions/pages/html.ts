/** Safe markup; only {@link html} makes it. */
export class Html {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  toString(): string {
    return this.#text
  }
}

/** Values for a template; absent values render as nothing. */
export type Part = Html | string | number | false | null | undefined | readonly Part[]

const markupOf = (part: Part): string => {
  if (part instanceof Html) return part.toString()
  if (typeof part === 'string') return Bun.escapeHTML(part)
  if (typeof part === 'number') return String(part)
  if (!part) return ''
  let markup = ''
  for (const each of part) markup += markupOf(each)
  return markup
}

/**
 * Template tag: escapes every value for elements and quoted attributes, unless it is markup. Concatenates in a loop,
 * which takes a third of the time of joining lists.
 */
export const html = (template: TemplateStringsArray, ...parts: readonly Part[]): Html => {
  let markup = template[0] ?? ''
  for (let index = 0; index < parts.length; index += 1) {
    markup += markupOf(parts[index]) + (template[index + 1] ?? '')
  }
  return new Html(markup)
}

/** Present values with a separator between them; nothing if there are none. */
export const joined = (parts: readonly Part[], separator: Part = ', '): Part => {
  const [first, ...others] = parts.filter((part) => part || part === 0)
  return first !== undefined && [first, others.map((part) => [separator, part])]
}
