import { summary } from '../../api/home/view.ts'
import { share } from '../../careers/durations.ts'
import type { Clip, Still, Tournament } from '../../league/types.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import { cageCard, corners } from '../cages.ts'
import { percent } from '../facts.ts'
import { botLink, eventLink, fightList } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { liveSection } from '../liveSection.ts'
import { isDrawn, isNamed } from '../outcomes.ts'
import { askAgain } from '../respond.ts'
import { searchBox } from '../searchBox.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import type { Results, Start } from './lookup.ts'

const pounds = (classes: Iterable<number>): string => `${[...classes].join(', ')} lb`

const cages = (viewing: Viewing, start: Start): Html => {
  const busy = start.cages.filter(
    ({ state, cage }) => state.status !== 'idle' || cage.queue.length > 0,
  )
  const cards = html`
  <ul class="cards">${busy.map(({ cage, state }) => cageCard(viewing, start, cage, state))}
  </ul>`
  return liveSection({
    id: 'cages',
    title: 'In the cages',
    content: busy.length === 0 ? undefined : cards,
  })
}

/** Winner, or how far it is. */
const eventState = (viewing: Viewing, tournament: Tournament): Html | undefined => {
  const { info, players } = tournament
  if (info.active) {
    const fights = tournament.fights.filter((fight) => isNamed(viewing, fight))
    const done = fights.filter(({ isCompleted }) => isCompleted).length
    return html`<p>${percent(share(done, fights.length))} fought</p>`
  }
  if (!viewing.showsOutcomes) return undefined
  const places = players
    .filter(({ placement }) => placement !== null && placement <= 3)
    .sort((a, b) => (a.placement ?? 0) - (b.placement ?? 0))
  if (places.length === 0) return undefined
  return html`<ol class="places">${places.map(
    ({ placement, player }) => html`
        <li><span class="place">${placement ?? ''}</span> ${botLink(viewing, player)}</li>`,
  )}
      </ol>`
}

const eventCard = (viewing: Viewing, tournament: Tournament): Html => {
  const { info } = tournament
  const unix = info.startUnix ?? info.scheduledStartUnix
  return html`
    <li class="card">
      <h3>${eventLink(viewing, info)}</h3>
      <p class="soft">${info.weightClassPounds} lb, ${info.numPlayers} bots${
        unix === null ? undefined : html`<br>${viewing.times.full(unix)}`
      }</p>
      ${eventState(viewing, tournament)}
    </li>`
}

const eventCards = (viewing: Viewing, tournaments: readonly Tournament[]): Html | undefined =>
  tournaments.length === 0
    ? undefined
    : html`
  <ul class="cards">${tournaments.map((tournament) => eventCard(viewing, tournament))}
  </ul>`

const clipCard = (viewing: Viewing, { tournaments }: Start, clip: Clip): Html | undefined => {
  const tournament = tournaments.get(clip.fight.tournament.id)
  const video = mediaAddress(clip.video360Url ?? clip.video720Url)
  if (!tournament || video === undefined || !isNamed(viewing, clip.fight)) return undefined
  const { fight } = clip
  // The name of a clip often tells the outcome.
  return html`
    <li class="card clip">
      <video controls preload="none" playsinline muted src="${video}" aria-label="Clip of ${fight.name}"></video>
      ${corners(viewing, tournament, fight)}
      <p class="soft">${duration(clip.durationMs / 1000)}${viewing.showsOutcomes ? html`, ${name(clip.name)}` : undefined}</p>
    </li>`
}

/** Tags can tell an outcome. */
const stillCard = ({ showsOutcomes }: Viewing, still: Still): Html | undefined => {
  const source = mediaAddress(still.url)
  if (source === undefined) return undefined
  const shows = still.bot?.name ?? still.tournamentName
  const tags = showsOutcomes ? still.tags.slice(0, 3) : []
  const size =
    still.width === null || still.height === null ? '' : `${still.width} × ${still.height}`
  return html`
    <li class="card still">
      <a href="${source}">${name(shows)}</a>
      <p class="soft">${size}${tags.length === 0 ? undefined : html`<br>${tags.join(', ')}`}</p>
    </li>`
}

const media = (viewing: Viewing, start: Start): Html => html`
<section aria-labelledby="clips">
  <h2 id="clips">New clips</h2>
  <ul class="cards">${start.clips.map((clip) => clipCard(viewing, start, clip))}
  </ul>
</section>
<section aria-labelledby="stills">
  <h2 id="stills">New photos</h2>
  <ul class="cards">${start.stills.map((still) => stillCard(viewing, still))}
  </ul>
</section>`

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
  { tournaments }: Start,
  { query, bots, tournaments: found, fights: meetings }: Results,
): Html => {
  const fights = meetings.filter((fight) => {
    const tournament = tournaments.get(fight.tournament.id)
    return tournament && (viewing.showsOutcomes || isDrawn(tournament, fight))
  })
  const parts = [
    list(
      'Bots',
      bots.map((bot) => {
        const { wins, losses } = bot.totals
        const record = viewing.showsOutcomes ? `${wins} won, ${losses} lost, ` : ''
        return html`${botLink(viewing, bot)} <small>${record}${pounds(bot.totalsByClass.keys())}</small>`
      }),
    ),
    fights.length === 0
      ? undefined
      : html`
  <h3>Fights</h3>
  ${fightList(viewing, tournaments, fights)}`,
    list(
      'Events',
      found.map(
        ({ info }) => html`${eventLink(viewing, info)} <small>${info.numPlayers} bots</small>`,
      ),
    ),
  ].filter((part) => part !== undefined)
  const [one, other] = bots
  return html`
<section aria-labelledby="results">
  <h2 id="results">Found for “<bdi>${query}</bdi>”</h2>${
    parts.length === 0 ? html`<p>Nothing has a name like that.</p>` : parts
  }${
    fights.length > 0 && one && other
      ? html`
  <p class="more"><a href="${viewing.href(
    `/vs/${encodeURIComponent(one.cleanName)}/${encodeURIComponent(other.cleanName)}`,
  )}">The two beside each other</a></p>`
      : undefined
  }
</section>`
}

const maxRecent = 8

const recent = (viewing: Viewing, { fights, tournaments }: Start): Html =>
  fights.length === 0
    ? html`
  <p>No fights yet. They appear here as soon as the first one is over.</p>`
    : html`
  ${fightList(viewing, tournaments, fights.filter((fight) => isNamed(viewing, fight)).slice(0, maxRecent))}`

const league = (viewing: Viewing, start: Start): Html => {
  const isUnderWay = start.current.some(({ info }) => info.active)
  return html`${cages(viewing, start)}${liveSection({
    id: 'current',
    title: isUnderWay ? 'Under way' : 'Last event',
    content: eventCards(viewing, start.current),
  })}${liveSection({
    id: 'recent',
    title: viewing.showsOutcomes ? 'Latest results' : 'Latest fights',
    content: recent(viewing, start),
  })}${liveSection({
    id: 'next',
    title: 'Next event',
    content: eventCards(viewing, start.next),
  })}${start.clips.length + start.stills.length > 0 ? media(viewing, start) : undefined}`
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
<section class="lead">
  <h1>Every fight of the league</h1>
  ${searchBox(viewing, {
    id: 'search',
    label: 'Find a bot, an event, or the fights of two bots',
    value: found?.query,
    isLarge: true,
  })}
</section>${start && found ? results(viewing, start, found) : undefined}${start ? league(viewing, start) : loading}`,
})
