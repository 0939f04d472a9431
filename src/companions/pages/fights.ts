import { duration } from '../../api/counted.ts'
import { isCornerNamed, isNamed } from '../../api/fights/outcomes.ts'
import { fightWords } from '../../api/fights/words.ts'
import { botPath, eventPath, fightPath, type Named, teamPath } from '../../api/pagePaths.ts'
import { cleanName } from '../../data/league/cleanName.ts'
import type { Corner, Fight, Game, TournamentInfo } from '../../data/league/types.ts'
import { fightSeconds } from '../../derived/careers/bots.ts'
import { remark } from './elements.ts'
import { type Html, html, type Part } from './html.ts'
import { name, type Viewing } from './site.ts'
import { method } from './words.ts'

export const fightAddress = ({ href }: Viewing, fight: Game): string => href(fightPath(fight))

/** True if nobody is in a corner, so that there is no fight. */
export const hasBye = ({ red, blue }: Game): boolean =>
  [red, blue].some(({ player }) => player?.isBye === true)

const hasFilm = ({ recordings, state }: Game): boolean => recordings.length > 0 && state === 'done'

/** URL of a fight's page; its film begins by itself if there is one. */
export const filmAddress = ({ href }: Viewing, fight: Game): string =>
  href(`${fightPath(fight)}${hasFilm(fight) ? '#play' : ''}`)

export const botLink = ({ href }: Viewing, bot: Named): Html =>
  bot.cleanName === ''
    ? name(bot.name)
    : html`<a href="${href(botPath(bot.cleanName))}">${name(bot.name)}</a>`

/** Link to a team; a name without letters and digits has no page. */
export const teamLink = ({ href }: Viewing, team: string): Html =>
  cleanName(team) === '' ? name(team) : html`<a href="${href(teamPath(team))}">${name(team)}</a>`

export const eventLink = ({ href }: Viewing, event: Pick<TournamentInfo, 'id' | 'name'>): Html =>
  html`<a href="${href(eventPath(event.id))}">${name(event.name)}</a>`

/** Bot of a corner: a link, or a placeholder if none is known or outcomes are hidden. */
export const cornerName = (viewing: Viewing, game: Game, corner: Corner): Html => {
  const { player } = corner
  const isHidden = !isCornerNamed(viewing, game, corner)
  if (isHidden || !player) {
    const feed = viewing.feedTo(game, corner)
    const unknown = isHidden ? 'not shown' : 'to be decided'
    return html`<i>${feed ? `${feed.takes} of ${fightWords(feed.source)}` : unknown}</i>`
  }
  return player.isBot ? botLink(viewing, player) : name(player.name)
}

/** The corners of a fight, one above the other; the winner is marked. */
export const corners = (viewing: Viewing, fight: Game): Html =>
  html`${(['red', 'blue'] as const).map((side) => {
    const isWinner = viewing.showsOutcomes && fight[side].isWinner
    return html`<p class="corner ${side}${isWinner ? ' won' : ''}"><span class="quiet">${side}: </span>${cornerName(viewing, fight, fight[side])}${isWinner && html`<span class="quiet"> won</span>`}</p>`
  })}`

/** Method and length of a completed fight, and whether there is film. */
export const resultText = (viewing: Viewing, fight: Game): Html => {
  const film = hasFilm(fight) && html`<small class="film">film</small>`
  if (fight.state === 'active') return html`now`
  if (!viewing.showsOutcomes || !fight.isFight || !fight.isCompleted) return html`${film || 'v'}`
  const seconds = fightSeconds(fight)
  const isDrawn = !fight.red.isWinner && !fight.blue.isWinner
  return html`${isDrawn && 'no winner, '}${method(fight.winAnnotation ?? 'done')}${seconds !== null && html` <small>${duration(seconds)}</small>`}${film}`
}

/** A fight as one row of a list: when and where, both corners, and how it stands. */
export interface Row {
  readonly fight: Game
  /** Left column: a time, a cage or a label. */
  readonly when: Part
  /** Right column; the result by default. */
  readonly state?: Part
  /** Lines below the corners; the name of the fight by default. */
  readonly notes?: readonly Part[]
  readonly id?: string | false
}

/** Fights as rows, as far as they may be named; none without any. */
export const fightRows = (viewing: Viewing, rows: readonly Row[]): Part => {
  const shown = rows.filter(({ fight }) => isNamed(viewing, fight))
  return (
    shown.length > 0 &&
    html`
  <ul class="fights">${shown.map(
    ({ fight, when, state = resultText(viewing, fight), notes = [fightWords(fight)], id }) => html`
  <li class="fight ${fight.state}"${id && html` id="${id}"`}><p class="when">${when}</p><div>${corners(viewing, fight)}${notes.map((note) => note && remark(note))}</div>${
    fight.isFight &&
    html`<a class="state" href="${filmAddress(viewing, fight)}"><span class="quiet">${fightWords(fight)}: </span>${state}</a>`
  }</li>`,
  )}
  </ul>`
  )
}

/** Text in the place of a time. */
export const untimed = html`<small>no time</small>`

/**
 * Fights with their days and events. The year is named if it differs from the row before; no day is named with
 * `isToday`.
 */
export const fightList = (
  viewing: Viewing,
  fights: readonly Fight[],
  { stateOf, isToday = false }: { stateOf?: (fight: Fight) => Part; isToday?: boolean } = {},
): Part => {
  const { day, dayKey, clock } = viewing.times
  let year = ''
  const whenOf = (fight: Fight): Part => {
    const { startUnix, finishUnix, scheduledUnix } = fight
    // The list is in the order of the finishes, but the length of a fight would hint at its outcome.
    const over = viewing.showsOutcomes ? finishUnix : startUnix
    const unix = over ?? startUnix ?? finishUnix ?? scheduledUnix
    const { stopUnix, endUnix } = fight
    // A result without times has the moment of another fight or of the event's start, which must not be shown.
    const isTimed = [startUnix, stopUnix, endUnix, scheduledUnix].some((time) => time !== null)
    if (unix === null || isToday) return unix === null || !isTimed ? untimed : clock(unix)
    const before = year
    year = dayKey(unix).slice(0, 4)
    return html`${day(unix, year !== before)}${isTimed && html` <small>${clock(unix)}</small>`}`
  }
  const shown = fights.filter((fight) => isNamed(viewing, fight))
  return fightRows(
    viewing,
    shown.map((fight) => ({
      fight,
      when: whenOf(fight),
      state: stateOf?.(fight),
      notes: [html`${fightWords(fight)}, ${eventLink(viewing, fight.tournament)}`],
    })),
  )
}

/** A button that adds a bot to those kept in the browser; `browser/stars.ts` shows it, and adds buttons in lists. */
export const starButton = ({ cleanName, name }: Named): Html =>
  html` <button type="button" class="star" data-star="${cleanName}" aria-pressed="false" aria-label="My bot: ${name}" hidden></button>`
