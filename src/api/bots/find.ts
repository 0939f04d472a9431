import type { Archive } from '../../archive.ts'
import { cleanName } from '../../dataset/cleanName.ts'
import { type Bot, findBot } from '../../derived/bots.ts'
import { dependsOnParts, type Exchange, exchangeOf } from '../../http/exchange.ts'

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

interface Asked {
  readonly archive: Archive
  readonly exchange: Exchange
}

/** Made anew whenever anything about the bot changes, and not as large as all that is known of it. */
const totalsOf = ({ bots }: Archive, cleanName: string) => findBot(bots, cleanName)?.totals

/** The bots with these clean names, undefined for each unknown one. The answer depends on them alone. */
export const findNamedBots = (
  { archive, exchange }: Asked,
  cleanNames: readonly string[],
): readonly (Bot | undefined)[] => {
  dependsOnParts(exchange, archive, cleanNames, totalsOf)
  return cleanNames.map((cleanName) => findBot(archive.bots, cleanName))
}

/** The same for one bot. */
export const findNamedBot = (asked: Asked, cleanName: string): Bot | undefined =>
  findNamedBots(asked, [cleanName])[0]
