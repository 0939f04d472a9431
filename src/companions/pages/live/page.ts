import { type Static, Type } from '@sinclair/typebox'
import { renderSVG } from 'uqr'
import { eventPath } from '../../../api/pagePaths.ts'
import { type CageNow, cageCard, cageNumber, findOwnCages, isIdle, statusText } from '../cages.ts'
import { Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import { type Asked, spoilers } from '../respond.ts'
import type { Viewing } from '../site.ts'
import { following, streamsOf } from './following.ts'

/** Number of cards that a board has room for in two rows of four, of which the QR code takes one place. */
const maxLargeCards = 7

/** Cages where something happens. */
const cageList = (viewing: Viewing, cages: readonly CageNow[], isBoard: boolean): Html => {
  const busy = cages.filter((each) => !isIdle(each))
  return html`
  <ul class="cards live${isBoard && busy.length > maxLargeCards && ' many'}" id="cages" data-live>${busy.map(
    (each) => cageCard(viewing, each, isBoard),
  )}
  </ul>`
}

/** All cages by number, with links to their cards: each has its place here. */
const jumps = (cages: readonly CageNow[]): Html => html`
  <nav class="chips jumps" aria-label="Cages" id="jumps" data-live>${cages.map((each) => {
    const { cage, status } = each.state
    return isIdle(each)
      ? html`<span>${cage} <small>${statusText(each)}</small></span>`
      : html`<a class="${status}" href="#cage-${each.cage.number}">${cage}</a>`
  })}</nav>`

const board = Type.Boolean({ default: false })
export const liveQuery = Type.Object({ spoilers, board, cage: cageNumber })
export const liveReading = {
  // The QR code on the board has a whole address.
  varyOn: ['host', 'x-forwarded-proto'],
  normalize: (
    { board, cage }: Static<typeof liveQuery>,
    { headers }: { readonly headers: Headers },
  ) => ({
    cage,
    origin: board
      ? `${headers.get('x-forwarded-proto') ?? 'http'}://${headers.get('host') ?? ''}`
      : undefined,
  }),
} as const

/**
 * All cages as they change, with the live streams. On the board for a projector, a QR code leads to the event on the
 * host of the request.
 */
export const livePage = ({
  archive,
  viewing,
  assets,
  query: { origin, cage: first },
}: Asked<unknown, ReturnType<typeof liveReading.normalize>>): Page => {
  const cages = findOwnCages(archive, viewing)
  const followed = following(viewing, assets)
  const both = { canBeFramed: true, isLive: true } as const
  if (origin !== undefined) {
    const fight = cages.flatMap(({ cage }) => cage.fight ?? cage.queue[0] ?? [])[0]
    const path = fight ? eventPath(fight.tournament.id) : '/live'
    const address = viewing.canonical(viewing.chosen(path)) ?? `${origin}${viewing.href(path)}`
    return {
      ...both,
      title: 'Board',
      description: 'All cages for a projector.',
      path: '/live?board=1',
      isBare: true,
      rootClass: 'projector',
      styles: ['live.css'],
      modules: ['live.js'],
      body: html`
<main class="board-page" data-awake ${followed}>
  <h1 class="quiet">Cages</h1>${jumps(cages.filter(isIdle))}${cageList(viewing, cages, true)}
  <figure class="code">${new Html(renderSVG(address, { border: 2 }))}<figcaption>${address.replace(/^https?:\/\//, '')}</figcaption></figure>
</main>`,
    }
  }
  // The cage that a link leads to comes first, then the others by number.
  const isFirst = ({ cage }: CageNow): boolean => cage.number === first
  const ordered = cages.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
  const streams = streamsOf(viewing, assets)
  return {
    ...both,
    title: 'Live',
    description: 'All cages as they change: the fights, the clock, and what comes next.',
    path: '/live',
    styles: ['watch.css', 'live.css'],
    modules: ['live.js'],
    media: streams.hosts,
    connect: streams.hosts,
    body: html`
<section class="lead">
  <div class="titled"><h1>Live</h1><p class="soft"><a href="${viewing.href('/overlay')}">Overlays for streams</a>, <a href="${viewing.href('/live?board=1')}">board for a projector</a><noscript>. Reload this page to see what has changed.</noscript></p></div>
</section>
<section aria-label="Cages" ${followed}>${jumps(cages)}${cageList(viewing, ordered, false)}
  <p id="nothing" data-live${!cages.every(isIdle) && html` hidden`}>No fight is in a cage or waits for one. <a href="${viewing.href('/')}">Last and next event</a></p>
</section>${streams.body}`,
  }
}
