import { findBotWithPicture } from '../../api/bots/lookup.ts'
import { findForecast } from '../../api/ratings/lookup.ts'
import { findTournament } from '../../api/tournaments/lookup.ts'
import { caching } from '../../http/caching.ts'
import type { Data, Timed } from '../../http/trackedArchive.ts'
import { cleanName } from '../../league/cleanName.ts'
import { isOver, isTable, stagesOf } from '../../league/stages.ts'
import type { Bracket, Fight, Game, PlayerRecord, Tournament } from '../../league/types.ts'
import { weightClassLabel } from '../../league/weightClass.ts'
import { expectedAt } from '../../live/expected.ts'
import { compareWaiting, isNear, type Scheduled, scheduled } from '../../live/schedule.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import type { Picture } from '../card.ts'
import { counted } from '../counted.ts'
import { chips, dated, portrait, section } from '../elements.ts'
import { waitingRows } from '../expected.ts'
import { botLink, eventPath, fightRows, type Row } from '../fights.ts'
import { type Html, html, joined, type Part } from '../html.ts'
import { choiceLink, type Page } from '../layout.ts'
import {
  classesOf,
  hasBegun,
  lastBegunUnix,
  type Occasion,
  occasionsOf,
  underWayUntil,
} from '../occasions.ts'
import { isNamed } from '../outcomes.ts'
import type { Asked } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { bracketFrame, maxRounds } from './bracket.ts'
import { type Link, layOutBrackets } from './bracketLayout.ts'
import { crossTables } from './crossTable.ts'
import { isDecided, rankedBots, standings } from './standings.ts'

/** Whether it is under way, and not left so for days. */
const isUnderWay = (tournament: Tournament, now: number): Timed<boolean> => {
  const until = underWayUntil(tournament)
  return { value: now < until, validUntil: now < until ? until : Number.POSITIVE_INFINITY }
}

/** Fights of an active tournament that are not done; the cages are read for these alone. */
const findScheduled = ({ archive }: Asked, { info, fights }: Tournament): readonly Scheduled[] => {
  if (!info.active) return []
  return archive.timed((now) => {
    const value = fights
      .filter(({ state }) => state !== 'done')
      .map((fight) => scheduled(fight, archive.cages, now, expectedAt(archive, now)))
      .sort(compareWaiting)
    return { value, validUntil: Math.min(...value.map(({ validUntil }) => validUntil)) }
  })
}

/** The ids of the tournaments of an event. */
const classIDs = ({ dataset: { tournaments } }: Data, tournamentID: string): string[] => {
  const has = (each: Occasion) => each.some(({ info }) => info.id === tournamentID)
  return (occasionsOf(tournaments).find(has) ?? []).map(({ info }) => info.id)
}

/** Clean names of the teams that are no bot's newest: they have no page. */
const formerTeams = ({ bots, dataset }: Data, tournamentID: string): string[] => {
  const players = dataset.tournamentsByID.get(tournamentID)?.players ?? []
  const teams = new Set(players.flatMap(({ player: { team } }) => team ?? []).map(cleanName))
  if (teams.size > 0) for (const { teamKey } of bots) teams.delete(teamKey)
  return [...teams]
}

const findInfo = ({ dataset }: Data, tournamentID: string) =>
  dataset.tournamentsByID.get(tournamentID)?.info

const formatNames = {
  single_elimination: 'single elimination',
  double_elimination: 'double elimination',
  round_robin: 'round robin',
  swiss: 'Swiss system',
} as const

/** `round robin, then single elimination`. */
const formatText = ({ format, brackets }: Tournament): string => {
  const types = new Set(stagesOf(brackets).map(({ formatType }) => formatType))
  return [...(types.size === 0 ? [format.type] : types)]
    .map((type) => formatNames[type])
    .join(', then ')
}

/** State, size and format in one line, below the date: room for the viewer's own time. */
const factsLine = (asked: Asked, tournament: Tournament): Html => {
  const { archive, viewing } = asked
  const { info } = tournament
  const fights = tournament.fights.filter((fight) => isNamed(viewing, fight))
  const done = fights.filter(({ isCompleted }) => isCompleted).length
  const unix = info.startUnix ?? info.scheduledStartUnix
  const state = !hasBegun(tournament)
    ? html`<b>To come</b>`
    : archive.timed((now) => isUnderWay(tournament, now))
      ? html`<b>Under way</b>`
      : info.active && html`<b>Last fight begun ${viewing.times.day(lastBegunUnix(tournament))}</b>`
  const all = counted(fights.length, 'fight')
  return html`
  ${unix !== null && html`<p class="soft">${dated(asked, unix)}</p>`}
  <p class="soft">${joined([
    state,
    counted(info.numPlayers, 'bot'),
    weightClassLabel(info),
    fights.length > 0 && (isOver(tournament) ? counted(done, 'fight') : `${done} of ${all}`),
    formatText(tournament),
  ])}</p>`
}

/** The last fight between the first two, or of the winner. */
const finalOf = (
  { fights }: Tournament,
  [first, second]: readonly (PlayerRecord | undefined)[],
): Fight | undefined => {
  const has = ({ red, blue }: Fight, each: PlayerRecord | undefined): boolean =>
    red.player === each?.player || blue.player === each?.player
  const newest = fights
    .filter((fight) => fight.isCompleted && has(fight, first))
    .sort((a, b) => (b.finishUnix ?? 0) - (a.finishUnix ?? 0))
  return newest.find((fight) => has(fight, second)) ?? newest[0]
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

/** The first three of a tournament that is over, with the picture of the winner and the final. */
const podium = (
  { archive, viewing }: Asked,
  tournament: Tournament,
  bots: readonly PlayerRecord[],
): { readonly body: Html; readonly picture: Picture | undefined } | undefined => {
  const placed = bots.filter(({ placement }) => placement !== null && placement <= 3)
  const [first] = placed
  if (!isDecided(viewing, tournament) || first?.placement !== 1) return undefined
  const final = finalOf(tournament, placed)
  const url = findBotWithPicture(archive, first.player.cleanName)?.picture ?? undefined
  return {
    picture: url === undefined ? undefined : { url, alt: first.player.name },
    body: html`
  <div class="podium">${portrait(url, first.player.name)}
    <ol class="places">${placed.slice(0, 4).map(
      ({ placement, player }) => html`
      <li><span class="place">${placement}</span> ${botLink(viewing, player)}</li>`,
    )}
    </ol>${final && fightRows(viewing, [{ fight: final, when: html`<b>${final.roundName || final.name}</b>` }])}
  </div>`,
  }
}

/** The drawing, which `browser/event.ts` loads where there is room for it: it takes as much as the rest of the page. */
const bracket = (viewing: Viewing, tournament: Tournament): Part => {
  const svg = bracketFrame(viewing, tournament)
  const address = viewing.href(bracketPath(tournament.info.id))
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

/** All rounds as one drawing. */
const bracketPath = (tournamentID: string): string =>
  `/overlay/bracket/${encodeURIComponent(tournamentID)}?rounds=${maxRounds}`

const rowID = (game: Game): string => `g-${encodeURIComponent(game.id)}`

/** A game with where its winner and loser go. */
const gameRow = (viewing: Viewing, game: Game, ways: readonly Link[] = []): Row => ({
  fight: game,
  id: game.round >= 0 && rowID(game),
  when: html`${game.name} <small>${game.cage ?? ''}</small>`,
  notes: [
    joined(
      ways
        .filter(({ to }) => isNamed(viewing, to.game))
        .map(({ takes, to: { game: to } }) =>
          to.isFight
            ? html`${takes} to <a href="#${rowID(to)}">${to.name}</a>`
            : `${takes} to ${to.name}`,
        ),
    ),
  ],
})

/** The fights of a bracket, one round open at a time; byes are left out. */
const rounds = (
  viewing: Viewing,
  { name, games }: Bracket,
  ways: ReadonlyMap<string, readonly Link[]>,
  isOpen: boolean,
): Part => {
  const fights = games.filter((game) => game.isFight && isNamed(viewing, game))
  const byRound = Map.groupBy(fights, ({ roundName, round }) => roundName || `Round ${round + 1}`)
  return (
    fights.length > 0 &&
    html`
  <h3>${name}</h3>
  <div>${[...byRound].map(
    ([round, list], index) => html`
  <details name="rounds"${isOpen && index === 0 && html` open`}>
    <summary>${round} <small>${list.length}</small></summary>${fightRows(
      viewing,
      list.map((game) => gameRow(viewing, game, ways.get(game.id))),
    )}
  </details>`,
  )}
  </div>`
  )
}

const allFights = (viewing: Viewing, tournament: Tournament): Part => {
  const { brackets } = tournament
  const ways = Map.groupBy(layOutBrackets(tournament).links, ({ from }) => from)
  const all = brackets.flatMap(
    (each) => rounds(viewing, each, ways, isTable(each) || brackets.length === 1) || [],
  )
  return all.length > 0 && all
}

const describe = (
  viewing: Viewing,
  tournament: Tournament,
  [first]: readonly PlayerRecord[],
): string => {
  const { info } = tournament
  const unix = info.startUnix ?? info.scheduledStartUnix
  const winner =
    viewing.previewsOutcomes && first?.placement === 1 ? `Won by ${first.player.name}. ` : ''
  const state = !hasBegun(tournament) ? 'to come, ' : info.active ? 'under way, ' : ''
  const date = unix === null ? '' : `, ${viewing.times.dayText(unix)}`
  return `${winner}${counted(info.numPlayers, 'bot')}, ${weightClassLabel(info)}${date}: ${state}bracket, standings and every fight.`
}

/** One tournament: who won it, or what happens now, before everything else. */
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
  const classes = classesOf(
    archive.derive(classIDs, info.id).flatMap((id) => archive.lookup(findInfo, id) ?? []),
  )
  const [near, later] = [true, false].map((isWanted) =>
    waitingRows(
      viewing,
      findScheduled(asked, tournament).filter((each) => isNear(each) === isWanted),
      () => [],
    ),
  )
  const bots = rankedBots(viewing, tournament, forecast)
  const best = podium(asked, tournament, bots)
  const live = isLive && html` data-live`
  const sections = [
    ['now', 'Now', near, isLive],
    ['schedule', 'Schedule', later, isLive],
    ['bracket', 'Bracket', bracket(viewing, tournament), false],
    ['results', 'Results', crossTables(viewing, tournament), isLive],
    [
      'standings',
      isDecided(viewing, tournament) ? 'Standings' : 'Bots',
      standings(viewing, tournament, {
        forecast,
        bots,
        formerTeams: archive.derive(formerTeams, info.id),
      }),
      isLive,
    ],
    ['fights', 'All fights', allFights(viewing, tournament), isLive],
  ] as const
  const mine = html`<label class="mine" hidden><span class="quiet">My bot</span><input type="search" placeholder="My bot" maxlength="64" autocomplete="off"></label>`
  return {
    title: info.name,
    description: describe(viewing, tournament, bots),
    path,
    image: (viewing.previewsOutcomes && best?.picture) || pictureOf(tournament),
    canBeFramed: true,
    cacheControl: info.active ? caching.live : caching.archive,
    styles: ['bracket.css'],
    modules: ['event.js'],
    picture: best?.picture?.url,
    feeds: [{ path: `${path}/results.atom`, title: `Results of ${info.name}` }],
    body: html`
<section class="lead" id="event"${live}>
  <h1>${name(info.name)}</h1>${factsLine(asked, tournament)}${
    classes.length > 1 &&
    chips(
      'Classes',
      classes.map(({ id, text }) => [
        viewing.href(eventPath(id)),
        html`<bdi>${text}</bdi>`,
        id === info.id,
      ]),
    )
  }${best && html`${best.body}<p>${choiceLink(viewing, path)}</p>`}
</section>
<nav class="tabs" aria-label="On this page"><span id="parts"${live}>${sections.map(
      ([id, text, content]) => content && html`<a href="#${id}">${text}</a>`,
    )}</span>${mine}</nav>${sections.map(([id, title, content, isLive]) => section(id, title, content, isLive))}`,
  }
}
