import { newestStillFirst } from '../../data/league/order.ts'
import type { Still } from '../../data/league/types.ts'
import { type Bot, findBot } from '../../derived/careers/bots.ts'
import { namesIn } from '../../derived/careers/namesIn.ts'
import { mediaAddress } from '../../derived/media/mediaAddress.ts'
import { textParameter } from '../../http/parameters.ts'
import type { Data, Derive, Lookup } from '../../http/trackedArchive.ts'
import { findBotRatings } from '../ratings/lookup.ts'
import type { BotStats } from './schema.ts'
import { botStats } from './view.ts'

const botNamed = ({ bots }: Data, cleanName: string) => findBot(bots, cleanName)
/** A still is of a bot of its tournament. */
const heroStillOf = ({ bots }: Data, cleanName: string): Still | undefined =>
  findBot(bots, cleanName)
    ?.entries.flatMap(
      ({ tournament: { stills } }) =>
        stills.find(({ isHero, bot }) => isHero && bot?.cleanName === cleanName) ?? [],
    )
    .sort(newestStillFirst)[0]

export const findNamedBot = ({ lookup }: Lookup, cleanName: string): Bot | undefined =>
  lookup(botNamed, cleanName)

const maxBots = 24

/** Distinct clean names in a comma-separated list, joined by commas. */
const cleanNamesIn = ({ bots }: Data, list: string): string => namesIn(list, bots).join(',')

export const botList = textParameter('clean or display names, separated by commas', {
  maxLength: 1000,
})

/** The known bots of a list, each once: the first 24. */
export const findBots = (archive: Lookup, list: string | undefined): readonly Bot[] => {
  const names = archive.lookup(cleanNamesIn, list ?? '').split(',')
  return names.slice(0, maxBots).flatMap((name) => findNamedBot(archive, name) ?? [])
}

/** A bot with the address of its newest hero still. */
export const findBotWithPicture = (
  archive: Lookup,
  cleanName: string,
): { readonly bot: Bot; readonly picture: string | null } | undefined => {
  const bot = findNamedBot(archive, cleanName)
  if (!bot) return undefined
  const still = archive.lookup(heroStillOf, cleanName)
  return { bot, picture: mediaAddress(still?.url ?? null) ?? null }
}

/** Payload of a bot, with its ratings unless they are turned off. */
export const botCareer = (
  archive: Derive,
  { bot, picture }: { readonly bot: Bot; readonly picture: string | null },
): BotStats => ({ ...botStats(bot, picture), ...findBotRatings(archive, bot.cleanName) })
