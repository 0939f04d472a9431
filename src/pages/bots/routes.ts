import { Type } from '@sinclair/typebox'
import { Elysia, redirect } from 'elysia'
import { findBotWithPicture, findNamedBot, findUpcoming } from '../../api/bots/lookup.ts'
import { botStats } from '../../api/bots/view.ts'
import type { Bot } from '../../careers/bots.ts'
import { caching } from '../../http/caching.ts'
import { parameters } from '../../http/parameters.ts'
import { requestContext } from '../../http/requestContext.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { botPath } from '../fights.ts'
import { sendLoading, sendNotFound, sendPage, spoilers } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { botPage } from './page.ts'
import { versusPage } from './versus.ts'

/** Whether the bot has a fight that is not done; the cages are read for such a bot alone. */
const hasOpenFight = ({ cleanName, entries }: Bot): boolean =>
  entries.some(({ tournament }) =>
    tournament.fights.some(
      ({ state, red, blue }) =>
        state !== 'done' &&
        (red.player.cleanName === cleanName || blue.player.cleanName === cleanName),
    ),
  )

const upcomingOf = (archive: TrackedArchive, bot: Bot): readonly Scheduled[] => {
  if (!hasOpenFight(bot)) return []
  const { cages } = archive
  return archive.timed((now) => findUpcoming(bot, cages, now))
}

const pageOptions = {
  ...parameters({ hasBotsInPath: true, query: Type.Object({ spoilers }) }),
  detail: { hide: true },
}

export const botPages = ({ basePath }: Site, viewings: Viewings) =>
  new Elysia({ prefix: basePath, tags: ['pages'] })
    .use(requestContext)
    .get(
      '/b/:bot',
      async ({ archive, cached, params: { bot: cleanName }, query: { spoilers }, set }) => {
        const viewing = viewings.of(spoilers)
        if (!archive) return sendLoading(set, viewing)
        const found = findBotWithPicture(archive, cleanName)
        if (!found) return sendNotFound(set, viewing, 'bot')
        const { bot, picture } = found
        const isLive = bot.entries.some(({ tournament }) => tournament.info.active)
        const page = botPage(viewing, {
          bot,
          stats: botStats(bot, picture),
          upcoming: upcomingOf(archive, bot),
          isLive,
          picture: picture ?? undefined,
        })
        const cacheControl = isLive ? caching.live : caching.archive
        return cached(await sendPage(set, viewing, page, { cacheControl }))
      },
      pageOptions,
    )
    .get(
      '/vs/:bot1/:bot2',
      async ({ archive, cached, params: { bot1, bot2 }, query: { spoilers }, set }) => {
        const viewing = viewings.of(spoilers)
        if (!archive) return sendLoading(set, viewing)
        const [one, other] = [bot1, bot2].map((cleanName) => findNamedBot(archive, cleanName))
        if (!one || !other) return sendNotFound(set, viewing, 'bot')
        if (one === other) return redirect(viewing.href(botPath(one.cleanName)), 302)
        return cached(await sendPage(set, viewing, versusPage(viewing, one, other)))
      },
      pageOptions,
    )
