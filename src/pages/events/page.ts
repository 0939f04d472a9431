import type { Forecast } from '../../forecast/forecast.ts'
import type { Refusal } from '../../forecast/plan.ts'
import { caching } from '../../http/caching.ts'
import { isOver, isTable, stagesOf } from '../../league/stages.ts'
import type { Bracket, Fight, Game, PlayerRecord, Tournament } from '../../league/types.ts'
import { weightClassLabel } from '../../league/weightClass.ts'
import { isNear, type Scheduled } from '../../live/schedule.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import { waitingRow } from '../cages.ts'
import type { Picture } from '../card.ts'
import { counted } from '../counted.ts'
import { botLink, eventPath, fightRow, rowList } from '../fights.ts'
import { type Html, html } from '../html.ts'
import { choiceLink, type Page } from '../layout.ts'
import { type Class, hasBegun, lastBegunUnix } from '../occasions.ts'
import { isNamed } from '../outcomes.ts'
import { chips, liveSection, portrait, section } from '../sections.ts'
import { name, type Viewing } from '../site.ts'
import { bracketFrame, maxRounds } from './bracket.ts'
import { type Link, layOutBrackets } from './bracketLayout.ts'
import { crossTables } from './crossTable.ts'
import { isDecided, rankedBots, standings } from './standings.ts'

/** What the page of an event shows. */
export interface EventView {
  readonly tournament: Tournament
  /** Its fights that are not done. */
  readonly scheduled: readonly Scheduled[]
  /** The classes of the same event, with itself. */
  readonly classes: readonly Class[]
  /** Undefined where it is over, or forecasts are not shown. */
  readonly forecast: Forecast | Refusal | undefined
  /** Address of the newest picture of its winner. */
  readonly winnerPicture: string | undefined
  /** Whether it is under way, and not left so for days. */
  readonly isUnderWay: boolean
  /** How far its start is from now. */
  readonly relative: string
}

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
const factsLine = (viewing: Viewing, { tournament, isUnderWay, relative }: EventView): Html => {
  const { info } = tournament
  const fights = tournament.fights.filter((fight) => isNamed(viewing, fight))
  const done = fights.filter(({ isCompleted }) => isCompleted).length
  const unix = info.startUnix ?? info.scheduledStartUnix
  const state = !hasBegun(tournament)
    ? html`<b>To come</b>, `
    : isUnderWay
      ? html`<b>Under way</b>, `
      : info.active
        ? html`<b>Last fight begun ${viewing.times.day(lastBegunUnix(tournament))}</b>, `
        : undefined
  return html`
  ${unix === null ? undefined : html`<p class="soft">${viewing.times.full(unix)}, ${relative}</p>`}
  <p class="soft">${state}${counted(info.numPlayers, 'bot')}, ${weightClassLabel(info)}, ${fights.length === 0 ? '' : isOver(tournament) ? `${counted(done, 'fight')}, ` : `${done} of ${counted(fights.length, 'fight')}, `}${formatText(tournament)}</p>`
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
  viewing: Viewing,
  { tournament, winnerPicture }: EventView,
  bots: readonly PlayerRecord[],
): { readonly body: Html; readonly picture: Picture | undefined } | undefined => {
  const placed = bots.filter(({ placement }) => placement !== null && placement <= 3)
  const [first] = placed
  if (!isDecided(viewing, tournament) || first?.placement !== 1) return undefined
  const final = finalOf(tournament, placed)
  const picture =
    winnerPicture === undefined ? undefined : { url: winnerPicture, alt: first.player.name }
  return {
    picture,
    body: html`
  <div class="podium">${picture && portrait(picture.url, picture.alt)}
    <ol class="places">${placed.slice(0, 4).map(
      ({ placement, player }) => html`
      <li><span class="place">${placement ?? ''}</span> ${botLink(viewing, player)}</li>`,
    )}
    </ol>${final && rowList([fightRow(viewing, final, { when: html`<b>${final.roundName || final.name}</b>` })])}
  </div>`,
  }
}

/** The drawing, which `browser/event.ts` loads where there is room for it: it takes as much as the rest of the page. */
const bracket = (viewing: Viewing, tournament: Tournament): Html | undefined => {
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

const gameRow = (viewing: Viewing, game: Game, ways: readonly Link[] = []): Html => {
  const shown = ways.filter(({ to }) => isNamed(viewing, to.game))
  return fightRow(viewing, game, {
    ...(game.round >= 0 && { id: rowID(game) }),
    when: html`${game.name} <small>${game.cage ?? ''}</small>`,
    note:
      shown.length === 0
        ? undefined
        : html`<p class="soft"><small>${shown.map(
            ({ takes, to }, index) =>
              html`${index === 0 ? '' : ', '}${takes} to ${to.game.isFight ? html`<a href="#${rowID(to.game)}">${to.game.name}</a>` : to.game.name}`,
          )}</small></p>`,
  })
}

const shownFights = (viewing: Viewing, { games }: Bracket): readonly Fight[] =>
  games.filter((game) => game.isFight).filter((fight) => isNamed(viewing, fight))

/** The fights of a bracket, one round open at a time; byes are left out. */
const rounds = (
  viewing: Viewing,
  tournament: Tournament,
  bracket: Bracket,
  ways: ReadonlyMap<string, readonly Link[]>,
): Html => {
  const byRound = Map.groupBy(
    shownFights(viewing, bracket),
    ({ roundName, round }) => roundName || `Round ${round + 1}`,
  )
  const isOpen = isTable(bracket) || tournament.brackets.length === 1
  return html`
  <h3>${bracket.name}</h3>
  <div>${[...byRound].map(
    ([round, list], index) => html`
  <details name="rounds"${isOpen && index === 0 ? html` open` : undefined}>
    <summary>${round} <small>${list.length}</small></summary>${rowList(list.map((game) => gameRow(viewing, game, ways.get(game.id))))}
  </details>`,
  )}
  </div>`
}

const allFights = (viewing: Viewing, tournament: Tournament): Html | undefined => {
  const brackets = tournament.brackets.filter((each) => shownFights(viewing, each).length > 0)
  if (brackets.length === 0) return undefined
  // Where the winner and the loser of each game go.
  const ways = Map.groupBy(layOutBrackets(tournament).links, ({ from }) => from)
  return html`${brackets.map((each) => rounds(viewing, tournament, each, ways))}`
}

const describe = (
  viewing: Viewing,
  { tournament }: EventView,
  bots: readonly PlayerRecord[],
): string => {
  const { info } = tournament
  const unix = info.startUnix ?? info.scheduledStartUnix
  const [first] = bots
  const winner =
    viewing.previewsOutcomes && first?.placement === 1 ? `Won by ${first.player.name}. ` : ''
  const state = !hasBegun(tournament) ? 'to come, ' : info.active ? 'under way, ' : ''
  const date = unix === null ? '' : `, ${viewing.times.dayText(unix)}`
  return `${winner}${counted(info.numPlayers, 'bot')}, ${weightClassLabel(info)}${date}: ${state}bracket, standings and every fight.`
}

/** One tournament: who won it, or what happens now, before everything else. */
export const eventPage = (viewing: Viewing, view: EventView): Page => {
  const { tournament, classes, forecast } = view
  const { info } = tournament
  const scheduled = view.scheduled.filter(({ fight }) => isNamed(viewing, fight))
  const rows = (fights: readonly Scheduled[]) =>
    rowList(fights.map((each) => waitingRow(viewing, each)))
  const bots = rankedBots(viewing, tournament, forecast)
  const best = podium(viewing, view, bots)
  const isLive = !isOver(tournament)
  const live = isLive ? html` data-live` : undefined
  const standingsTitle = isDecided(viewing, tournament) ? 'Standings' : 'Bots'
  const sections = [
    ['now', 'Now', rows(scheduled.filter(isNear)), isLive],
    ['schedule', 'Schedule', rows(scheduled.filter((each) => !isNear(each))), isLive],
    ['bracket', 'Bracket', bracket(viewing, tournament), false],
    ['results', 'Results', crossTables(viewing, tournament), isLive],
    ['standings', standingsTitle, standings(viewing, view, bots), isLive],
    ['fights', 'All fights', allFights(viewing, tournament), isLive],
  ] as const
  return {
    title: info.name,
    description: describe(viewing, view, bots),
    path: eventPath(info.id),
    image: viewing.previewsOutcomes
      ? (best?.picture ?? pictureOf(tournament))
      : pictureOf(tournament),
    canBeFramed: true,
    cacheControl: info.active ? caching.live : caching.archive,
    styles: ['bracket.css'],
    modules: ['event.js'],
    picture: best?.picture?.url,
    feeds: [{ path: `${eventPath(info.id)}/results.atom`, title: `Results of ${info.name}` }],
    body: html`
<section class="lead" id="event"${live}>
  <h1>${name(info.name)}</h1>${factsLine(viewing, view)}${
    classes.length > 1
      ? chips(
          'Classes',
          classes.map(({ id, text }) => [
            viewing.href(eventPath(id)),
            html`<bdi>${text}</bdi>`,
            id === info.id,
          ]),
        )
      : undefined
  }${best ? html`${best.body}<p>${choiceLink(viewing, eventPath(info.id))}</p>` : undefined}
</section>
<nav class="tabs" aria-label="On this page"><span id="parts"${live}>${sections.map(
      ([id, text, content]) => (content ? html`<a href="#${id}">${text}</a>` : undefined),
    )}</span><label class="mine" hidden><span class="quiet">My bot</span><input type="search" placeholder="My bot" maxlength="64" autocomplete="off"></label></nav>${sections.map(
      ([id, text, content, isLive]) =>
        isLive ? liveSection(id, text, content) : section(id, text, content),
    )}`,
  }
}
