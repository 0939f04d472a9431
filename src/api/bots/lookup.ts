import { type Bot, findBot } from '../../careers/bots.ts'
import type { Data, Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Cages } from '../../league/types.ts'
import { buildUpcoming, type Scheduled } from '../../live/schedule.ts'
import { findHeroStill } from '../../media/stills.ts'

const botNamed = ({ bots }: Data, cleanName: string) => findBot(bots, cleanName)
const heroStillOf = ({ stills }: Data, cleanName: string) => findHeroStill(stills, cleanName)

/** The bot with this clean name. */
export const findNamedBot = (
  { lookup }: Pick<TrackedArchive, 'lookup'>,
  cleanName: string,
): Bot | undefined => lookup(botNamed, cleanName)

/** An address as a `Location` header carries it; null for one that is not http(s). */
const httpAddress = (address: string): string | null => {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? url.href : null
}

/** A bot with the address of its newest hero still. */
export const findPicturedBot = (
  archive: Pick<TrackedArchive, 'lookup'>,
  cleanName: string,
): { readonly bot: Bot; readonly picture: string | null } | undefined => {
  const bot = findNamedBot(archive, cleanName)
  if (!bot) return undefined
  const still = archive.lookup(heroStillOf, cleanName)
  return { bot, picture: still ? httpAddress(still.url) : null }
}

/** The bot's fights to come, soonest first; see `buildUpcoming`. Statuses follow cages and time. */
export const findUpcoming = (bot: Bot, cages: Cages, now: number): Timed<readonly Scheduled[]> => {
  const value = buildUpcoming(bot, cages, now)
  return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
}
