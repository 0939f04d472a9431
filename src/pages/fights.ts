import { fightSeconds } from '../careers/bots.ts'
import type { Corner, Fight, Game, Tournament } from '../league/types.ts'
import { type Html, html } from './html.ts'
import { followsFromOutcome, isNamed } from './outcomes.ts'
import { name, type Viewing } from './site.ts'
import { duration } from './times.ts'

export const botPath = (cleanName: string): string => `/b/${encodeURIComponent(cleanName)}`

export const eventPath = (tournamentID: string): string => `/e/${encodeURIComponent(tournamentID)}`

/** The page of one fight with its recordings. */
export const fightPath = ({ tournament, id }: Pick<Game, 'tournament' | 'id'>): string =>
  `/w/${encodeURIComponent(tournament.id)}/${encodeURIComponent(id)}`

export const fightAddress = ({ href }: Viewing, fight: Game): string => href(fightPath(fight))

export const botLink = (
  { href }: Viewing,
  bot: { readonly name: string; readonly cleanName: string },
): Html =>
  bot.cleanName === ''
    ? name(bot.name)
    : html`<a href="${href(botPath(bot.cleanName))}">${name(bot.name)}</a>`

export const eventLink = (
  { href }: Viewing,
  event: { readonly id: string; readonly name: string },
): Html => html`<a href="${href(eventPath(event.id))}">${name(event.name)}</a>`

/** Who is in a corner: a link, or a stand-in where nobody is known or outcomes are hidden. */
export const cornerName = (
  viewing: Viewing,
  tournament: Tournament,
  game: Game,
  corner: Corner,
): Html => {
  if (!viewing.showsOutcomes && followsFromOutcome(tournament, game, corner)) {
    const source = tournament.games.get(corner.prevGameID ?? '')
    return source ? html`<i>from ${source.name}</i>` : html`<i>not shown</i>`
  }
  const { player } = corner
  if (!player) return html`<i>to be decided</i>`
  return player.isBot ? botLink(viewing, player) : name(player.name)
}

/** One corner of a scoreboard. */
export const cornerCell = (
  viewing: Viewing,
  tournament: Tournament,
  fight: Fight,
  side: 'red' | 'blue',
): Html => {
  const isWinner = viewing.showsOutcomes && fight[side].isWinner
  return html`<div class="corner ${side}${isWinner ? ' won' : ''}"><span class="quiet">${
    side === 'red' ? 'Red' : 'Blue'
  }: </span>${cornerName(viewing, tournament, fight, fight[side])}${
    isWinner ? html` <span class="won-mark">won</span>` : undefined
  }</div>`
}

/** Method and length of a completed fight. */
const resultText = (viewing: Viewing, fight: Fight): Html => {
  if (fight.state === 'active') return html`now`
  if (!viewing.showsOutcomes || !fight.isCompleted) return html`v`
  const seconds = fightSeconds(fight)
  return html`${fight.winAnnotation ?? 'done'}${
    seconds === null ? undefined : html`<small>${duration(seconds)}</small>`
  }`
}

/** A fight as one line of a scoreboard. */
export const fightItem = (viewing: Viewing, tournament: Tournament, fight: Fight): Html => {
  const unix = fight.startUnix ?? fight.scheduledUnix
  return html`
  <li class="fight">
    ${cornerCell(viewing, tournament, fight, 'red')}
    <a class="result" href="${fightAddress(viewing, fight)}"><span class="quiet">${fight.name}: </span>${resultText(viewing, fight)}</a>
    ${cornerCell(viewing, tournament, fight, 'blue')}
    <p class="where">${fight.name}, ${eventLink(viewing, tournament.info)}${
      unix === null ? undefined : html`, ${viewing.times.day(unix)}, ${viewing.times.clock(unix)}`
    }</p>
  </li>`
}

/** Fights as a scoreboard; those of tournaments that are not shown are left out. */
export const fightList = (
  viewing: Viewing,
  tournaments: ReadonlyMap<string, Tournament>,
  fights: readonly Fight[],
): Html => html`<ul class="fights">${fights.map((fight) => {
  const tournament = tournaments.get(fight.tournament.id)
  return tournament && isNamed(viewing, fight) ? fightItem(viewing, tournament, fight) : undefined
})}
</ul>`
