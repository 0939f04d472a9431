import { type Static, Type } from '@sinclair/typebox'
import { botList, findBots } from '../../../api/bots/lookup.ts'
import { isCornerNamed } from '../../../api/fights/outcomes.ts'
import { newestFirst } from '../../../data/league/order.ts'
import { type Bot, opponentOf } from '../../../derived/careers/bots.ts'
import { fightsOfLastDay } from '../../../derived/live/lastDay.ts'
import type { Scheduled } from '../../../derived/live/schedule.ts'
import { classesOf, shownFights, upcomingOf } from '../bots/careers.ts'
import { list, section } from '../elements.ts'
import { untold, waitingRows } from '../expected.ts'
import { botLink, fightList, starButton } from '../fights.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Page } from '../layout.ts'
import { following } from '../live/following.ts'
import { type Asked, spoilers } from '../respond.ts'
import type { Viewing } from '../site.ts'
import { recordText } from '../words.ts'

/** Number of fights before a viewer's own at which it is announced. */
const nearFights = 2

export const myQuery = Type.Object({ spoilers, bots: botList })

/** Announcements of `browser/my.ts`, made once for each key. */
const alert = (viewing: Viewing, bots: readonly Bot[], waiting: Scheduled): Part => {
  const { fight, status, cage, expected } = waiting
  const bot = bots.find(({ cleanName }) =>
    [fight.red, fight.blue].some(
      (corner) => corner.player.cleanName === cleanName && isCornerNamed(viewing, fight, corner),
    ),
  )
  const isCalled = status === 'Called' || status === 'Load In'
  const isNear = cage !== null && expected?.at != null && expected.ahead <= nearFights
  if (!bot || (!isCalled && !isNear)) return undefined
  const opponent = viewing.showsOutcomes ? ` v ${opponentOf(fight, bot.cleanName).player.name}` : ''
  const text = isCalled
    ? `called${cage === null ? '' : ` to ${cage}`}`
    : `${expected?.ahead} before it in ${cage}`
  const key = [fight.tournament.id, fight.id, isCalled ? 'called' : 'near'].join(' ')
  return html`
  <p hidden data-alert="${key}">${bot.name}${opponent}: ${text}</p>`
}

const nextFights = (asked: Asked, bots: readonly Bot[]): Html => {
  const waiting = upcomingOf(asked, ...bots)
  const none = html`
  <p class="soft">${asked.viewing.showsOutcomes ? 'None of them waits for a fight.' : untold}</p>`
  return html`${waitingRows(asked.viewing, waiting) || none}${waiting.map((each) => alert(asked.viewing, bots, each))}`
}

/** Fights of the last day, newest first; a fight between two listed bots comes once. */
const results = ({ archive, viewing }: Asked, bots: readonly Bot[]): Part => {
  const fights = bots.flatMap((bot) =>
    shownFights(
      viewing,
      bot,
      archive.timed((now) => fightsOfLastDay(bot.fights, now)),
    ),
  )
  return fightList(viewing, [...new Set(fights)].sort(newestFirst), { isToday: true })
}

/** State of a bot in the tournaments under way, else in its last one. */
const standing = ({ showsOutcomes }: Viewing, bot: Bot): string => {
  const active = bot.entries.filter(({ tournament }) => tournament.info.active)
  const shown = active.length > 0 ? active : bot.entries.slice(0, 1)
  const records = shown.flatMap(({ player, tournament }) => {
    const record = tournament.playersByID.get(player.id)
    if (!record) return []
    const { placement } = record
    const place = placement === null ? '' : `, place ${placement}`
    return `${recordText(record)}${place} in ${tournament.info.name}`
  })
  return showsOutcomes && records.length > 0 ? records.join('; ') : classesOf(bot)
}

/** Shown without a list, or if no bot of the list exists. */
const emptyPage = (viewing: Viewing, isUnknown: boolean): Page => ({
  title: 'My bots',
  description: 'The fights of your bots over all classes and cages.',
  path: '/my',
  isLive: true,
  isCached: false,
  modules: ['my.js'],
  body: html`
<section class="lead" data-my="${viewing.href('/my')}">
  <h1>My bots</h1>${
    isUnknown &&
    html`
  <p><b>None of these bots is in this league.</b> They may have other names now.</p>`
  }
  <p>Find a bot, and press the star beside its name: its fights are listed here, with the times at which they are
    expected to begin. The list is kept in this browser; its address can be shared.</p>
  <p><a href="${viewing.href('/e')}">Events and their bots</a></p>
</section>`,
})

/** The viewer's own bots: what they wait for, with expected starts, and how they did today. */
export const myPage = (asked: Asked<unknown, Static<typeof myQuery>>): Page => {
  const { archive, viewing, assets } = asked
  const bots = findBots(archive, asked.query.bots)
  if (bots.length === 0) return emptyPage(viewing, !!asked.query.bots?.trim())
  const names = bots.map(({ cleanName }) => cleanName).join(',')
  return {
    title: 'My bots',
    description: `When they fight: ${bots.map(({ name }) => name).join(', ')}.`,
    path: `/my?bots=${names}`,
    isLive: true,
    modules: ['live.js', 'my.js'],
    feeds: [
      { path: `/my/results.atom?bots=${names}`, title: 'Results of my bots' },
      { path: `/my.ics?bots=${names}`, title: 'Fights of my bots' },
    ],
    body: html`
<section class="lead" data-my="${viewing.href('/my')}" ${following(viewing, assets)}>
  <h1>My bots</h1>
  <p class="chips"><button type="button" data-announce aria-pressed="false" hidden>Tell me when one is called</button><button type="button" data-copy hidden>Copy the address</button></p>
  <p role="status" class="announced"></p>
</section>${section('next', 'Next', nextFights(asked, bots), true)}${section('results', 'Fought today', results(asked, bots), true)}${section(
      'standing',
      'How they stand',
      list(
        'names',
        bots.map(
          (bot) =>
            html`${botLink(viewing, bot)}${starButton(bot)} <small>${standing(viewing, bot)}</small>`,
        ),
      ),
      true,
    )}`,
  }
}
