import { termList } from '../elements.ts'
import { type Html, html, type Part } from '../html.ts'
import { type CameraView, qualities } from './cameras.ts'

/** Shapes on a grid of 24, as paths. */
const icons = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  back: 'M12 5V1L6 6l6 5V7a6 6 0 1 1-6 6H4a8 8 0 1 0 8-8z',
  forward: 'M12 5V1l6 5-6 5V7a6 6 0 1 0 6 6h2a8 8 0 1 1-8-8z',
  before: 'M5 5h3v14H5zM19 5v14L9 12z',
  after: 'M16 5h3v14h-3zM5 5v14l10-7z',
  sound: 'M3 9v6h4l6 5V4L7 9zM16 8a5 5 0 0 1 0 8M18.500 5a9 9 0 0 1 0 14',
  full: 'M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z',
} as const

const icon = (name: keyof typeof icons, className = ''): Html =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true" class="${className}"><path d="${icons[name]}"/></svg>`

/** A button for `browser/watch.ts`; `keys` press it, too, and the first key is shown. */
const button = (
  action: string,
  label: string,
  keys: string,
  content: Html,
  isToggle = false,
): Html => html`
      <button type="button" data-do="${action}" data-keys="${keys}" aria-label="${label}" title="${label} (${keys.split(' ')[0]})"${isToggle && html` aria-pressed="false"`}>${content}</button>`

const keys = [
  ['space or k', 'play, pause'],
  ['← →, j l', '5 seconds back, forward'],
  [', and .', 'one frame back, forward'],
  ['Home, 0 to 9', 'the start, a tenth of the fight'],
  ['m', 'sound of the large camera'],
  ['f', 'full screen'],
  ['?', 'this list'],
] as const

const rates = [
  ['0.25', '¼×'],
  ['0.5', '½×'],
  ['1', '1×'],
  ['2', '2×'],
] as const

/** Controls of the player: one row, and the rest in a menu; hidden until the script runs. */
export const playerControls = (
  cameras: readonly CameraView[],
  { shownAtFirst, moments }: { readonly shownAtFirst: number; readonly moments: Part },
): Html => {
  const given = qualities.filter((quality) =>
    cameras.some(({ files }) => files.some((file) => file.quality === quality)),
  )
  return html`
  <div class="controls" hidden>
    <div class="timeline">
      <div class="marks" aria-hidden="true"></div>
      <input type="range" class="seek" min="0" max="1" value="0" step="0.1" aria-label="Time in the fight">
    </div>
    <div class="buttons">${[
      button('play', 'Play', 'k space', html`${icon('play', 'play')}${icon('pause', 'pause')}`),
      button('back', '5 seconds back', 'j arrowleft', icon('back')),
      button('forward', '5 seconds forward', 'l arrowright', icon('forward')),
    ]}
      <select class="rate" aria-label="Speed">${rates.map(
        ([value, text]) =>
          html`<option value="${value}"${value === '1' && html` selected`}>${text}</option>`,
      )}</select>${[
        button('sound', 'Sound', 'm', icon('sound', 'line'), true),
        button('full', 'Full screen', 'f', icon('full')),
      ]}
      <span class="elapsed"><output class="clock" aria-label="Time in the fight">0:00.0</output> <small>elapsed</small></span>
    </div>
    <p class="message" role="status"></p>${moments}
    <details class="menu">
      <summary data-keys="?">Cameras, frames, keys</summary>
      <div class="buttons">${[
        button('before', 'One frame back', ',', icon('before')),
        button('after', 'One frame forward', '.', icon('after')),
      ]}
        <label>Picture <select class="quality">${given.map(
          (quality) => html`<option value="${quality}">${quality}</option>`,
        )}</select></label>
        <button type="button" data-do="link" data-copy="">Copy a link to this moment</button>
      </div>
      <fieldset class="choice">
        <legend>Cameras</legend>${cameras.map(
          ({ name }, index) => html`
        <label><input type="checkbox" value="${index}"${index < shownAtFirst && html` checked`}> <bdi>${name}</bdi></label>`,
        )}
      </fieldset>${termList(keys)}
    </details>
  </div>`
}
