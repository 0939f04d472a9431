import { findRecentFights } from '../../api/fights/lookup.ts'
import { summary } from '../../api/home/view.ts'
import { fightsOf, findBots, findTeams } from '../../api/search/lookup.ts'
import type { Timed, TrackedArchive } from '../../http/trackedArchive.ts'
import type { Clip, Dataset } from '../../league/types.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import { searchTournaments } from '../../search/tournamentSearch.ts'
import { classesOf } from '../bots/careers.ts'
import { cageRows, findCages } from '../cages.ts'
import { counted } from '../counted.ts'
import { list, section } from '../elements.ts'
import { botLink, corners, eventLink, fightList, teamLink, versusPath } from '../fights.ts'
import { type Html, html, type Part } from '../html.ts'
import { choiceLink, type Page } from '../layout.ts'
import {
  classList,
  nameOf,
  type Occasion,
  occasionsOf,
  startsAt,
  underWayUntil,
} from '../occasions.ts'
import { isDrawn, isNamed } from '../outcomes.ts'
import { askAgain } from '../respond.ts'
import { searchBox } from '../searchBox.ts'
import { name, type Viewing } from '../site.ts'
import { duration, relative } from '../times.ts'

const maxBots = 10
const maxTournaments = 5
const maxFights = 10
const maxTeams = 5
const maxRecent = 8
/** Some of them are not named without outcomes. */
const recentFights = 12
const newestClips = 4

/** An event with its start relative to now; undefined if there is no event. */
type Dated = { readonly occasion: Occasion; readonly relative: string } | undefined

const dated = (occasion: Occasion | undefined, now: number): Timed<Dated> => {
  if (!occasion) return { value: undefined, validUntil: Number.POSITIVE_INFINITY }
  const { value, validUntil } = relative(startsAt(occasion), now)
  return { value: { occasion, relative: value }, validUntil }
}

const isPast = (occasion: Occasion): boolean =>
  occasion.some(({ completedFights }) => completedFights > 0)

interface Events {
  /** The event under way, else the last one. */
  readonly current: Dated
  readonly isUnderWay: boolean
  /** The next one that is scheduled. */
  readonly next: Dated
}

/** The event under way or the last one, and the next one; valid until one begins, or has been left. */
const findEvents = ({ tournaments }: Dataset, now: number): Timed<Events> => {
  const occasions = occasionsOf(tournaments)
  const until = (occasion: Occasion): number => Math.max(...occasion.map(underWayUntil))
  const active = occasions.find((each) => until(each) > now)
  const isToCome = (each: Occasion): boolean => each !== active && startsAt(each) > now
  const next = dated(occasions.findLast(isToCome), now)
  const current = dated(active ?? occasions.find(isPast), now)
  return {
    value: { current: current.value, next: next.value, isUnderWay: active !== undefined },
    validUntil: Math.min(
      active ? until(active) : Number.POSITIVE_INFINITY,
      current.validUntil,
      next.validUntil,
      next.value ? startsAt(next.value.occasion) : Number.POSITIVE_INFINITY,
    ),
  }
}

const inCages = (viewing: Viewing, archive: TrackedArchive): Part => {
  const cages = findCages(archive, viewing)
  const rows = cages.some(({ state }) => state.status !== 'idle') && cageRows(viewing, cages)
  const more = html`
  <p class="more"><a href="${viewing.href('/live')}">Clocks and what is next</a>, <a href="${viewing.href('/overlay')}">overlays for streams</a></p>`
  return section('cages', 'In the cages', rows && [rows, more], true)
}

/** An event under its name and time. */
const occasionBlock = (viewing: Viewing, id: string, title: string, event: Dated): Part =>
  section(
    id,
    title,
    event &&
      html`
  <p><b>${name(nameOf(event.occasion) || title)}</b>, <span class="soft">${viewing.times.full(startsAt(event.occasion))}, ${event.relative}</span></p>${classList(viewing, event.occasion)}`,
    true,
  )

const addressOf = ({ video360Url, video720Url }: Clip): string | undefined =>
  mediaAddress(video360Url ?? video720Url)

const clipCard = (viewing: Viewing, clip: Clip): Part => {
  const { fight } = clip
  const video = addressOf(clip)
  // The name of a clip often tells the outcome.
  return (
    video !== undefined &&
    isNamed(viewing, fight) &&
    html`
    <li class="card clip">
      <video controls preload="none" playsinline muted src="${video}" aria-label="Clip of ${fight.name}"></video>
      ${corners(viewing, fight)}
      <p class="soft">${duration(clip.durationMs / 1000)}${viewing.showsOutcomes && html`, ${name(clip.name)}`}</p>
    </li>`
  )
}

const found = (title: string, items: readonly Html[]): Part =>
  items.length > 0 &&
  html`
  <h3>${title}</h3>${list('found', items)}`

/** What a search finds, best first. */
const results = (viewing: Viewing, archive: TrackedArchive, query: string): Part => {
  const { botSearch, tournamentSearch, dataset } = archive
  const { found: hits, meeting } = findBots(botSearch, query, maxBots)
  const bots = hits.map(({ bot }) => bot)
  const fights = fightsOf(meeting, maxFights).filter(
    (fight) => viewing.showsOutcomes || isDrawn(fight),
  )
  const [one, other] = bots
  const parts = [
    found(
      'Bots',
      bots.map((bot) => {
        const { wins, losses } = bot.totals
        const record = viewing.showsOutcomes && `${wins} won, ${losses} lost`
        return html`${botLink(viewing, bot)} <small>${[record, classesOf(bot)].filter(Boolean).join(', ')}</small>`
      }),
    ),
    fights.length > 0 &&
      html`
  <h3>Fights</h3>${fightList(viewing, fights)}`,
    found(
      'Events',
      searchTournaments(tournamentSearch, dataset, query, maxTournaments).map(
        ({ tournament: { info } }) =>
          html`${eventLink(viewing, info)} <small>${counted(info.numPlayers, 'bot')}</small>`,
      ),
    ),
    found(
      'Teams',
      findTeams(archive.bots, query, maxTeams).map(
        (team) =>
          html`${teamLink(viewing, team.name)} <small>${team.bots.map((bot) => bot.name).join(', ')}</small>`,
      ),
    ),
  ].filter(Boolean)
  const none = html`<p>Nothing is found. Try the beginning of a name, or see <a href="${viewing.href('/e')}">all events</a>.</p>`
  return section(
    'results',
    html`Found for “<bdi>${query}</bdi>”`,
    parts.length === 0
      ? none
      : html`${parts}${
          fights.length > 0 &&
          one &&
          other &&
          html`
  <p class="more"><a href="${viewing.href(versusPath(one, other))}">The two beside each other</a></p>`
        }`,
  )
}

const recent = (viewing: Viewing, archive: TrackedArchive): Html => {
  const named = findRecentFights(archive, recentFights).filter((fight) => isNamed(viewing, fight))
  return named.length === 0
    ? html`<p>No fights yet. They appear here as soon as the first one is over.</p>`
    : html`<p>${choiceLink(viewing)}</p>${fightList(viewing, named.slice(0, maxRecent))}`
}

const loading = html`
<section>
  <p>The data is being loaded. This page shows it in a few seconds.</p>
</section>`

/** The start page; `query` is what is searched for. Before the data is loaded it is the search box alone. */
export const homePage = (
  viewing: Viewing,
  archive: TrackedArchive | undefined,
  query: string | undefined,
): Page => {
  const { dataset, clips } = archive ?? {}
  const events = dataset && archive?.timed((now) => findEvents(dataset, now))
  const newest = clips?.newestFirst.slice(0, newestClips) ?? []
  const title = events?.isUnderWay ? 'Under way' : 'Last event'
  const isSearch = archive !== undefined && query !== undefined
  return {
    title: isSearch ? query : 'Cageside',
    description: summary,
    path: isSearch ? `/?q=${encodeURIComponent(query)}` : '/',
    hasSearch: false,
    feeds: [
      { path: '/results.atom', title: 'Results' },
      { path: '/events.ics', title: 'Calendar of events' },
    ],
    media: newest.flatMap((clip) => addressOf(clip) ?? []),
    head: !archive && askAgain,
    body: html`
<h1 class="quiet">Every fight of the league</h1>${archive && !isSearch && [occasionBlock(viewing, 'current', title, events?.current), inCages(viewing, archive)]}
<section>${searchBox(viewing, {
      id: 'search',
      label: isSearch ? 'Search again' : 'Find a bot, an event, or the fights of two bots',
      value: isSearch ? query : undefined,
      isLarge: true,
    })}
</section>${isSearch && results(viewing, archive, query)}${
      archive
        ? [
            occasionBlock(viewing, 'next', 'Next event', events?.next),
            section(
              'recent',
              viewing.showsOutcomes ? 'Latest results' : 'Latest fights',
              recent(viewing, archive),
              true,
            ),
            section(
              'clips',
              'New clips',
              newest.length > 0 &&
                html`
  <ul class="cards">${newest.map((clip) => clipCard(viewing, clip))}
  </ul>`,
            ),
          ]
        : loading
    }`,
  }
}
