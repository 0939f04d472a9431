import { summary } from '../../api/home/view.ts'
import type { Clip } from '../../league/types.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import { classesOf as botClasses } from '../bots/page.ts'
import { cageRow } from '../cages.ts'
import { counted } from '../counted.ts'
import { botLink, corners, eventLink, fightList, rowList, teamLink, versusPath } from '../fights.ts'
import { type Html, html } from '../html.ts'
import { choiceLink, type Page } from '../layout.ts'
import { classList, commonName } from '../occasions.ts'
import { isDrawn, isNamed } from '../outcomes.ts'
import { askAgain } from '../respond.ts'
import { searchBox } from '../searchBox.ts'
import { liveSection, section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import type { Dated, Results, Start } from './lookup.ts'

const cages = (viewing: Viewing, { cages }: Start): Html => {
  const isBusy = cages.some(({ state }) => state.status !== 'idle')
  const rows = isBusy ? cages.flatMap((each) => cageRow(viewing, each) ?? []) : []
  const list = rowList(rows)
  return liveSection(
    'cages',
    'In the cages',
    list &&
      html`${list}
  <p class="more"><a href="${viewing.href('/live')}">Clocks and what is next</a>, <a href="${viewing.href('/overlay')}">overlays for streams</a></p>`,
  )
}

/** An event under its name and time. */
const occasionBlock = (
  viewing: Viewing,
  title: string,
  { occasion, startUnix, relative }: Dated,
): Html | undefined =>
  occasion.length === 0
    ? undefined
    : html`
  <p><b>${name(commonName(occasion.map(({ info }) => info)) || title)}</b>, <span class="soft">${viewing.times.full(startUnix)}, ${relative}</span></p>${classList(viewing, occasion)}`

const clipCard = (viewing: Viewing, clip: Clip): Html | undefined => {
  const video = mediaAddress(clip.video360Url ?? clip.video720Url)
  if (video === undefined || !isNamed(viewing, clip.fight)) return undefined
  const { fight } = clip
  // The name of a clip often tells the outcome.
  return html`
    <li class="card clip">
      <video controls preload="none" playsinline muted src="${video}" aria-label="Clip of ${fight.name}"></video>
      ${corners(viewing, fight)}
      <p class="soft">${duration(clip.durationMs / 1000)}${viewing.showsOutcomes ? html`, ${name(clip.name)}` : undefined}</p>
    </li>`
}

const media = (viewing: Viewing, { clips }: Start): Html | undefined =>
  section(
    'clips',
    'New clips',
    clips.length === 0
      ? undefined
      : html`
  <ul class="cards">${clips.map((clip) => clipCard(viewing, clip))}
  </ul>`,
  )

const list = (title: string, items: readonly Html[]): Html | undefined =>
  items.length === 0
    ? undefined
    : html`
  <h3>${title}</h3>
  <ul class="found">${items.map(
    (item) => html`
    <li>${item}</li>`,
  )}
  </ul>`

const results = (
  viewing: Viewing,
  { query, bots, tournaments, teams, fights: meetings }: Results,
): Html | undefined => {
  const fights = meetings.filter((fight) => viewing.showsOutcomes || isDrawn(fight))
  const parts = [
    list(
      'Bots',
      bots.map((bot) => {
        const { wins, losses } = bot.totals
        const record = viewing.showsOutcomes ? `${wins} won, ${losses} lost` : ''
        const facts = [record, botClasses(bot)].filter(Boolean).join(', ')
        return html`${botLink(viewing, bot)} <small>${facts}</small>`
      }),
    ),
    fights.length === 0
      ? undefined
      : html`
  <h3>Fights</h3>${fightList(viewing, fights)}`,
    list(
      'Events',
      tournaments.map(
        ({ info }) =>
          html`${eventLink(viewing, info)} <small>${counted(info.numPlayers, 'bot')}</small>`,
      ),
    ),
    list(
      'Teams',
      teams.map(
        (team) =>
          html`${teamLink(viewing, team.name)} <small>${team.bots.map((bot) => bot.name).join(', ')}</small>`,
      ),
    ),
  ].filter((part) => part !== undefined)
  const [one, other] = bots
  return section(
    'results',
    html`Found for “<bdi>${query}</bdi>”`,
    parts.length === 0
      ? html`<p>Nothing is found. Try the beginning of a name, or see <a href="${viewing.href('/e')}">all events</a>.</p>`
      : [
          parts,
          fights.length > 0 && one && other
            ? html`
  <p class="more"><a href="${viewing.href(versusPath(one, other))}">The two beside each other</a></p>`
            : undefined,
        ],
  )
}

const maxRecent = 8

const recent = (viewing: Viewing, { fights }: Start): Html => {
  const shown = fights.filter((fight) => isNamed(viewing, fight)).slice(0, maxRecent)
  return shown.length === 0
    ? html`<p>No fights yet. They appear here as soon as the first one is over.</p>`
    : html`<p>${choiceLink(viewing)}</p>${fightList(viewing, shown)}`
}

/** What happens now, or the last event. */
const current = (viewing: Viewing, start: Start): Html => {
  const title = start.isUnderWay ? 'Under way' : 'Last event'
  return html`${liveSection('current', title, occasionBlock(viewing, title, start.current))}${cages(viewing, start)}`
}

const league = (viewing: Viewing, start: Start): Html => {
  const next = occasionBlock(viewing, 'Next event', start.next)
  const title = viewing.showsOutcomes ? 'Latest results' : 'Latest fights'
  return html`${liveSection('next', 'Next event', next)}${liveSection('recent', title, recent(viewing, start))}${media(viewing, start)}`
}

const loading = html`
<section>
  <p>The data is being loaded. This page shows it in a few seconds.</p>
</section>`

/** The start page; `found` is what a search found, if there was one. */
export const homePage = (
  viewing: Viewing,
  start: Start | undefined,
  found: Results | undefined,
): Page => ({
  title: found ? found.query : 'Cageside',
  description: summary,
  path: found ? `/?q=${encodeURIComponent(found.query)}` : '/',
  hasSearch: false,
  feeds: [
    { path: '/results.atom', title: 'Results' },
    { path: '/events.ics', title: 'Calendar of events' },
  ],
  media: start?.clips.flatMap(
    ({ video360Url, video720Url }) => mediaAddress(video360Url ?? video720Url) ?? [],
  ),
  head: start ? undefined : askAgain,
  body: html`
<h1 class="quiet">Every fight of the league</h1>${start && !found ? current(viewing, start) : undefined}
<section>${searchBox(viewing, {
    id: 'search',
    label: found ? 'Search again' : 'Find a bot, an event, or the fights of two bots',
    value: found?.query,
    isLarge: true,
  })}
</section>${found ? results(viewing, found) : undefined}${
    start ? league(viewing, start) : loading
  }`,
})
