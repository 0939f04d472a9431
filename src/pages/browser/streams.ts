/** Players of the live streams at `/live`. */
import { playStream } from './streamPlayer.ts'

interface Stream {
  readonly name: string
  readonly location: string
  readonly path: string
  readonly hlsUrl: string
}

/** A stream that somebody watches, until they stop it themselves: one that breaks off may come back. */
interface Watched {
  readonly stream: Stream
  readonly figure: HTMLElement
  readonly note: HTMLElement
  /** Undefined while the stream is not broadcast. */
  stop: (() => void) | undefined
}

const refreshMs = 15_000

const isStream = (value: unknown): value is Stream =>
  typeof value === 'object' &&
  value !== null &&
  ['name', 'location', 'path', 'hlsUrl'].every(
    (field) => typeof Reflect.get(value, field) === 'string',
  )

const readStreams = (body: unknown): readonly Stream[] => {
  const groups: unknown =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'groups') : {}
  return Object.values(Object(groups)).flat().filter(isStream)
}

const titleOf = ({ location, name }: Stream): string =>
  name === location || name === '' ? location : `${location}, ${name}`

/** A figure with a video, its title, and a note over the picture. */
const buildFigure = (stream: Stream): { figure: HTMLElement; note: HTMLElement } => {
  const figure = document.createElement('figure')
  figure.className = 'camera'
  const video = document.createElement('video')
  video.controls = true
  video.muted = true
  video.playsInline = true
  video.setAttribute('aria-label', titleOf(stream))
  const note = document.createElement('p')
  note.className = 'note'
  note.role = 'status'
  const caption = document.createElement('figcaption')
  caption.textContent = titleOf(stream)
  figure.append(video, note, caption)
  return { figure, note }
}

export const showStreams = (root: HTMLElement): void => {
  const list = root.querySelector('ul')
  const stage = root.querySelector('.stage')
  const { streams: address = '', hls = '' } = root.dataset
  const library = new URL(hls, location.href).href
  const watched = new Map<string, Watched>()

  const start = (each: Watched): void => {
    const video = each.figure.querySelector('video')
    if (video) each.stop = playStream(video, each.stream.hlsUrl, library)
    each.note.textContent = ''
  }
  const toggle = (stream: Stream): void => {
    const each = watched.get(stream.path)
    if (each) {
      each.stop?.()
      each.figure.remove()
      watched.delete(stream.path)
      return
    }
    const added: Watched = { stream, ...buildFigure(stream), stop: undefined }
    stage?.append(added.figure)
    watched.set(stream.path, added)
    start(added)
  }

  const button = (stream: Stream): HTMLElement => {
    const item = document.createElement('li')
    const toggles = document.createElement('button')
    toggles.type = 'button'
    toggles.textContent = titleOf(stream)
    toggles.setAttribute('aria-pressed', String(watched.has(stream.path)))
    toggles.addEventListener('click', () => {
      toggle(stream)
      toggles.setAttribute('aria-pressed', String(watched.has(stream.path)))
    })
    item.append(toggles)
    return item
  }

  /** Starts and ends what is watched with its stream. */
  const follow = (paths: ReadonlySet<string>): void => {
    for (const each of watched.values()) {
      const isBroadcast = paths.has(each.stream.path)
      if (isBroadcast && !each.stop) start(each)
      if (isBroadcast || !each.stop) continue
      each.stop()
      each.stop = undefined
      each.note.textContent = 'The stream has ended. It plays again when it is back.'
    }
  }

  let shown = ''
  const refresh = async (): Promise<void> => {
    const response = await fetch(address)
    // Streams can be there though their server does not answer the service.
    if (!response.ok) return
    const found = readStreams(await response.json())
    const paths = new Set(found.map(({ path }) => path))
    follow(paths)
    const gone = [...watched.values()].filter(({ stream }) => !paths.has(stream.path))
    const offered = [...found, ...gone.map(({ stream }) => stream)]
    root.hidden = offered.length === 0
    const key = offered.map(({ path }) => path).join()
    if (shown === key) return
    shown = key
    list?.replaceChildren(...offered.map(button))
  }
  const ask = (): void => {
    if (!document.hidden) refresh().catch(() => undefined)
  }
  ask()
  setInterval(ask, refreshMs)
  document.addEventListener('visibilitychange', ask)
}
