import type { Bot, Bots } from '../careers/bots.ts'

/**
 * Bots whose clean names begin with a clean text, then bots whose names contain it elsewhere; each by name.
 * The empty text, to which a text without letters cleans, matches none.
 */
export const filterBots = (bots: Bots, clean: string): readonly Bot[] => {
  if (clean === '') return []
  const holding = bots.filter(({ cleanName }) => cleanName.includes(clean))
  const begins = ({ cleanName }: Bot): boolean => cleanName.startsWith(clean)
  return [...holding.filter(begins), ...holding.filter((bot) => !begins(bot))]
}
