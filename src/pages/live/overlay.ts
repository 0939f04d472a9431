import { fightSeconds } from '../../careers/bots.ts'
import type { Corner, Fight, Tournament } from '../../league/types.ts'
import { type Assets, assetPath } from '../assets.ts'
import { clock } from '../cages.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { followsFromOutcome } from '../outcomes.ts'
import { askAgain } from '../respond.ts'
import { name, type Viewing } from '../site.ts'
import { duration } from '../times.ts'
import { following } from './following.ts'
import type { CageNow, Live } from './lookup.ts'

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

const stylesheet = (viewing: Viewing, assets: Assets): Html => html`
  <link rel="stylesheet" href="${viewing.address(assetPath(assets, 'overlay.css'))}">`

/** What an overlay is until the data is loaded: nothing over the film, and asks again. */
export const emptyOverlay = (viewing: Viewing, assets: Assets): Partial<Page> => ({
  isBare: true,
  head: html`${stylesheet(viewing, assets)}${askAgain}`,
  body: html`
<main class="overlay"></main>`,
})

/** One cage for stream software: transparent, 1920 by 1080, and nothing to click. */
export const overlayPage = (
  viewing: Viewing,
  { tournaments }: Live,
  now: CageNow,
  assets: Assets,
): Page => {
  const board = boardOf(viewing, now)
  const tournament = board && tournaments.get(board.fight.tournament.id)
  const { number } = now.cage
  return {
    title: `Overlay of cage ${number}`,
    description: `Cage ${number} for stream software: up next, now fighting, result.`,
    path: `/overlay/cage/${number}`,
    isBare: true,
    modules: ['live.js'],
    head: stylesheet(viewing, assets),
    body: html`
<main class="overlay" data-always ${following(viewing, assets)}>
  <div id="cages" data-live>${board && tournament && boardMarkup(viewing, tournament, board)}
  </div>
</main>`,
  }
}
