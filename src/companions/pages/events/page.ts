import { counted } from '../../../api/counted.ts'
import { fightsCsv } from '../../../api/fights/table.ts'
import { eventPath } from '../../../api/pagePaths.ts'
import { findForecast } from '../../../api/ratings/lookup.ts'
import { findTournament } from '../../../api/tournaments/lookup.ts'
import { isOver, stagesOf } from '../../../data/league/stages.ts'
import type { PlayerRecord, Tournament, TournamentInfo } from '../../../data/league/types.ts'
import { weightClassLabel } from '../../../data/league/weightClass.ts'
import { compareWaiting, isNear } from '../../../derived/live/schedule.ts'
import { mediaAddress } from '../../../derived/media/mediaAddress.ts'
import { caching } from '../../../http/caching.ts'
import type { Data, Timed } from '../../../http/trackedArchive.ts'
import type { Picture } from '../card.ts'
import { chips, remark, section } from '../elements.ts'
import { scheduledNow, waitingRows } from '../expected.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import { choiceLink, hiddenNote, type Page } from '../layout.ts'
import {
  classesOf,
  hasBegun,
  knownStart,
  lastBegunUnix,
  type Occasion,
  occasionsOf,
  progressOf,
  underWayUntil,
} from '../occasions.ts'
import type { Asked } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { classWords } from '../words.ts'
import { bracketFrame, maxRounds } from './bracket.ts'
import { crossTables } from './crossTable.ts'
import { podium } from './podium.ts'
import { allFights } from './rounds.ts'
import { isDecided, rankedBots, standings } from './standings.ts'

/** True if it is under way, and has not been left so for days. */
const isUnderWay = (tournament: Tournament, now: number): Timed<boolean> => {
  const until = underWayUntil(tournament)
  return { value: now < until, validUntil: now < until ? until : Number.POSITIVE_INFINITY }
}

/** Classes of the event that a tournament belongs to. */
const classesAround = ({ dataset: { tournaments } }: Data, tournamentID: string) => {
  const has = (each: Occasion) => each.some(({ info }) => info.id === tournamentID)
  return classesOf((occasionsOf(tournaments).find(has) ?? []).map(({ info }) => info))
}

const formatNames = {
  single_elimination: 'single elimination',
  double_elimination: 'double elimination',
  round_robin: 'round robin',
  swiss: 'Swiss system',
} as const

/** Formats such as `round robin, then single elimination`. */
const formatText = ({ format, brackets }: Tournament): string => {
  const types = new Set(stagesOf(brackets).map(({ formatType }) => formatType))
  return [...(types.size === 0 ? [format.type] : types)]
    .map((type) => formatNames[type])
    .join(', then ')
}

/** State, size and format in one line below the date, with room for the viewer's own time. */
const factsLine = (asked: Asked, tournament: Tournament): Html => {
  const { archive, viewing } = asked
  const { info } = tournament
  const { done, all } = progressOf(viewing, tournament)
  const unix = knownStart(info)
  const state = !hasBegun(tournament)
    ? html`<b>To come</b>`
    : archive.timed((now) => isUnderWay(tournament, now))
      ? html`<b>Under way</b>`
      : info.active && html`<b>Last fight begun ${viewing.times.day(lastBegunUnix(tournament))}</b>`
  return html`
  ${unix !== null && html`<p class="soft">${viewing.dated(unix)}</p>`}
  <p class="soft">${joined([
    state,
    counted(info.numPlayers, 'bot'),
    classWords(info),
    all > 0 &&
      (isOver(tournament) ? counted(done, 'fight') : `${done} of ${counted(all, 'fight')}`),
    formatText(tournament),
  ])}</p>`
}

/**
 * Placeholder of the drawing, which `browser/event.ts` loads if there is room for it: it takes as many bytes as the
 * rest of the page.
 */
const bracket = (viewing: Viewing, tournament: Tournament): Part => {
  const svg = bracketFrame(viewing, tournament)
  const path = `/overlay/bracket/${encodeURIComponent(tournament.info.id)}?rounds=${maxRounds}`
  const address = viewing.href(path)
  return (
    svg &&
    html`
  <a class="skip-part" href="#standings">Skip the drawing</a>
  <p class="zoom chips" hidden>${[
    ['fit', 'Fit'],
    ['in', '+'],
    ['out', '−'],
  ].map(([action, text]) => html`<button type="button" data-zoom="${action}">${text}</button>`)}</p>
  <div class="pan" tabindex="0" role="group" aria-label="Drawing of the bracket" data-drawing="${address}">${svg}
  </div>
  <p class="soft"><a href="${address}">The drawing as large as the window</a></p>`
  )
}

/** Everything known of the fights, with outcomes. */
const downloads = ({ showsOutcomes, address }: Viewing, { id }: TournamentInfo): Part => {
  const json = address(`/tournaments/${encodeURIComponent(id)}/fights`)
  const csv = html`<a href="${address(`${eventPath(id)}/fights.csv`)}" download="${id}.csv">CSV</a>`
  return showsOutcomes && remark(html`Download: ${csv}, <a href="${json}">JSON</a>`)
}

/**
 * The fights of an event as CSV, with the columns of `/bulk`, for spreadsheets: Excel takes a file for UTF-8 only by its
 * byte order mark.
 */
export const eventTable = ({
  archive,
  params,
}: Asked<{ readonly tournamentID: string }>): Response => {
  const tournament = findTournament(archive, params.tournamentID)
  // Not a page: programs read it.
  if (!tournament) return Response.json({ error: 'event not found' }, { status: 404 })
  const { id, active } = tournament.info
  return new Response(`\uFEFF${fightsCsv(archive, tournament)}`, {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${id.replace(/[^\w.-]/g, '_')}-fights.csv"`,
      'cache-control': active ? caching.live : caching.archive,
    },
  })
}

const pictureOf = ({ stills }: Tournament): Picture | undefined => {
  const still = stills.find(({ isHero }) => isHero)
  const url = mediaAddress(still?.url ?? null)
  return still && url !== undefined
    ? {
        url,
        width: still.width,
        height: still.height,
        alt: still.bot?.name ?? still.tournamentName,
      }
    : undefined
}

const describe = (
  viewing: Viewing,
  tournament: Tournament,
  [first]: readonly PlayerRecord[],
): string => {
  const { info } = tournament
  const unix = knownStart(info)
  const winner =
    viewing.previewsOutcomes && first?.placement === 1 ? `Won by ${first.player.name}. ` : ''
  const state = !hasBegun(tournament) ? 'to come, ' : info.active ? 'under way, ' : ''
  const label = weightClassLabel(info)
  const date = unix === null ? '' : `, ${viewing.times.dayText(unix)}`
  return `${winner}${counted(info.numPlayers, 'bot')}${label && `, ${label}`}${date}: ${state}bracket, standings and every fight.`
}

/** Page of a tournament: who won it, or what happens now, before everything else. */
export const eventPage = async (
  asked: Asked<{ readonly tournamentID: string }>,
): Promise<Page | string> => {
  const { archive, viewing } = asked
  const tournament = findTournament(archive, asked.params.tournamentID)
  if (!tournament) return 'event'
  const { info } = tournament
  const path = eventPath(info.id)
  const isLive = !isOver(tournament)
  const forecast =
    viewing.showsOutcomes && isLive ? await findForecast(archive, tournament) : undefined
  const classes = archive.derive(classesAround, info.id)
  // The cages are read only for fights that wait; open fights of a tournament that was left are never fought.
  const open = tournament.fights.filter(
    ({ state, scheduledUnix }) =>
      state !== 'done' && (info.active || (!hasBegun(tournament) && scheduledUnix !== null)),
  )
  const waiting = open.length > 0 ? scheduledNow(archive, open).toSorted(compareWaiting) : []
  const [near, later] = [waiting.filter(isNear), waiting.filter((each) => !isNear(each))].map(
    (fights) => waitingRows(viewing, fights, () => [], knownStart),
  )
  const bots = rankedBots(viewing, tournament, forecast)
  const best = podium(asked, tournament, bots)
  const live = isLive && html` data-live`
  const fights = allFights(viewing, tournament)
  const sections = [
    ['now', 'Now', near, isLive],
    ['schedule', 'Schedule', later, isLive],
    ['bracket', 'Bracket', bracket(viewing, tournament), false],
    ['results', 'Results', crossTables(viewing, tournament), isLive],
    [
      'standings',
      isDecided(viewing, tournament) ? 'Standings' : 'Bots',
      standings(asked, tournament, bots, forecast),
      isLive,
    ],
    ['fights', 'All fights', fights && html`${fights}${downloads(viewing, info)}`, isLive],
  ] as const
  const mine = html`<label class="mine" hidden><span class="quiet">My bot</span><input type="search" placeholder="My bot" maxlength="64" autocomplete="off"></label>`
  return {
    title: info.name,
    description: describe(viewing, tournament, bots),
    path,
    image: (viewing.previewsOutcomes && best?.picture) || pictureOf(tournament),
    canBeFramed: true,
    isLive: info.active,
    styles: ['bracket.css'],
    modules: ['event.js'],
    picture: best?.picture?.url,
    feeds: [
      { path: `${path}/results.atom`, title: `Results of ${info.name}` },
      { path: `${path}/fights.ics`, title: `Fights of ${info.name}` },
      { path: '/events.ics', title: 'Calendar of events' },
    ],
    body: html`
<section class="lead" id="event"${live}>
  <h1>${name(info.name)}</h1>${factsLine(asked, tournament)}${
    classes.length > 1 &&
    chips(
      'Classes',
      classes.map(({ id, text }) => [viewing.href(eventPath(id)), name(text), id === info.id]),
    )
  }${hiddenNote(viewing, path)}${best && html`${best.body}<p>${choiceLink(viewing, path)}</p>`}
</section>
<nav class="tabs" aria-label="On this page"><span id="parts"${live}>${sections.map(
      ([id, text, content]) => content && html`<a href="#${id}">${text}</a>`,
    )}</span>${mine}</nav>${sections.map(([id, title, content, isLive]) => section(id, title, content, isLive))}`,
  }
}
