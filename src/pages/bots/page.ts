import type { BotStats } from '../../api/bots/schema.ts'
import { type Bot, fightSeconds, opponentOf } from '../../careers/bots.ts'
import type { Fight, Tournament } from '../../league/types.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { stackedBar } from '../charts.ts'
import { facts, percent } from '../facts.ts'
import { botLink, botPath, cornerName, eventLink, fightAddress } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { liveSection } from '../liveSection.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import { listOpponents, resultNames, resultOf, shownFights, tournamentsOf } from './careers.ts'

/** What the page of a bot shows. */
export interface BotView {
  readonly bot: Bot
  readonly stats: BotStats
  readonly upcoming: readonly Scheduled[]
  /** Whether it is in an event that is under way. */
  readonly isLive: boolean
  readonly picture: string | undefined
}

const formLength = 10

export const classesOf = (bot: Bot): string =>
  [...bot.totalsByClass.keys()].map((pounds) => `${pounds} lb`).join(', ')

const streak = ({ currentStreak: { type, length } }: BotStats): string =>
  type === null ? 'none' : `${length} ${type === 'W' ? 'won' : 'lost'}`

const career = (stats: BotStats): Html =>
  facts([
    ['fights', stats.totalFights],
    ['won', stats.totalWins],
    ['lost', stats.totalLosses],
    ['win rate', percent(stats.winRate)],
    ['by knockout', percent(stats.koRate)],
    ['streak', streak(stats)],
    ['longest win streak', stats.longestWinStreak],
    ['events', stats.totalTournaments],
    ['average fight', duration(stats.avgMatchDurationSeconds)],
  ])

const form = ({ cleanName, fights }: Bot): Html => html`
  <div class="block">
    <h2>Form</h2>
    <p class="soft">The last ${Math.min(formLength, fights.length)} fights, the newest first</p>
    <ol class="form">${fights.slice(0, formLength).map((fight) => {
      const result = resultOf(fight, cleanName)
      return html`
      <li class="${result.toLowerCase()}"><abbr title="${resultNames[result]} against ${opponentOf(fight, cleanName).player.name}">${result}</abbr></li>`
    })}
    </ol>
  </div>`

const methods = ({ winMethodBreakdown, lossMethodBreakdown }: BotStats): Html => {
  const kinds = [...new Set([winMethodBreakdown, lossMethodBreakdown].flatMap(Object.keys))]
  const rows = kinds.map((kind) => ({
    kind,
    won: winMethodBreakdown[kind] ?? 0,
    lost: lossMethodBreakdown[kind] ?? 0,
  }))
  const max = Math.max(0, ...rows.map(({ won, lost }) => won + lost))
  return html`
  <div class="block">
    <h2>By method</h2>
    <p class="key soft"><span class="c">won</span> <span class="a">lost</span></p>
    <div class="scroll" tabindex="0">
      <table>
        <thead><tr><th scope="col">Method</th><th scope="col" class="number">Won</th><th scope="col" class="number">Lost</th><td></td></tr></thead>
        <tbody>${rows.map(
          ({ kind, won, lost }) => html`
          <tr><th scope="row">${kind}</th><td class="number">${won}</td><td class="number">${lost}</td><td class="bar">${stackedBar(
            [
              { kind: 'c', value: won },
              { kind: 'a', value: lost },
            ],
            max,
          )}</td></tr>`,
        )}
        </tbody>
      </table>
    </div>
  </div>`
}

const versusPath = (one: string, other: string): string =>
  `/vs/${encodeURIComponent(one)}/${encodeURIComponent(other)}`

const opponents = (viewing: Viewing, bot: Bot): Html => html`
<section aria-labelledby="opponents">
  <h2 id="opponents">Opponents</h2>
  <div class="scroll tall" tabindex="0" role="group" aria-label="All opponents">
    <table>
      <thead><tr><th scope="col">Bot</th><th scope="col" class="number">Fights</th><th scope="col" class="number">Won</th><th scope="col" class="number">Lost</th><th scope="col">Head to head</th></tr></thead>
      <tbody>${listOpponents(bot).map(
        (opponent) => html`
        <tr><th scope="row">${botLink(viewing, opponent)}</th><td class="number">${opponent.fights}</td><td class="number">${opponent.wins}</td><td class="number">${opponent.losses}</td><td>${
          opponent.cleanName === ''
            ? undefined
            : html`<a href="${viewing.href(
                versusPath(bot.cleanName, opponent.cleanName),
              )}">Compare<span class="quiet"> with ${opponent.name}</span></a>`
        }</td></tr>`,
      )}
      </tbody>
    </table>
  </div>
</section>`

const fightRow = (
  viewing: Viewing,
  bot: Bot,
  tournaments: ReadonlyMap<string, Tournament>,
  fight: Fight,
): Html => {
  const tournament = tournaments.get(fight.tournament.id)
  const opponent = opponentOf(fight, bot.cleanName)
  const seconds = fightSeconds(fight)
  const result = resultOf(fight, bot.cleanName)
  const unix = fight.startUnix ?? fight.finishUnix
  const how = fight.winAnnotation === null ? '' : `, ${fight.winAnnotation}`
  const outcome = viewing.showsOutcomes
    ? html`<td>${result === 'W' ? html`<b>${resultNames[result]}</b>` : resultNames[result]}${how}</td><td class="number">${
        seconds === null ? '' : duration(seconds)
      }</td>`
    : undefined
  return html`
        <tr><td class="short">${unix === null ? '' : viewing.times.day(unix)}</td><th scope="row">${
          tournament ? cornerName(viewing, tournament, fight, opponent) : name(opponent.player.name)
        }</th>${outcome}<td class="short"><a href="${fightAddress(viewing, fight)}">${fight.name}</a></td><td>${eventLink(viewing, fight.tournament)}</td><td class="number">${fight.recordings.length || ''}</td></tr>`
}

const allFights = (viewing: Viewing, bot: Bot): Html => {
  const fights = shownFights(viewing, bot, bot.fights)
  const tournaments = tournamentsOf(bot)
  return html`
<section aria-labelledby="fights">
  <h2 id="fights">${viewing.showsOutcomes ? 'All fights' : 'First fights of each event'}</h2>
  <div class="scroll">
    <table>
      <thead><tr><th scope="col">Date</th><th scope="col">Opponent</th>${
        viewing.showsOutcomes
          ? html`<th scope="col">Result</th><th scope="col" class="number">Length</th>`
          : undefined
      }<th scope="col">Fight</th><th scope="col">Event</th><th scope="col" class="number">Cameras</th></tr></thead>
      <tbody>${fights.map((fight) => fightRow(viewing, bot, tournaments, fight))}
      </tbody>
    </table>
  </div>
</section>`
}

const upcomingFights = (viewing: Viewing, { bot, upcoming, isLive }: BotView): Html | undefined => {
  const shown = new Set(
    shownFights(
      viewing,
      bot,
      upcoming.map(({ fight }) => fight),
    ),
  )
  const tournaments = tournamentsOf(bot)
  const rows = upcoming.filter(({ fight }) => shown.has(fight))
  if (!isLive && rows.length === 0) return undefined
  const cards = html`
  <ul class="cards">${rows.map(({ fight, status }) => {
    const tournament = tournaments.get(fight.tournament.id)
    const opponent = opponentOf(fight, bot.cleanName)
    return html`
    <li class="card"><h3>v ${tournament && cornerName(viewing, tournament, fight, opponent)}</h3>
      <p>${status}${fight.cage === null ? '' : `, ${fight.cage}`}</p>
      <p class="soft"><a href="${fightAddress(viewing, fight)}">${fight.name}</a>${
        fight.scheduledUnix === null
          ? undefined
          : html`, ${viewing.times.full(fight.scheduledUnix)}`
      }</p></li>`
  })}
  </ul>`
  return liveSection({
    id: 'upcoming',
    title: 'Next',
    content: rows.length === 0 ? undefined : cards,
  })
}

const picture = ({ bot, picture }: BotView): Html | undefined =>
  picture === undefined
    ? undefined
    : html`
  <a class="portrait" href="${picture}"><img src="${picture}" alt="${bot.name}" loading="lazy" decoding="async" width="480" height="320"></a>`

/** Events of a bot that has not fought. */
const entered = (viewing: Viewing, { entries }: Bot): Html => html`
<section aria-labelledby="entered">
  <h2 id="entered">Entered in</h2>
  <ul class="names">${entries.map(
    ({ tournament: { info } }) => html`
    <li>${eventLink(viewing, info)}, ${info.weightClassPounds} lb</li>`,
  )}
  </ul>
</section>`

/** One bot: picture, career, form, opponents, all fights. */
export const botPage = (viewing: Viewing, view: BotView): Page => {
  const { bot, stats } = view
  const classes = classesOf(bot)
  const isNew = bot.fights.length === 0
  return {
    title: bot.name,
    description: `${bot.name}: career, form, opponents and every fight.`,
    path: botPath(bot.cleanName),
    image: view.picture === undefined ? undefined : { url: view.picture, alt: bot.name },
    canBeFramed: true,
    feeds: [
      { path: `${botPath(bot.cleanName)}/results.atom`, title: `Results of ${bot.name}` },
      { path: `${botPath(bot.cleanName)}/fights.ics`, title: `Fights of ${bot.name}` },
    ],
    media: view.picture === undefined ? [] : [view.picture],
    body: html`
<section class="lead profile">
  <div>
    <h1>${name(bot.name)}</h1>
    <p>${classes === '' ? 'No fight yet' : classes}</p>
  </div>${picture(view)}${viewing.showsOutcomes && !isNew ? career(stats) : undefined}
</section>${upcomingFights(viewing, view)}${
      viewing.showsOutcomes && !isNew
        ? html`
<section class="columns">${form(bot)}${methods(stats)}
</section>${opponents(viewing, bot)}`
        : undefined
    }${isNew ? entered(viewing, bot) : allFights(viewing, bot)}`,
  }
}
