import { type Assets, assetPath } from '../assets.ts'
import { cageCard } from '../cages.ts'
import { html } from '../html.ts'
import type { Page } from '../layout.ts'
import type { Viewing } from '../site.ts'
import { following } from './following.ts'
import type { Live } from './lookup.ts'

/** Fights waiting for a cage that its card shows. */
const maxNext = 4

/** All cages as they change; `streamBase` is where the streaming server's films come from. */
export const livePage = (
  viewing: Viewing,
  live: Live,
  { assets, streamBase }: { readonly assets: Assets; readonly streamBase: string | undefined },
): Page => ({
  title: 'Live',
  description: 'All cages as they change: the fights, the clock, and what comes next.',
  path: '/live',
  modules: ['live.js'],
  canBeFramed: true,
  media: streamBase === undefined ? [] : [streamBase],
  connect: streamBase === undefined ? [] : [streamBase],
  body: html`
<section class="lead">
  <h1>Live</h1>
  <noscript><p class="soft">Reload this page to see what has changed.</p></noscript>
</section>${
    streamBase === undefined
      ? undefined
      : html`
<section id="streams" hidden aria-labelledby="streams-title" data-streams="${viewing.address('/live/streams')}" data-hls="${viewing.address(assetPath(assets, 'hls.js'))}">
  <h2 id="streams-title">Streams</h2>
  <ul class="chips"></ul>
  <div class="stage"></div>
</section>`
  }
<section aria-label="Cages" ${following(viewing, assets)}>
  <ul class="cards live" id="cages" data-live>${live.cages.map(({ cage, state }) =>
    cageCard(viewing, live, cage, state, { maxNext, heading: 2 }),
  )}
  </ul>
</section>`,
})
