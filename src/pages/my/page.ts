import { type Bot, opponentOf } from '../../careers/bots.ts'
import { caching } from '../../http/caching.ts'
import type { Timed } from '../../http/trackedArchive.ts'
import type { Fight } from '../../league/types.ts'
import { type Scheduled, startOf } from '../../live/schedule.ts'
import type { Assets } from '../assets.ts'
import { shownFights, shownUpcoming } from '../bots/careers.ts'
import { classesOf } from '../bots/page.ts'
import { waitingRow } from '../cages.ts'
import { expectedNote } from '../expected.ts'
import { botLink, eventLink, fightRow, rowList } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { following } from '../live/following.ts'
import { liveSection } from '../sections.ts'
import type { Viewing } from '../site.ts'
import { starButton } from '../star.ts'

const daySeconds = 86_400
/** Fights before one's own at which it is announced. */
const nearFights = 2

/** A bot with its fights to come and those of the last day. */
export interface MyBot {
  readonly bot: Bot
  readonly upcoming: readonly Scheduled[]
  readonly results: readonly Fight[]
}

/** The completed fights of a bot within a day, and until when they are. */
export const dayResults = ({ fights }: Bot, now: number): Timed<readonly Fight[]> => {
  const value = fights.filter(({ finishUnix }) => (finishUnix ?? 0) > now - daySeconds)
  return {
    value,
    validUntil: Math.min(...value.map(({ finishUnix }) => (finishUnix ?? 0) + daySeconds)),
  }
}

/** What `browser/my.ts` announces once for each key. */
const alert = (viewing: Viewing, { bot }: MyBot, waiting: Scheduled): Html | undefined => {
  const { fight, status, cage, expected } = waiting
  const isCalled = status === 'Called' || status === 'Load In'
  const isNear = cage !== null && expected?.at != null && expected.ahead <= nearFights
  if (!isCalled && !isNear) return undefined
  const opponent = viewing.showsOutcomes ? ` v ${opponentOf(fight, bot.cleanName).player.name}` : ''
  const text = isCalled
    ? `called${cage === null ? '' : ` to ${cage}`}`
    : `${expected?.ahead} before it in ${cage}`
  const key = [fight.tournament.id, fight.id, isCalled ? 'called' : 'near'].join(' ')
  return html`
  <p hidden data-alert="${key}">${bot.name}${opponent}: ${text}</p>`
}

/** One row for each fight, also where both are in the list. */
const eachOnce = <T>(entries: readonly T[], fightOf: (entry: T) => Fight): readonly T[] => [
  ...new Map(entries.map((entry) => [fightOf(entry), entry])).values(),
]

const nextFights = (viewing: Viewing, bots: readonly MyBot[]): Html => {
  const all = bots.flatMap((own) =>
    shownUpcoming(viewing, own.bot, own.upcoming).map((waiting) => ({ own, waiting })),
  )
  const shown = eachOnce(all, ({ waiting }) => waiting.fight).toSorted(
    (a, b) => startOf(a.waiting) - startOf(b.waiting),
  )
  const list = rowList(
    shown.map(({ waiting }) => waitingRow(viewing, waiting, expectedNote(viewing, waiting))),
  )
  const alerts = shown.map(({ own, waiting }) => alert(viewing, own, waiting))
  const none = html`
  <p class="soft">None of them waits for a fight.</p>`
  return liveSection('next', 'Next', html`${list ?? none}${alerts}`)
}

const resultRows = (viewing: Viewing, bots: readonly MyBot[]): Html | undefined => {
  const fights = eachOnce(
    bots.flatMap(({ bot, results }) => shownFights(viewing, bot, results)),
    (fight) => fight,
  ).toSorted((a, b) => (b.finishUnix ?? 0) - (a.finishUnix ?? 0))
  const rows = fights.map((fight) =>
    fightRow(viewing, fight, {
      when: fight.startUnix === null ? fight.name : viewing.times.clock(fight.startUnix),
      note: html`<p class="soft"><small>${fight.name}, ${eventLink(viewing, fight.tournament)}</small></p>`,
    }),
  )
  return liveSection('results', 'Fought today', rowList(rows))
}

/** How a bot stands in the tournaments that are under way, else in its last one. */
const standing = ({ showsOutcomes }: Viewing, { bot }: MyBot): string => {
  const active = bot.entries.filter(({ tournament }) => tournament.info.active)
  const shown = active.length > 0 ? active : bot.entries.slice(0, 1)
  const records = shown.flatMap(({ player, tournament }) => {
    const record = tournament.playersByID.get(player.id)
    if (!record) return []
    const { wins, losses, placement } = record
    const place = placement === null ? '' : `, place ${placement}`
    return `${wins}–${losses}${place} in ${tournament.info.name}`
  })
  return showsOutcomes && records.length > 0 ? records.join('; ') : classesOf(bot)
}

/** One's own bots: what they wait for, with expected starts, and how they did today. */
export const myPage = (viewing: Viewing, assets: Assets, bots: readonly MyBot[]): Page => {
  const list = `bots=${bots.map(({ bot }) => encodeURIComponent(bot.cleanName)).join(',')}`
  const names = bots.map(({ bot }) => bot.name).join(', ')
  const isEmpty = bots.length === 0
  return {
    title: 'My bots',
    description: isEmpty
      ? 'The fights of your bots over all classes and cages.'
      : `When they fight: ${names}.`,
    path: isEmpty ? '/my' : `/my?${list}`,
    cacheControl: caching.live,
    isCached: !isEmpty,
    modules: isEmpty ? ['my.js'] : ['live.js', 'my.js'],
    feeds: isEmpty
      ? []
      : [
          { path: `/my/results.atom?${list}`, title: 'Results of my bots' },
          { path: `/my.ics?${list}`, title: 'Fights of my bots' },
        ],
    body: isEmpty
      ? html`
<section class="lead" data-my="${viewing.href('/my')}">
  <h1>My bots</h1>
  <p>Press the star beside the name of a bot, on its page: its fights are listed here, with the times at which they are
    expected to begin. The list is kept in this browser; its address can be shared.</p>
</section>`
      : html`
<section class="lead" data-my="${viewing.href('/my')}" data-list="${bots.map(({ bot }) => bot.cleanName).join(',')}" ${following(viewing, assets)}>
  <h1>My bots</h1>
  <p class="chips"><button type="button" data-announce aria-pressed="false" hidden>Tell me when one is called</button><button type="button" data-copy hidden>Copy the address</button></p>
  <p role="status" class="announced"></p>
</section>${nextFights(viewing, bots)}${resultRows(viewing, bots)}
<section id="standing" data-live aria-labelledby="standing-title">
  <h2 id="standing-title">How they stand</h2>
  <ul class="names">${bots.map(
    (own) => html`
    <li>${botLink(viewing, own.bot)}${starButton(own.bot)} <small>${standing(viewing, own)}</small></li>`,
  )}
  </ul>
</section>`,
  }
}
