import { redirect } from 'elysia'
import { findBotWithPicture, findNamedBot, findUpcoming } from '../../api/bots/lookup.ts'
import { botStats } from '../../api/bots/view.ts'
import { findNextGames } from '../../api/live/lookup.ts'
import { findChances, findHeadToHeadChance } from '../../api/ratings/lookup.ts'
import type { Bot } from '../../careers/bots.ts'
import { findTeam } from '../../careers/teams.ts'
import type { TrackedArchive } from '../../http/trackedArchive.ts'
import type { Fight } from '../../league/types.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { botPath } from '../fights.ts'
import { answer, pageOptions, pageRouter, plainQuery } from '../respond.ts'
import type { Site, Viewings } from '../site.ts'
import { botPage } from './page.ts'
import { findRatings } from './rating.ts'
import { teamPage } from './team.ts'
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

/** The fights of a bot that are not done; the cages are read for one that has any. */
export const upcomingOf = (archive: TrackedArchive, bot: Bot): readonly Scheduled[] => {
  if (!hasOpenFight(bot)) return []
  return archive.timed((now) => findUpcoming(bot, archive, now))
}

/** The chance of a bot in each of its fights. */
const ownChances = (archive: TrackedArchive, { cleanName }: Bot) => {
  const chanceOf = findChances(archive)
  return (fight: Fight): number | null => {
    const { player1WinProbability: red = null } = chanceOf(fight)
    return red === null || fight.red.player.cleanName === cleanName ? red : 1 - red
  }
}

export const botPages = (site: Site, viewings: Viewings) =>
  pageRouter(site)
    .get(
      '/b/:bot',
      (context) =>
        answer(viewings, context, (archive, viewing) => {
          const found = findBotWithPicture(archive, context.params.bot)
          if (!found) return 'bot'
          const { bot, picture } = found
          return botPage(viewing, {
            bot,
            stats: botStats(bot, picture),
            upcoming: upcomingOf(archive, bot),
            chanceOf: viewing.showsOutcomes ? ownChances(archive, bot) : () => null,
            next: viewing.showsOutcomes ? findNextGames(archive, bot) : [],
            isLive: bot.entries.some(({ tournament }) => tournament.info.active),
            picture: picture ?? undefined,
            ratings: viewing.showsOutcomes ? findRatings(archive, bot) : [],
          })
        }),
      pageOptions(plainQuery, true),
    )
    .get(
      '/team/:team',
      (context) =>
        answer(viewings, context, (archive, viewing) => {
          const team = findTeam(archive.bots, context.params.team)
          return team ? teamPage(viewing, team, (bot) => upcomingOf(archive, bot)) : 'team'
        }),
      pageOptions(plainQuery, true),
    )
    .get(
      '/vs/:bot1/:bot2',
      (context) =>
        answer(viewings, context, (archive, viewing) => {
          const one = findNamedBot(archive, context.params.bot1)
          const other = findNamedBot(archive, context.params.bot2)
          if (!one || !other) return 'bot'
          if (one === other) return redirect(viewing.href(botPath(one.cleanName)), 302)
          const { chance = null } = viewing.showsOutcomes
            ? findHeadToHeadChance(archive, one.cleanName, other.cleanName)
            : {}
          return versusPage(viewing, one, other, chance)
        }),
      pageOptions(plainQuery, true),
    )
