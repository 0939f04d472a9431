import { duration } from '../../../api/counted.ts'
import { fightPath } from '../../../api/pagePaths.ts'
import type { Fight } from '../../../data/league/types.ts'
import { fightSeconds } from '../../../derived/careers/bots.ts'
import { inlinedPicture } from '../assets.ts'
import { section } from '../elements.ts'
import { type Html, html, type Part } from '../html.ts'
import type { Asked } from '../respond.ts'
import type { Viewing } from '../site.ts'
import type { CameraView, FilmView } from './cameras.ts'
import { playerControls } from './controls.ts'

/** Cameras shown at first; the others are a tap away. */
const shownAtFirst = 4

/** A file of medium size plays without script; the fragment starts it with the fight. */
const plainAddress = ({ files, offset }: CameraView): string => {
  const file = files.find(({ quality }) => quality === '360p') ?? files[0]
  const start = offset !== null && offset > 0 ? `#t=${offset}` : ''
  return `${file?.address}${start}`
}

/** `poster` is the address of a picture until there is film. */
const camera = (view: CameraView, poster?: string): Html => html`
    <figure class="camera${poster && ' main'}"${view.offset !== null && html` data-offset="${view.offset}"`}>
      <video controls muted playsinline preload="none"${poster && html` poster="${poster}"`} src="${plainAddress(view)}"${view.files.map(
        ({ quality, address }) => html` data-${quality}="${address}"`,
      )}></video>
      <figcaption><bdi>${view.name}</bdi></figcaption>
    </figure>`

/** Links to start, pauses and stop of a fight; the stop and what follows from it is an outcome. */
const momentList = (viewing: Viewing, fight: Fight): Part => {
  const { startUnix, pauses } = fight
  const length = fightSeconds(fight)
  if (startUnix === null || !viewing.showsOutcomes) return undefined
  const at = (label: string, unix: number | null) =>
    unix === null ? [] : { label, seconds: unix - startUnix }
  const moments = [
    at('Start', startUnix),
    pauses.map((pause) => at('Pause', pause.startUnix)),
    pauses.map(({ stopUnix }) => at('Goes on', stopUnix === fight.stopUnix ? null : stopUnix)),
    at('Stop', length === null ? null : startUnix + length),
  ].flat(2)
  return html`
  <ul class="chips moments" aria-label="Moments">${moments
    .sort((a, b) => a.seconds - b.seconds)
    .map(({ label, seconds }) => {
      const address = viewing.href(`${fightPath(fight)}?t=${seconds}`)
      return html`
    <li><a href="${address}" data-t="${seconds}">${label} <b>${duration(seconds)}</b></a></li>`
    })}
  </ul>`
}

/**
 * Length of the seek bar if outcomes are hidden: longer than most recordings, because a bar as long as the recording
 * would show how long the fight was.
 */
const unknownLength = ({ countdownSeconds }: Fight): number => (countdownSeconds ?? 180) + 120

/** Films of providers; a player is loaded when it is pressed. */
export const filmSection = (films: readonly FilmView[], isFirst: boolean): Part =>
  films.length > 0 &&
  html`
<section class="films" aria-label="${isFirst ? 'Recordings' : 'Further films'}">
  <div class="stage">${films.map(
    (film, index) => html`
    <figure class="camera${isFirst && index === 0 && ' main'}" data-player="${film.player}">
      <a href="${film.page}"><span>Play <span class="quiet">${film.name} </span>on ${film.provider}</span></a>
      <figcaption><bdi>${film.name}</bdi></figcaption>
    </figure>`,
  )}
  </div>
</section>`

/** The recordings that play in step, with their controls. */
export const player = (
  { viewing, assets }: Asked,
  fight: Fight,
  cameras: readonly CameraView[],
): Part => {
  const inStep = cameras.filter(({ offset }) => offset !== null)
  const length = viewing.showsOutcomes ? fightSeconds(fight) : unknownLength(fight)
  // A poster of its own is painted half a second later.
  const poster = inlinedPicture(assets, 'poster.png')
  return (
    inStep.length > 0 &&
    html`
<section class="watch" id="watch" aria-label="Recordings"${length !== null && html` data-length="${length}"`}>
  <div class="stage">${inStep.map((each, index) => camera(each, index === 0 ? poster : undefined))}
    <button type="button" class="unmute" data-do="sound">Sound on</button>
  </div>${playerControls(inStep, { shownAtFirst, moments: momentList(viewing, fight) })}
</section>`
  )
}

/** Recordings that cannot be shown in step. */
export const recordingsApart = (cameras: readonly CameraView[]): Part => {
  const apart = cameras.filter(({ offset }) => offset === null)
  return section(
    'others',
    'Recordings whose start is unknown',
    apart.length > 0 &&
      html`
  <div class="stage">${apart.map((each) => camera(each))}
  </div>`,
  )
}
