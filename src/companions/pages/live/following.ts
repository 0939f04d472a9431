import { type Assets, assetPath } from '../assets.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Viewing } from '../site.ts'

/**
 * Changes after which a cage looks different; changes of tournaments stand for many others, see
 * src/companions/changes/README.md.
 */
const types =
  'cage.changed,fight.called,fight.started,fight.ended,fight.corrected,fight.removed,schedule.changed,tournament.added,tournament.changed'

/** Attributes by which `browser/live.ts` finds the feed of changes, and the worker that all tabs share. */
export const following = ({ address }: Viewing, assets: Assets): Html =>
  html`data-follow="${address(`/changes/stream?type=${types}`)}" data-worker="${address(assetPath(assets, 'changes.js'))}"`

/**
 * The section that `browser/streams.ts` fills with the streams of one cage or all, and the hosts that they come from.
 */
export const streamsOf = (
  { address, streamBase }: Viewing,
  assets: Assets,
  cage?: string,
): { readonly body: Part; readonly hosts: readonly string[] } => ({
  hosts: streamBase === undefined ? [] : [streamBase],
  body:
    streamBase !== undefined &&
    html`
<section id="streams" hidden aria-labelledby="streams-title" data-streams="${address('/live/streams')}" data-hls="${address(assetPath(assets, 'hls.js'))}"${cage && html` data-cage="${cage}"`}>
  <h2 id="streams-title">Streams</h2>
  <ul class="chips"></ul>
  <div class="stage"></div>
</section>`,
})
