import { Type } from '@sinclair/typebox'
import { type Bot, findBot } from '../../careers/bots.ts'
import type { Data, Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import { cleanName } from '../../league/cleanName.ts'
import { buildUpcoming, type Scheduled } from '../../live/schedule.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import { findHeroStill } from '../../media/stills.ts'
import { findBotRatings } from '../ratings/lookup.ts'
import type { BotStats } from './schema.ts'
import { botStats } from './view.ts'

const botNamed = ({ bots }: Data, cleanName: string) => findBot(bots, cleanName)
const heroStillOf = ({ stills }: Data, cleanName: string) => findHeroStill(stills, cleanName)

/** Finds a bot by its clean name. */
export const findNamedBot = (
  { lookup }: Pick<TrackedArchive, 'lookup'>,
  cleanName: string,
): Bot | undefined => lookup(botNamed, cleanName)

const maxBots = 24

/** Names of bots as a parameter. */
export const botList = Type.Optional(
  Type.String({ maxLength: 1000, description: 'clean or display names, separated by commas' }),
)

/** The bots of a list, each once, as far as they are known: the first 24. */
export const findBots = (
  archive: Pick<TrackedArchive, 'lookup'>,
  list: string | undefined,
): readonly Bot[] => {
  const names = new Set((list ?? '').split(',').map(cleanName).filter(Boolean))
  return [...names].slice(0, maxBots).flatMap((name) => findNamedBot(archive, name) ?? [])
}

/** A bot with the address of its newest hero still. */
export const findBotWithPicture = (
  archive: Pick<TrackedArchive, 'lookup'>,
  cleanName: string,
): { readonly bot: Bot; readonly picture: string | null } | undefined => {
  const bot = findNamedBot(archive, cleanName)
  if (!bot) return undefined
  const still = archive.lookup(heroStillOf, cleanName)
  return { bot, picture: mediaAddress(still?.url ?? null) ?? null }
}

/**
 * Upcoming fights of a bot, soonest first, see `buildUpcoming`. Statuses depend on cages and time.
 */
export const findUpcoming = (
  bot: Bot,
  archive: Parameters<typeof buildUpcoming>[1],
  now: number,
): Timed<readonly Scheduled[]> => {
  const value = buildUpcoming(bot, archive, now)
  return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
}

/** The payload of a bot, with its ratings where they are shown. */
export const botCareer = (
  archive: Pick<TrackedArchive, 'derive'>,
  { bot, picture }: { readonly bot: Bot; readonly picture: string | null },
): BotStats => ({ ...botStats(bot, picture), ...findBotRatings(archive, bot.cleanName) })
