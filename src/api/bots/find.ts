import type { Archive } from '../../archive.ts'
import { cleanName } from '../../dataset/cleanName.ts'
import { type Bot, findBot } from '../../derived/bots.ts'
import { dependsOnPart, type Exchange } from '../../http/exchange.ts'

/**
 * The bot that a display or clean name means. The answer then depends on it alone, and is kept once
 * for all the ways to write the name.
 */
export const findNamedBot = (
  { archive, exchange }: { readonly archive: Archive; readonly exchange: Exchange },
  name: string,
): Bot | undefined => {
  const bot = findBot(archive.bots, cleanName(name))
  if (bot) {
    const { cleanName, totals } = bot
    dependsOnPart(exchange, archive, ({ bots }) => findBot(bots, cleanName)?.totals === totals)
    const { path = '' } = exchange
    const written = `/${encodeURIComponent(name)}`
    const at = path.lastIndexOf(written)
    exchange.path = `${path.slice(0, at)}/${cleanName}${path.slice(at + written.length)}`
  }
  return bot
}

/** Bots whose clean names begin with the clean text, then those that hold it elsewhere. */
export const filterBots = ({ bots }: Archive, text: string): readonly Bot[] => {
  const wanted = cleanName(text)
  const beginning: Bot[] = []
  const holding: Bot[] = []
  for (const bot of bots) {
    const at = bot.cleanName.indexOf(wanted)
    if (at === 0) beginning.push(bot)
    else if (at > 0) holding.push(bot)
  }
  return [...beginning, ...holding]
}
