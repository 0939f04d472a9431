/** The player of `/w/…`: several recordings of one fight on one clock. Without it each has controls of its own. */
import {
  type Camera,
  type Clock,
  direct,
  type Order,
  rangeOf,
  seekClock,
  stoppedClock,
  timeAt,
} from './sync.ts'

const tickMs = 100
const jumpSeconds = 5
/** Film of most cameras has 30 pictures a second. */
const frameSeconds = 1 / 30
/** Before the fight, for the countdown; a link can lead further back. */
const preRollSeconds = 15
const haveFutureData = 3
const networkIdle = 1
const qualities = ['72p', '360p', '720p', 'original'] as const
/** Smaller files are for the small pictures. */
const qualityOf = { small: '72p', large: '360p' } as const

type Quality = (typeof qualities)[number]
const isQuality = (text: string): text is Quality => qualities.some((quality) => quality === text)

interface Shown {
  readonly figure: HTMLElement
  readonly video: HTMLVideoElement
  readonly note: HTMLElement
  readonly name: string
  readonly offset: number
  order: Order | undefined
  isShown: boolean
  hasFailed: boolean
  /** Whether it plays for a moment to load, see `prime`. */
  isPriming: boolean
}

const find = <T extends HTMLElement>(
  within: ParentNode,
  selector: string,
  type: new () => T,
): T => {
  const found = within.querySelector(selector)
  if (!(found instanceof type)) throw new Error(`no ${selector}`)
  return found
}

/** The file of a quality, else the next larger one, else the largest. */
const addressOf = (video: HTMLVideoElement, wanted: Quality): string => {
  const addresses = qualities.map((quality) => video.getAttribute(`data-${quality}`))
  const at = qualities.indexOf(wanted)
  return (
    [...addresses.slice(at), ...addresses.slice(0, at).reverse()].find((each) => each !== null) ??
    ''
  )
}

/** The next larger file than the one that is loaded. */
const largerThan = (video: HTMLVideoElement): string | undefined => {
  const addresses = qualities.flatMap((quality) => video.getAttribute(`data-${quality}`) ?? [])
  return addresses[addresses.indexOf(video.getAttribute('src') ?? '') + 1]
}

const clockText = (time: number): string => {
  const tenths = Math.round(Math.abs(time) * 10)
  const minutes = Math.floor(tenths / 600)
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, '0')
  return `${time < 0 && tenths > 0 ? '−' : ''}${minutes}:${seconds}`
}

const start = (root: HTMLElement): void => {
  const stage = find(root, '.stage', HTMLElement)
  const controls = find(root, '.controls', HTMLElement)
  const seek = find(controls, '.seek', HTMLInputElement)
  const output = find(controls, '.clock', HTMLOutputElement)
  const message = find(controls, '.message', HTMLElement)
  const quality = find(controls, 'select', HTMLSelectElement)
  const boxes = [...controls.querySelectorAll<HTMLInputElement>('.choice input')]
  const length = Number(root.dataset.length ?? 0)
  const given = Number.parseFloat(new URLSearchParams(location.search).get('t') ?? '')
  const first = Number.isFinite(given) ? given : 0

  let clock: Clock = stoppedClock(first)
  let main = 0
  let hasSound = false
  let largeQuality: Quality = qualityOf.large

  const cameras = [...stage.querySelectorAll<HTMLElement>('.camera')].map(
    (figure, index): Shown => {
      const video = find(figure, 'video', HTMLVideoElement)
      const caption = find(figure, 'figcaption', HTMLElement)
      const name = caption.textContent ?? ''
      const enlarge = document.createElement('button')
      enlarge.type = 'button'
      enlarge.append(...caption.childNodes)
      enlarge.addEventListener('click', () => choose(index))
      const note = document.createElement('p')
      note.className = 'note'
      caption.replaceWith(enlarge, note)
      video.controls = false
      video.tabIndex = -1
      video.addEventListener('click', () => (index === main ? toggle() : choose(index)))
      const offset = Number(figure.dataset.offset)
      const isShown = boxes[index]?.checked ?? false
      return {
        figure,
        video,
        note,
        name,
        offset,
        order: undefined,
        isShown,
        hasFailed: false,
        isPriming: false,
      }
    },
  )

  const read = ({ video, offset }: Shown): Camera => ({
    offset,
    duration: video.duration,
    position: video.currentTime,
    isReady: video.readyState >= haveFutureData,
    isSeeking: video.seeking,
  })
  const active = (): readonly Shown[] =>
    cameras.filter(({ isShown, hasFailed }) => isShown && !hasFailed)

  /** Has a video load from where it will be needed. */
  const load = (camera: Shown, address: string): void => {
    const { video } = camera
    if (video.getAttribute('src') === address) return
    camera.hasFailed = false
    camera.order = undefined
    video.preload = 'auto'
    video.src = address
  }

  const arrange = (): void => {
    for (const [index, camera] of cameras.entries()) {
      const isMain = index === main
      const { figure, video, isShown } = camera
      figure.classList.toggle('main', isMain)
      figure.hidden = !isShown
      video.muted = !(isMain && hasSound)
      find(figure, 'button', HTMLButtonElement).setAttribute('aria-pressed', String(isMain))
      if (!isShown) {
        video.pause()
        continue
      }
      // One that was large keeps its file.
      if (isMain) load(camera, addressOf(video, largeQuality))
      else if (video.preload === 'none') load(camera, addressOf(video, qualityOf.small))
    }
    root.classList.toggle('single', active().length === 1)
    tick()
  }

  const showRange = (time: number): void => {
    const { from, to } = rangeOf(active().map(read))
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

  const show = (time: number, waitsFor: readonly Shown[]): void => {
    showRange(time)
    seek.value = time.toFixed(1)
    seek.ariaValueText = clockText(time)
    output.value = clockText(time)
    root.classList.toggle('playing', clock.wantsPlay)
    find(controls, '[data-do=play]', HTMLButtonElement).ariaLabel = clock.wantsPlay
      ? 'Pause'
      : 'Play'
    const text =
      waitsFor.length === 0 ? '' : `Waiting for ${waitsFor.map(({ name }) => name).join(', ')}`
    if (waitingSince === undefined || text === '')
      waitingSince = text === '' ? undefined : performance.now()
    const isSlow = waitingSince !== undefined && performance.now() - waitingSince > 700
    const said = isSlow ? text : notice
    if (message.textContent !== said) message.textContent = said
    for (const camera of cameras) {
      const { duration } = camera.video
      const position = time + camera.offset
      const said = camera.hasFailed
        ? 'Cannot be loaded'
        : position < 0
          ? 'Not recording yet'
          : position > duration
            ? 'Over'
            : ''
      if (camera.note.textContent !== said) camera.note.textContent = said
    }
  }
  let waitingSince: number | undefined
  let notice = ''

  const obey = (camera: Shown, order: Order): void => {
    const { video } = camera
    camera.order = order
    if (video.playbackRate !== order.rate) video.playbackRate = order.rate
    if (order.seekTo !== undefined && video.readyState > 0) video.currentTime = order.seekTo
    if (order.plays && video.paused) void video.play().catch(() => undefined)
    else if (!order.plays && !video.paused && !camera.isPriming) video.pause()
  }

  /** Plays a video that does not load: some browsers fetch no picture before `play`. */
  const prime = (camera: Shown): void => {
    const { video, isPriming } = camera
    if (isPriming || video.readyState >= haveFutureData || video.networkState !== networkIdle)
      return
    camera.isPriming = true
    const done = (): void => {
      camera.isPriming = false
    }
    void video.play().then(done, done)
  }

  const tick = (): void => {
    const shown = active()
    if (clock.wantsPlay) for (const camera of shown) prime(camera)
    const before = shown.map(
      ({ order, video }) => order ?? { plays: false, seekTo: undefined, rate: video.playbackRate },
    )
    const result = direct(clock, shown.map(read), performance.now(), before)
    clock = result.clock
    for (const [index, order] of result.orders.entries()) {
      const camera = shown[index]
      if (camera) obey(camera, order)
    }
    const waitsFor = result.waitsFor.flatMap((index) => shown[index] ?? [])
    show(timeAt(clock, performance.now()), waitsFor)
  }

  const moment = (): number => Math.round(timeAt(clock, performance.now()) * 10) / 10
  const remember = (): void => {
    const address = new URL(location.href)
    address.searchParams.set('t', String(moment()))
    history.replaceState(history.state, '', address)
  }
  const toggle = (): void => {
    const time = timeAt(clock, performance.now())
    const hasEnded = !clock.wantsPlay && time >= rangeOf(active().map(read)).to - 0.2 && time > 1
    clock = hasEnded ? seekClock(clock, 0) : { ...clock, time, atMs: performance.now() }
    clock = { ...clock, wantsPlay: !clock.wantsPlay, isRunning: false }
    if (!clock.wantsPlay) remember()
    tick()
  }
  const goTo = (time: number): void => {
    const { from, to } = rangeOf(active().map(read))
    const end = to > 0 ? to : Number.POSITIVE_INFINITY
    clock = seekClock(clock, Math.min(Math.max(time, from), end))
    if (!clock.wantsPlay) remember()
    tick()
  }
  const jump = (seconds: number): void => goTo(timeAt(clock, performance.now()) + seconds)
  const step = (frames: number): void => {
    if (clock.wantsPlay) toggle()
    jump(frames * frameSeconds)
  }
  const choose = (index: number): void => {
    const box = boxes[index]
    const camera = cameras[index]
    if (!box || !camera) return
    box.checked = true
    camera.isShown = true
    main = index
    arrange()
  }
  const press = (name: string, isPressed: boolean): void =>
    find(controls, `[data-do=${name}]`, HTMLButtonElement).setAttribute(
      'aria-pressed',
      String(isPressed),
    )
  const half = (): void => {
    const nowMs = performance.now()
    clock = { ...clock, time: timeAt(clock, nowMs), atMs: nowMs, rate: clock.rate === 1 ? 0.5 : 1 }
    press('half', clock.rate !== 1)
    tick()
  }
  const sound = (): void => {
    hasSound = !hasSound
    press('sound', hasSound)
    arrange()
  }
  const full = (): void => {
    if (document.fullscreenElement) void document.exitFullscreen()
    else void root.requestFullscreen?.().catch(() => undefined)
  }
  const link = async (): Promise<void> => {
    remember()
    try {
      await navigator.clipboard.writeText(location.href)
      notice = `Link to ${clockText(moment())} copied`
    } catch {
      // Browsers give the clipboard to secure pages alone.
      notice = `The address of this page leads to ${clockText(moment())} now`
    }
    setTimeout(() => {
      notice = ''
    }, 4000)
    tick()
  }

  const actions: Readonly<Record<string, () => void>> = {
    play: toggle,
    back: () => jump(-jumpSeconds),
    forward: () => jump(jumpSeconds),
    before: () => step(-1),
    after: () => step(1),
    half,
    sound,
    full,
    link: () => void link(),
  }
  const keys: Readonly<Record<string, string>> = {
    k: 'play',
    ' ': 'play',
    j: 'back',
    l: 'forward',
    ',': 'before',
    '.': 'after',
    s: 'half',
    m: 'sound',
    f: 'full',
  }

  controls.addEventListener('click', ({ target }) => {
    const pressed = target instanceof Element ? target.closest('[data-do]') : null
    actions[pressed?.getAttribute('data-do') ?? '']?.()
  })
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
    if (
      target.closest('cageside-search, select, textarea, input:not([type=range], [type=checkbox])')
    )
      return
    if (key === ' ' && target.closest('button, input, a, summary')) return
    const action = actions[keys[key.toLowerCase()] ?? '']
    if (action) action()
    else if (/^[1-9]$/.test(key)) choose(Number(key) - 1)
    else return
    event.preventDefault()
  })
  seek.addEventListener('input', () => goTo(seek.valueAsNumber))
  quality.addEventListener('change', () => {
    if (isQuality(quality.value)) largeQuality = quality.value
    const camera = cameras[main]
    if (camera) load(camera, addressOf(camera.video, largeQuality))
    tick()
  })
  for (const box of boxes) {
    box.addEventListener('change', () => {
      const index = Number(box.value)
      const camera = cameras[index]
      if (!camera) return
      if (active().length === 1 && !box.checked) box.checked = true
      camera.isShown = box.checked
      if (index === main && !box.checked)
        main = Math.max(
          0,
          cameras.findIndex(({ isShown }) => isShown),
        )
      arrange()
    })
  }
  root.querySelector('.moments')?.addEventListener('click', (event) => {
    const chosen = event.target instanceof Element ? event.target.closest('[data-t]') : null
    if (!chosen) return
    event.preventDefault()
    goTo(Number(chosen.getAttribute('data-t')))
  })
  for (const camera of cameras) {
    const { video } = camera
    video.addEventListener('error', () => {
      const larger = largerThan(video)
      if (larger === undefined) camera.hasFailed = true
      else load(camera, larger)
      tick()
    })
    for (const type of ['seeked', 'canplay', 'waiting', 'loadedmetadata'])
      video.addEventListener(type, tick)
  }
  const [smallest] = [...quality.options].filter(({ value }) => value === largeQuality)
  if (smallest) smallest.selected = true
  else if (isQuality(quality.value)) largeQuality = quality.value
  controls.hidden = false
  root.classList.add('ready')
  arrange()
  setInterval(tick, tickMs)
}

const root = document.querySelector('#watch')
if (root instanceof HTMLElement) start(root)
