import { counted, duration } from '../../../api/counted.ts'
import { findRecentFights } from '../../../api/fights/lookup.ts'
import { isDrawn, isNamed } from '../../../api/fights/outcomes.ts'
import { fightWords } from '../../../api/fights/words.ts'
import { summary } from '../../../api/home/view.ts'
import { versusPath } from '../../../api/pagePaths.ts'
import { fightsOf, findBots, findTeams } from '../../../api/search/lookup.ts'
import type { Clip, Dataset } from '../../../data/league/types.ts'
import { mediaAddress } from '../../../derived/media/mediaAddress.ts'
import { readText } from '../../../derived/search/pairs.ts'
import { searchTournaments } from '../../../derived/search/tournamentSearch.ts'
import type { TrackedArchive } from '../../../http/trackedArchive.ts'
import { classesOf } from '../bots/careers.ts'
import { cageRows, findOwnCages, isIdle } from '../cages.ts'
import { list, section } from '../elements.ts'
import { botLink, corners, eventLink, fightList, teamLink } from '../fights.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import { choiceLink, type Page } from '../layout.ts'
import {
  classList,
  nameOf,
  type Occasion,
  occasionsOf,
  startsAt,
  underWayUntil,
} from '../occasions.ts'
import { loadingText, type Shown } from '../respond.ts'
import { name, type Viewing } from '../site.ts'

const maxBots = 10
const maxTournaments = 5
const maxFights = 10
const maxTeams = 5
const maxRecent = 8
/** Number of fights to look up: some are not named without outcomes. */
const recentFights = 12
const newestClips = 4

/** The event under way or the last one, and the next scheduled one; valid until one begins, or has been left. */
const findEvents = ({ tournaments }: Dataset, now: number) => {
  const occasions = occasionsOf(tournaments)
  const until = (occasion: Occasion): number => Math.max(...occasion.map(underWayUntil))
  const active = occasions.find((each) => until(each) > now)
  const next = occasions.findLast((each) => each !== active && startsAt(each) > now)
  const current =
    active ?? occasions.find((each) => each.some(({ completedFights }) => completedFights > 0))
  return {
    value: { current, next, isUnderWay: active !== undefined },
    validUntil: Math.min(active ? until(active) : Number.POSITIVE_INFINITY, startsAt(next ?? [])),
  }
}

const inCages = ({ viewing, archive }: Shown): Part => {
  const cages = findOwnCages(archive, viewing)
  const idle = cages.filter(isIdle).map(({ state }) => state.cage)
  const rows = cages.some(({ state }) => state.status !== 'idle') && cageRows(viewing, cages)
  const more = html`
  <p class="more">${idle.length > 0 && html`Idle: ${joined(idle)}. `}<a href="${viewing.href('/live')}">Clocks and next fights</a>, <a href="${viewing.href('/overlay')}">overlays for streams</a></p>`
  return section('cages', 'In the cages', rows && [rows, more], true)
}

/** An event under its name and time. */
const eventSection = (viewing: Viewing, id: string, title: string, event?: Occasion): Part =>
  section(
    id,
    title,
    event &&
      html`
  <p><b>${name(nameOf(event) || title)}</b>, <span class="soft">${viewing.dated(startsAt(event))}</span></p>${classList(viewing, event)}`,
    true,
  )

const newestOf = ({ archive: { clips } }: Shown): readonly Clip[] =>
  clips.newestFirst.slice(0, newestClips)

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
      <video controls preload="none" playsinline muted src="${video}" aria-label="Clip of ${fightWords(fight)}"></video>
      ${corners(viewing, fight)}
      <p class="soft">${duration(clip.durationMs / 1000)}${viewing.showsOutcomes && html`, ${name(clip.name)}`}</p>
    </li>`
  )
}

const found = (title: string, items: readonly Html[]): Part =>
  items.length > 0 &&
  html`
  <h2>${title}</h2>${list('found', items)}`

/** Results of a search, best first. */
const results = ({ viewing, archive }: Shown, query: string): Html => {
  const { botSearch, tournamentSearch, dataset } = archive
  const { found: hits, meeting } = findBots(readText(botSearch, query), maxBots)
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
  <h2>Fights</h2>${fightList(viewing, fights)}`,
    found(
      'Events',
      searchTournaments(
        tournamentSearch,
        dataset,
        query,
        maxTournaments,
        viewing.times.timeZone,
      ).map(
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
  return html`
<section class="lead">
  <h1>Found for “${name(query)}”</h1>${parts.length === 0 ? none : parts}${
    fights.length > 0 &&
    one &&
    other &&
    html`
  <p class="more"><a href="${viewing.href(versusPath(one, other))}">Compare the two</a></p>`
  }
</section>`
}

const recent = ({ viewing, archive }: Shown): Html => {
  const named = findRecentFights(archive, recentFights).filter((fight) => isNamed(viewing, fight))
  return named.length === 0
    ? html`<p>No fights yet. They appear here as soon as the first one is over.</p>`
    : html`<p>${choiceLink(viewing)}</p>${fightList(viewing, named.slice(0, maxRecent))}`
}

/** Fights under way, recent and upcoming. */
const league = (shown: Shown): Part => {
  const { viewing, archive } = shown
  const { current, next, isUnderWay } = archive.timed((now) => findEvents(archive.dataset, now))
  const title = viewing.showsOutcomes ? 'Latest results' : 'Latest fights'
  const clips = newestOf(shown).map((clip) => clipCard(viewing, clip))
  return [
    eventSection(viewing, 'current', isUnderWay ? 'Under way' : 'Last event', current),
    inCages(shown),
    eventSection(viewing, 'next', 'Next event', next),
    section('recent', title, recent(shown), true),
    section(
      'clips',
      'New clips',
      clips.length > 0 &&
        html`
  <ul class="cards">${clips}
  </ul>`,
    ),
  ]
}

/** The start page, or the results of a search. */
export const homePage = (
  viewing: Viewing,
  archive: TrackedArchive | undefined,
  query: string | undefined,
): Page => {
  const shown = archive && { viewing, archive }
  const feeds = [
    { path: '/results.atom', title: 'Results' },
    { path: '/events.ics', title: 'Calendar of events' },
  ]
  if (query !== undefined && shown)
    return {
      title: query,
      description: summary,
      path: `/?q=${encodeURIComponent(query)}`,
      searched: query,
      feeds,
      body: results(shown, query),
    }
  return {
    title: 'Cageside',
    description: summary,
    path: '/',
    feeds,
    media: shown && newestOf(shown).flatMap((clip) => addressOf(clip) ?? []),
    retries: !shown,
    body: html`
<h1 class="quiet">Every fight of the league</h1>${shown ? league(shown) : html`<p>${loadingText}</p>`}`,
  }
}
