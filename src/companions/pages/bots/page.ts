import { findBotWithPicture } from '../../../api/bots/lookup.ts'
import type { BotStats } from '../../../api/bots/schema.ts'
import { botStats } from '../../../api/bots/view.ts'
import { counted, duration } from '../../../api/counted.ts'
import { isDrawn } from '../../../api/fights/outcomes.ts'
import { fightWords } from '../../../api/fights/words.ts'
import { findNextGames } from '../../../api/live/lookup.ts'
import { botPath, versusPath } from '../../../api/pagePaths.ts'
import { findChances } from '../../../api/ratings/lookup.ts'
import type { Fight } from '../../../data/league/types.ts'
import { weightClassLabel, weightClassTitle } from '../../../data/league/weightClass.ts'
import { type Bot, opponentOf } from '../../../derived/careers/bots.ts'
import type { Scheduled } from '../../../derived/live/schedule.ts'
import { list, portrait, remark, section } from '../elements.ts'
import { expectedNote, nextNote, untold, waitingRows } from '../expected.ts'
import {
  botLink,
  eventLink,
  fightList,
  filmAddress,
  resultText,
  starButton,
  teamLink,
} from '../fights.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import { hiddenNote, type Page } from '../layout.ts'
import type { Asked } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { chance, method, percent, recordText } from '../words.ts'
import {
  factsOf,
  isInEvent,
  listOpponents,
  resultNames,
  resultOf,
  shownFights,
  upcomingOf,
} from './careers.ts'
import { ratings } from './rating.ts'

const formLength = 10

const last = ({ currentStreak: { type, length } }: BotStats): string =>
  type === null
    ? 'no winner last'
    : `${type === 'W' ? 'won' : 'lost'} last${length > 1 ? ` ${length}` : ''}`

const breakdown = (counts: Readonly<Record<string, number>>): Part =>
  joined(Object.entries(counts).map(([code, count]) => html`${count} ${method(code)}`))

/** The record in each weight class, if there are several. */
const byClass = ({ classes }: Bot): Part =>
  classes.length > 1 &&
  html`
  <p class="soft">${joined(classes.map(({ weightClass, totals }) => html`${name(weightClassTitle(weightClass))} <b>${recordText(totals)}</b>`))}</p>`

const career = (stats: BotStats): Html => html`
  <p class="soft">${percent(stats.winRate)} won in ${counted(stats.totalFights, 'fight')} at ${counted(stats.totalTournaments, 'event')}${
    stats.durationStats.fightsMeasured > 0 &&
    html`, ${duration(stats.avgMatchDurationSeconds)} on average`
  }${stats.totalWins > 0 && html`; won by ${breakdown(stats.winMethodBreakdown)}`}${stats.totalLosses > 0 && html`; lost by ${breakdown(stats.lossMethodBreakdown)}`}</p>`

/** The last fights, newest first, each a link to its film. */
const form = (viewing: Viewing, { cleanName, fights }: Bot): Html => html`
  <ol class="form" aria-label="Form, the newest first">${fights
    .slice(0, formLength)
    .map((fight) => {
      const result = resultOf(fight, cleanName)
      const label = `${resultNames[result]} against ${opponentOf(fight, cleanName).player.name}`
      return html`
    <li class="${result.toLowerCase()}"><a href="${filmAddress(viewing, fight)}" title="${label}" aria-label="${label}">${result}</a></li>`
    })}
  </ol>`

const opponents = (viewing: Viewing, bot: Bot): Html =>
  list(
    'names',
    listOpponents(bot).map(({ player, ...record }) => {
      const address = viewing.href(versusPath(bot, player))
      // A name without letters and digits has no pages.
      const compare =
        player.cleanName !== '' &&
        html` <small><a href="${address}">compare<span class="quiet"> with ${player.name}</span></a></small>`
      return html`${botLink(viewing, player)} <b>${recordText(record)}</b>${compare}`
    }),
  )

/** The coming fights, each with the chance to win it, and the games that may follow. */
const upcomingFights = (
  { archive, viewing }: Asked,
  bot: Bot,
  upcoming: readonly Scheduled[],
): Part => {
  const chanceOf = findChances(archive)
  const chanceNote = (fight: Fight): Part => {
    const { player1WinProbability: red = null } = viewing.showsOutcomes ? chanceOf(fight) : {}
    if (red === null) return undefined
    const own = fight.red.player.cleanName === bot.cleanName ? red : 1 - red
    return html`Chance to win <b>${chance(own)}</b>`
  }
  const rows = waitingRows(viewing, upcoming, (waiting) => [
    chanceNote(waiting.fight),
    expectedNote(viewing, waiting),
  ])
  if (!viewing.showsOutcomes) return rows || (isInEvent(bot) && remark(untold))
  const next = findNextGames(archive, bot)
  return (rows || next.length > 0) && html`${rows}${next.map((each) => nextNote(viewing, each))}`
}

/** The next fight for a preview: `, next: Opening, fight 2, Cage 2`, with the opponent unless it is an outcome. */
const nextText = (previewed: Viewing, bot: Bot, upcoming: readonly Scheduled[]): string => {
  const next = upcoming.find(({ fight }) => shownFights(previewed, bot, [fight]).length > 0)
  if (!next) return ''
  const { fight, cage } = next
  const isNamed = previewed.showsOutcomes || isDrawn(fight)
  const opponent = isNamed ? ` v ${opponentOf(fight, bot.cleanName).player.name}` : ''
  return `, next: ${fightWords(fight)}${opponent}${cage === null ? '' : `, ${cage}`}`
}

/** Page of a bot: how it stands and its next fight, then every fight and opponent. */
export const botPage = (asked: Asked<{ readonly bot: string }>): Page | string => {
  const { archive, viewing, params } = asked
  const found = findBotWithPicture(archive, params.bot)
  if (!found) return 'bot'
  const { bot } = found
  const { team, driver, cleanName } = bot
  const picture = found.picture ?? undefined
  const stats = botStats(bot, found.picture)
  const upcoming = upcomingOf(asked, bot)
  const isLive = isInEvent(bot)
  const isNew = bot.fights.length === 0
  const hasRecord = viewing.showsOutcomes && !isNew
  const path = botPath(cleanName)
  const previewed = { ...viewing, showsOutcomes: viewing.previewsOutcomes }
  const next = upcomingFights(asked, bot, upcoming)
  const entered = bot.entries.map(({ tournament: { info } }) =>
    joined([eventLink(viewing, info), weightClassLabel(info)], ', '),
  )
  const stateOf = (fight: Fight): Part =>
    viewing.showsOutcomes && html`<b>${resultNames[resultOf(fight, cleanName)]}</b> `
  return {
    title: bot.name,
    description: `${factsOf(previewed, bot, previewed.showsOutcomes && !isNew && last(stats), team ?? '', driver !== null && `driven by ${driver}`)}${nextText(previewed, bot, upcoming)}. Every fight and opponent of ${bot.name}.`,
    path,
    image: picture === undefined ? undefined : { url: picture, alt: bot.name },
    canBeFramed: true,
    isLive,
    feeds: [
      { path: `${path}/results.atom`, title: `Results of ${bot.name}` },
      { path: `${path}/fights.ics`, title: `Fights of ${bot.name}` },
    ],
    picture,
    body: html`
<section class="lead profile" id="bot"${isLive && html` data-live`}>
  <div class="block">
    <div class="titled"><h1>${name(bot.name)}</h1>${starButton(bot)}</div>
    <p><b>${factsOf(viewing, bot, hasRecord && last(stats))}</b></p>${
      (team !== null || driver !== null) &&
      html`
    <p class="soft">${joined([team !== null && teamLink(viewing, team), driver !== null && html`driven by ${name(driver)}`])}</p>`
    }${hiddenNote(viewing, path)}${(isLive || next) && section('upcoming', 'Next', next, true)}${hasRecord && [byClass(bot), form(viewing, bot), career(stats)]}
  </div>${portrait(picture, bot.name)}
</section>${section('rating', 'Rating', viewing.showsOutcomes && ratings(asked, bot), isLive)}${section('entered', 'Entered in', isNew && list('names', entered), isLive)}${section(
      'fights',
      viewing.showsOutcomes ? 'All fights' : 'First fights of each event',
      !isNew &&
        fightList(viewing, shownFights(viewing, bot, bot.fights), {
          stateOf: (fight) => html`${stateOf(fight)}${resultText(viewing, fight)}`,
        }),
      isLive,
    )}${section('opponents', 'Opponents', hasRecord && opponents(viewing, bot), isLive)}`,
  }
}
