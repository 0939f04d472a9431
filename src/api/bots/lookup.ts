import type { Archive } from '../../archive/archive.ts'
import { type Bot, findBot } from '../../careers/bots.ts'
import { dependsOnCages, dependsOnParts, type Exchange, exchangeOf } from '../../http/exchange.ts'
import { cleanName } from '../../league/cleanName.ts'
import { buildUpcoming, type Scheduled } from '../../live/schedule.ts'
import { findHeroStill } from '../../media/stills.ts'

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

/** Another value whenever anything about the bot changes, and smaller than the bot. */
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

/** An address as a `Location` header carries it; null for one that is not http(s). */
const httpAddress = (address: string): string | null => {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/**
 * A bot with the address of its newest hero still. A still belongs to a tournament that the bot takes
 * part in, so the bot changes with it.
 */
export const findPicturedBot = (
  asked: Asked,
  cleanName: string,
): { readonly bot: Bot; readonly picture: string | null } | undefined => {
  const bot = findNamedBot(asked, cleanName)
  if (!bot) return undefined
  const still = findHeroStill(asked.archive.stills, cleanName)
  return { bot, picture: still ? httpAddress(still.url) : null }
}

/** The bot's fights to come, soonest first; see `buildUpcoming`. Statuses follow cages and time. */
export const findUpcoming = (
  { archive, exchange, now }: Asked & { readonly now: number },
  cleanName: string,
): { readonly bot: Bot; readonly upcoming: readonly Scheduled[] } | undefined => {
  dependsOnCages(exchange, archive)
  const bot = findBot(archive.bots, cleanName)
  if (!bot) return undefined
  const upcoming = buildUpcoming(bot, archive.cages, now)
  exchange.validUntil = Math.min(...upcoming.map(({ validUntil }) => validUntil))
  return { bot, upcoming }
}
