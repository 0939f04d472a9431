import type { BotStats } from '../../api/bots/schema.ts'
import { type Bot, opponentOf } from '../../careers/bots.ts'
import { caching } from '../../http/caching.ts'
import type { Fight } from '../../league/types.ts'
import { distinctClasses, weightClassLabel } from '../../league/weightClass.ts'
import type { NextGame } from '../../live/rounds.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { waitingRow } from '../cages.ts'
import { counted } from '../counted.ts'
import { expectedNote, nextNote } from '../expected.ts'
import {
  botLink,
  botPath,
  eventLink,
  fightAddress,
  fightRow,
  resultText,
  rowList,
  teamLink,
  versusPath,
} from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { liveSection, nameList, portrait, section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { starButton } from '../star.ts'
import { duration } from '../times.ts'
import { chance, method, percent } from '../words.ts'
import { listOpponents, resultNames, resultOf, shownFights, shownUpcoming } from './careers.ts'
import { type findRatings, ratings } from './rating.ts'

/** What the page of a bot shows. */
export interface BotView {
  readonly bot: Bot
  readonly stats: BotStats
  readonly upcoming: readonly Scheduled[]
  /** Chance to win one of these; null where it is not known or not shown. */
  readonly chanceOf: (fight: Fight) => number | null
  /** Games that may follow; none where outcomes are not shown. */
  readonly next: readonly NextGame[]
  /** Whether it is in an event that is under way. */
  readonly isLive: boolean
  readonly picture: string | undefined
  /** By class; none where they are not shown. */
  readonly ratings: ReturnType<typeof findRatings>
}

const formLength = 10

export const classesOf = (bot: Bot): string =>
  distinctClasses(bot.classes.map(({ weightClass }) => weightClass))
    .map(weightClassLabel)
    .join(', ')

const last = ({ currentStreak: { type, length } }: BotStats): string =>
  type === null
    ? 'no winner last'
    : `${type === 'W' ? 'won' : 'lost'} last${length > 1 ? ` ${length}` : ''}`

/** Record, classes and streak in one line, such as `19–8 · 3 lb · won last 2`. */
const headline = ({ showsOutcomes }: Viewing, bot: Bot, stats: BotStats): string =>
  [
    showsOutcomes && bot.fights.length > 0 ? `${stats.totalWins}–${stats.totalLosses}` : undefined,
    classesOf(bot) || 'No fight yet',
    showsOutcomes && bot.fights.length > 0 ? last(stats) : undefined,
  ]
    .filter((part) => part !== undefined)
    .join(' · ')

const breakdown = (counts: Readonly<Record<string, number>>): Html =>
  html`${Object.entries(counts).map(
    ([code, count], index) => html`${index === 0 ? '' : ', '}${count} ${method(code)}`,
  )}`

const career = (stats: BotStats): Html => html`
  <p class="soft">${percent(stats.winRate)} won in ${counted(stats.totalFights, 'fight')} at ${counted(stats.totalTournaments, 'event')}, ${duration(
    stats.avgMatchDurationSeconds,
  )} on average${stats.totalWins > 0 ? html`; won by ${breakdown(stats.winMethodBreakdown)}` : undefined}${
    stats.totalLosses > 0 ? html`; lost by ${breakdown(stats.lossMethodBreakdown)}` : undefined
  }</p>`

/** The last fights, the newest first, each a link to its film. */
const form = (viewing: Viewing, { cleanName, fights }: Bot): Html => html`
  <ol class="form" aria-label="Form, the newest first">${fights
    .slice(0, formLength)
    .map((fight) => {
      const result = resultOf(fight, cleanName)
      const label = `${resultNames[result]} against ${opponentOf(fight, cleanName).player.name}`
      return html`
    <li class="${result.toLowerCase()}"><a href="${fightAddress(viewing, fight)}" title="${label}" aria-label="${label}">${result}</a></li>`
    })}
  </ol>`

const opponents = (viewing: Viewing, bot: Bot): Html =>
  nameList(
    listOpponents(bot).map((opponent) => {
      const address = viewing.href(versusPath(bot, opponent))
      return html`${botLink(viewing, opponent)} <b>${opponent.wins}–${opponent.losses}</b>${
        opponent.cleanName === ''
          ? undefined
          : html` <small><a href="${address}">compare<span class="quiet"> with ${opponent.name}</span></a></small>`
      }`
    }),
  )

const pastRow = (viewing: Viewing, bot: Bot, fight: Fight): Html => {
  const unix = fight.startUnix ?? fight.finishUnix
  const word = resultNames[resultOf(fight, bot.cleanName)]
  return fightRow(viewing, fight, {
    when: unix === null ? fight.name : viewing.times.day(unix),
    note: html`<p class="soft"><small>${fight.name}, ${eventLink(viewing, fight.tournament)}</small></p>`,
    ...(viewing.showsOutcomes && {
      state: html`<b>${word}</b> ${resultText(viewing, fight)}`,
    }),
  })
}

const chanceNote = (own: number | null): Html | undefined =>
  own === null
    ? undefined
    : html`<p class="soft"><small>Chance to win <b>${chance(own)}</b></small></p>`

const upcomingFights = (viewing: Viewing, view: BotView): Html | undefined => {
  const shown = shownUpcoming(viewing, view.bot, view.upcoming)
  const note = (each: Scheduled): Html =>
    html`${chanceNote(view.chanceOf(each.fight))}${expectedNote(viewing, each)}`
  const rows = rowList(shown.map((each) => waitingRow(viewing, each, note(each))))
  const next = view.next.map((each) => nextNote(viewing, each))
  const content = rows || next.length > 0 ? html`${rows}${next}` : undefined
  return view.isLive || content ? liveSection('upcoming', 'Next', content) : undefined
}

/** The next fight for a preview: `next: v Bolt, Cage 2`. */
const nextText = (viewing: Viewing, view: BotView): string => {
  const [next] = shownUpcoming(viewing, view.bot, view.upcoming)
  if (!next) return ''
  const { fight, cage } = next
  const opponent = viewing.showsOutcomes
    ? ` v ${opponentOf(fight, view.bot.cleanName).player.name}`
    : ''
  return `, next: ${fight.name}${opponent}${cage === null ? '' : `, ${cage}`}`
}

/** Who built it, and who drives it. */
const people = (viewing: Viewing, { team, driver }: Bot): Html | undefined =>
  team === null && driver === null
    ? undefined
    : html`
    <p class="soft">${team === null ? undefined : teamLink(viewing, team)}${team !== null && driver !== null ? ', ' : ''}${
      driver === null ? undefined : html`driven by ${name(driver)}`
    }</p>`

/** One bot: how it stands and its next fight, then every fight and opponent. */
export const botPage = (viewing: Viewing, view: BotView): Page => {
  const { bot, stats } = view
  const isNew = bot.fights.length === 0
  const hasRecord = viewing.showsOutcomes && !isNew
  const text = headline(viewing, bot, stats)
  const part = view.isLive ? liveSection : section
  const entered = bot.entries.map(
    ({ tournament: { info } }) => html`${eventLink(viewing, info)}, ${weightClassLabel(info)}`,
  )
  return {
    title: bot.name,
    description: `${text}${nextText(viewing, view)}. Every fight and opponent of ${bot.name}.`,
    path: botPath(bot.cleanName),
    image: view.picture === undefined ? undefined : { url: view.picture, alt: bot.name },
    canBeFramed: true,
    cacheControl: view.isLive ? caching.live : caching.archive,
    feeds: [
      { path: `${botPath(bot.cleanName)}/results.atom`, title: `Results of ${bot.name}` },
      { path: `${botPath(bot.cleanName)}/fights.ics`, title: `Fights of ${bot.name}` },
    ],
    picture: view.picture,
    body: html`
<section class="lead profile" id="bot"${view.isLive ? html` data-live` : undefined}>
  <div class="block">
    <div class="titled"><h1>${name(bot.name)}</h1>${starButton(bot)}</div>
    <p><b>${text}</b></p>${people(viewing, bot)}${upcomingFights(viewing, view)}${hasRecord ? [form(viewing, bot), career(stats)] : undefined}
  </div>${portrait(view.picture, bot.name)}
</section>${part('rating', 'Rating', ratings(viewing, view.ratings))}${part('entered', 'Entered in', isNew ? nameList(entered) : undefined)}${part(
      'fights',
      viewing.showsOutcomes ? 'All fights' : 'First fights of each event',
      isNew
        ? undefined
        : rowList(shownFights(viewing, bot, bot.fights).map((each) => pastRow(viewing, bot, each))),
    )}${part('opponents', 'Opponents', hasRecord ? opponents(viewing, bot) : undefined)}`,
  }
}
