import { fightSeconds } from '../../careers/bots.ts'
import type { Corner, Fight, Tournament } from '../../league/types.ts'
import type { Assets } from '../assets.ts'
import { type CageNow, clock } from '../cages.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { followsFromOutcome, isNamed } from '../outcomes.ts'
import { overlayParts } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import { following } from './following.ts'
import type { Live } from './lookup.ts'

interface Board {
  readonly kind: 'next' | 'now' | 'result'
  readonly title: string
  readonly fight: Fight
  /** Between the corners. */
  readonly middle: Html
  /** Below, beside the cage and the event. */
  readonly note?: string
}

/** What a cage has to show: its fight, its result, or the next one; undefined for an empty cage. */
const boardOf = ({ showsOutcomes }: Viewing, { cage, state }: CageNow): Board | undefined => {
  const { fight, status, queue } = cage
  const v = html`<span class="v">v</span>`
  if (fight && (status === 'active' || status === 'paused')) {
    const title = status === 'paused' ? 'Paused' : 'Now fighting'
    return { kind: 'now', title, fight, middle: clock(fight, state) }
  }
  if (fight && status === 'completed') {
    if (!showsOutcomes) return { kind: 'result', title: 'Over', fight, middle: v }
    const seconds = fightSeconds(fight)
    return {
      kind: 'result',
      title: 'Result',
      fight,
      middle: html`<span class="how">${fight.winAnnotation ?? 'v'}</span>`,
      ...(seconds === null ? {} : { note: duration(seconds) }),
    }
  }
  const next = status === 'assigned' && fight ? fight : queue[0]
  return next && { kind: 'next', title: 'Up next', fight: next, middle: v }
}

const side = (
  viewing: Viewing,
  { tournament, fight, board }: { tournament: Tournament; fight: Fight; board: Board },
  corner: Corner,
  colour: 'red' | 'blue',
): Html => {
  const isHidden = !viewing.showsOutcomes && followsFromOutcome(tournament, fight, corner)
  const isWinner = viewing.showsOutcomes && board.kind === 'result' && corner.isWinner
  return html`
      <p class="bot ${colour}${isWinner ? ' won' : ''}"><span class="quiet">${colour}: </span>${
        isHidden ? 'not shown' : name(corner.player?.name ?? '')
      }${isWinner ? html`<span class="winner">Winner</span>` : undefined}</p>`
}

const boardMarkup = (viewing: Viewing, tournament: Tournament, board: Board): Html => {
  const { kind, title, fight, middle, note } = board
  const of = { tournament, fight, board }
  return html`
    <section class="board ${kind}" id="${kind}-${encodeURIComponent(fight.id)}" aria-labelledby="state">
      <h1 id="state">${title}</h1>${side(viewing, of, fight.red, 'red')}
      <p class="middle">${middle}</p>${side(viewing, of, fight.blue, 'blue')}
      <p class="under">${[fight.cage ?? undefined, fight.name, tournament.info.name, note]
        .filter((part) => part !== undefined)
        .map((part) => html`<span>${name(part)}</span>`)}</p>
    </section>`
}

/** A fight that was, is or will be in the cage; an idle cage keeps none. */
const wasUsed = ({ showsOutcomes }: Viewing, { tournaments }: Live, cage: string): boolean =>
  [...tournaments.values()].some(({ fights }) =>
    fights.some((fight) => fight.cage === cage && isNamed({ showsOutcomes }, fight)),
  )

/** A short text in a corner, as an empty page looks like a mistake in the software. */
const cornerNote = (text: string): Html => html`
  <p class="corner-note">${text}</p>`

/** What an overlay of a cage that does not exist shows. */
export const unknownOverlay = (viewing: Viewing, assets: Assets): Page => ({
  title: 'Unknown cage',
  description: 'There is no such cage.',
  path: undefined,
  ...overlayParts(viewing, assets, cornerNote('No such cage')),
})

/** One cage for stream software: transparent, as large as the window, and nothing to click. */
export const overlayPage = (viewing: Viewing, live: Live, now: CageNow, assets: Assets): Page => {
  const board = boardOf(viewing, now)
  const tournament = board && live.tournaments.get(board.fight.tournament.id)
  const { number } = now.cage
  const { cage } = now.state
  const content =
    board && tournament
      ? boardMarkup(viewing, tournament, board)
      : wasUsed(viewing, live, cage)
        ? undefined
        : cornerNote(`${cage}: no fight yet`)
  return {
    title: `Overlay of cage ${number}`,
    description: `Cage ${number} for stream software: up next, now fighting, result.`,
    path: `/overlay/cage/${number}`,
    modules: ['live.js'],
    ...overlayParts(
      viewing,
      assets,
      html`
  <div id="cages" data-live data-always ${following(viewing, assets)}>${content}
  </div>`,
    ),
  }
}

/** The overlays with their addresses to copy, as they are now. */
export const overlaysPage = (viewing: Viewing, { cages }: Live): Page => ({
  title: 'Overlays',
  description: 'Each cage for stream software: addresses to copy, and what they show now.',
  path: '/overlay',
  hasFrames: true,
  body: html`
<section class="lead">
  <h1>Overlays</h1>
  <p>Each is a browser source for stream software, such as OBS: transparent, and as large as its window.</p>
</section>
<ul class="cards live">${cages.map(({ cage: { number }, state: { cage } }) => {
    const path = viewing.href(`/overlay/cage/${number}`)
    return html`
  <li class="card"><h2>${cage}</h2>
    <iframe src="${path}" title="Overlay of ${cage}" loading="lazy"></iframe>
    <p><a href="${path}">${path}</a></p>
    <p class="chips"><button type="button" data-copy="${path}" hidden>Copy the address</button></p></li>`
  })}
</ul>
<section>
  <h2>Settings</h2>
  <p>With <code>spoilers=0</code> in the address no result is shown. Colours and size are custom properties, for the field
    “Custom CSS” of the source:</p>
  <pre tabindex="0" aria-label="Example of colours"><code>:root { --accent: gold; --red: crimson; --blue: navy; --bar: black; --scale: 1.2 }</code></pre>
</section>`,
})
