import type { Archive } from '../../archive.ts'
import { cleanName } from '../../dataset/cleanName.ts'
import { type Bot, findBot } from '../../derived/bots.ts'
import { type Exchange, exchangeOf } from '../../http/exchange.ts'

/**
 * Route options for paths that name bots and nothing else: handlers see clean names, whatever was
 * written, and an answer is kept once for all the ways to write a name.
 */
export const byCleanName = {
  transform: (context: {
    readonly request: Request
    readonly params: Record<string, string>
  }): void => {
    const { params } = context
    for (const [parameter, name] of Object.entries(params)) params[parameter] = cleanName(name)
    const exchange = exchangeOf(context.request)
    exchange.path = exchange.route
      ?.split('/')
      .map((segment) => (segment.startsWith(':') ? params[segment.slice(1)] : segment))
      .join('/')
  },
}

/** The bot with a clean name, if there is one. The answer then depends on the bots found alone. */
export const findNamedBot = (
  { archive, exchange }: { readonly archive: Archive; readonly exchange: Exchange },
  cleanName: string,
): Bot | undefined => {
  const bot = findBot(archive.bots, cleanName)
  if (!bot) return undefined
  const { totals } = bot
  const { holdsFor } = exchange
  exchange.holdsFor = (other) =>
    findBot(other.bots, cleanName)?.totals === totals && holdsFor?.(other) !== false
  return bot
}
