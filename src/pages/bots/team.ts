import type { Team } from '../../careers/teams.ts'
import { newestFirst } from '../../league/order.ts'
import { botLink, fightList, teamPath } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { nameList, section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { shownFights } from './careers.ts'
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

const fights = (viewing: Viewing, team: Team): Html | undefined => {
  const shown = new Set(team.bots.flatMap((bot) => shownFights(viewing, bot, bot.fights)))
  const title = shown.size > maxFights ? `The last ${maxFights} fights` : 'Fights'
  const newest = [...shown].sort(newestFirst).slice(0, maxFights)
  return section('fights', title, fightList(viewing, newest))
}

/** A team: its bots, and their fights together. */
export const teamPage = (viewing: Viewing, team: Team): Page => ({
  title: team.name,
  description: `The bots of ${team.name}, and their fights.`,
  path: teamPath(team.name),
  body: html`
<section class="lead">
  <h1>${name(team.name)}</h1>
</section>${section('bots', 'Bots', bots(viewing, team))}${fights(viewing, team)}`,
})
