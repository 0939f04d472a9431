import { type Assets, assetPath } from '../assets.ts'
import { type Html, html } from '../html.ts'
import type { Viewing } from '../site.ts'

/** The section that `browser/streams.ts` fills with the streams of one cage or all, and the hosts that they come from. */
export const streamsOf = (
  { address, streamBase }: Viewing,
  assets: Assets,
  cage?: string,
): { readonly body: Html | undefined; readonly hosts: readonly string[] } =>
  streamBase === undefined
    ? { body: undefined, hosts: [] }
    : {
        hosts: [streamBase],
        body: html`
<section id="streams" hidden aria-labelledby="streams-title" data-streams="${address('/live/streams')}" data-hls="${address(assetPath(assets, 'hls.js'))}"${cage && html` data-cage="${cage}"`}>
  <h2 id="streams-title">Streams</h2>
  <ul class="chips"></ul>
  <div class="stage"></div>
</section>`,
      }
