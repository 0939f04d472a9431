import { type Static, Type } from '@sinclair/typebox'
import { findNamedBot } from '../../../api/bots/lookup.ts'
import { duration } from '../../../api/counted.ts'
import { isCornerNamed, isNamed } from '../../../api/fights/outcomes.ts'
import { findTournament } from '../../../api/tournaments/lookup.ts'
import type { Dataset, Fight, FightCorner } from '../../../data/league/types.ts'
import { fightSeconds } from '../../../derived/careers/bots.ts'
import { factsOf, upcomingOf } from '../bots/careers.ts'
import { type CageNow, cageNumber, clock, findCages } from '../cages.ts'
import { bracketSvg, maxRounds } from '../events/bracket.ts'
import { queueTime } from '../expected.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { following } from '../live/following.ts'
import { type Asked, overlayParts, spoilers } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { cageName, fightName, Language, type Words, wordsOf } from './words.ts'

/** A short text in a corner, because an empty page looks like a fault of the stream software. */
const cornerNote = (text: string): Html => html`
  <p class="corner-note">${text}</p>`

const lang = Type.Optional(Language)
export const overlayQuery = Type.Object({ spoilers, lang })
export const nextQuery = Type.Object({ spoilers, lang, cage: cageNumber })
export const bracketQuery = Type.Object({
  spoilers,
  lang,
  rounds: Type.Integer({ minimum: 1, maximum: maxRounds, default: 3 }),
})

/** Content over the film: nothing if there is nothing to show, and the name of an unknown cage or fight. */
type Content = Html | string | false | undefined

/**
 * Transparent, as large as the window, nothing to click; `browser/live.ts` updates it. An unknown thing is a note in a
 * corner.
 */
const overlay =
  <Params, Query extends { readonly lang?: Language }>(
    make: (asked: Asked<Params, Query>, words: Words) => Content,
  ) =>
  (asked: Asked<Params, Query>): Page => {
    const { viewing, assets, query } = asked
    const words = wordsOf(query.lang ?? 'en')
    const content = make(asked, words)
    const isMissing = typeof content === 'string'
    const shown = isMissing ? cornerNote(`No such ${content}`) : content
    return {
      title: 'Overlay',
      description: 'For stream software.',
      path: undefined,
      modules: ['live.js'],
      status: isMissing ? 404 : 200,
      isCached: !isMissing,
      isLive: !isMissing,
      ...overlayParts(html`
  <div id="overlay" lang="${words.language}" data-live data-always ${following(viewing, assets)}>${shown}
  </div>`),
    }
  }

/** Content of a cage: text between the corners, and a note below, beside the cage and the event. */
const board = (
  kind: 'next' | 'now' | 'result',
  title: string,
  fight: Fight,
  middle: Html,
  note = '',
) => ({ kind, title, fight, middle, note })
type Board = ReturnType<typeof board>

/** The fight of a cage, its result, or the next fight; undefined for an empty cage. */
const boardOf = (
  { showsOutcomes }: Viewing,
  { cage: { fight, status, queue }, state }: CageNow,
  words: Words,
): Board | undefined => {
  const v = html`<span class="v">v</span>`
  if (fight && (status === 'active' || status === 'paused'))
    return board('now', status === 'paused' ? words.paused : words.now, fight, clock(fight, state))
  if (fight && status === 'completed') {
    if (!showsOutcomes) return board('result', words.over, fight, v)
    const seconds = fightSeconds(fight)
    const how = html`<span class="how">${fight.winAnnotation ?? 'v'}</span>`
    return board('result', words.result, fight, how, seconds === null ? '' : duration(seconds))
  }
  const next = status === 'assigned' && fight ? fight : queue[0]
  return next && board('next', words.next, next, v)
}

/** The name in a corner, without a link. */
const shownName = (viewing: Viewing, fight: Fight, corner: FightCorner): Html =>
  isCornerNamed(viewing, fight, corner) ? name(corner.player.name) : html`?`

const side = (
  viewing: Viewing,
  { fight, kind }: Board,
  colour: 'red' | 'blue',
  { winner }: Words,
): Html => {
  const hasWon = viewing.showsOutcomes && kind === 'result' && fight[colour].isWinner
  return html`
      <p class="bot ${colour}${hasWon && ' won'}"><span class="quiet">${colour}: </span>${shownName(viewing, fight, fight[colour])}${hasWon && html`<span class="winner">${winner}</span>`}</p>`
}

/** A fight that was, is or will be in the cage; an idle cage keeps none. */
const wasUsed = (viewing: Viewing, { fights }: Dataset, cage: string): boolean =>
  fights.some((fight) => fight.cage === cage && isNamed(viewing, fight))

/** One cage: its fight, else the next one; a note if no fight has ever been there. */
export const ofCage = overlay((asked: Asked<{ readonly cageNumber: string }>, words) => {
  const { archive, viewing, params } = asked
  const found = findCages(archive, viewing)
  const now = found.find(({ cage }) => String(cage.number) === params.cageNumber)
  if (!now) return 'cage'
  const shown = boardOf(viewing, now, words)
  const { cage } = now.state
  if (!shown) return !wasUsed(viewing, archive.dataset, cage) && cornerNote(`${cage}: no fight yet`)
  const { kind, title, fight, middle, note } = shown
  const under = [
    fight.cage && cageName(fight.cage, words),
    fightName(fight, words),
    fight.tournament.name,
    note,
  ]
  return html`
    <section class="board ${kind}" id="${kind}-${encodeURIComponent(fight.id)}" aria-labelledby="state">
      <h1 id="state">${title}</h1>${side(viewing, shown, 'red', words)}
      <p class="middle">${middle}</p>${side(viewing, shown, 'blue', words)}
      <p class="under">${under.map((part) => part && html`<span>${name(part)}</span>`)}</p>
    </section>`
})

const maxNext = 3

/** The next three fights of one cage, or of all cages: first fights that load in, then the first of each queue. */
export const ofNext = overlay((asked: Asked<unknown, Static<typeof nextQuery>>, words) => {
  const { archive, viewing, query } = asked
  const waiting = findCages(archive, viewing)
    .filter(({ cage }) => query.cage === undefined || cage.number === query.cage)
    .flatMap(({ cage: { status, fight, queue }, state }) => [
      ...(status === 'assigned' && fight ? [{ fight, state, place: 0 }] : []),
      ...queue.map((each, index) => ({ fight: each, state, place: index + 1 })),
    ])
    .sort((a, b) => a.place - b.place)
  return (
    waiting.length > 0 &&
    html`
    <section class="panel" aria-labelledby="state">
      <h1 id="state">${words.next}</h1>
      <ol>${waiting.slice(0, maxNext).map(
        ({ fight, state }) => html`
      <li><small>${cageName(state.cage, words)} ${queueTime(viewing, state, fight)}</small><span class="red">${shownName(viewing, fight, fight.red)}</span><span class="blue">${shownName(viewing, fight, fight.blue)}</span></li>`,
      )}
      </ol>
    </section>`
  )
})

/** The last rounds of each bracket of an event. */
export const ofBracket = overlay(
  (asked: Asked<{ readonly tournamentID: string }, Static<typeof bracketQuery>>) => {
    const { archive, viewing, params, query } = asked
    const tournament = findTournament(archive, params.tournamentID)
    if (!tournament) return 'event'
    const brackets = tournament.brackets.map((bracket) => {
      const last = Math.max(...bracket.games.map(({ round }) => round))
      return { ...bracket, games: bracket.games.filter(({ round }) => round > last - query.rounds) }
    })
    return html`
    <section class="panel drawing" aria-labelledby="state">
      <h1 id="state">${name(tournament.info.name)}</h1>${bracketSvg(viewing, { ...tournament, brackets })}
    </section>`
  },
)

/** A bot by name, with its record, class and next fight. */
export const ofBot = overlay((asked: Asked<{ readonly bot: string }>, words) => {
  const { archive, viewing } = asked
  const bot = findNamedBot(archive, asked.params.bot)
  if (!bot) return 'bot'
  const [next] = upcomingOf(asked, bot)
  const cage = next?.cage ? `${cageName(next.cage, words)}, ` : ''
  return html`
    <section class="panel third" aria-labelledby="state">
      <h1 id="state">${name(bot.name)}</h1>
      <p><b>${factsOf(viewing, bot)}</b>${next && html` <span>${words.next}: ${cage}${fightName(next.fight, words)}</span>`}</p>
    </section>`
})
