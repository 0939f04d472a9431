const hlsType = 'application/vnd.apple.mpegurl'
/** Delay after a failure that the player cannot recover from, such as a server that is gone for a while. */
const retryMs = 3000

/**
 * Attaches a stream to a video, unless it is stopped before the library is loaded; `onFail` is called when it cannot go
 * on. Returns a function that detaches it.
 */
const attach = async (
  video: HTMLVideoElement,
  address: string,
  library: string,
  isStopped: () => boolean,
  onFail: () => void,
): Promise<() => void> => {
  if (video.canPlayType(hlsType) !== '') {
    video.addEventListener('error', onFail)
    video.src = address
    return () => {
      video.removeEventListener('error', onFail)
      video.removeAttribute('src')
      video.load()
    }
  }
  const { default: Hls }: typeof import('hls.js') = await import(library)
  if (isStopped()) return () => undefined
  // The policy of the page forbids a worker from a blob.
  const hls = new Hls({ enableWorker: false })
  hls.on(Hls.Events.ERROR, (_, { fatal }) => {
    if (fatal) onFail()
  })
  hls.loadSource(address)
  hls.attachMedia(video)
  return () => hls.destroy()
}

/**
 * Plays an HLS stream, natively if the browser can, else by the module at `library`, and again after failures. Call the
 * result to stop: then nothing more is loaded.
 */
export const playStream = (
  video: HTMLVideoElement,
  address: string,
  library: string,
): (() => void) => {
  let isStopped = false
  let detach = (): void => undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const again = (): void => {
    clearTimeout(timer)
    timer = setTimeout(begin, retryMs)
  }
  const begin = async (): Promise<void> => {
    detach()
    try {
      detach = await attach(video, address, library, () => isStopped, again)
      if (!isStopped) await video.play().catch(() => undefined)
    } catch {
      // The library could not be loaded.
      if (!isStopped) again()
    }
  }
  void begin()
  return () => {
    isStopped = true
    clearTimeout(timer)
    detach()
  }
}
