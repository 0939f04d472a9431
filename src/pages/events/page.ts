import { fightSeconds } from '../../careers/bots.ts'
import type { Bracket, Fight, Game, PlayerRecord, Tournament } from '../../league/types.ts'
import type { Scheduled } from '../../live/schedule.ts'
import { mediaAddress } from '../../media/mediaAddress.ts'
import type { Picture } from '../card.ts'
import { facts } from '../facts.ts'
import { botLink, cornerName, eventPath, fightAddress } from '../fights.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { liveSection } from '../liveSection.ts'
import { isNamed } from '../outcomes.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import { bracketSvg } from './bracket.ts'
import { crossTable, isRoundRobin } from './crossTable.ts'

const formatNames = {
  single_elimination: 'Single elimination',
  double_elimination: 'Double elimination',
  round_robin: 'Round robin',
} as const

const stateOf = ({ info, completedFights }: Tournament): string =>
  info.active ? 'Under way' : completedFights > 0 ? 'Over' : 'To come'

const factsOf = (viewing: Viewing, tournament: Tournament): Html => {
  const { info, format } = tournament
  const fights = tournament.fights.filter((fight) => isNamed(viewing, fight))
  const done = fights.filter(({ isCompleted }) => isCompleted).length
  return facts([
    ['state', stateOf(tournament)],
    ['bots', info.numPlayers],
    ['fights done', info.active ? `${done} of ${fights.length}` : done],
    ['weight class', `${info.weightClassPounds} lb`],
    ['format', formatNames[format.type]],
  ])
}

const byResult = (a: PlayerRecord, b: PlayerRecord): number =>
  (a.placement ?? Number.MAX_SAFE_INTEGER) - (b.placement ?? Number.MAX_SAFE_INTEGER) ||
  b.wins - a.wins ||
  a.losses - b.losses

const byName = ({ player: a }: PlayerRecord, { player: b }: PlayerRecord): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1

/** Whether there are results to show. */
const isDecided = ({ showsOutcomes }: Viewing, { completedFights }: Tournament): boolean =>
  showsOutcomes && completedFights > 0

/** The bots, best first; by name where no results are shown. */
const rankedBots = (viewing: Viewing, tournament: Tournament): readonly PlayerRecord[] =>
  tournament.players
    .filter(({ player }) => player.isBot)
    .sort(isDecided(viewing, tournament) ? byResult : byName)

const standings = (
  viewing: Viewing,
  tournament: Tournament,
  bots: readonly PlayerRecord[],
): Html | undefined => {
  if (bots.length === 0) return undefined
  if (!isDecided(viewing, tournament)) {
    return html`
<section id="standings">
  <h2>Bots</h2>
  <ul class="names">${bots.map(
    ({ player }) => html`
    <li>${botLink(viewing, player)}</li>`,
  )}
  </ul>
</section>`
  }
  const isSeeded = bots.some(({ player }) => player.seed !== null)
  return html`
<section id="standings">
  <h2>Standings</h2>
  <div class="scroll">
    <table>
      <thead><tr><th scope="col" class="number">Place</th><th scope="col">Bot</th><th scope="col" class="number">Won</th><th scope="col" class="number">Lost</th>${isSeeded ? html`<th scope="col" class="number">Seed</th>` : undefined}</tr></thead>
      <tbody>${bots.map(
        ({ player, placement, wins, losses }) => html`
        <tr><td class="number">${placement ?? ''}</td><th scope="row">${botLink(viewing, player)}${
          player.isDisqualified ? html` <small>disqualified</small>` : undefined
        }</th><td class="number">${wins}</td><td class="number">${losses}</td>${isSeeded ? html`<td class="number">${player.seed ?? ''}</td>` : undefined}</tr>`,
      )}
      </tbody>
    </table>
  </div>
</section>`
}

const bracket = (viewing: Viewing, tournament: Tournament): Html | undefined => {
  const svg = bracketSvg(viewing, tournament)
  return (
    svg &&
    html`
<section id="bracket" aria-labelledby="bracket-title">
  <h2 id="bracket-title">Bracket</h2>
  <div class="pan" tabindex="0" role="group" aria-label="Drawing of the bracket">${svg}
  </div>
</section>`
  )
}

const scheduleRow = (
  viewing: Viewing,
  tournament: Tournament,
  { fight, status }: Scheduled,
): Html => html`
        <tr><td class="short">${fight.scheduledUnix === null ? '' : viewing.times.clock(fight.scheduledUnix)}</td><td class="short">${status}</td><td class="short">${fight.cage ?? ''}</td><th scope="row"><a href="${fightAddress(viewing, fight)}">${fight.name}</a></th><td>${cornerName(viewing, tournament, fight, fight.red)}</td><td>${cornerName(viewing, tournament, fight, fight.blue)}</td></tr>`

const scheduleTable = (
  viewing: Viewing,
  tournament: Tournament,
  scheduled: readonly Scheduled[],
): Html => html`
  <div class="scroll">
    <table>
      <thead><tr><th scope="col">Time</th><th scope="col">Status</th><th scope="col">Cage</th><th scope="col">Fight</th><th scope="col">Red</th><th scope="col">Blue</th></tr></thead>
      <tbody>${scheduled.map((each) => scheduleRow(viewing, tournament, each))}
      </tbody>
    </table>
  </div>`

/** Fights that are not done; none are left of a tournament that is over. */
const schedule = (
  viewing: Viewing,
  tournament: Tournament,
  scheduled: readonly Scheduled[],
): Html | undefined =>
  stateOf(tournament) === 'Over'
    ? undefined
    : liveSection({
        id: 'schedule',
        title: 'Under way and to come',
        content: scheduled.length === 0 ? undefined : scheduleTable(viewing, tournament, scheduled),
      })

const outcome = (viewing: Viewing, game: Game): Html | undefined => {
  if (!viewing.showsOutcomes || game.state !== 'done') return undefined
  const winner = game.red.isWinner ? game.red : game.blue.isWinner ? game.blue : undefined
  const how = game.winAnnotation ?? ''
  if (!winner?.player) return html`${how}`
  return html`<b>${name(winner.player.name)}</b>${how === '' ? '' : `, ${how}`}`
}

const lengthOf = (viewing: Viewing, game: Game): string => {
  const seconds = viewing.showsOutcomes && game.isFight ? fightSeconds(game) : null
  return seconds === null ? '' : duration(seconds)
}

const gameRow = (viewing: Viewing, tournament: Tournament, game: Game): Html => html`
        <tr><th scope="row" class="short">${
          game.isFight ? html`<a href="${fightAddress(viewing, game)}">${game.name}</a>` : game.name
        }</th><td>${cornerName(viewing, tournament, game, game.red)}</td><td>${cornerName(
          viewing,
          tournament,
          game,
          game.blue,
        )}</td><td>${outcome(viewing, game)}</td><td class="number">${lengthOf(viewing, game)}</td><td class="number">${
          game.recordings.length || ''
        }</td></tr>`

/** One round of a bracket as a table. */
const roundTable = (
  viewing: Viewing,
  tournament: Tournament,
  title: string,
  games: readonly Game[],
): Html => html`
    <div class="scroll">
      <table>
        <caption>${title}</caption>
        <thead><tr><th scope="col">Fight</th><th scope="col">Red</th><th scope="col">Blue</th><th scope="col">${viewing.showsOutcomes ? 'Winner' : html`<span class="quiet">Winner</span>`}</th><th scope="col" class="number">${viewing.showsOutcomes ? 'Length' : html`<span class="quiet">Length</span>`}</th><th scope="col" class="number">Cameras</th></tr></thead>
        <tbody>${games.map((game) => gameRow(viewing, tournament, game))}
        </tbody>
      </table>
    </div>`

const shownFights = (viewing: Viewing, { games }: Bracket): readonly Fight[] =>
  games.filter((game) => game.isFight).filter((fight) => isNamed(viewing, fight))

/** The fights of a bracket, round by round, open where no drawing has them; byes are in the drawing alone. */
const rounds = (viewing: Viewing, tournament: Tournament, bracket: Bracket): Html => {
  const { isExhibition, name: title } = bracket
  const own = shownFights(viewing, bracket)
  const byRound = Map.groupBy(own, ({ roundName, round }) => roundName || `Round ${round + 1}`)
  return html`
  <details${isExhibition || isRoundRobin(tournament) ? html` open` : undefined}>
    <summary>${title}, ${own.length} fights</summary>${[...byRound].map(([round, list]) =>
      roundTable(viewing, tournament, round, list),
    )}
  </details>`
}

const allFights = (viewing: Viewing, tournament: Tournament): Html | undefined => {
  const brackets = tournament.brackets.filter((each) => shownFights(viewing, each).length > 0)
  if (brackets.length === 0) return undefined
  return html`
<section id="fights">
  <h2>All fights</h2>${brackets.map((each) => rounds(viewing, tournament, each))}
</section>`
}

/** The newest hero still of the tournament. */
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

/** One tournament; `allScheduled` are its fights that are not done. */
export const eventPage = (
  viewing: Viewing,
  tournament: Tournament,
  allScheduled: readonly Scheduled[],
): Page => {
  const scheduled = allScheduled.filter(({ fight }) => isNamed(viewing, fight))
  const { info } = tournament
  const unix = info.startUnix ?? info.scheduledStartUnix
  const bots = rankedBots(viewing, tournament)
  const sections = [
    ['bracket', 'Bracket', bracket(viewing, tournament)],
    ['results', 'Results', crossTable(viewing, tournament, bots)],
    [
      'standings',
      isDecided(viewing, tournament) ? 'Standings' : 'Bots',
      standings(viewing, tournament, bots),
    ],
    ['fights', 'All fights', allFights(viewing, tournament)],
  ] as const
  const present = sections.filter(([, , section]) => section !== undefined)
  const parts = [...(scheduled.length === 0 ? [] : [['schedule', 'Schedule'] as const]), ...present]
  return {
    title: info.name,
    description: `${info.name}: ${info.numPlayers} bots, ${info.weightClassPounds} lb. Bracket, standings, schedule and all fights.`,
    path: eventPath(info.id),
    image: pictureOf(tournament),
    feeds: [{ path: `${eventPath(info.id)}/results.atom`, title: `Results of ${info.name}` }],
    body: html`
<section class="lead">
  <h1>${name(info.name)}</h1>${
    unix === null
      ? undefined
      : html`
  <p>${viewing.times.full(unix)}</p>`
  }${factsOf(viewing, tournament)}
  <nav class="chips" aria-label="On this page">${parts.map(
    ([id, text]) => html`<a href="#${id}">${text}</a>`,
  )}</nav>
</section>${schedule(viewing, tournament, scheduled)}${present.map(([, , section]) => section)}`,
  }
}
