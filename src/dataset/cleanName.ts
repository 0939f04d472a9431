/**
 * The name of a bot in addresses: NFKD, lower case, everything outside `a-z0-9` dropped. Names with
 * the same clean name are the same bot; a name that cleans to the empty string is none.
 */
export const cleanName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')

const placeholder = /^(\(?bye\)?|bracket seed \d+)$/i

/** True for what fills a slot without being a bot: a bye, or a seed nobody holds yet. */
export const isPlaceholderName = (name: string): boolean => placeholder.test(name.trim())
