/** Players of the live streams at `/live`. */
interface Stream {
  readonly name: string
  readonly location: string
  readonly path: string
  readonly hlsUrl: string
}

const refreshMs = 15_000
const hlsType = 'application/vnd.apple.mpegurl'

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

const play = async (
  video: HTMLVideoElement,
  { hlsUrl }: Stream,
  library: string,
): Promise<void> => {
  if (video.canPlayType(hlsType) !== '') video.src = hlsUrl
  else {
    const { default: Hls }: typeof import('hls.js') = await import(library)
    // A worker from a blob is against the policy of the page.
    const hls = new Hls({ enableWorker: false })
    hls.loadSource(hlsUrl)
    hls.attachMedia(video)
  }
  await video.play().catch(() => undefined)
}

export const showStreams = (root: HTMLElement): void => {
  const list = root.querySelector('ul')
  const stage = root.querySelector('.stage')
  const { streams: address = '', hls: library = '' } = root.dataset
  const players = new Map<string, HTMLElement>()

  const start = (stream: Stream): void => {
    const figure = document.createElement('figure')
    figure.className = 'camera'
    const video = document.createElement('video')
    video.controls = true
    video.muted = true
    video.playsInline = true
    video.setAttribute('aria-label', titleOf(stream))
    const caption = document.createElement('figcaption')
    caption.textContent = titleOf(stream)
    figure.append(video, caption)
    stage?.append(figure)
    players.set(stream.path, figure)
    void play(video, stream, new URL(library, location.href).href)
  }
  const stop = (path: string): void => {
    players.get(path)?.remove()
    players.delete(path)
  }

  const button = (stream: Stream): HTMLElement => {
    const item = document.createElement('li')
    const toggle = document.createElement('button')
    toggle.type = 'button'
    toggle.textContent = titleOf(stream)
    toggle.setAttribute('aria-pressed', String(players.has(stream.path)))
    toggle.addEventListener('click', () => {
      if (players.has(stream.path)) stop(stream.path)
      else start(stream)
      toggle.setAttribute('aria-pressed', String(players.has(stream.path)))
    })
    item.append(toggle)
    return item
  }

  let shown = ''
  const refresh = async (): Promise<void> => {
    const response = await fetch(address)
    const found = response.ok ? readStreams(await response.json()) : []
    const paths = found.map(({ path }) => path)
    for (const path of players.keys()) if (!paths.includes(path)) stop(path)
    root.hidden = found.length === 0
    if (shown === paths.join()) return
    shown = paths.join()
    list?.replaceChildren(...found.map(button))
  }
  const ask = (): void => {
    if (!document.hidden) refresh().catch(() => undefined)
  }
  ask()
  setInterval(ask, refreshMs)
}
