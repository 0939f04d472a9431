/** Players of the live streams: all at `/live`; at a fight in a cage, the streams of the cage. */
import type { LiveStream, LiveStreamGroups } from '../../../api/streams/schema.ts'
import { make, setText } from './dom.ts'
import { playStream } from './streamPlayer.ts'

/** A stream that somebody watches until they stop it: a broken stream may come back. */
interface Watched extends ReturnType<typeof buildFigure> {
  readonly stream: LiveStream
  /** Stops the player; undefined while the stream is not broadcasting. */
  stop: (() => void) | undefined
}

const refreshMs = 15_000

const titleOf = ({ location, name }: LiveStream): string =>
  name === location || name === '' ? location : `${location}, ${name}`

/** A figure with a video, its title, and a note over the picture. */
const buildFigure = (stream: LiveStream) => {
  const title = titleOf(stream)
  const video = make('video', { controls: true, muted: true, playsInline: true })
  video.setAttribute('aria-label', title)
  const note = make('p', { className: 'note' })
  note.setAttribute('role', 'status')
  const caption = make('figcaption', {}, title)
  return { video, note, figure: make('figure', { className: 'camera' }, video, note, caption) }
}

export const showStreams = (root: HTMLElement): void => {
  const list = root.querySelector('ul')
  const stage = root.querySelector('.stage')
  const { streams: address = '', hls = '', cage } = root.dataset
  const library = new URL(hls, location.href).href
  const watched = new Map<string, Watched>()

  const start = (each: Watched): void => {
    each.stop = playStream(each.video, each.stream.hlsUrl, library)
    setText(each.note, '')
  }
  const toggle = (stream: LiveStream): void => {
    const each = watched.get(stream.path)
    each?.stop?.()
    each?.figure.remove()
    if (watched.delete(stream.path)) return
    const added: Watched = { stream, ...buildFigure(stream), stop: undefined }
    stage?.append(added.figure)
    watched.set(stream.path, added)
    start(added)
  }

  const button = (stream: LiveStream): HTMLElement => {
    const toggles = make('button', { type: 'button' }, titleOf(stream))
    const show = () => {
      toggles.setAttribute('aria-pressed', String(watched.has(stream.path)))
    }
    toggles.addEventListener('click', () => {
      toggle(stream)
      show()
    })
    show()
    return make('li', {}, toggles)
  }

  /** Starts and stops the players of the watched streams as their broadcasts start and end. */
  const follow = (paths: ReadonlySet<string>): void => {
    for (const each of watched.values()) {
      const isBroadcast = paths.has(each.stream.path)
      if (isBroadcast && !each.stop) start(each)
      if (isBroadcast || !each.stop) continue
      each.stop()
      each.stop = undefined
      setText(each.note, 'The stream has ended. It plays again when it is back.')
    }
  }

  let shown = ''
  const refresh = async (): Promise<void> => {
    const response = await fetch(address)
    // Streams can exist although their server does not answer the service.
    if (!response.ok) return
    const { groups }: LiveStreamGroups = await response.json()
    const found = Object.entries(groups).flatMap(([location, streams]) =>
      cage === undefined || location === cage ? streams : [],
    )
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
