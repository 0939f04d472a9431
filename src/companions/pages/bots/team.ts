import { teamPath } from '../../../api/pagePaths.ts'
import { newestFirst } from '../../../data/league/order.ts'
import { findTeam } from '../../../derived/careers/teams.ts'
import { list, section } from '../elements.ts'
import { waitingRows } from '../expected.ts'
import { botLink, fightList } from '../fights.ts'
import { html } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Asked } from '../respond.ts'
import { name } from '../site.ts'
import { factsOf, isInEvent, shownFights, upcomingOf } from './careers.ts'

const maxFights = 200

/** Page of a team: its bots, and all their fights, coming ones first. */
export const teamPage = (asked: Asked<{ readonly team: string }>): Page | string => {
  const { archive, viewing } = asked
  const team = findTeam(archive.bots, asked.params.team)
  if (!team) return 'team'
  const { bots } = team
  const isLive = bots.some(isInEvent)
  const upcoming = waitingRows(viewing, upcomingOf(asked, ...bots))
  const fights = [...new Set(bots.flatMap((bot) => shownFights(viewing, bot, bot.fights)))]
  const title = fights.length > maxFights ? `The last ${maxFights} fights` : 'Fights'
  const line = (bot: (typeof bots)[number]) =>
    html`${botLink(viewing, bot)} <small>${factsOf(viewing, bot, bot.driver !== null && `driven by ${bot.driver}`)}</small>`
  return {
    title: team.name,
    description: `The bots of ${team.name}, and their fights.`,
    path: teamPath(team.name),
    isLive,
    body: html`
<section class="lead">
  <h1>${name(team.name)}</h1>
</section>${(isLive || upcoming) && section('upcoming', 'Next', upcoming, true)}${section('bots', 'Bots', list('names', bots.map(line)))}${section('fights', title, fightList(viewing, fights.sort(newestFirst).slice(0, maxFights)))}`,
  }
}
