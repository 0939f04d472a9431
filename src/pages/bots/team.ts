import type { Bot } from '../../careers/bots.ts'
import type { Team } from '../../careers/teams.ts'
import { caching } from '../../http/caching.ts'
import { newestFirst } from '../../league/order.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { waitingRow } from '../cages.ts'
import { expectedNote } from '../expected.ts'
import { botLink, fightList, rowList, teamPath } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { liveSection, nameList, section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { shownFights, shownUpcoming } from './careers.ts'
import { classesOf } from './page.ts'

const maxFights = 200

const bots = (viewing: Viewing, team: Team): Html =>
  nameList(
    team.bots.map((bot) => {
      const { wins, losses, fights } = bot.totals
      const facts = [
        viewing.showsOutcomes && fights > 0 ? `${wins}–${losses}` : '',
        classesOf(bot) || 'No fight yet',
        bot.driver === null ? '' : `driven by ${bot.driver}`,
      ]
      return html`${botLink(viewing, bot)} <small>${facts.filter(Boolean).join(' · ')}</small>`
    }),
  )

/** The fights to come of all bots, each once, in the order in which they are expected. */
const upcomingFights = (
  viewing: Viewing,
  { bots: own }: Team,
  upcomingOf: (bot: Bot) => readonly Scheduled[],
): Html | undefined => {
  const shown = own.flatMap((bot) => shownUpcoming(viewing, bot, upcomingOf(bot)))
  const unique = [...new Map(shown.map((each) => [each.fight, each])).values()]
  const startOf = ({ expected, fight }: Scheduled): number =>
    expected?.at?.start ?? fight.scheduledUnix ?? Number.POSITIVE_INFINITY
  const sorted = unique.sort((a, b) => {
    const [one, other] = [startOf(a), startOf(b)]
    return one === other ? 0 : one - other
  })
  return rowList(sorted.map((each) => waitingRow(viewing, each, expectedNote(viewing, each))))
}

const fights = (viewing: Viewing, team: Team): Html | undefined => {
  const shown = new Set(team.bots.flatMap((bot) => shownFights(viewing, bot, bot.fights)))
  const title = shown.size > maxFights ? `The last ${maxFights} fights` : 'Fights'
  const newest = [...shown].sort(newestFirst).slice(0, maxFights)
  return section('fights', title, fightList(viewing, newest))
}

/** A team: its bots, and their fights together, those to come first. */
export const teamPage = (
  viewing: Viewing,
  team: Team,
  upcomingOf: (bot: Bot) => readonly Scheduled[],
): Page => {
  const upcoming = upcomingFights(viewing, team, upcomingOf)
  const isLive = team.bots.some(({ entries }) =>
    entries.some(({ tournament }) => tournament.info.active),
  )
  const next = isLive || upcoming ? liveSection('upcoming', 'Next', upcoming) : undefined
  return {
    title: team.name,
    description: `The bots of ${team.name}, and their fights.`,
    path: teamPath(team.name),
    cacheControl: isLive ? caching.live : caching.archive,
    body: html`
<section class="lead">
  <h1>${name(team.name)}</h1>
</section>${next}${section('bots', 'Bots', bots(viewing, team))}${fights(viewing, team)}`,
  }
}
