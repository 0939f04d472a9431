import type { Bot, Bots } from '../careers/bots.ts'

/** The clean names of bots, a line each: one long text is searched many times faster than many names. */
const buildLines = (bots: Bots) => {
  const starts = new Uint32Array(bots.length)
  let text = ''
  bots.forEach(({ cleanName }, index) => {
    starts[index] = text.length
    text += `${cleanName}\n`
  })
  return { text, starts }
}
const linesByBots = new WeakMap<Bots, ReturnType<typeof buildLines>>()

/**
 * Bots whose clean names begin with a clean text, then those that contain it elsewhere; each by name.
 * The empty text, to which a text without letters cleans, matches none.
 */
export const filterBots = (bots: Bots, clean: string): readonly Bot[] => {
  if (clean === '') return []
  const { text, starts } = linesByBots.getOrInsertComputed(bots, buildLines)
  const beginning: Bot[] = []
  const holding: Bot[] = []
  let index = 0
  let at = text.indexOf(clean)
  while (at >= 0 && index < bots.length) {
    while ((starts[index + 1] ?? text.length) <= at) index += 1
    const bot = bots[index]
    if (bot) (at === starts[index] ? beginning : holding).push(bot)
    index += 1
    at = text.indexOf(clean, starts[index] ?? text.length)
  }
  return [...beginning, ...holding]
}
