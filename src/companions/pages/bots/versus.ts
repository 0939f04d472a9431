import { redirect } from 'elysia'
import { findNamedBot } from '../../../api/bots/lookup.ts'
import { duration } from '../../../api/counted.ts'
import { botPath, versusPath } from '../../../api/pagePaths.ts'
import { findHeadToHeadChance } from '../../../api/ratings/lookup.ts'
import { weightClassLabel } from '../../../data/league/weightClass.ts'
import { type Bot, wonBy } from '../../../derived/careers/bots.ts'
import { buildDurations, share, winRateOf } from '../../../derived/careers/durations.ts'
import { meetingsOf } from '../../../derived/careers/headToHead.ts'
import { buildStreaks } from '../../../derived/careers/streaks.ts'
import { section, table } from '../elements.ts'
import { botLink, fightList } from '../fights.ts'
import { html } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Asked } from '../respond.ts'
import { name } from '../site.ts'
import { chance, percent, recordText } from '../words.ts'
import { classesOf, shownFights } from './careers.ts'

/** Length of a fight; a dash if unknown. */
const averageLength = (fights: Bot['fights']): string => {
  const { measured, averageSeconds } = buildDurations(fights)
  return measured === 0 ? '–' : duration(averageSeconds)
}

const streak = (bot: Bot): string => {
  const { type, length } = buildStreaks(bot).current
  return type === null ? 'none' : `${length} ${type === 'W' ? 'won' : 'lost'}`
}

/** A figure that only a bot with fights has. */
const ofFights =
  (figure: (bot: Bot) => string) =>
  (bot: Bot): string =>
    bot.totals.fights === 0 ? '–' : figure(bot)

const careerRows: readonly (readonly [string, (bot: Bot) => string])[] = [
  ['Weight class', (bot) => classesOf(bot) || '–'],
  ['Fights', ({ totals }) => String(totals.fights)],
  ['Won', ({ totals }) => String(totals.wins)],
  ['Lost', ({ totals }) => String(totals.losses)],
  ['Drawn', ({ totals }) => String(totals.draws)],
  ['Win rate', ofFights(({ totals }) => percent(winRateOf(totals)))],
  ['By knockout', ofFights(({ totals }) => percent(share(totals.koWins, totals.fights)))],
  ['Average fight', ({ fights }) => averageLength(fights)],
  ['Streak', streak],
  ['Events', ({ tournamentCount }) => String(tournamentCount)],
]

/** Page of two bots next to each other, with their meetings. */
export const versusPage = ({
  archive,
  viewing,
  params,
}: Asked<{ readonly bot1: string; readonly bot2: string }>): Page | Response | string => {
  const first = findNamedBot(archive, params.bot1)
  const second = findNamedBot(archive, params.bot2)
  if (!first || !second) return 'bot'
  if (first === second) return redirect(viewing.href(botPath(first.cleanName)), 302)
  const { showsOutcomes } = viewing
  const { chance: today } = showsOutcomes
    ? findHeadToHeadChance(archive, first.cleanName, second.cleanName)
    : {}
  const meetings = meetingsOf(first, second)
  const shown = shownFights(viewing, second, shownFights(viewing, first, meetings))
  const wins = (bot: Bot): number => meetings.filter((fight) => wonBy(fight, bot.cleanName)).length
  const draws = meetings.filter(
    ({ red, blue, isCompleted }) => isCompleted && !red.isWinner && !blue.isWinner,
  ).length
  const rows = showsOutcomes ? careerRows : careerRows.slice(0, 1)
  const none = showsOutcomes
    ? 'They have not met yet.'
    : 'None that can be named without telling a result.'
  const label = today ? weightClassLabel({ ...today, weightClassPounds: today.weightClass }) : ''
  return {
    title: `${first.name} v ${second.name}`,
    description: `${first.name} and ${second.name}: careers and fights against each other.`,
    path: versusPath(first, second),
    canBeFramed: true,
    body: html`
<section class="lead matchup">
  <h1><span class="corner red">${botLink(viewing, first)}</span> <span class="v">${
    showsOutcomes ? recordText({ wins: wins(first), losses: wins(second), draws }) : 'v'
  }</span> <span class="corner">${botLink(viewing, second)}</span></h1>${
    today &&
    html`
  <p class="soft">Chance to win a fight now${label && `, ${label}`}: ${name(first.name)} <b>${chance(today.bot1)}</b>, ${name(second.name)} <b>${chance(1 - today.bot1)}</b>. With 95 % certainty ${name(first.name)} has ${chance(today.low)} to ${chance(today.high)}.</p>`
  }
</section>${section(
      'careers',
      'Careers',
      table(
        [
          [name(first.name), 'text'],
          ['', 'name'],
          [name(second.name), 'text'],
        ],
        rows.map(([term, value]) => [value(first), term, value(second)]),
        { kind: 'compare' },
      ),
    )}${section('meetings', 'Fights against each other', fightList(viewing, shown) || html`<p>${none}</p>`)}`,
  }
}
