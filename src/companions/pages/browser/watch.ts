/** Page `/w/…`: its controls, keys and URL. Without this script each recording has controls of its own. */
import { isQuality, type Quality } from './camera.ts'
import { make, setText } from './dom.ts'
import { clockText, readMoment } from './moment.ts'
import { createPlayer, type Playing } from './player.ts'

const jumpSeconds = 5
/** Seconds before the fight, for the countdown; a link can lead further back. */
const preRollSeconds = 15
/** A shorter wait is not worth a message. */
const slowMs = 700
const largeQuality: Quality = '360p'

const find = <T extends HTMLElement>(
  within: ParentNode,
  selector: string,
  type: new () => T,
): T => {
  const found = within.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`no ${selector}`)
  return found
}

/** True if the link asks for the film, not for a moment in it, and the viewer does not ask for less motion or data. */
const beginsByItself = (): boolean => {
  const { connection }: Navigator & { connection?: { saveData?: boolean } } = navigator
  return (
    location.hash === '#play' &&
    !new URLSearchParams(location.search).has('t') &&
    !matchMedia('(prefers-reduced-motion: reduce), (prefers-reduced-data: reduce)').matches &&
    !connection?.saveData
  )
}

const start = (root: HTMLElement): void => {
  const controls = find(root, '.controls', HTMLElement)
  const seek = find(controls, '.seek', HTMLInputElement)
  const output = find(controls, '.clock', HTMLOutputElement)
  const quality = find(controls, '.quality', HTMLSelectElement)
  const rate = find(controls, '.rate', HTMLSelectElement)
  const keyed = [...controls.querySelectorAll<HTMLElement>('[data-keys]')]
  const boxes = [...controls.querySelectorAll<HTMLInputElement>('.choice input')]
  const buttonOf = (action: string): HTMLButtonElement =>
    find(controls, `[data-do=${action}]`, HTMLButtonElement)
  const message = find(controls, '.message', HTMLElement)
  let waitsSince: number | undefined
  const length = Number(root.dataset.length ?? 0)

  const showRange = ({ time, from, to }: Playing): void => {
    const least = Math.max(from, Math.min(-preRollSeconds, time))
    const most = Math.max(to, length, time, 1)
    const [min, max] = [least.toFixed(1), most.toFixed(1)]
    if (seek.min !== min) seek.min = min
    if (seek.max !== max) seek.max = max
    const at = (value: number): string => `${((value - least) / (most - least)) * 100}%`
    root.style.setProperty('--from', at(0))
    root.style.setProperty('--to', at(length > 0 ? length : most))
    root.style.setProperty('--now', at(time))
  }
  const showMessage = ({ hasFailed, waitsFor }: Playing): void => {
    waitsSince = waitsFor.length === 0 ? undefined : (waitsSince ?? performance.now())
    const isSlow = waitsSince !== undefined && performance.now() - waitsSince > slowMs
    const waiting = isSlow ? `Waiting for ${waitsFor.join(', ')}` : ''
    setText(message, hasFailed ? 'No film can be loaded now. Play tries again.' : waiting)
  }
  const show = (playing: Playing): void => {
    const { time, wantsPlay, hasSound, shown } = playing
    const text = clockText(time)
    showRange(playing)
    seek.value = time.toFixed(1)
    seek.setAttribute('aria-valuetext', text)
    output.value = text
    root.classList.toggle('playing', wantsPlay)
    root.classList.toggle('muted', !hasSound)
    root.classList.toggle('single', shown.filter(Boolean).length === 1)
    buttonOf('play').setAttribute('aria-label', wantsPlay ? 'Pause' : 'Play')
    buttonOf('sound').setAttribute('aria-pressed', String(hasSound))
    for (const [index, box] of boxes.entries()) box.checked = shown[index] ?? false
    showMessage(playing)
  }

  const option = [...quality.options].find(({ value }) => value === largeQuality)
  if (option) option.selected = true
  const player = createPlayer({
    figures: [...root.querySelectorAll<HTMLElement>('.camera')],
    shown: boxes.map(({ checked }) => checked),
    quality: isQuality(quality.value) ? quality.value : largeQuality,
    time: readMoment(new URLSearchParams(location.search).get('t') ?? ''),
    onChange: show,
  })

  /** Keeps the moment in the URL, for links and for going back to this page. */
  const remember = (): void => {
    const address = new URL(location.href)
    address.searchParams.set('t', String(player.moment()))
    address.hash = ''
    try {
      history.replaceState(history.state, '', address)
    } catch {
      // Sandboxed frames refuse a new URL, and Safari more than 100 in 30 s.
    }
  }
  /** An action after which the URL has the moment, unless the fight plays. */
  const moving = (act: () => void) => (): void => {
    act()
    if (!player.isPlaying()) remember()
  }
  const full = (): void => {
    if (!document.fullscreenEnabled) return
    if (document.fullscreenElement) void document.exitFullscreen()
    else void root.requestFullscreen().catch(() => undefined)
  }
  const actions: Readonly<Record<string, () => void>> = {
    play: moving(player.toggle),
    back: moving(() => player.jump(-jumpSeconds)),
    forward: moving(() => player.jump(jumpSeconds)),
    before: moving(() => player.step(-1)),
    after: moving(() => player.step(1)),
    sound: player.toggleSound,
    full,
    link: remember,
  }
  const seekTo = (time: number): void => moving(() => player.goTo(time))()

  // Called before the button copies the URL.
  const press = ({ target }: Event): void => {
    const pressed = target instanceof Element ? target.closest('[data-do]') : null
    actions[pressed?.getAttribute('data-do') ?? '']?.()
  }
  root.addEventListener('click', press, { capture: true })
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
    if (
      target.closest('cageside-search, select, textarea, input:not([type=range], [type=checkbox])')
    )
      return
    if (key === ' ' && target.closest('button, input, a, summary')) return
    const name = key === ' ' ? 'space' : key.toLowerCase()
    const pressed = keyed.find(({ dataset }) => dataset.keys?.split(' ').includes(name))
    if (pressed) pressed.click()
    else if (/^(\d|Home)$/.test(key))
      seekTo((Number.parseInt(key, 10) || 0) * 0.1 * (length || Number(seek.max)))
    else return
    event.preventDefault()
  })
  seek.addEventListener('input', () => seekTo(seek.valueAsNumber))
  rate.addEventListener('change', () => player.setRate(Number(rate.value)))
  quality.addEventListener('change', () => {
    if (isQuality(quality.value)) player.setQuality(quality.value)
  })
  for (const [index, box] of boxes.entries())
    box.addEventListener('change', () => player.showCamera(index, box.checked))
  root.querySelector('.moments')?.addEventListener('click', (event) => {
    const chosen = event.target instanceof Element ? event.target.closest('[data-t]') : null
    if (!chosen) return
    event.preventDefault()
    seekTo(Number(chosen.getAttribute('data-t')))
  })
  // The browser may keep the page for going back, while its clock would go on.
  addEventListener('pagehide', () => {
    if (player.isPlaying()) actions.play?.()
  })
  buttonOf('full').hidden = !document.fullscreenEnabled
  controls.hidden = false
  root.classList.add('ready')
  if (beginsByItself()) player.toggle()
}

const root = document.querySelector('#watch')
if (root instanceof HTMLElement) start(root)

/** Replaces the pressed element by the player of its provider, which learns nothing of the viewer before. */
const playProvided = (figure: HTMLElement): void => {
  const player = new URL(figure.dataset.player ?? '')
  // Twitch plays on sites that its address names.
  if (player.hostname.endsWith('.twitch.tv')) player.searchParams.set('parent', location.hostname)
  const frame = make('iframe', {
    src: player.href,
    title: figure.querySelector('figcaption')?.textContent ?? '',
    allow: 'autoplay; fullscreen; picture-in-picture',
    referrerPolicy: 'strict-origin-when-cross-origin',
  })
  figure.querySelector('a')?.replaceWith(frame)
  frame.focus()
}
for (const figure of document.querySelectorAll<HTMLElement>('[data-player]')) {
  figure.querySelector('a')?.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    playProvided(figure)
  })
}
