import { renderSVG } from 'uqr'
import type { CageState } from '../../api/live/schema.ts'
import { caching } from '../../http/caching.ts'
import type { Assets } from '../assets.ts'
import { type CageNow, cageCard, statusText } from '../cages.ts'
import { eventPath } from '../fights.ts'
import { Html, html } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Viewing } from '../site.ts'
import { following } from './following.ts'
import { streamsOf } from './streams.ts'

/** Fights waiting for a cage that its card shows; on the board, that the room has to read. */
const maxNext = 4
const maxNextOnBoard = 2

const order: readonly CageState['status'][] = ['active', 'paused', 'assigned', 'completed', 'idle']

const isIdle = ({ cage, state }: CageNow): boolean =>
  state.status === 'idle' && cage.queue.length === 0

/** The cages where something happens, by number among equals. */
const cageList = (viewing: Viewing, cages: readonly CageNow[], next: number): Html => html`
  <ul class="cards live" id="cages" data-live>${cages
    .filter((each) => !isIdle(each))
    .sort((a, b) => order.indexOf(a.state.status) - order.indexOf(b.state.status))
    .map((each) => cageCard(viewing, each, next))}
  </ul>`

/** All cages by number with what happens in them, which leads to their cards: each has its place here. */
const jumps = (cages: readonly CageNow[]): Html => html`
  <nav class="chips jumps" aria-label="Cages" id="jumps" data-live>${cages.map((each) => {
    const text = html`${each.state.cage} <small>${statusText(each)}</small>`
    return isIdle(each)
      ? html`<span>${text}</span>`
      : html`<a href="#cage-${each.cage.number}">${text}</a>`
  })}</nav>`

/** All cages as they change, with the live streams. */
export const livePage = (viewing: Viewing, cages: readonly CageNow[], assets: Assets): Page => {
  const streams = streamsOf(viewing, assets)
  return {
    title: 'Live',
    description: 'All cages as they change: the fights, the clock, and what comes next.',
    path: '/live',
    styles: ['watch.css', 'live.css'],
    modules: ['live.js'],
    canBeFramed: true,
    cacheControl: caching.live,
    media: streams.hosts,
    connect: streams.hosts,
    body: html`
<section class="lead">
  <h1>Live</h1>
  <p class="soft"><a href="${viewing.href('/overlay')}">Overlays for streams</a>, <a href="${viewing.href('/live?board=1')}">board for a projector</a><noscript>. Reload this page to see what has changed.</noscript></p>
</section>
<section aria-label="Cages" ${following(viewing, assets)}>${jumps(cages)}${cageList(viewing, cages, maxNext)}
</section>${streams.body}`,
  }
}

/** The cages for a projector, with a code that leads to the event; `origin` is the public address of the site's host. */
export const boardPage = (
  viewing: Viewing,
  cages: readonly CageNow[],
  { assets, origin }: { readonly assets: Assets; readonly origin: string },
): Page => {
  const fight = cages.flatMap(({ cage }) => cage.fight ?? cage.queue[0] ?? [])[0]
  const path = fight ? eventPath(fight.tournament.id) : '/live'
  const address = viewing.canonical(viewing.chosen(path)) ?? `${origin}${viewing.href(path)}`
  return {
    title: 'Board',
    description: 'All cages for a projector.',
    path: '/live?board=1',
    isBare: true,
    canBeFramed: true,
    cacheControl: caching.live,
    styles: ['live.css'],
    modules: ['live.js'],
    body: html`
<main class="board-page" data-awake ${following(viewing, assets)}>
  <h1 class="quiet">Cages</h1>${jumps(cages.filter(isIdle))}${cageList(viewing, cages, maxNextOnBoard)}
  <figure class="code">${new Html(renderSVG(address, { border: 2 }))}<figcaption>${address.replace(/^https?:\/\//, '')}</figcaption></figure>
</main>`,
  }
}
