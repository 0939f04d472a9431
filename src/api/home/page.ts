import type { Bot } from '../../careers/bots.ts'
import type { Fight, TournamentInfo } from '../../league/types.ts'
import { botSummary } from '../bots/view.ts'
import type { FightSummary } from '../fights/schema.ts'
import { fightSummary } from '../fights/view.ts'
import type { CageState } from '../live/schema.ts'
import { tournamentView } from '../tournaments/view.ts'
import { type Html, html } from './html.ts'
import { summary } from './view.ts'

/** Allows the page's own files only, no inline script or style. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Results of a search, best first. */
export interface Results {
  readonly query: string
  readonly bots: readonly Bot[]
  readonly tournaments: readonly TournamentInfo[]
  readonly fights: readonly Fight[]
}

export interface Content {
  readonly basePath: string
  /** Cages by number; undefined while the data is not loaded. */
  readonly cages: readonly CageState[] | undefined
  /** Undefined without a search. */
  readonly results: Results | undefined
}

const statusNames: Readonly<Record<CageState['status'], string>> = {
  idle: 'Idle',
  assigned: 'Loading in',
  active: 'Fighting',
  paused: 'Paused',
  completed: 'Last fight',
}

/** Isolates names, as they can be written from right to left. */
const name = (text: string): Html => html`<bdi>${text || 'To be decided'}</bdi>`

const pounds = (classes: readonly number[]): string =>
  classes.length === 0 ? '' : `${classes.join(', ')} lb`

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

const day = (unix: number): Html | undefined => {
  if (unix === 0) return undefined
  const date = new Date(unix * 1000).toISOString().slice(0, 10)
  return html`, <time datetime="${date}">${date}</time>`
}

const corner = (colour: 'Red' | 'Blue', player: string, isWinner: number): Html => html`
        <dt class="${colour.toLowerCase()}">${colour}</dt>
        <dd>${name(player)}${isWinner === 1 ? html` <span class="won">won</span>` : undefined}</dd>`

const match = ({ match, matchTime }: CageState): Html | undefined => {
  if (!match) return undefined
  const time = matchTime === 0 ? '' : `, ${clock(matchTime)}`
  const how = match.winAnnotation === '' ? '' : `, ${match.winAnnotation}`
  return html`
      <dl>${corner('Red', match.player1, match.player1wins)}${corner('Blue', match.player2, match.player2wins)}
      </dl>
      <p>${match.name} of <bdi>${match.tournamentName}</bdi>${time}${how}</p>`
}

const next = ({ queue: [first, ...others] }: CageState): Html | undefined =>
  first &&
  html`
      <p class="next">Next: ${name(first.player1)} v ${name(first.player2)}${
        others.length === 0 ? '' : `, then ${others.length} more`
      }</p>`

const cage = (state: CageState): Html => html`
    <li class="${state.status}">
      <h3>${state.cage} <span class="status">${statusNames[state.status]}</span></h3>${match(state)}${next(state)}
    </li>`

const cageList = (cages: Content['cages']): Html =>
  cages
    ? html`<ul class="cages">${cages.map(cage)}
    </ul>`
    : html`<p>The data is being loaded. This page shows the cages in a moment.</p>`

const list = (title: string, items: readonly Html[]): Html | undefined =>
  items.length === 0
    ? undefined
    : html`
    <h3>${title}</h3>
    <ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`

const fightItem = (basePath: string, fight: FightSummary): Html => {
  const { tournamentID, gameID, player1, player2, player1wins, player2wins } = fight
  const result = player1wins ? 'beat' : player2wins ? 'lost to' : 'v'
  const address = `/tournaments/${encodeURIComponent(tournamentID)}/fights/${encodeURIComponent(gameID)}`
  return html`<a href="${basePath}${address}">${name(player1)} ${result} ${name(player2)}</a>${
    fight.winAnnotation === '' ? '' : `, ${fight.winAnnotation}`
  }${day(fight.stopTime)}`
}

const resultSection = ({ basePath, results }: Content): Html | undefined => {
  if (!results) return undefined
  const { query, bots, tournaments, fights } = results
  const found = [
    list(
      'Bots',
      bots
        .map(botSummary)
        .map(
          (bot) =>
            html`<a href="${basePath}/bots/${bot.cleanName}">${name(bot.name)}</a> ${
              bot.totalWins
            } won, ${bot.totalLosses} lost, ${pounds(bot.weightClasses)}`,
        ),
    ),
    list(
      'Fights',
      fights.map((fight) => fightItem(basePath, fightSummary(fight))),
    ),
    list(
      'Tournaments',
      tournaments
        .map(tournamentView)
        .map(
          ({ tournamentID, tournamentName, numPlayers }) =>
            html`<a href="${basePath}/tournaments/${encodeURIComponent(tournamentID)}">${name(
              tournamentName,
            )}</a> ${numPlayers} bots`,
        ),
    ),
  ].filter((section) => section !== undefined)
  return html`
  <section aria-labelledby="results">
    <h2 id="results">Found for “<bdi>${query}</bdi>”</h2>${
      found.length === 0 ? html`<p>Nothing has a name like that.</p>` : found
    }
  </section>`
}

const examples = [
  ['/fights/recent?limit=5', 'the last five fights'],
  ['/bots?limit=5', 'all bots, page by page'],
  ['/stats/leaderboard?metric=koRate', 'the bots with the highest KO rate'],
  ['/schedule', 'fights to come'],
  ['/cages', 'the cages, as above'],
  ['/stills?heroesOnly&limit=5', 'hero stills'],
] as const

/** The page for browsers: search, cages and links to the data. */
export const buildPage = (content: Content): Html => {
  const { basePath, cages, results } = content
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>${results ? `${results.query} · Cageside` : 'Cageside'}</title>
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <meta name="description" content="${summary}">
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="${basePath}/home/home.css">
  <script type="module" src="${basePath}/home/home.js"></script>
</head>
<body>
<header>
  <h1><a href="${basePath}/">Cageside</a></h1>
  <p>${summary}</p>
</header>
<main>
  <search>
    <form action="${basePath}/" id="search">
      <label for="q">Find a bot, a tournament, or the fights of two bots</label>
      <div class="row">
        <div class="box">
          <input id="q" name="q" type="search" maxlength="64" autocomplete="off" autocapitalize="off"
            spellcheck="false" value="${results?.query}" data-suggestions="${basePath}/autocomplete">
          <ul id="suggestions" class="suggestions" role="listbox" aria-label="Bots" hidden></ul>
        </div>
        <button>Search</button>
      </div>
      <p id="announcement" role="status" class="hidden"></p>
    </form>
  </search>${resultSection(content)}
  <section aria-labelledby="cages-title" id="cages">
    <h2 id="cages-title">In the cages</h2>
    ${cageList(cages)}
  </section>
  <section aria-labelledby="data">
    <h2 id="data">The data</h2>
    <p>All of it is JSON, free to use, without a key: <a href="${basePath}/docs">documentation</a> to
    read and try, or the <a href="${basePath}/openapi">OpenAPI description</a> for programs. To begin with:</p>
    <ul class="plain">${examples.map(
      ([address, text]) =>
        html`
      <li><a href="${basePath}${address}"><code>${address}</code></a> ${text}</li>`,
    )}
    </ul>
  </section>
</main>
</body>
</html>
`
}
